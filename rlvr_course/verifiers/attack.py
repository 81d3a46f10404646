"""The attack-and-honest suite for any verifier: false pays, false rejections, escapes.

A *false pay* is a reward for a hostile candidate, a *false rejection* none for an honest one. An
*escape* is a hostile candidate that ends up ungraded: a policy would learn to produce it, since a
masked sample costs nothing. A *failure* is an exception or an odd reply of the verifier, and one
that gives two verdicts on one response is *unstable*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rlvr_course.records import Problem, Verdict
from rlvr_course.verifiers import candidates
from rlvr_course.verifiers.boundary import judge

SHOWN = 60


NO_MATH = "tex2jax_ignore mathjax_ignore"
"""Classes that keep a notebook from typesetting formulas: here they are to be read raw."""


def shown(response: str) -> str:
    """A response on one line, cut, with what a terminal or a page can't print written out."""
    text = response if len(response) <= SHOWN else response[: SHOWN - 1] + "…"
    return repr(text).encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True)
class AttackRow:
    """One candidate and its verdict; ``error`` is "" or what the verifier did wrong."""

    kind: str
    problem: Problem
    response: str
    verdict: Verdict
    error: str

    def __str__(self) -> str:
        return f"{self.error}: {self.kind}: {shown(self.response)} for {self.problem.answer!r}"


@dataclass(frozen=True)
class AttackReport:
    """What the suite found; ``rows`` holds every candidate that was tried."""

    rows: tuple[AttackRow, ...]

    def _with(self, error: str) -> tuple[AttackRow, ...]:
        return tuple(row for row in self.rows if row.error == error)

    @property
    def false_pays(self) -> tuple[AttackRow, ...]:
        """Hostile candidates that were paid, in part or in full."""
        return self._with("false pay")

    @property
    def false_rejections(self) -> tuple[AttackRow, ...]:
        """Honest candidates that were not paid in full."""
        return self._with("false rejection")

    @property
    def escapes(self) -> tuple[AttackRow, ...]:
        """Hostile candidates that ended up ungraded."""
        return self._with("escape")

    @property
    def failures(self) -> tuple[AttackRow, ...]:
        """Hostile candidates at which the verifier raised or returned no verdict or score."""
        return self._with("failure")

    @property
    def unstable(self) -> tuple[AttackRow, ...]:
        """Candidates with two different verdicts."""
        return self._with("unstable")

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not any(row.error for row in self.rows)

    def by_kind(self) -> list[tuple[str, int, int]]:
        """(kind, candidates tried, errors) for each kind, most errors first."""
        tried = Counter(row.kind for row in self.rows)
        failed = Counter(row.kind for row in self.rows if row.error)
        return sorted(((k, n, failed[k]) for k, n in tried.items()), key=lambda t: (-t[2], t[0]))

    @property
    def summary(self) -> str:
        """One line of counts."""
        counts = {
            "false pays": self.false_pays,
            "false rejections": self.false_rejections,
            "escapes": self.escapes,
            "failures": self.failures,
            "unstable": self.unstable,
        }
        parts = [f"{len(rows)} {name}" for name, rows in counts.items()]
        return f"{len(self.rows)} candidates: " + ", ".join(parts)

    def __str__(self) -> str:
        lines = [self.summary]
        for kind, tried, failed in self.by_kind():
            if failed:
                example = next(row for row in self.rows if row.kind == kind and row.error)
                lines.append(f"  {failed:>3} of {tried:<3} {example}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = []
        for kind, tried, failed in self.by_kind():
            if not failed:
                continue
            row = next(row for row in self.rows if row.kind == kind and row.error)
            example = shown(row.response)
            cells = (row.error, kind, f"{failed} of {tried}", example, str(row.problem.answer))
            rows.append("".join(f"<td>{escape(str(cell))}</td>" for cell in cells))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        titles = ("error", "kind", "candidates", "example", "reference")
        head = "".join(f"<th>{title}</th>" for title in titles)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        summary = f"<p>{escape(self.summary)}</p>"
        return f'<div class="{NO_MATH}">{summary}{table if rows else ""}</div>'


Candidates = Callable[[Problem], Iterable[tuple[str, str]]]


def attack(
    verifier: Callable[..., Any],
    problems: Sequence[Problem],
    *,
    hostile: Candidates = candidates.hostile,
    honest: Candidates = candidates.honest,
) -> AttackReport:
    """Try hostile and honest candidates on a verifier.

    Args:
        verifier: any verifier, or a function ``(response, answer)`` that returns True, False or
            a score in [0, 1].
        problems: at least one; each gets every candidate. The candidates suit problems whose
            reference is a text. In another domain give your own ``honest`` candidates, or list
            them in ``problem.metadata["honest"]``.
        hostile, honest: from a problem to (kind, response) pairs.

    Returns:
        A report; ``print`` it, or let a notebook show it as a table.

    Raises:
        ValueError: no problems.

    Limits: passing says that these kinds fail, not that no attack works.

    >>> anywhere = lambda response, answer: answer in response
    >>> report = attack(anywhere, [Problem("What is 12 * 13?", "156")])
    >>> sorted({row.kind for row in report.false_pays})[:3]
    ['denied', 'either in the box', 'hedge']
    """
    if not problems:
        raise ValueError("attack needs at least one problem")
    rows = []
    for problem in problems:
        for kind, response in hostile(problem):
            rows.append(_try(verifier, problem, kind, response, should_pay=False))
        for kind, response in honest(problem):
            rows.append(_try(verifier, problem, kind, response, should_pay=True))
    return AttackReport(tuple(rows))


def _try(
    verifier: Callable[..., Any], problem: Problem, kind: str, response: str, *, should_pay: bool
) -> AttackRow:
    verdict = judge(verifier, response, problem.answer)
    again = judge(verifier, response, problem.answer)
    error = ""
    if should_pay and verdict.status != "correct":
        error = "false rejection"
    elif verdict.reason.startswith("verifier_"):
        error = "failure"
    elif not should_pay and verdict.score is None:
        error = "escape"
    elif not should_pay and verdict.score:
        error = "false pay"
    elif (verdict.status, verdict.score) != (again.status, again.score):
        error = "unstable"
    return AttackRow(kind, problem, response, verdict, error)
