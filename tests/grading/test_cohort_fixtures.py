"""A cohort's fixtures: what is expected decides, and what a hand-in says of its own is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from marking import filled, marks_of

from rlvr_course.audit.chain import GENESIS, encode_entry
from rlvr_course.classroom.check import run_check
from rlvr_course.classroom.checks_01 import BY_HAND, _naive
from rlvr_course.classroom.specs import SPECS
from rlvr_course.grading.evidence.fixture_evidence import fixture_findings
from rlvr_course.grading.evidence.tricks import trick_findings
from rlvr_course.grading.handin.seen import SeenCell
from rlvr_course.grading.records import Submission
from rlvr_course.grading.rerun.hard_coding import other_seed
from rlvr_course.problems.fixtures import VARIABLE
from rlvr_course.problems.recorded import load_problems, load_rollouts


def letters() -> str:
    """The key's labels of q01a, in the order in which this process's notebook shows the rows."""
    answers = {problem.id: problem.answer for problem in load_problems("math")}
    rows = [
        rollout
        for rollout in load_rollouts("math")
        if rollout.problem_id in BY_HAND
        and not _naive(rollout.completion.text, answers[rollout.problem_id])
    ]
    return "".join({True: "v", False: "p", None: "?"}[row.truth] for row in rows)


def start_row(record: dict[str, Any]) -> bytes:
    entry = {"prev": GENESIS, "seq": 0, "run": "r", "at": "2026-11-30T10:00:00+00:00"}
    return encode_entry({**entry, "record": {"event": "start", **record}})


def found(manifest: dict[str, Any], log: list[bytes] | None = None) -> list[tuple[str, str]]:
    submission = Submission("ada", Path("ada.zip"), log=log, manifest=manifest)
    return [(finding.code, finding.kind) for finding in fixture_findings(submission)]


@pytest.mark.parametrize("seed", ["7", "27", "2027"])
def test_the_key_of_the_labels_follows_the_cohort(seed, monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    last_years = letters()
    monkeypatch.setenv(VARIABLE, seed)
    kinds = [run_check("q01a", SPECS["q01a"], text).kind for text in (letters(), last_years)]
    assert kinds == ["passed", "failed"]


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("expected", ["", "7"])
def test_labels_are_marked_by_the_expected_fixtures_whatever_the_learner_set(expected, monkeypatch):
    monkeypatch.setenv(VARIABLE, "7")
    of_seven = letters()
    monkeypatch.setenv(VARIABLE, expected)
    chosen = f'import os\nos.environ["{VARIABLE}"] = "7"\nmy_labels = "{of_seven}"'
    mark = marks_of(filled("01_verifiers", {"q01a": chosen}))["q01a"]
    assert (mark.status == "passed") is (expected == "7")


@pytest.mark.usefixtures("sandbox")
def test_an_answer_that_is_computed_in_the_sandbox_has_the_same_fixtures(monkeypatch):
    monkeypatch.setenv(VARIABLE, "7")
    computed = (
        'my_labels = "".join({True: "v", False: "p", None: "?"}[r.truth]\n'
        "    for r in load_rollouts('math') if r.problem_id in BY_HAND\n"
        "    and not naive_verify(r.completion.text, problems[r.problem_id].answer))"
    )
    assert marks_of(filled("01_verifiers", {"q01a": computed}))["q01a"].status == "passed"


OTHER = [("other_fixtures", "integrity")]


@pytest.mark.parametrize(
    ("expected", "manifest", "log", "findings"),
    [
        ("", {}, None, []),
        ("", {"fixture_seed": ""}, [start_row({"fixture_seed": ""})], []),
        ("7", {"fixture_seed": "7"}, [start_row({"fixture_seed": "7"})], []),
        ("7", {}, None, []),
        ("7", {"mode": "fake"}, [start_row({})], [("fixtures_not_told", "note")]),
        ("7", {"fixture_seed": ""}, None, OTHER),
        ("7", {"fixture_seed": "7"}, [start_row({"fixture_seed": "5"})], OTHER),
        ("", {"fixture_seed": "5"}, [start_row({"fixture_seed": "5"})], OTHER),
        ("7", {"fixture_seed": 7}, [b"\xff\n"], [("fixtures_not_told", "note")]),
    ],
    ids=["bare, as recorded", "as recorded", "as expected", "bare", "of an older version",
         "last year's bundle", "manifest rewritten", "a seed by hand", "unreadable"],
)  # fmt: skip
def test_what_a_hand_in_says_of_its_fixtures_is_compared(
    expected, manifest, log, findings, monkeypatch
):
    monkeypatch.setenv(VARIABLE, expected)
    assert found(manifest, log) == findings


@pytest.mark.parametrize(
    "source",
    [
        f'import os\nos.environ["{VARIABLE}"] = "5"',
        'import os\nos.environ.update({"RLVR_COURSE_" + "FIXTURE_SEED": "5"})',
        "from rlvr_course.problems.fixtures import dealt",
        "from rlvr_course.problems import fixtures",
        "import rlvr_course.problems.fixtures as f",
        f"%env {VARIABLE}=5",
    ],
)
def test_code_that_reaches_for_the_seed_is_found(source):
    cell = SeenCell(1, "code", source=source, count=1)
    assert "fixtures_chosen" in {finding.code for finding in trick_findings([cell])}


@pytest.mark.parametrize("usual", ["", "7", "20", "20:redrawn", "21:redrawn"])
def test_hard_coding_is_looked_for_on_other_fixtures_than_the_cohorts(usual, monkeypatch):
    monkeypatch.setenv(VARIABLE, usual)
    assert other_seed() != usual and other_seed().endswith(":redrawn")
