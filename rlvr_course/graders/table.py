"""Scorecards as text: a table in Markdown, and the cases that each grader got wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rlvr_course.graders.cases import Case
from rlvr_course.graders.compare import Scorecard, ending
from rlvr_course.graders.process import Answer

HEAD = """\
| grader | accuracy | missed | wrongly paid | ungraded, not due | bad gold blamed | no verdict | s |
|---|---:|---:|---:|---:|---:|---:|---:|"""

LEGEND = """\
missed: a right answer not paid, or no verdict at all (the last but one column: it raised, crashed
or hung). Ungraded, not due: left out though it can be graded. Bad gold blamed: the gold is
unusable, and the answer was called wrong. The seconds leave out the time to start."""

_ENDINGS = ("missed", "overpaid", "dodged", "blamed")
_WORDS = {
    "missed": "missed",
    "overpaid": "wrongly paid",
    "dodged": "ungraded, not due",
    "blamed": "bad gold blamed",
}


def table(cards: Sequence[Scorecard]) -> str:
    """A row for each grader; below the table, who is missing and why."""
    present = [card for card in cards if not card.absence]
    lines = [HEAD, *map(_row, present)]
    absent = [f"{card.grader.name}: {card.absence}" for card in cards if card.absence]
    return "\n".join([*lines, *(["", *absent] if absent else []), "", LEGEND])


def _row(card: Scorecard) -> str:
    version = card.grader.version
    name = f"{card.grader.name} [{version}]" if version else card.grader.name
    counts = [str(card.count(which)) for which in _ENDINGS]
    cells = [name, f"{card.accuracy:.3f}", *counts, str(card.failures), f"{card.seconds:.1f}"]
    return f"| {' | '.join(cells)} |"


def errors(card: Scorecard) -> Iterator[str]:
    """A line for each case that did not end right.

    What a model wrote is shown in ASCII and cut, so that hostile text can't garble a terminal.
    """
    for case, answer in card.results:
        which = ending(case, answer)
        if which != "right":
            yield f"  {case.id}  {_WORDS[which]}: {_described(case, answer)}"


def _described(case: Case, answer: Answer) -> str:
    # The answer stands at the end of a reply more often than not.
    reply = case.completion if len(case.completion) <= 70 else f"...{case.completion[-67:]}"
    said = f" ({ascii(answer.failure)[1:-1]:.80})" if answer.failure else ""
    return f"{ascii(case.why)[1:-1]:.80}: gold {case.gold!a:.60}, reply {reply!a:.90}{said}"
