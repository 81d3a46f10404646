"""``progress`` at the command line: a narrow table, JSON, and no run needed."""

import json
from pathlib import Path

import pytest

from rlvr_course.audit import AuditLog
from rlvr_course.cli import main

NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {
            "id": "a",
            "cell_type": "code",
            "source": "def f():\n    ...",
            "metadata": {"nbgrader": {"grade": True, "grade_id": "q01a", "points": 4}},
            "outputs": [],
            "execution_count": None,
        },
        {
            "id": "b",
            "cell_type": "code",
            "source": 'check("q01a", f)',
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        },
    ],
}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "notebooks/01_first.ipynb").write_text(json.dumps(NOTEBOOK))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RLVR_ARTIFACTS", raising=False)
    return tmp_path


def log_check(course: Path, result: str) -> None:
    with AuditLog(course / "artifacts/r1/verifier.jsonl") as log:
        log.append({"event": "start", "notebook": "01_first", "mode": "fake"})
        log.append({"event": "check", "check": "q01a", "case": "x", "result": result})


def test_before_any_run_it_says_where_to_begin(course, capsys):
    assert main(["progress"]) == 0
    first, _, points, following = capsys.readouterr().out.splitlines()
    assert first.split() == ["01_first", "0", "of", "4", "points", "not", "begun"]
    assert points.startswith("0 of 4 points by public checks")
    assert following == "next: begin with 01_first: rlvr-course lab 01"


def test_a_passed_check_earns_its_points(course, capsys):
    log_check(course, "passed")
    assert main(["progress", "01"]) == 0
    assert "4 of 4 points by public checks" in capsys.readouterr().out


def test_json_holds_the_same(course, capsys):
    log_check(course, "failed")
    assert main(["progress", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["notebooks"][0]["exercises"][0]["kind"] == "failed"
    assert (found["notebooks"][0]["points"], found["notebooks"][0]["max_points"]) == (0, 4)
    assert found["next"].startswith("q01a, where 1 of 1")


def test_an_unknown_notebook_is_one_line(course, capsys):
    assert main(["progress", "7"]) == 1
    assert capsys.readouterr().err == ("rlvr-course: no notebook '7'; there are 01_first\n")
