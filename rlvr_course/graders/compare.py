"""Let graders judge labelled cases and count how each went wrong.

Every case ends up in one of five ways, so that a row of the table adds up:

    right     paid, not paid or left ungraded, as its label says
    missed    a right answer was not paid; also: no verdict at all (it raised, crashed or hung)
    overpaid  paid though the answer is wrong or the gold unusable
    dodged    left ungraded though its label says that it can be graded
    blamed    the gold is unusable, and the answer was called wrong
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rlvr_course.graders.cases import Case
from rlvr_course.graders.peers import Grader
from rlvr_course.graders.process import Answer, CannotStart, GraderProcess

Ending = Literal["right", "missed", "overpaid", "dodged", "blamed"]

_WANTED = {"equal": True, "not_equal": False, "ungraded": None}


def ending(case: Case, answer: Answer) -> Ending:
    """How a case ended.

    >>> refused = Answer(paid=False, failure="", seconds=0.1)
    >>> ending(Case("1", "80", "It is 80.0", "equal"), refused)
    'missed'
    >>> ending(Case("2", "80", "It is 81", "not_equal"), refused)
    'right'
    """
    if answer.failure:
        return "missed"
    if answer.paid == _WANTED[case.expected]:
        return "right"
    if answer.paid:
        return "overpaid"
    if answer.paid is None:
        return "dodged"
    return "missed" if case.expected == "equal" else "blamed"


@dataclass(frozen=True)
class Scorecard:
    """One grader's results; ``absence`` is "" or why it has none."""

    grader: Grader
    results: tuple[tuple[Case, Answer], ...] = ()
    absence: str = ""

    def count(self, which: Ending) -> int:
        """How many cases ended in one way."""
        return sum(ending(case, answer) == which for case, answer in self.results)

    @property
    def accuracy(self) -> float:
        """Share of cases that ended right, in [0, 1].

        Raises:
            ValueError: it graded none.
        """
        if not self.results:
            raise ValueError(f"{self.grader.name} graded no case: it has no accuracy")
        return self.count("right") / len(self.results)

    @property
    def failures(self) -> int:
        """How many cases got no verdict: it raised, crashed or hung."""
        return sum(bool(answer.failure) for _, answer in self.results)

    @property
    def seconds(self) -> float:
        """Seconds for all cases, without the time to start."""
        return sum(answer.seconds for _, answer in self.results)


def grade_all(
    grader: Grader,
    cases: Sequence[Case],
    *,
    deadline_s: float,
    progress: Callable[[int], object] = lambda done: None,
) -> Scorecard:
    """Let one grader judge every case, in a process of its own.

    Args:
        grader: who judges.
        cases: what to judge.
        deadline_s: seconds for one case, above 0 and at most a day; a grader that
            takes longer is started afresh for the next case.
        progress: called with the number of cases that were dealt with since the last call.

    Returns:
        Its scorecard; one with an ``absence`` where it is not installed or does not start.

    Raises:
        ValueError: a deadline out of its range.
    """
    if grader.version is None:
        extra = f" --extra {grader.extra}" if grader.extra else ""
        progress(len(cases))
        return Scorecard(grader, absence=f"{grader.package} is not installed: uv sync{extra}")
    results: list[tuple[Case, Answer]] = []
    with GraderProcess(grader.loader, deadline_s=deadline_s) as process:
        for case in cases:
            try:
                results.append((case, process.ask(case.completion, case.gold)))
            except CannotStart as error:
                progress(len(cases) - len(results))
                return Scorecard(grader, absence=f"does not start: {error}")
            progress(1)
    return Scorecard(grader, tuple(results))
