"""Grades as nbgrader keeps them, so that a school's gradebook takes the result.

    DIR/grades.csv                                          the columns of ``nbgrader export``
    DIR/gradebook.db                                        what nbgrader itself reads
    DIR/source, release/ASSIGNMENT/NOTEBOOK.ipynb
    DIR/submitted, autograded/LEARNER/ASSIGNMENT/NOTEBOOK.ipynb

Each notebook is an assignment of its own name. The other way round nothing is to be done: a tree
``submitted/LEARNER/ASSIGNMENT/NOTEBOOK.ipynb`` is read as it is by ``find_submissions``, and what
a cell is worth stands in its metadata (``released.py``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rlvr_course.classroom.build import write_whole
from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.errors import NotebookError
from rlvr_course.grading.handin.handed_in import handed_in
from rlvr_course.grading.handin.notebook_json import parse_notebook
from rlvr_course.grading.handin.package import NOTEBOOK, read_parts
from rlvr_course.grading.identities import Identity
from rlvr_course.grading.ledger import MARKED, file_name
from rlvr_course.grading.records import Grade
from rlvr_course.grading.released import Released, released, released_names
from rlvr_course.grading.reports.tables import csv_text

GRADEBOOK = "gradebook.db"
COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_@-][A-Za-z0-9_@. -]{0,99}")


@dataclass(frozen=True)
class CourseFolder:
    """What was written.

    Args:
        folder: the nbgrader course.
        has_gradebook: whether nbgrader is installed, so that there is a ``gradebook.db``.
        left_out: a line for each grade that has no place in a gradebook, with the reason.
    """

    folder: Path
    has_gradebook: bool
    left_out: Sequence[str] = field(default_factory=tuple)


def export_nbgrader(
    grades: Sequence[Grade],
    folder: Path,
    *,
    identities: Mapping[str, Identity] | None = None,
    hand_ins: Mapping[tuple[str, str], Path] | None = None,
    notebooks: Path | None = None,
) -> CourseFolder:
    """Write grades as an nbgrader course, or bring one that was written before up to date.

    Args:
        grades: complete, with scores and penalties.
        folder: the course's; made if it isn't there.
        identities: names and addresses by learner.
        hand_ins: what was handed in by learner and notebook, to be shown beside the grades.
        notebooks: the folder of released notebooks; the checkout's if None.

    Returns:
        What was written. Without the package nbgrader there is no ``gradebook.db``; ``grades.csv``
        is there all the same.

    Raises:
        NotebookError: a file can't be written, or the gradebook isn't nbgrader's.

    Limits: what a person enters in nbgrader itself (manual scores and comments, extra credit) is
        kept and comes before ours there. ``nbgrader autograde`` would grade the cells anew.
    """
    given = notebooks or find_checkout().notebooks
    ours = set(released_names(given))
    names = sorted({grade.notebook_name for grade in grades} & ours)
    releases = [released(name, given) for name in names]
    taken = [grade for grade in grades if grade.notebook_name in ours]
    known = identities or {}
    write_whole(folder / "grades.csv", nbgrader_csv(taken, known, releases))
    for name in names:
        _copy(given / f"{name}.ipynb", folder / "release" / name)
        solved = given.parent / "solutions_private" / f"{name}.ipynb"
        _copy(solved if solved.is_file() else given / f"{name}.ipynb", folder / "source" / name)
    changed = set()
    for grade in taken:
        key = (grade.learner, grade.notebook_name)
        if hand_ins is not None and key in hand_ins:
            release = releases[names.index(grade.notebook_name)]
            if _write_hand_in(grade, hand_ins[key], release, folder):
                changed.add(key)
    has_gradebook = find_spec("nbgrader") is not None
    if has_gradebook:
        from rlvr_course.grading.nbgrader_rows import write_gradebook

        write_gradebook(folder / GRADEBOOK, taken, releases, identities=known, changed=changed)
    left_out = [_left_out(grade) for grade in grades if grade.notebook_name not in ours]
    return CourseFolder(folder, has_gradebook, left_out)


def _left_out(grade: Grade) -> str:
    return f"{grade.learner}: {grade.reason or 'it is none of the released notebooks'}"


def nbgrader_csv(
    grades: Sequence[Grade], identities: Mapping[str, Identity], releases: Sequence[Released]
) -> str:
    """What ``nbgrader export`` would write: a row for each assignment and learner.

    Args:
        grades: of released notebooks.
        identities: names and addresses; a learner in it who handed in nothing has 0 points.
        releases: the notebooks.
    """
    by_key = {(grade.notebook_name, grade.learner): grade for grade in grades}
    learners = sorted({grade.learner for grade in grades} | set(identities))
    rows = []
    for release in releases:
        worth = sum(cell.points for cell in release.graded)
        for learner in learners:
            grade = by_key.get((release.name, learner), Grade(learner, release.name, "graded"))
            person = identities.get(learner, Identity(learner))
            last, first = last_and_first(person.name)
            raw = sum(mark.points or 0.0 for mark in grade.marks)
            numbers = (raw, grade.penalty, grade.points, worth)
            values = (release.name, "", "", learner, last, first, person.email, *map(str, numbers))
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    return csv_text(COLUMNS, rows)


def last_and_first(name: str) -> tuple[str, str]:
    """A name's parts as nbgrader keeps them.

    >>> last_and_first("Ada King Lovelace"), last_and_first("Plato")
    (('Lovelace', 'Ada King'), ('Plato', ''))
    """
    first, _, last = name.strip().rpartition(" ")
    return last, first


def _copy(path: Path, folder: Path) -> None:
    write_whole(folder / path.name, path.read_text(encoding="utf-8"))


def _write_hand_in(grade: Grade, path: Path, release: Released, folder: Path) -> bool:
    """Write a learner's notebook; whether it is another one than an earlier export had."""
    try:
        notebook = parse_notebook(read_parts(path).files[NOTEBOOK])
    except NotebookError:  # its grade says so
        return False
    place = Path(_folder_name(grade.learner)) / release.name / f"{release.name}.ipynb"
    text = json.dumps(_marked(notebook, release), indent=1) + "\n"
    autograded = folder / "autograded" / place
    is_changed = autograded.is_file() and autograded.read_text(encoding="utf-8") != text
    write_whole(folder / "submitted" / place, text)
    write_whole(autograded, text)
    return is_changed


def _folder_name(learner: str) -> str:
    """The id itself where it is a plain name, and not like one that ``file_name`` gives others."""
    is_its_own = _PLAIN_NAME.fullmatch(learner) and not MARKED.search(learner.casefold())
    return learner if is_its_own else file_name(learner)


def _marked(notebook: Mapping[str, Any], release: Released) -> dict[str, Any]:
    """The notebook with nbgrader's metadata on the graded cells, and on no others.

    Editors lose them and learners copy cells, and nbgrader refuses a grade id that is there twice.
    """
    graded = {
        handed.place: handed.released
        for handed in handed_in(notebook, release)
        if handed.place is not None and handed.released is not None and handed.released.grade_id
    }
    cells = []
    for place, cell in enumerate(notebook["cells"], start=1):
        metadata = {key: value for key, value in cell["metadata"].items() if key != "nbgrader"}
        if place in graded:
            metadata["nbgrader"] = cell_metadata(graded[place])
        cells.append({**cell, "metadata": metadata})
    return {**notebook, "cells": cells}


def cell_metadata(cell: Any) -> dict[str, Any]:
    """nbgrader's metadata of a released cell that earns points: answered and scored by hand."""
    return {
        "grade": True,
        "grade_id": cell.grade_id,
        "locked": False,
        "points": cell.points,
        "schema_version": 3,
        "solution": True,
        "task": False,
    }
