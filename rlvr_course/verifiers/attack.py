"""The attack-and-honest suite for any verifier: false pays, false rejections, escapes.

A *false pay* is a reward for a hostile candidate, a *false rejection* none for an honest one. An
*escape* is a hostile candidate that ends up ungraded: a policy would learn to produce it, since a
masked sample costs nothing. A *failure* is an exception or an odd reply of the verifier, and one
that gives two verdicts on one response is *unstable*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rlvr_course.records import Problem, Verdict
from rlvr_course.stats import Rate
from rlvr_course.verifiers import any_domain, candidates
from rlvr_course.verifiers.boundary import judge_many
from rlvr_course.verifiers.programs.candidates import MAY_EARN_A_PART as PROGRAMS_IN_PART

SHOWN = 60
MAY_EARN_A_PART = PROGRAMS_IN_PART | any_domain.MAY_EARN_A_PART


NO_MATH = "tex2jax_ignore mathjax_ignore"
"""Classes that keep a notebook from typesetting formulas: here they are to be read raw."""


def shown(response: str) -> str:
    """A response on one line, cut, with what a terminal or a page can't print written out."""
    return repr(_cut(response)).encode("utf-8", "backslashreplace").decode()


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _share(rate: Rate, name: str) -> str:
    """Without an interval: the candidates tried are no sample of what a policy writes."""
    share = "no data" if rate.value is None else f"{rate.value:.2f}"
    return f"{rate.successes} of {rate.n} {name} ({share})"


@dataclass(frozen=True)
class AttackRow:
    """One candidate and its verdict; ``error`` is "" or what the verifier did wrong.

    ``is_honest`` tells the candidates that must be paid from those that must not.
    """

    kind: str
    problem: Problem
    response: str
    verdict: Verdict
    error: str
    is_honest: bool = False

    def __str__(self) -> str:
        reference = _cut(repr(self.problem.answer))
        return f"{self.error}: {self.kind}: {shown(self.response)} for {reference}"


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
    def false_pay_rate(self) -> Rate:
        """Share of the hostile candidates that were paid."""
        return Rate(len(self.false_pays), sum(not row.is_honest for row in self.rows))

    @property
    def false_rejection_rate(self) -> Rate:
        """Share of the honest candidates that were not paid in full."""
        return Rate(len(self.false_rejections), sum(row.is_honest for row in self.rows))

    @property
    def rates(self) -> str:
        """Both error rates on one line, each with its n."""
        paid, rejected = self.false_pay_rate, self.false_rejection_rate
        return (
            f"false pays: {_share(paid, 'hostile')}; false rejections: {_share(rejected, 'honest')}"
        )

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
        lines = [self.summary, f"  {self.rates}"]
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
            reference = _cut(str(row.problem.answer))
            cells = (row.error, kind, f"{failed} of {tried}", example, reference)
            rows.append("".join(f"<td>{escape(str(cell))}</td>" for cell in cells))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        titles = ("error", "kind", "candidates", "example", "reference")
        head = "".join(f"<th>{title}</th>" for title in titles)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        summary = f"<p>{escape(self.summary)}<br>{escape(self.rates)}</p>"
        return f'<div class="{NO_MATH}">{summary}{table if rows else ""}</div>'


Candidates = Callable[[Problem], Iterable[tuple[str, str]]]
Pairs = Sequence[tuple[str, Any]]
"""Responses that are right, each with its reference."""
_Trial = tuple[Problem, str, str, bool]


def attack(
    verifier: Callable[..., Any],
    problems: Sequence[Problem] = (),
    *,
    hostile: Candidates | None = None,
    honest: Candidates | Pairs | None = None,
    skip: Collection[str] = (),
) -> AttackReport:
    """Try hostile and honest candidates on a verifier.

    For mathematics, code and SQL the suite knows how answers are written. In a domain of your own,
    give ``honest`` as (response, answer) pairs that must be paid in full: hostile candidates are
    then made of them too (another problem's answer, two answers, a hedge, a hundred candidates).

    Args:
        verifier: any verifier, or a function ``(response, answer)`` that returns True, False or
            a score in [0, 1].
        problems: each gets every candidate; may be left out where ``honest`` has pairs. In other
            domains than "math", "code" and "sql" the candidates are those of ``any_domain``;
            honest ones are ready for texts, JSON values and text transformations.
        hostile: from a problem to (kind, response) pairs, in place of the suite's own.
        honest: the same for responses that must be paid, or a sequence of (response, answer)
            pairs. ``problem.metadata["honest"]`` may list further responses.
        skip: kinds of candidates to leave out, where your domain rightly pays them.

    Returns:
        A report; ``print`` it, or let a notebook show it as a table.

    Raises:
        ValueError: neither problems nor pairs, or a kind in ``skip`` that there isn't.

    Limits: passing says that these kinds fail, not that no attack works. The two error rates are
        shares of the candidates tried, not estimates for a policy's responses.

    >>> anywhere = lambda response, answer: answer in response
    >>> report = attack(anywhere, [Problem("What is 12 * 13?", "156")])
    >>> sorted({row.kind for row in report.false_pays})[:3]
    ['denied', 'either in the box', 'hedge']
    >>> days = [("2024-03-05", "2024-03-05"), ("On 2023-12-24.", "2023-12-24")]
    >>> attack(anywhere, honest=days).rates
    'false pays: 10 of 50 hostile (0.20); false rejections: 0 of 2 honest (0.00)'
    """
    trials = list(_trials(list(problems), hostile, honest))
    if not trials and not problems:
        raise ValueError("attack needs at least one problem, or honest= with (response, answer)")
    unknown = sorted(set(skip) - {kind for _, kind, _, _ in trials})
    if unknown:
        raise ValueError(f"skip: there are no candidates of the kind {unknown[0]!r}")
    tried = [trial for trial in trials if trial[1] not in skip]
    # Each candidate twice, one after the other, and all in one batch if the verifier takes batches.
    twice = [item for item in tried for _ in range(2)]
    responses, answers = [item[2] for item in twice], [item[0].answer for item in twice]
    verdicts = judge_many(verifier, responses, answers, ["stop"] * len(twice))
    pairs = zip(verdicts[::2], verdicts[1::2], strict=True)
    return AttackReport(tuple(_row(*item, *pair) for item, pair in zip(tried, pairs, strict=True)))


def _trials(
    problems: Sequence[Problem], hostile: Candidates | None, honest: Candidates | Pairs | None
) -> Iterator[_Trial]:
    """(problem, kind, response, should it be paid) of every candidate."""
    if honest is None or callable(honest):
        make = honest or candidates.honest
        good = [(problem, list(make(problem))) for problem in problems]
    else:
        good = _grouped(problems, honest)
    firsts = [(problem, made[0][1] if made else "") for problem, made in good]
    for place, (problem, made) in enumerate(good):
        if hostile is not None:
            bad = hostile(problem)
        elif problem.domain in candidates.WRITTEN and (honest is None or callable(honest)):
            bad = candidates.hostile(problem)
        else:
            bad = any_domain.hostile(any_domain.known_at(place, firsts))
        yield from ((problem, kind, response, False) for kind, response in bad)
        yield from ((problem, kind, response, True) for kind, response in made)


def _grouped(
    problems: Sequence[Problem], pairs: Pairs
) -> list[tuple[Problem, list[tuple[str, str]]]]:
    """Each problem with the responses given for its answer; an answer without one makes one."""
    groups = [(p, [("given", r) for r in p.metadata.get("honest", ())]) for p in problems]
    for response, answer in pairs:
        group = next((made for problem, made in groups if problem.answer == answer), None)
        if group is None:
            group = []
            groups.append((Problem("", answer, domain="own"), group))
        group.append(("given", response))
    return groups


def _row(
    problem: Problem, kind: str, response: str, should_pay: bool, verdict: Verdict, again: Verdict
) -> AttackRow:
    error = _error(kind, verdict, again, should_pay=should_pay)
    return AttackRow(kind, problem, response, verdict, error, should_pay)


def _error(kind: str, verdict: Verdict, again: Verdict, *, should_pay: bool) -> str:
    if should_pay and verdict.status != "correct":
        return "false rejection"
    if verdict.reason.startswith("verifier_"):
        return "failure"
    if not should_pay and verdict.score is None:
        return "escape"
    is_paid = verdict.score == 1 if kind in MAY_EARN_A_PART else bool(verdict.score)
    if is_paid and not should_pay:
        return "false pay"
    if (verdict.status, verdict.score) != (again.status, again.score):
        return "unstable"
    return ""
