"""Passed checks that the outputs show, beside what the exercises reply when the grader asks.

Outputs and log may have been written by anybody, and a rerun's outputs are claims of the code that
ran. What the sandbox replied is neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rlvr_course.grading.handin.seen import iter_texts, seen_cells
from rlvr_course.grading.records import Finding, Mark, Submission
from rlvr_course.grading.released import Released

HIDDEN_CASE = "hidden:"
_CLAIM = re.compile(r"\b([A-Za-z]\w{0,30}): public checks passed")


def claim_findings(
    submission: Submission, released: Released, marks: Sequence[Mark]
) -> list[Finding]:
    """One finding for each check that an output says is passed and that doesn't pass.

    Args:
        submission: what was handed in.
        released: the notebook as it was handed out.
        marks: of its exercises.

    Limits: a function that needs what was done by hand in the notebook passes there and not here.
        So this is a matter of reproducibility.
    """
    names = {mark.question: released.check_of(mark.question) for mark in marks}
    failed = {check.check for mark in marks if (check := names[mark.question]) and _fails(mark)}
    found = []
    for cell in seen_cells(submission.notebook):
        for name in sorted(failed & set(_claimed(list(iter_texts(cell))[1:]))):
            message = f"it shows that the public checks of {name} passed; asked anew, they don't"
            found.append(Finding("pass_not_confirmed", "reproducibility", message, cell.place))
    return found


def _fails(mark: Mark) -> bool:
    """Whether a public case does not hold, or there is nothing to ask."""
    public = [held for name, held, _ in mark.cases if not name.startswith(HIDDEN_CASE)]
    return mark.status == "open" or (mark.status == "failed" and not (public and all(public)))


def _claimed(outputs: Sequence[str]) -> Iterator[str]:
    for text in outputs:
        yield from _CLAIM.findall(text)
