"""What answers earn: solutions all, stubs nothing, written ones wait; the grader's failures."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from marking import CHECKOUT, NAMES, course, filled, mark_of, marks_of, read, solution_of

from rlvr_course.classroom.check_spec import Case, CheckSpec
from rlvr_course.grading.marking.answers import MAX_ANSWER, mark_answers
from rlvr_course.grading.records import Submission
from rlvr_course.sandbox import tiers
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.verifiers.programs.pools import close_shared_pools

pytestmark = pytest.mark.usefixtures("sandbox")

HALVES = "def to_value(text):\n    return Fraction(text) if '/' in text else None"
"""Fractions with a slash, and no others."""


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_has_all_automatic_points(name: str) -> None:
    marks = marks_of(read(CHECKOUT.solutions / f"{name}.ipynb"), name)
    assert set(marks) == {cell.grade_id for cell in course(name).graded}
    for mark in marks.values():
        expected = (
            ("manual", None) if mark.question.startswith("Q") else ("passed", mark.max_points)
        )
        assert (mark.status, mark.points) == expected, mark


@pytest.mark.parametrize("name", NAMES)
def test_what_was_handed_out_is_open_throughout(name: str) -> None:
    marks = marks_of(read(CHECKOUT.notebooks / f"{name}.ipynb"), name)
    assert {(mark.status, mark.points) for mark in marks.values()} == {("open", 0.0)}


@pytest.mark.parametrize("mode", ["local", "api"])
def test_marks_are_the_same_in_every_mode(mode: str) -> None:
    notebook = read(CHECKOUT.solutions / "01_verifiers.ipynb")
    parameters = next(c for c in notebook["cells"] if "parameters" in c["metadata"].get("tags", []))
    parameters["source"] = f'MODE: str = "{mode}"'
    marks = marks_of(notebook)
    assert {mark.status for mark in marks.values() if mark.question != "Q1"} == {"passed"}


def test_a_part_of_the_cases_earns_a_part_of_the_points() -> None:
    mark = mark_of("q01d", HALVES.replace("Fraction(text) if", "Fraction(text.strip()) if"))
    assert mark.status == "failed"
    public = [held for name, held, _ in mark.cases if not name.startswith("hidden")]
    secret = [held for name, held, _ in mark.cases if name.startswith("hidden")]
    share = min(sum(public) / len(public), sum(secret) / len(secret))
    assert 0 < share < 1
    assert mark.points == round(6 * share, 2)


def test_what_was_hidden_stays_hidden() -> None:
    mark = mark_of("q01d", HALVES)
    assert {observed for name, _, observed in mark.cases if name.startswith("hidden")} == {""}


def test_without_hidden_cases_the_public_ones_decide() -> None:
    mark = mark_of("q01c", solution_of("01_verifiers", "q01c"), hidden={})
    assert (mark.status, mark.points) == ("passed", 4.0)
    assert not any(name.startswith("hidden") for name, _, _ in mark.cases)


def test_a_hidden_case_alone_can_fail() -> None:
    impossible = CheckSpec([Case("no", ("3",), lambda r: False, "no")], hints=["none"])
    mark = mark_of("q01c", solution_of("01_verifiers", "q01c"), hidden={"q01c": impossible})
    assert (mark.status, mark.points) == ("failed", 0.0)
    assert mark.comment == "7 of 7 public cases hold; 0 of 1 hidden cases hold"


def test_a_syntax_error_is_told() -> None:
    mark = mark_of("q01c", "def last_box(text):\n    return 3 +\n")
    assert (mark.status, mark.points) == ("failed", 0.0)
    assert mark.comment == "SyntaxError: invalid syntax (line 2)"


def test_the_cause_of_a_missing_name_is_told() -> None:
    mark = mark_of("q01a", "import no_such_module\nmy_labels = no_such_module.labels")
    assert mark.status == "failed"
    assert "ModuleNotFoundError" in mark.cases[0][2]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "open"),
        (" \n\t", "open"),
        ("*Write your answer here.*", "open"),
        ("*Write your answer here.*\n\nA joke.", "manual"),
        ("A joke has no reference.", "manual"),
    ],
)
def test_a_written_answer_waits_for_a_person(text: str, status: str) -> None:
    mark = mark_of("Q1", text)
    assert (mark.status, mark.points) == (status, 0.0 if status == "open" else None)
    assert mark.answer == text.replace("*Write your answer here.*", "").strip()


def test_an_answer_may_stand_in_a_cell_below() -> None:
    below = [("markdown", "First part."), ("raw", "Second part."), ("code", "x = 1")]
    mark = marks_of(filled("01_verifiers", {}, after={"Q1": below}))["Q1"]
    assert (mark.status, mark.answer) == ("manual", "First part.\n\nSecond part.")


def test_a_very_long_answer_is_cut() -> None:
    mark = mark_of("Q1", "a" * (MAX_ANSWER + 1234))
    assert mark.answer.endswith("a\n[1,234 more characters]")


def test_an_unreadable_submission_is_not_graded() -> None:
    submission = Submission("x", Path("x.zip"), "01_verifiers", problem="not a zip: send it again")
    for mark in mark_answers(submission, course("01_verifiers")):
        assert (mark.status, mark.points) == ("could_not_grade", None)
        assert mark.comment == "not a zip: send it again"


def statuses(notebook: dict[str, Any], **options: Any) -> set[tuple[str, float | None]]:
    marks = marks_of(notebook, **options)
    return {(mark.status, mark.points) for name, mark in marks.items() if name != "Q1"}


def solved() -> dict[str, Any]:
    return read(CHECKOUT.solutions / "01_verifiers.ipynb")


def test_without_a_sandbox_nothing_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    close_shared_pools()
    names = ",".join(tier.name for tier in tiers.TIERS)
    monkeypatch.setenv(tiers.WITHOUT, names)
    assert statuses(solved()) == {("could_not_grade", None)}


def test_a_sandbox_that_is_gone_is_no_fault_of_the_learner() -> None:
    pool = SandboxPool(workers=1, packages=("rlvr_course",))
    pool.close()
    assert statuses(solved(), pool=pool) == {("could_not_grade", None)}


def test_a_sandbox_without_the_package_is_no_fault_of_the_learner() -> None:
    with SandboxPool(workers=1) as pool:
        marks = marks_of(solved(), pool=pool)
    assert marks["q01c"].comment == (
        "the sandbox can't run the course's package (raised: ModuleNotFoundError)"
    )
    assert {mark.points for mark in marks.values()} == {None}


def rename_ids(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "id": f"other-{cell['id']}"}


def without_ids(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "id": ""}


def without_metadata(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "metadata": {}}


def bare(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "id": "", "metadata": {}}


def odd_metadata(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "metadata": {"nbgrader": ["grade_id"], "tags": "exercise"}}


@pytest.mark.parametrize(
    "edit",
    [rename_ids, without_ids, without_metadata, bare, odd_metadata],
    ids=lambda e: e.__name__,
)
def test_another_editor_changes_no_mark(edit: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    notebook = solved()
    assert statuses({**notebook, "cells": [edit(cell) for cell in notebook["cells"]]}) == {
        ("passed", float(points)) for points in (2, 4, 6)
    }


def test_an_exercise_that_was_deleted_is_open() -> None:
    notebook = solved()
    kept = [cell for cell in notebook["cells"] if not re.match("def last_box", cell["source"])]
    mark = marks_of({**notebook, "cells": kept})["q01c"]
    assert (mark.status, mark.points) == ("open", 0.0)
    assert mark.comment == "nothing in the notebook defines last_box"
