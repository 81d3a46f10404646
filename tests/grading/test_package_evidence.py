"""A package's files beside its manifest."""

from pathlib import Path

import pytest

from rlvr_course.grading.evidence.package_evidence import package_findings
from rlvr_course.grading.records import Submission

FILES = {"notebook.ipynb": "aa", "verifier.jsonl": "bb", "manifest.json": "cc"}


def codes(manifest: dict, sha256: dict = FILES, remarks: tuple[str, ...] = ()) -> list[str]:
    submission = Submission(
        "ada", Path("ada.zip"), manifest=manifest, sha256=sha256, remarks=remarks
    )
    return [finding.code for finding in package_findings(submission)]


@pytest.mark.parametrize(
    ("packed", "expected"),
    [
        ({"notebook.ipynb": "aa", "verifier.jsonl": "bb"}, []),
        ({"notebook.ipynb": "aa", "verifier.jsonl": "xx"}, ["file_changed"]),
        ({"notebook.ipynb": "aa", "verifier.jsonl.head": "dd"}, ["file_missing"]),
        ({"notebook.ipynb": ["aa"]}, ["file_changed"]),
        ("aa", []),
        (None, []),
    ],
    ids=["as packed", "changed", "taken out", "no text", "no mapping", "nothing"],
)
def test_files_are_compared_with_the_hashes_of_the_manifest(packed, expected):
    assert codes({"sha256": packed}) == expected


def test_a_bare_notebook_shows_nothing():
    assert codes({}, {"notebook.ipynb": "aa"}) == []


def test_what_was_left_out_is_for_information():
    submission = Submission("ada", Path("ada.zip"), remarks=("'../x' is a path",))
    (finding,) = package_findings(submission)
    assert (finding.kind, finding.message) == ("note", "not read: '../x' is a path")
