"""What each test of a program showed, and the verdict that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from rlvr_course.records import Record, Verdict

NOT_JUDGED = ("crashed", "timeout", "memory", "output_limit", "killed_worker", "returned_nothing")
"""Reasons for which a program gave nothing to compare."""


@dataclass(frozen=True)
class CaseOutcome(Record):
    """One test of one program.

    Args:
        passed: False for a run that the sandbox failed, too: see ``reason``.
        reason: "passed"; "wrong_output" or "wrong_value"; "crashed" (an exit code other than 0);
            "timeout", "memory", "output_limit", "killed_worker"; "undefined" (no such function),
            "raised: ...", "not_plain: ...", "returned_nothing", "forged_reply"; "not_text"; or
            "infra": the sandbox failed.
        hidden: whether the policy was shown the test.
        given, expected, got: for a person, cut.
        tier: the sandbox's.
        detail: the last line on stderr, or what failed in the sandbox.
    """

    passed: bool
    reason: str
    hidden: bool
    given: str
    expected: str
    got: str
    tier: str
    detail: str = ""


@dataclass(frozen=True)
class CodeReport(Record):
    """All tests of one program.

    Args:
        code: the program that was run, "" if the response had none.
        outcomes: one for each test, visible ones first; none where nothing was run.
        fault: why nothing can be said about the program: no tests, malformed ones, tests that
            their reference solution fails, or a failed sandbox. "" otherwise.
    """

    code: str
    outcomes: tuple[CaseOutcome, ...] = ()
    fault: str = ""

    @property
    def score(self) -> float | None:
        """Share of the tests that passed; None where there is a fault."""
        return None if self.fault else _share(self.outcomes) or 0.0

    @property
    def visible(self) -> float | None:
        """Share of the visible tests that passed; None where there are none."""
        return self._share_of(hidden=False)

    @property
    def hidden(self) -> float | None:
        """Share of the hidden tests that passed; None where there are none."""
        return self._share_of(hidden=True)

    @property
    def gap(self) -> float | None:
        """``visible - hidden``: how much better the program does on what the policy was shown."""
        if self.visible is None or self.hidden is None:
            return None
        return self.visible - self.hidden

    @property
    def tier(self) -> str:
        """The tiers that held the runs, usually one."""
        return "+".join(dict.fromkeys(outcome.tier for outcome in self.outcomes))

    @property
    def verdict(self) -> Verdict:
        """Correct if every test passed, partial if some did; the tier is in the reason."""
        if self.fault:
            return Verdict.ungraded(self.fault, self.code)
        if not self.code.strip():
            return Verdict.no_answer("no_program")
        passed, score = sum(o.passed for o in self.outcomes), self.score or 0.0
        reason = f"passed_{passed}_of_{len(self.outcomes)}; tier={self.tier}"
        failed = [outcome.reason for outcome in self.outcomes if not outcome.passed]
        if not failed:
            return Verdict.correct(self.code, reason)
        reason = f"{reason}; first failure: {failed[0]}"
        if passed:
            return Verdict("partial", score, self.code, reason)
        nothing_to_judge = all(why.split(":")[0] in NOT_JUDGED for why in failed)
        return Verdict.incorrect(self.code, reason, "policy" if nothing_to_judge else None)

    def _share_of(self, *, hidden: bool) -> float | None:
        if self.fault:
            return None
        return _share([outcome for outcome in self.outcomes if outcome.hidden is hidden])

    def __str__(self) -> str:
        rows = [" | ".join(map(_on_one_line, row)) for row in (_TITLES, *self._rows())]
        return "\n".join([self.summary, *(rows if self.outcomes else [])])

    @property
    def summary(self) -> str:
        """One line: the fault, or the shares of visible and hidden tests and the tier."""
        if self.fault:
            return f"ungraded: {self.fault}"
        if not self.outcomes:
            return "no program in the response"
        return (
            f"score {self.score:.3f}, visible {_percent(self.visible)}, "
            f"hidden {_percent(self.hidden)}, tier {self.tier}"
        )

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            ("hidden" if o.hidden else "visible", o.reason, o.given, o.expected, o.got)
            for o in self.outcomes
        ]

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{title}</th>" for title in _TITLES)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._rows()
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<div><p>{escape(self.summary)}</p>{table if self.outcomes else ''}</div>"


_TITLES = ("test", "result", "given", "expected", "got")


def _share(outcomes: Sequence[CaseOutcome]) -> float | None:
    return sum(outcome.passed for outcome in outcomes) / len(outcomes) if outcomes else None


def _on_one_line(text: str) -> str:
    return text.strip().replace("\n", "⏎")


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.0%}"
