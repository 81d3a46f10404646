"""Every check of the course against its solution, the stub, cheats, and answers by name.

The table that is printed at the end has a row for each check: what it fails and what it passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pytest
from known_answers.solutions import CHECKOUT, HARMLESS, is_function, slips, solution

from rlvr_course.classroom.check import run_check
from rlvr_course.classroom.check_spec import CheckSpec
from rlvr_course.classroom.specs import SPECS
from rlvr_course.grading.marking.hidden import hidden_checks

QUESTIONS = sorted(SPECS)
CONSTANTS = [1.0, True, "", "p", 0, [], {}]
MIN_WRONG = 3
SLIP_S = 0.5
"""Seconds for a call of a solution with a slip in it, which may never come to an end."""


class AlwaysEqual:
    """A reply that claims to equal whatever it is compared with."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        return self


@dataclass(frozen=True)
class Row:
    """What became of one check: how many of each kind it judged as it should, and all of them."""

    question: str
    stub: bool
    constants: int
    equals_all: bool
    wrong: list[str]
    accepted_wrong: list[str]
    solution: bool
    right: list[str]
    refused_right: list[str]
    slips: int
    unseen_slips: list[str]

    def __str__(self) -> str:
        caught = self.slips - len(self.unseen_slips)
        figures = (
            "open" if self.stub else "NOT OPEN",
            f"{self.constants}/{len(CONSTANTS)}",
            "failed" if self.equals_all else "PAID",
            f"{len(self.wrong) - len(self.accepted_wrong)}/{len(self.wrong)}",
            "passed" if self.solution else "FAILED",
            f"{len(self.right) - len(self.refused_right)}/{len(self.right)}",
            f"{caught}/{self.slips}" if self.slips else "–",
        )
        return LINE.format(self.question, *figures, "; ".join(self.wrong))


LINE = "{:<6}{:<6}{:<11}{:<9}{:<8}{:<10}{:<7}{:<9}{}"
HEAD = LINE.format(
    *("check", "stub", "constants", "__eq__", "wrong", "solution", "right", "slips"),
    "wrong answers that fail",
)


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[list[Row]]:
    """The rows, printed when all are there, whatever captures output."""
    rows: list[Row] = []
    yield rows
    rows.sort(key=lambda row: row.question)
    made = sum(row.slips for row in rows)
    unseen = [f"{row.question} {slip}" for row in rows for slip in row.unseen_slips]
    lines = ["", HEAD, *map(str, rows)]
    lines += [f"{made - len(unseen)} of {made} slips in solutions are caught; harmless or not:"]
    lines += [f"  {slip}" for slip in unseen]
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("\n".join(lines))


def answers(question: str, kind: str) -> dict[str, Any]:
    """The ``WRONG`` or ``RIGHT`` answers to a question, by name."""
    module = import_module(f"known_answers.answers_{question[1:3]}")
    return getattr(module, kind).get(question, {})


def hidden(question: str) -> CheckSpec | None:
    return hidden_checks(f"{question[1:3]}_", CHECKOUT.solutions / "hidden").get(question)


def verdict(question: str, reply: Any) -> str:
    """What the public check says."""
    return run_check(question, SPECS[question], reply).kind


def is_passed(question: str, reply: Any, limit_s: float | None = None) -> bool:
    """Whether it passes the public check and, where there is one, the hidden one."""
    specs = [spec for spec in (SPECS[question], hidden(question)) if spec is not None]
    return all(
        run_check(question, replace(spec, limit_s=limit_s or spec.limit_s), reply).kind == "passed"
        for spec in specs
    )


def as_solution(question: str, value: Any) -> Any:
    """A constant in the form that the exercise asks for: a function, or the value itself."""
    return (lambda *args: value) if callable(solution(question)) else value


def unseen_slips(question: str, made: dict[str, str]) -> list[str]:
    """The mutants of the solution that the checks pass."""
    found = []
    for name, code in made.items():
        try:
            changed = solution(question, code)
        except Exception:  # the slip shows as soon as the cell is run
            continue
        if is_passed(question, changed, SLIP_S):
            found.append(name)
    return found


def row(question: str) -> Row:
    wrong, right = answers(question, "WRONG"), answers(question, "RIGHT")
    made = slips(question) if is_function(question) else {}
    stubs = (None, as_solution(question, None))
    constants = [verdict(question, as_solution(question, value)) for value in CONSTANTS]
    return Row(
        question,
        stub={verdict(question, stub) for stub in stubs} == {"open"},
        constants=constants.count("failed"),
        equals_all=verdict(question, as_solution(question, AlwaysEqual())) == "failed",
        wrong=list(wrong),
        accepted_wrong=[n for n, reply in wrong.items() if verdict(question, reply) != "failed"],
        solution=is_passed(question, solution(question)),
        right=list(right),
        refused_right=[name for name, reply in right.items() if not is_passed(question, reply)],
        slips=len(made),
        unseen_slips=unseen_slips(question, made),
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_check_fails_what_is_wrong_and_passes_what_is_right(
    question: str, table: list[Row]
) -> None:
    found = row(question)
    table.append(found)
    assert found.stub and found.equals_all and found.constants == len(CONSTANTS)
    assert len(found.wrong) >= MIN_WRONG and found.accepted_wrong == []
    assert found.solution
    assert len(found.right) >= 1 and found.refused_right == []
    assert (found.slips > 0) == is_function(question)
    assert set(found.unseen_slips) == set(HARMLESS.get(question, {}))
