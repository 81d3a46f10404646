"""What each exercise and each written answer of a submission earns.

This process grades. A learner's code runs in the sandbox, one call a run, and sends values; whether
they are right is decided here, by the public checks of the notebook and by hidden ones of the same
kinds, so that neither a reply that equals everything nor one made for the public cases passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rlvr_course.classroom.check import run_check
from rlvr_course.classroom.check_spec import CheckResult, CheckSpec
from rlvr_course.classroom.specs import SPECS
from rlvr_course.grading.handin.handed_in import HandedCell, handed_in
from rlvr_course.grading.marking.definitions import definitions
from rlvr_course.grading.marking.hidden import hidden_checks
from rlvr_course.grading.marking.remote import Remote
from rlvr_course.grading.records import Mark, Submission
from rlvr_course.grading.released import Released, ReleasedCell
from rlvr_course.sandbox.pool import SandboxPool

PATIENCE_S = 300.0
"""For one call, queueing and lost sandboxes included; the sandbox has the limits that count."""

MAX_ANSWER = 20_000
"""Characters of a written answer that are kept."""


def mark_answers(
    submission: Submission,
    released: Released,
    *,
    hidden: Mapping[str, CheckSpec] | None = None,
    pool: SandboxPool | None = None,
) -> list[Mark]:
    """Mark everything in a submission that earns points.

    Args:
        submission: as read; a notebook in the shape that ``notebook_json`` guarantees.
        released: the notebook as it was handed out.
        hidden: checks by exercise besides the public ones; those of the checkout if None.
        pool: the sandbox to use; those that this process shares if None.

    Returns:
        One mark for each graded cell, in the notebook's order.

        "passed": every public and hidden case holds, full points. "failed": a part of the points,
        which is the share of public cases that hold or the share of hidden ones, whichever is
        smaller; 0 where the replies to all public, or to all hidden, inputs are one and the same.
        "open": not done, 0 points. "manual": a written answer, for a person. "could_not_grade":
        the grader failed, with the reason; no points are given or refused.

    Raises:
        NotebookError: the hidden checks can't be read.

    Limits: what an exercise needs is found by ``definitions``, whose limits are these, too. The
        package is there to be read in the sandbox, its public checks included.
    """
    if submission.notebook is None:
        reason = submission.problem or "there is no notebook in it"
        return [_not_graded(cell, reason) for cell in released.graded]
    cells = handed_in(submission.notebook, released)
    secret = hidden_checks(released.name) if hidden is None else hidden
    marks = []
    for cell in released.graded:
        check = released.check_of(cell.grade_id)
        if check is None:
            marks.append(_written(cell, cells))
        else:
            marks.append(_exercise(cell, check, cells, secret.get(check.check), pool))
    return marks


def _not_graded(cell: ReleasedCell, reason: str) -> Mark:
    return Mark(cell.grade_id, "could_not_grade", None, cell.points, comment=reason)


def _open(cell: ReleasedCell, comment: str) -> Mark:
    return Mark(cell.grade_id, "open", 0.0, cell.points, comment=comment)


def _exercise(
    cell: ReleasedCell,
    check: ReleasedCell,
    cells: Sequence[HandedCell],
    secret: CheckSpec | None,
    pool: SandboxPool | None,
) -> Mark:
    """Ask for the public and then for the hidden cases."""
    if check.check not in SPECS:
        return _not_graded(cell, f"there is no check named {check.check!r}")
    end = next(i for i, handed in enumerate(cells) if handed.released is check)
    needed = definitions(cells[:end], check.checked)
    if needed.problem:
        return Mark(cell.grade_id, "failed", 0.0, cell.points, comment=needed.problem)
    if needed.is_missing:
        return _open(cell, f"nothing in the notebook defines {check.checked}")
    remote = Remote(needed, pool)
    rounds = [_Round(check.check, SPECS[check.check], remote)]
    if secret is not None and rounds[0].result.kind != "open":
        rounds.append(_Round(check.check, secret, remote))
    if remote.fault:
        return _not_graded(cell, remote.fault)
    return _marked(cell, rounds)


class _Round:
    """One check's result, and whether all that it asked had the same reply."""

    def __init__(self, name: str, spec: CheckSpec, remote: Remote) -> None:
        before = len(remote.asked)
        self.result: CheckResult = run_check(name, replace(spec, limit_s=PATIENCE_S), remote)
        replies = dict(remote.asked[before:])
        self.is_constant = len(replies) > 1 and len(set(replies.values())) == 1

    @property
    def held(self) -> int:
        return sum(case.kind == "passed" for case in self.result.cases)

    @property
    def share(self) -> float:
        if self.result.kind == "open" or (self.is_constant and self.result.kind != "passed"):
            return 0.0
        return self.held / len(self.result.cases)


def _marked(cell: ReleasedCell, rounds: Sequence[_Round]) -> Mark:
    public = rounds[0].result
    if public.kind == "open":
        return _open(cell, "nothing was returned or assigned but None")
    rows = [(case.name, case.kind == "passed", case.observed) for case in public.cases]
    for hidden in rounds[1:]:  # what was asked there and what came back stays with the grader
        rows += [(f"hidden: {c.name}", c.kind == "passed", "") for c in hidden.result.cases]
    if all(one.result.kind == "passed" for one in rounds):
        return Mark(cell.grade_id, "passed", cell.points, cell.points, tuple(rows))
    points = round(cell.points * min(one.share for one in rounds), 2)
    comment = _comment(rounds)
    return Mark(cell.grade_id, "failed", points, cell.points, tuple(rows), comment)


def _comment(rounds: Sequence[_Round]) -> str:
    names = ("public", "hidden")
    counts = [
        f"{one.held} of {len(one.result.cases)} {name} cases hold"
        if one.result.cases
        else f"no reply to any {name} case"
        for name, one in zip(names, rounds, strict=False)
    ]
    constant = [
        f"one reply to all {name} cases, which earns nothing"
        for name, one in zip(names, rounds, strict=False)
        if one.is_constant and one.result.kind == "failed"
    ]
    return "; ".join(counts + constant)


def _written(cell: ReleasedCell, cells: Sequence[HandedCell]) -> Mark:
    """A written answer, with the text cells that were added right below it."""
    at = next(i for i, handed in enumerate(cells) if handed.released is cell)
    texts = [cells[at].source]
    for below in cells[at + 1 :]:
        if below.released is not None or below.cell_type == "code":
            break
        texts.append(below.source)
    text = "\n\n".join(filter(None, map(str.strip, texts))).replace(cell.source.strip(), "").strip()
    if not text:
        return _open(cell, "no answer was written")
    if len(text) > MAX_ANSWER:
        text = f"{text[:MAX_ANSWER]}\n[{len(text) - MAX_ANSWER:,} more characters]"
    return Mark(cell.grade_id, "manual", None, cell.points, answer=text)
