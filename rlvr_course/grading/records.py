"""What passes between the steps of grading: a submission, findings, marks, a grade.

    submission ──► evidence (findings) ─┐
        │                               ├──► Grade ──► reports, CSV, JSON, gradebooks
        └────────► answers (marks) ─────┘

A finding says what was seen and in which cell. It is never a verdict on a person: the ones of kind
"integrity" are for an instructor to look at, and take no points off by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

FindingKind = Literal["integrity", "reproducibility", "privacy", "note"]
"""integrity: something stands in for work (tampering, hard-coding, a cheat). reproducibility: the
outputs are not those of one run from top to bottom. privacy: a key or personal data. note: for
information."""

MarkStatus = Literal["passed", "failed", "open", "manual", "scored", "could_not_grade"]
GradeStatus = Literal["graded", "needs_manual", "could_not_grade", "not_ours"]


@dataclass(frozen=True)
class Submission:
    """One learner's hand-in for one notebook, as read from disk; nothing in it is trusted.

    Args:
        learner: an identifier, from the file's name unless an identity map says otherwise.
        path: the file or folder that it came from.
        notebook_name: such as "01_verifiers"; "" if it could not be told.
        notebook: the parsed notebook (nbformat 4 as plain dicts and lists), or None if unreadable.
        log: lines of the audit log as bytes, in order, or None if none was handed in.
        manifest: the package's manifest; {} for a bare notebook.
        problem: why it can't be graded, with what to do; "" if it can.
        received: POSIX time of its arrival, seconds, from a file of arrivals or the file itself.
        head_file: text of the log's head file, its anchor ``COUNT:HASH``; "" if none was handed in.
        sha256: of each file that was read, by its name in the package ("notebook.ipynb",
            "verifier.jsonl"), in hex; to compare with the manifest's.
        remarks: a sentence for each file that was left out and isn't needed for grading.
    """

    learner: str
    path: Path
    notebook_name: str = ""
    notebook: Mapping[str, Any] | None = None
    log: Sequence[bytes] | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    received: float | None = None
    head_file: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()


@dataclass(frozen=True)
class Finding:
    """One thing that was seen in a submission.

    Args:
        code: a short stable name, such as "counts_not_in_order".
        kind: see ``FindingKind``.
        message: one sentence, for learner and instructor, that says what was seen.
        cell: the cell's place in the notebook, from 1; None for the whole.
        evidence: the text that shows it, cut to a few hundred characters; never a secret in full.
    """

    code: str
    kind: FindingKind
    message: str
    cell: int | None = None
    evidence: str = ""


@dataclass(frozen=True)
class Mark:
    """What one graded cell earned.

    Args:
        question: the grade id, such as "q01c" or "Q1".
        status: "manual" is waiting for a person, who makes it "scored"; "could_not_grade" is the
            grader's own failure.
        points: earned, 0 to ``max_points``; None while manual or not gradable.
        max_points: what it is worth.
        cases: of an automatic check, each case's name, whether it held, and what was observed.
        comment: for the learner.
        answer: a written answer's text, for the manual queue.
        source: of an exercise, the code that the learner wrote for it.
    """

    question: str
    status: MarkStatus
    points: float | None
    max_points: float
    cases: Sequence[tuple[str, bool, str]] = ()
    comment: str = ""
    answer: str = ""
    source: str = ""


@dataclass(frozen=True)
class Match:
    """One question that two learners answered alike.

    Args:
        question: its grade id.
        similarity: 0 to 1.
        first, second: both texts, for a person to read side by side.
    """

    question: str
    similarity: float
    first: str
    second: str


@dataclass(frozen=True)
class SimilarPair:
    """Two submissions of one notebook that are alike, for a person to look at.

    Args:
        notebook_name: the notebook of both.
        first, second: the learners, in alphabetical order.
        similarity: 0 to 1.
        where: what is alike, such as "q01c, q01d".
        evidence: the text that shows it, cut to a few hundred characters.
        usual: the similarity that 95 of 100 pairs of the class stay below in the same questions;
            None if it isn't known.
        matches: the answers that are alike.
    """

    notebook_name: str
    first: str
    second: str
    similarity: float
    where: str = ""
    evidence: str = ""
    usual: float | None = None
    matches: Sequence[Match] = ()


@dataclass(frozen=True)
class Grade:
    """One submission, graded as far as a program can.

    Args:
        learner, notebook_name: as in the submission.
        status: "needs_manual" while a mark is manual; "not_ours" for a notebook that is none of
            the course's (it still has findings).
        marks: in the notebook's order.
        findings: in the order of cells.
        facts: figures that reports show: mode, run id, rows in the log, seconds of re-execution.
        reason: why it could not be graded; "" otherwise.
        penalty: points taken off by the late policy, 0 or more.
    """

    learner: str
    notebook_name: str
    status: GradeStatus
    marks: Sequence[Mark] = ()
    findings: Sequence[Finding] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    penalty: float = 0.0

    @property
    def points(self) -> float:
        """Earned so far, less the penalty, never below 0."""
        return max(0.0, sum(mark.points or 0.0 for mark in self.marks) - self.penalty)

    @property
    def max_points(self) -> float:
        """What all marks are worth."""
        return sum(mark.max_points for mark in self.marks)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values; ``from_dict`` reads them back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Grade:
        """From what ``to_dict`` wrote.

        Raises:
            KeyError, TypeError: it is something else.
        """
        marks = tuple(
            Mark(**{**mark, "cases": tuple((n, h, o) for n, h, o in mark["cases"])})
            for mark in values["marks"]
        )
        findings = tuple(Finding(**finding) for finding in values["findings"])
        return cls(**{**values, "marks": marks, "findings": findings})
