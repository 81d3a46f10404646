"""What a learner should know before handing in: what is unfinished, and what would be flagged.

It looks at the very bytes that are packed, as the grader will read them. What was handed out is
read from the bundle's ``given/``. In a checkout without that folder it is the very notebook that
was worked in: a change to a cell that was given is then seen by the grader, and not here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rlvr_course.classroom.past_runs import check_calls
from rlvr_course.classroom.progress import Exercise, ExerciseProgress, latest_of
from rlvr_course.classroom.stubs import TEXT_STUB
from rlvr_course.classroom.submit import HandIn, write
from rlvr_course.errors import NotebookError
from rlvr_course.grading.handin.handed_in import grade_id
from rlvr_course.grading.handin.submission import read_submission
from rlvr_course.grading.records import Finding, Submission
from rlvr_course.grading.released import Released

SECRET_CODES = frozenset({"key_found", "private_key_found"})
"""Findings with which a notebook must not leave the machine."""

_ADDED_TAGS = {"injected-parameters", "papermill-error-cell-tag"}


@dataclass(frozen=True)
class Preview:
    """What was seen in a hand-in before it was written.

    Args:
        unfinished: a sentence for each exercise that is open or fails, and each answer that is
            as it was handed out.
        findings: what the grader would find, without what is for information only.
        notes: what packing it brought up.
    """

    unfinished: Sequence[str]
    findings: Sequence[Finding]
    notes: Sequence[str] = ()

    @property
    def flags(self) -> list[str]:
        """A line for each finding and note."""
        return [*map(line_of, self.findings), *self.notes]

    @property
    def secrets(self) -> list[Finding]:
        """The findings that keep the notebook from being packed."""
        return [each for each in self.findings if each.code in SECRET_CODES]


def preview(hand_in: HandIn, handed_out: Released, notebooks: Path) -> Preview:
    """Look at a hand-in as the grader would.

    Args:
        hand_in: what is about to be written.
        handed_out: the notebook that it answers.
        notebooks: folder of released notebooks.

    Raises:
        NotebookError: the grader could not read it; the message says why.
    """
    from rlvr_course.grading.evidence import find_evidence

    with tempfile.TemporaryDirectory(prefix="rlvr-submit-") as folder:
        submission = read_submission(write(hand_in, Path(folder)), notebooks=notebooks)
    if submission.problem:
        raise NotebookError(submission.problem)
    # An executed copy that was put in the notebook's place has cells that nobody handed out.
    given = tuple(cell for cell in handed_out.cells if not _ADDED_TAGS & set(cell.tags))
    found = find_evidence(submission, Released(handed_out.name, given))
    findings = [each for each in found if each.kind != "note"]
    return Preview(unfinished(submission, handed_out), findings, hand_in.notes)


def name_of(notebook: Path, notebooks: Path) -> str:
    """Which notebook of the course a file is a copy of, told by its cells.

    Raises:
        NotebookError: it can't be read, or it is none of them.
    """
    found = read_submission(notebook, notebooks=notebooks)
    if found.problem:
        raise NotebookError(found.problem)
    if not found.notebook_name:
        raise NotebookError(
            f"{notebook} has too few cells of any notebook of the course: give the one that you "
            "worked in"
        )
    return found.notebook_name


def exercises_of(handed_out: Released) -> list[Exercise]:
    """The graded cells of a notebook, and whether a public check exists for each."""
    return [
        Exercise(cell.grade_id, cell.points, handed_out.check_of(cell.grade_id) is not None)
        for cell in handed_out.graded
    ]


def unfinished(submission: Submission, handed_out: Released) -> list[str]:
    """A sentence for each exercise and answer that has still to be done, exercises first.

    Limits: without a log nothing is known of the exercises, and nothing is said of them.
    """
    exercises = exercises_of(handed_out)
    calls = check_calls(submission.log or ())
    latest = latest_of(calls, exercises) if submission.log is not None else []
    by_hand = {each.name for each in exercises if not each.checked}
    cells = submission.notebook["cells"] if submission.notebook is not None else ()
    missing = [
        f"{grade_id(cell)} is not answered"
        for cell in cells
        if grade_id(cell) in by_hand and cell["source"].strip() in {"", TEXT_STUB}
    ]
    return [_standing(each) for each in latest if each.kind != "passed"] + missing


def _standing(exercise: ExerciseProgress) -> str:
    if exercise.kind == "open":
        return f"{exercise.name} is open"
    failing = f"{exercise.cases - exercise.passed} of {exercise.cases}"
    return f"{exercise.name} fails {failing} public cases"


def line_of(finding: Finding) -> str:
    """A finding on one line, with its cell."""
    where = f"cell {finding.cell}: " if finding.cell is not None else ""
    return where + " ".join(finding.message.split())
