"""What a check consists of, and what it found.

A check compares by property, not by answer: seeing it does not give the exercise away.

    CheckSpec(
        cases=[
            Case("keeps the sign", ("The answer is -5.",), lambda r: r == "-5", "the sign is kept"),
        ],
        properties=[
            Property("is not constant", lambda ask: ask("1") != ask("2"), "replies that differ"),
        ],
        hints=["What does your pattern do with a minus sign?", "Allow an optional '-'.", "'-?'"],
    )
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from rlvr_course.classroom.asking import LIMIT_S, NOT_RUN, Ask

Kind = Literal["open", "passed", "failed"]


@dataclass(frozen=True)
class Case:
    """One call, and what must hold of its reply.

    Args:
        name: shown to the learner, such as "false positive: hedge".
        args: positional arguments; () where the solution is a value.
        property: of the plain reply; whatever it raises counts as "does not hold".
        expected: the property in words, without the answer.
    """

    name: str
    args: tuple[Any, ...]
    property: Callable[[Any], bool]
    expected: str


@dataclass(frozen=True)
class Property:
    """What must hold of the solution as a whole: idempotent, monotone, not constant.

    Args:
        name: shown to the learner.
        holds: gets ``ask``, which calls the solution and returns plain replies.
        expected: the property in words.
    """

    name: str
    holds: Callable[[Ask], bool]
    expected: str


@dataclass(frozen=True)
class CheckSpec:
    """One exercise's check.

    Args:
        cases, properties: at least one in all.
        hints: from a nudge to nearly the answer; level 1 is shown when the check fails.
        limit_s: seconds for one call of the solution.

    Raises:
        ValueError: nothing to check, no hint, or two items of one name.
    """

    cases: Sequence[Case] = ()
    properties: Sequence[Property] = ()
    hints: Sequence[str] = ()
    limit_s: float = LIMIT_S

    def __post_init__(self) -> None:
        names = [item.name for item in (*self.cases, *self.properties)]
        if not names:
            raise ValueError("a check needs at least one case or property")
        if not self.hints:
            raise ValueError("a check needs at least one hint")
        doubled = next((name for name in names if names.count(name) > 1), None)
        if doubled is not None:
            raise ValueError(f"two cases or properties are named {doubled!r}")


@dataclass(frozen=True)
class CaseResult:
    """One line of a check's result."""

    name: str
    given: str
    expected: str
    observed: str
    kind: Kind


@dataclass(frozen=True)
class CheckResult:
    """What a check found; shown as a table in a notebook and as lines in a terminal."""

    name: str
    kind: Kind
    cases: tuple[CaseResult, ...] = ()
    hint: str = ""

    @property
    def summary(self) -> str:
        """One line; "public checks passed" is all that it ever claims."""
        if self.kind == "open":
            return f"{self.name}: open: None so far (not written yet, or a `return` is missing)"
        passed = sum(case.kind == "passed" for case in self.cases)
        if self.kind == "passed":
            return f"{self.name}: public checks passed ({passed} of {len(self.cases)})"
        failed = len(self.cases) - passed
        return f"{self.name}: {failed} of {len(self.cases)} public checks failed"

    def __str__(self) -> str:
        lines = [self.summary]
        run = [case for case in self.cases if case.observed != NOT_RUN]
        for case in run:
            lines.append(f"  {case.kind:<7} {case.name}")
            if case.kind == "failed":
                lines += [f"          given    {case.given}"] if case.given else []
                lines.append(f"          expected {case.expected}")
                lines.append(f"          observed {case.observed}")
        if len(run) < len(self.cases):
            lines.append(
                f"  {len(self.cases) - len(run)} more not run: an earlier call was too slow"
            )
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = f"<p><b>{escape(self.summary)}</b></p>"
        if not self.cases:
            return head
        style = 'style="text-align:left"'
        names = ("", "case", "given", "expected", "observed")
        titles = "".join(f"<th {style}>{name}</th>" for name in names)
        run = [case for case in self.cases if case.observed != NOT_RUN]
        rows = "".join(_row(case) for case in run)
        left = len(self.cases) - len(run)
        note = f"<p>{left} more not run, since an earlier call took too long.</p>" if left else ""
        hint = f"<p>Hint: {escape(self.hint)}</p>" if self.hint else ""
        table = f"<table><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>"
        return f'<div class="tex2jax_ignore mathjax_ignore">{head}{table}{note}{hint}</div>'


def _row(case: CaseResult) -> str:
    mark = {"passed": "✓\u00a0passed", "failed": "✗\u00a0failed", "open": "open"}[case.kind]
    texts = (mark, case.name, case.given, case.expected, case.observed)
    cells = "".join(f'<td style="text-align:left">{escape(text)}</td>' for text in texts)
    return f"<tr>{cells}</tr>"
