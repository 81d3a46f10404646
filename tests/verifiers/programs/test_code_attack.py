"""The attack suite on code verifiers: nothing found in the package's, much in naive ones."""

from __future__ import annotations

import pytest

from rlvr_course import CodeVerifier, Problem, attack, load_problems
from rlvr_course.verifiers.programs.candidates import HONEST, HOSTILE, hostile

PROBLEMS = load_problems("code")
FUNCTION = Problem(
    "Define f.",
    {
        "visible": [{"call": "f", "args": [n], "expected": n * n} for n in (3, 4)],
        "hidden": [{"call": "f", "args": [9], "expected": 81}],
        "reference": "def f(n):\n    return n * n",
    },
    domain="code",
)


@pytest.mark.parametrize(
    "problems",
    [PROBLEMS[:1], [FUNCTION], pytest.param(PROBLEMS, marks=pytest.mark.nightly)],
    ids=["one that prints", "one with a function", "all recorded"],
)
def test_nothing_is_found_in_the_package_s_verifier(pool, problems) -> None:
    report = attack(CodeVerifier(pool, timeout_s=1.5), problems)
    assert report.passed, str(report)
    assert {row.kind for row in report.rows} >= {*HOSTILE, *HONEST}


def test_a_verifier_of_the_first_line_alone_is_found_out(verifier) -> None:
    def first_line(response, answer):
        outcomes = verifier.report(response, answer).outcomes
        return bool(outcomes) and all(o.got[:1] == o.expected[:1] for o in outcomes[:1])

    kinds = {"answer, then a crash", "hard-coded tests"}
    report = attack(first_line, PROBLEMS[:1], hostile=lambda problem: chosen(problem, kinds))
    assert {row.kind for row in report.false_pays} == kinds


def test_a_substring_check_pays_programs_that_never_ran() -> None:
    def mentions(response, answer):
        return all(test["expected"] in response for test in answer["visible_tests"])

    paid = {row.kind for row in attack(mentions, PROBLEMS[:1]).false_pays}
    assert {"only in thought", "withdrawn", "another language", "all answers"} <= paid


def chosen(problem, kinds):
    return [(kind, response) for kind, response in hostile(problem) if kind in kinds]
