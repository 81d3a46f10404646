"""An exercise that the course's own function does is told from one that was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from marking import CHECKOUT, NAMES, course, filled, read

from rlvr_course.grading.evidence.borrowed import borrowed_findings
from rlvr_course.grading.evidence.claims import claim_findings
from rlvr_course.grading.handin.notebook_json import parse_notebook
from rlvr_course.grading.records import Mark, Submission

BOX = (
    "def last_box(t):\n    boxes = {}(t)\n    return t[boxes[-1][1]:boxes[-1][2]] if boxes else ''"
)
EXTRACT = "rlvr_course.verifiers.extract"


def borrowed(notebook, name="01_verifiers") -> list[str]:
    clean = parse_notebook(json.dumps(notebook).encode())
    submission = Submission("eve", Path("eve.ipynb"), name, clean)
    return [finding.message for finding in borrowed_findings(submission, course(name))]


@pytest.mark.parametrize(
    ("question", "source", "named"),
    [
        ("q01c", f"from {EXTRACT} import find_boxes as f\n{BOX.format('f')}", "find_boxes"),
        ("q01c", f"import {EXTRACT} as e\n{BOX.format('e.find_boxes')}", "find_boxes"),
        (
            "q01c",
            f"import importlib\n{BOX.format(f'importlib.import_module({EXTRACT!r}).find_boxes')}",
            "find_boxes",
        ),
        ("q01e", "def my_verifier(r, a):\n    return MathVerifier()(r, a).is_correct", "MathVer"),
        ("q01e", "def my_verifier(r, a):\n    return full(r, a).is_correct", "MathVerifier"),
    ],
    ids=["imported", "a module", "by name", "the verifier", "an object that was given"],
)
def test_the_course_at_work_in_an_exercise_is_seen(question, source, named) -> None:
    (message,) = borrowed(filled("01_verifiers", {question: source}))
    assert question in message and named in message


def test_another_name_for_the_courses_function_is_seen() -> None:
    name = "03_groups_and_advantages"
    source = "from rlvr_course import leave_one_out_advantages as leave_one_out"
    (message,) = borrowed(filled(name, {"q03b": source}), name)
    assert "leave_one_out_advantages" in message


@pytest.mark.parametrize("name", NAMES)
def test_the_courses_solutions_borrow_nothing(name: str) -> None:
    assert borrowed(read(CHECKOUT.solutions / f"{name}.ipynb"), name) == []


SOME = (("plain", True, ""), ("hidden: a", False, ""))
CASES = {
    "failed": (Mark("q01c", "failed", 1.0, 4.0, (("plain", False, "x"),)), 1),
    "hidden only": (Mark("q01c", "failed", 1.0, 4.0, SOME), 0),
    "no reply": (Mark("q01c", "failed", 0.0, 4.0), 1),
    "open": (Mark("q01c", "open", 0.0, 4.0), 1),
    "passed": (Mark("q01c", "passed", 4.0, 4.0, (("plain", True, "x"),)), 0),
    "not graded": (Mark("q01c", "could_not_grade", None, 4.0), 0),
}  # fmt: skip


@pytest.mark.parametrize(("mark", "count"), CASES.values(), ids=CASES)
def test_a_passed_check_that_is_not_true_is_told(mark: Mark, count: int) -> None:
    notebook = read(CHECKOUT.solutions / "01_verifiers.ipynb")
    submission = Submission("eve", Path("eve.ipynb"), "01_verifiers", notebook)
    found = claim_findings(submission, course("01_verifiers"), [mark])
    assert [finding.code for finding in found] == ["pass_not_confirmed"] * count
