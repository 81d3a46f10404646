"""Everything that a submission of the class can have planted in it, and what must name it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rlvr_course.grading.records import Grade
from sample_class import cheats, honest
from sample_class.accidents import ACCIDENTS
from sample_class.cheats import with_cell
from sample_class.modes import in_mode_local
from sample_class.sessions import HandIn, Session

Make = Callable[[HandIn], HandIn]
Marks = Mapping[str, str]
_NONE: Marks = {}
_PARTLY: Marks = {"q01d": "failed", "q01e": "failed"}
_WRONG: Marks = {"q01c": "failed", **_PARTLY}
_NO_BOX: Marks = {"q01c": "open", "q01e": "failed"}


def _same(work: HandIn) -> HandIn:
    return work


@dataclass(frozen=True)
class Property:
    """One thing that can be planted.

    Args:
        session: the work that it is planted in.
        make: plants it, where the session itself doesn't.
        is_honest: whether an integrity finding would be a false alarm.
        codes: findings of which any names it; none are needed if empty.
        reason: a pattern of the grade's reason, if it gives one.
        status: of the grade.
        marks: statuses of questions that are not as in full work.
        writes: writes the file itself, with this suffix.
    """

    session: Session
    make: Make = _same
    is_honest: bool = False
    codes: frozenset[str] = frozenset()
    reason: str = ""
    status: str = "needs_manual"
    marks: Marks = field(default_factory=dict)
    writes: tuple[str, Callable[[HandIn, Path], None]] | None = None

    def found_by(self, grade: Grade) -> str:
        """What named it in a grade; "" if something that should have didn't."""
        seen = sorted({finding.code for finding in grade.findings} & self.codes)
        wrong = [m for m in grade.marks if m.status != self._expected(m.question)]
        if grade.status != self.status or wrong or (self.codes and not seen):
            return ""
        if not re.search(self.reason, grade.reason):
            return ""
        failed = [f"{question} {status}" for question, status in self.marks.items()]
        reason = [f"reason: {grade.reason.splitlines()[0][:60]}"] if self.reason else []
        return ", ".join([*seen, *failed, *reason] or [f"status {grade.status}"])

    def _expected(self, question: str) -> str:
        return self.marks.get(question, "manual" if question.startswith("Q") else "passed")


def _good(session: Session, *codes: str, make: Make = _same, marks: Marks = _NONE) -> Property:
    return Property(session, make, True, frozenset(codes), marks=marks)


def _bad(session: Session, *codes: str, make: Make = _same, marks: Marks = _NONE) -> Property:
    return Property(session, make, False, frozenset(codes), marks=marks)


def _stopped(source: str, reason: str) -> Property:
    plants = with_cell(source)
    return Property(honest.SAMPLED, plants, reason=reason, status="could_not_grade")


def _accident(name: str, reason: str, status: str = "could_not_grade") -> Property:
    return Property(honest.SAMPLED, reason=reason, status=status, writes=ACCIDENTS[name])


_OPEN = {"q01d": "open", "q01e": "open", "q01f": "open", "Q1": "open"}

PROPERTIES: Mapping[str, Property] = {
    "good, fake mode": _good(honest.SAMPLED),
    "good, api mode": _good(honest.API, "origin_not_verified"),
    "good, local mode": _good(honest.SAMPLED, "origin_not_verified", make=in_mode_local),
    "good, no log": _good(honest.SAMPLED, "no_log", make=lambda work: work.with_log((), "")),
    "good, notebook 07": _good(honest.SEVEN),
    "good, notebook 07, api mode": _good(honest.SEVEN_API, "origin_not_verified"),
    "different but right": _good(honest.OTHER),
    "auto-formatted": _good(honest.FORMATTED),
    "helper cells added": _good(honest.HELPERS, "cells_added"),
    "prints added": _good(honest.PRINTS, "given_cell_extended"),
    "cells run again": _good(honest.AGAIN, "counts_not_in_order"),
    "partly wrong": _good(honest.PARTLY, marks=_PARTLY),
    "half done": Property(honest.HALF, is_honest=True, status="graded", marks=_OPEN),
    "wrong": _good(honest.WRONG, marks=_WRONG),
    "out of order": _good(honest.JUMPING, "counts_not_in_order"),
    "unrun": _good(honest.SAMPLED, "not_executed", make=cheats.unrun),
    "stale outputs": _good(cheats.STALE, "output_not_of_source", "stale_output"),
    "hard-coded figures": _bad(
        honest.SAMPLED, "hard_coded", "literal_for_expression", make=cheats.typed_figures
    ),
    "edited output": _bad(honest.SAMPLED, "outputs_differ", make=cheats.edited_output),
    "edited check": _bad(
        honest.PARTLY,
        *("check_not_logged", "outputs_differ"),
        make=cheats.failed_check_shown_as_passed,
        marks=_PARTLY,
    ),
    "tampered log": _bad(honest.PARTLY, "log_broken", make=cheats.tampered_log, marks=_PARTLY),
    "re-chained log": _bad(
        honest.PARTLY, "check_not_logged", make=cheats.rechained_log, marks=_PARTLY
    ),
    "re-chained samples": _bad(honest.SAMPLED, "reward_differs", make=cheats.rechained_samples),
    "__eq__ cheat": _bad(
        cheats.EQUAL, "equal_to_everything", marks={"q01c": "failed", "q01e": "failed"}
    ),
    "input transformer": _bad(cheats.TRANSFORMED, "kernel_hook", marks=_NO_BOX),
    "patched check": _bad(cheats.PATCHED, "course_patched", marks=_NO_BOX),
    "endless loop": _stopped(cheats.ENDLESS, r"stopped after [\d.]+ s"),
    "fork bomb": _stopped(cheats.FORK_BOMB, "more than 48 processes"),
    "300 MB of output, printed": _stopped(cheats.FLOOD, "MB of output"),
    "300 MB of output, stored": _accident("300 MB of output, stored", "is over 20 MB"),
    "unreadable file": _accident("unreadable file", "can't be read"),
    "malformed JSON": _accident("malformed JSON", "can't be read"),
    "hostile zip": _accident("hostile zip", "no notebook|notebooks"),
    "foreign notebook": _accident("foreign notebook", "none of the course's", "not_ours"),
    "copied, variables renamed": _bad(honest.OTHER, make=cheats.renamed),
}
"""By name. What is copied is from whoever has "different but right"; pairs tell it."""

COPIED, ORIGINAL = "copied, variables renamed", "different but right"
