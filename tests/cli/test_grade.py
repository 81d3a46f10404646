"""``rlvr-course grade``: a class of four through the whole command, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from rlvr_course.cli import main

COURSE = Path(__file__).parents[2]
NAME = "01_verifiers"


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory) -> Path:
    """A solution, a fresh copy, a cut file and a notebook from elsewhere."""
    folder = tmp_path_factory.mktemp("class")
    fresh = (COURSE / f"notebooks/{NAME}.ipynb").read_bytes()
    done = (COURSE / f"solutions_private/{NAME}.ipynb").read_bytes()
    (folder / "ada.ipynb").write_bytes(done)
    (folder / "bob.ipynb").write_bytes(fresh)
    (folder / "cy.ipynb").write_bytes(fresh[:3000])
    foreign = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "eve.ipynb").write_text(json.dumps(foreign))
    return folder


@pytest.fixture(scope="module")
def graded(handed_in, tmp_path_factory) -> tuple[int, Path]:
    """The exit status and the folder of results."""
    out = tmp_path_factory.mktemp("results")
    return run(handed_in, out), out


def run(handed_in: Path, out: Path, *more: str) -> int:
    arguments = [str(handed_in), "--out", str(out), "--jobs", "1", "--no-reexecute", *more]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(COURSE)
        return main(["grade", *arguments])


def rows(out: Path) -> dict[str, dict[str, str]]:
    text = (out / "grades.csv").read_text(encoding="utf-8")
    return {row["learner"]: row for row in csv.DictReader(text.splitlines())}


def test_a_class_is_graded_and_the_status_says_that_one_was_not(graded):
    status, out = graded
    assert status == 3
    assert {learner: row["status"] for learner, row in rows(out).items()} == {
        "ada": "needs_manual",
        "bob": "graded",
        "cy": "could_not_grade",
        "eve": "not_ours",
    }


def test_a_solution_earns_all_and_a_fresh_copy_nothing(graded):
    table = rows(graded[1])
    assert (table["ada"]["points"], table["ada"]["Q1"]) == ("24", "")
    assert (table["bob"]["points"], table["bob"]["max_points"]) == ("0", "34")


def test_every_report_is_there(graded):
    names = {path.name for path in graded[1].iterdir()}
    assert names == {
        *("class.html", "grades.csv", "grades.json", "graded", "learners"),
        *("manual_queue.csv", "manual_queue.html"),
    }
    pages = {path.stem for path in (graded[1] / "learners").iterdir()}
    assert pages == {"ada", "bob", "cy", "eve"}


def test_the_queue_shows_the_rubric(graded):
    text = (graded[1] / "manual_queue.html").read_text(encoding="utf-8")
    assert "cheapest text that passes" in text and 'data-learner="ada"' in text


def test_merged_scores_names_and_late_days_reach_the_table(graded, handed_in, tmp_path):
    queue = (graded[1] / "manual_queue.csv").read_text(encoding="utf-8")
    merge, people, late = (tmp_path / name for name in ("manual.csv", "class.csv", "late.toml"))
    merge.write_text(queue.replace(f"{NAME},Q1,ada,,10,", f"{NAME},Q1,ada,8,10,"))
    people.write_text("id,name,email,group\nada,Ada,ada@x.example,A\n")
    late.write_text(
        'deadline = 2026-03-06T23:59:00Z\npoints_per_day = 2\narrivals = "arrivals.csv"\n'
    )
    (tmp_path / "arrivals.csv").write_text("learner,received\nada,2026-03-07T12:00:00Z\n")
    options = ["--merge", str(merge), "--identities", str(people), "--late", str(late)]
    assert run(handed_in, graded[1], *options) == 3
    ada = rows(graded[1])["ada"]
    assert (ada["name"], ada["Q1"], ada["penalty"], ada["points"]) == ("Ada", "8", "2", "30")
    assert ada["status"] == "graded"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--notebook", "77"], "no notebook '77'; there are 00_start_here"),
        (["--late", "none.toml"], "none.toml can't be read"),
        (["--identities", "none.csv"], "none.csv can't be read"),
        (["--timeout", "0"], "a timeout of 0.0 s: it must be above 0"),
        (["--jobs", "0"], "0 jobs: it must be at least 1"),
    ],
    ids=["notebook", "late", "identities", "timeout", "jobs"],
)
def test_a_slip_of_the_instructors_is_one_line_before_anything_runs(
    handed_in, tmp_path, capsys, more, said
):
    assert run(handed_in, tmp_path / "out", *more) == 1
    line = capsys.readouterr().err
    assert said in line and line.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_empty_folder_is_one_line(tmp_path, capsys):
    assert run(tmp_path, tmp_path / "out") == 1
    assert "no submissions in" in capsys.readouterr().err


def test_jail_and_no_reexecute_exclude_each_other(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        run(tmp_path, tmp_path / "out", "--jail", "none")
    assert stop.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


def test_the_help_teaches_with_an_example_and_explains_the_status(capsys):
    with pytest.raises(SystemExit):
        main(["grade", "--help"])
    text = capsys.readouterr().out
    for part in (
        "--merge results/manual_queue.csv",
        "percent_per_day",
        "exit status",
        "  3    done",
    ):
        assert part in text


def test_an_nbgrader_course_is_written_beside_the_results(graded, handed_in, tmp_path, capsys):
    assert run(handed_in, graded[1], "--nbgrader", str(tmp_path / "course")) == 3
    assert "gradebook.db is for nbgrader" in capsys.readouterr().out
    text = (tmp_path / "course/grades.csv").read_text(encoding="utf-8")
    scores = {row["student_id"]: row["score"] for row in csv.DictReader(text.splitlines())}
    ours = {learner: rows(graded[1])[learner]["points"] for learner in ("ada", "bob")}
    assert {learner: f"{float(score):g}" for learner, score in scores.items()} == ours
    there = {path.name for path in (tmp_path / "course/autograded").iterdir()}
    assert there == {"ada", "bob"}
    kept = json.loads((graded[1] / "grades.json").read_text(encoding="utf-8"))
    assert not any("path" in grade["facts"] for grade in kept)
