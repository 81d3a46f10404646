"""Packing a hand-in: the saved bytes, the log of the run that made them, and what to know first."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.audit import AuditLog, verify_audit
from rlvr_course.classroom.past_runs import PastRun
from rlvr_course.classroom.submit import choose_run, gather, pack, printed_run_ids
from rlvr_course.errors import NotebookError
from rlvr_course.problems.fixtures import VARIABLE

FIRST, SECOND = "20261130-100000-aaaaaa", "20261130-110000-bbbbbb"


def printed(*lines: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": [f"{line}\n" for line in lines]}


def of_run(run_id: str) -> str:
    return f"mode fake · recorded (some model) · run {run_id}"


@pytest.fixture
def notebook(tmp_path: Path) -> Callable[..., Path]:
    """Writes a notebook with one cell that printed some lines."""

    def write(*lines: str, source: str = "") -> Path:
        cell = {"cell_type": "code", "source": source, "outputs": [printed(*lines)]}
        path = tmp_path / "01_first.ipynb"
        path.write_text(json.dumps({"nbformat": 4, "cells": [cell]}), encoding="utf-8")
        return path

    return write


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Path]:
    """Leaves the log of a run with one check."""

    def write(run_id: str, notebook: str = "01_first") -> Path:
        with AuditLog(tmp_path / "artifacts" / run_id / "verifier.jsonl", run_id=run_id) as log:
            log.append({"event": "start", "notebook": notebook, "mode": "fake"})
            log.append({"event": "check", "check": "q01a", "case": "x", "result": "passed"})
        return log.path

    return write


def packed(notebook: Path, out: Path, **options: Any) -> dict[str, bytes]:
    path = pack(notebook, artifacts=[out / "artifacts"], out=out, **options)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_package_holds_the_saved_bytes_and_the_log_as_on_disk(notebook, run, tmp_path):
    log, path = run(FIRST), notebook(of_run(FIRST))
    files = packed(path, tmp_path)
    assert files.pop("manifest.json")
    assert files == {
        "notebook.ipynb": path.read_bytes(),
        "verifier.jsonl": log.read_bytes(),
        "verifier.jsonl.head": log.with_name("verifier.jsonl.head").read_bytes(),
    }


def test_the_manifest_says_who_which_run_and_the_hash_of_each_file(notebook, run, tmp_path):
    run(FIRST)
    files = packed(notebook(of_run(FIRST)), tmp_path, learner="ada")
    manifest = json.loads(files.pop("manifest.json"))
    assert manifest["format"] == "rlvr-course submission 1"
    about = [manifest[key] for key in ("notebook", "learner", "run_id", "mode")]
    assert about == ["01_first", "ada", FIRST, "fake"]
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    assert manifest["sha256"] == hashes


def test_the_manifests_head_is_an_anchor_that_the_log_holds_against(notebook, run, tmp_path):
    log = run(FIRST)
    manifest = gather(notebook(of_run(FIRST)), artifacts=[tmp_path / "artifacts"]).manifest
    assert manifest["head"] == log.with_name("verifier.jsonl.head").read_text().strip()
    assert verify_audit(log, manifest["head"]).ok


def test_a_log_that_a_live_kernel_holds_is_packed(notebook, tmp_path):
    path = tmp_path / "artifacts" / FIRST / "verifier.jsonl"
    with AuditLog(path, run_id=FIRST, anchor_every=100) as log:
        log.append({"event": "start", "notebook": "01_first", "mode": "fake"})
        log.append({"i": 1})
        files = packed(notebook(of_run(FIRST)), tmp_path)
        assert json.loads(files["manifest.json"])["head"] == log.anchor


def test_an_unfinished_last_line_is_outside_of_the_anchor(notebook, run, tmp_path):
    log = run(FIRST)
    anchor = log.with_name("verifier.jsonl.head").read_text().strip()
    log.write_bytes(log.read_bytes() + b'{"prev":"cut')
    files = packed(notebook(of_run(FIRST)), tmp_path)
    assert json.loads(files["manifest.json"])["head"] == anchor
    assert files["verifier.jsonl"].endswith(b'{"prev":"cut')


def test_the_printed_run_comes_before_the_latest(notebook, run, tmp_path):
    run(FIRST), run(SECOND)
    found = gather(notebook(of_run(FIRST)), artifacts=[tmp_path / "artifacts"])
    assert found.manifest["run_id"] == FIRST
    assert len(found.notes) == 1 and f"{SECOND} is later" in found.notes[0]


def test_without_a_log_the_notebook_is_packed_alone(notebook, tmp_path):
    files = packed(notebook(of_run(FIRST)), tmp_path)
    assert sorted(files) == ["manifest.json", "notebook.ipynb"]
    assert json.loads(files["manifest.json"])["head"] == ""


def test_a_notebook_saved_before_its_run_ended_is_noted(notebook, run, tmp_path):
    log, path = run(FIRST), notebook(of_run(FIRST))
    saved = log.stat().st_mtime - 600
    os.utime(path, (saved, saved))
    (note,) = gather(path, artifacts=[tmp_path / "artifacts"]).notes
    assert note.startswith("the run went on for 10 min after the notebook was saved")


# ---- which run


def past(run_id: str, notebook: str = "01_first") -> PastRun:
    return PastRun(notebook, "fake", run_id, f"2026 {run_id}", Path(run_id))


@pytest.mark.parametrize(
    ("ids", "runs", "chosen", "said"),
    [
        ([], [], None, "no run of 01_first was found"),
        ([], [past(FIRST), past(SECOND)], SECOND, "its outputs name no run"),
        ([FIRST], [past(FIRST)], FIRST, ""),
        ([FIRST], [past(FIRST), past(SECOND)], FIRST, f"but {SECOND} is later"),
        ([FIRST], [past(SECOND)], None, f"are of run {FIRST}, whose log is not in artifacts/"),
        ([FIRST], [past(FIRST, "02_second")], None, "whose log is not in artifacts/"),
        ([], [past(FIRST, "02_second")], None, "no run of 01_first was found"),
        ([FIRST, SECOND], [past(FIRST), past(SECOND)], SECOND, "are of 2 runs"),
    ],
    ids=[
        *("nothing", "unprinted", "printed", "printed, not the latest"),
        *("log is gone", "another notebook's", "only another notebook's", "two runs"),
    ],
)
def test_the_run_is_chosen_by_what_is_printed_then_by_time(ids, runs, chosen, said):
    run, notes = choose_run("01_first", ids, runs)
    assert (run.run_id if run else None) == chosen
    assert len(notes) == bool(said) and all(said in note for note in notes)


def test_notes_about_a_missing_log_say_what_to_do():
    for printed_ids in ([], [FIRST]):
        _, (note,) = choose_run("01_first", printed_ids, [])
        assert note.endswith("run all cells (rlvr-course lab 01), save, and submit again")


def test_a_run_id_in_a_source_is_not_printed(notebook):
    path = notebook("nothing", source=f"# {of_run(FIRST)}")
    assert printed_run_ids(json.loads(path.read_text())) == []


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(
    st.lists(
        JSON
        | st.fixed_dictionaries(
            {"outputs": st.lists(st.fixed_dictionaries({"text": JSON}), max_size=2)}
        ),
        max_size=3,
    )
)
def test_outputs_of_any_shape_name_no_run(cells):
    assert printed_run_ids({"cells": cells}) == []


# ---- what can't be packed, or written


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"cells": 3}', b"[" * 100_000],
    ids=["empty", "cut", "a list", "not utf-8", "no cells", "nested"],
)
def test_what_is_no_notebook_says_what_to_do(tmp_path, data):
    path = tmp_path / "01_first.ipynb"
    path.write_bytes(data)
    with pytest.raises(NotebookError, match=r"is not a notebook .*: open it in JupyterLab"):
        gather(path, artifacts=[])


def test_a_missing_notebook_says_so(tmp_path):
    with pytest.raises(NotebookError, match=r"can't be read \(No such file"):
        gather(tmp_path / "01_first.ipynb", artifacts=[])


@pytest.mark.parametrize("out", ["", "new/folder", "mine.zip", "new/mine.ZIP"])
def test_out_is_a_folder_or_a_zip(notebook, tmp_path, out):
    path = pack(notebook(), artifacts=[], out=tmp_path / out)
    is_zip = out.lower().endswith(".zip")
    assert path == (tmp_path / out if is_zip else tmp_path / out / "01_first.zip")
    assert zipfile.is_zipfile(path)


def test_an_older_package_is_replaced_and_nothing_else_is_left(notebook, tmp_path):
    out = tmp_path / "out"
    for line in ("one", "two"):
        pack(notebook(line), artifacts=[], out=out)
    assert [path.name for path in out.iterdir()] == ["01_first.zip"]
    assert b"two" in packed(notebook("two"), tmp_path)["notebook.ipynb"]


def test_a_place_that_can_not_be_written_is_one_line(notebook, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotebookError, match="choose another place with --out"):
        pack(notebook(), artifacts=[], out=tmp_path / "file" / "x.zip")


@pytest.mark.parametrize(
    ("logged", "expected"),
    [({"fixture_seed": "27"}, "27"), ({"fixture_seed": ""}, ""), ({}, "5")],
    ids=["a cohort's", "as recorded", "a log that doesn't say"],
)
def test_the_manifest_names_the_fixtures_of_the_run(
    logged, expected, notebook, tmp_path, monkeypatch
):
    monkeypatch.setenv(VARIABLE, "5")
    with AuditLog(tmp_path / "artifacts" / FIRST / "verifier.jsonl", run_id=FIRST) as log:
        log.append({"event": "start", "notebook": "01_first", "mode": "fake", **logged})
    found = gather(notebook(of_run(FIRST)), artifacts=[tmp_path / "artifacts"])
    assert found.manifest["fixture_seed"] == expected
