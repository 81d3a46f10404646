"""Submissions made from the released notebooks: an exercise filled in here, a cell added there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.grading.handin.notebook_json import parse_notebook
from rlvr_course.grading.marking.answers import mark_answers
from rlvr_course.grading.marking.hidden import hidden_checks
from rlvr_course.grading.records import Mark, Submission
from rlvr_course.grading.released import Released, released, released_names

CHECKOUT = find_checkout(Path(__file__).parent)
NAMES = released_names(CHECKOUT.notebooks)
Added = tuple[str, str]
"""A cell of the learner's own: (type, source)."""


def course(name: str) -> Released:
    return released(name, CHECKOUT.notebooks)


def read(path: Path) -> dict[str, Any]:
    return parse_notebook(path.read_bytes())


def filled(
    name: str,
    answers: Mapping[str, str],
    *,
    before: Mapping[str, Sequence[Added]] | None = None,
    after: Mapping[str, Sequence[Added]] | None = None,
) -> dict[str, Any]:
    """The released notebook with exercises filled in, and cells added before or after some."""
    notebook = read(CHECKOUT.notebooks / f"{name}.ipynb")
    cells = []
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        source = answers.get(grade_id, cell["source"])
        cells += [own_cell(*added) for added in (before or {}).get(grade_id, ())]
        cells.append({**cell, "source": source})
        cells += [own_cell(*added) for added in (after or {}).get(grade_id, ())]
    return {**notebook, "cells": cells}


def own_cell(cell_type: str, source: str) -> dict[str, Any]:
    return {"id": "", "cell_type": cell_type, "source": source, "metadata": {}}


def marks_of(
    notebook: dict[str, Any], name: str = "01_verifiers", **options: Any
) -> dict[str, Mark]:
    """The marks by question, with the notebook read as a file would be."""
    clean = parse_notebook(json.dumps(notebook).encode())
    options.setdefault("hidden", hidden_checks(name, CHECKOUT.solutions / "hidden"))
    submission = Submission("somebody", Path("somebody.ipynb"), name, clean)
    return {mark.question: mark for mark in mark_answers(submission, course(name), **options)}


def mark_of(question: str, source: str, **options: Any) -> Mark:
    """The mark of one exercise of notebook 01, with this in its cell."""
    return marks_of(filled("01_verifiers", {question: source}), **options)[question]


def solution_of(name: str, question: str) -> str:
    """What the solution has in an exercise's cell."""
    cells = read(CHECKOUT.solutions / f"{name}.ipynb")["cells"]
    return next(
        cell["source"]
        for cell in cells
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == question
    )
