"""The formats of tests, and what is said of malformed ones."""

from __future__ import annotations

import pytest

from rlvr_course import load_problems
from rlvr_course.verifiers.programs.cases import CallCase, StdioCase, read_suite

PRINTS = {"input": "3\n", "expected": "14"}
CALLS = {"call": "f", "args": [3], "expected": 14}


@pytest.mark.parametrize(
    "answer",
    [
        [PRINTS, {**PRINTS, "hidden": True}],
        {"visible": [PRINTS], "hidden": [PRINTS]},
        {"visible_tests": [PRINTS], "hidden_tests": [PRINTS]},
        {"hidden": [PRINTS], "visible": (PRINTS,)},
        [{**PRINTS, "hidden": True}, PRINTS],
    ],
    ids=["marked", "two lists", "as recorded", "other order", "hidden first"],
)
def test_visible_tests_come_first_and_hidden_ones_are_known(answer) -> None:
    cases = read_suite(answer).cases
    assert cases == (StdioCase("3\n", "14"), StdioCase("3\n", "14", hidden=True))


def test_a_function_test_and_a_reference_are_read() -> None:
    suite = read_suite({"visible": [CALLS], "reference": "def f(n): return 14"})
    assert suite.cases == (CallCase("f", (3,), 14),)
    assert suite.reference == "def f(n): return 14"


def test_every_recorded_problem_has_three_visible_and_five_hidden_tests() -> None:
    for problem in load_problems("code"):
        hidden = [case.hidden for case in read_suite(problem.answer).cases]
        assert hidden == [False] * 3 + [True] * 5


MALFORMED = {
    "None": (None, "tests are NoneType: give a list"),
    "text": ("14", "tests are str"),
    "no tests": ([], "there are no tests"),
    "two empty lists": ({"visible": [], "hidden": []}, "there are no tests"),
    "unknown part": ({"tests": [PRINTS]}, "no part 'tests'"),
    "list is a text": ({"visible": "14"}, "'visible' is str"),
    "test is a list": ([["3", "14"]], "test 1 is list"),
    "no expected": ({"hidden": [PRINTS, {"input": "3"}]}, "hidden test 2 has no 'expected'"),
    "neither form": ([{"expected": "3"}], "test 1 has neither 'input' nor 'call'"),
    "misspelt": ([{**PRINTS, "hiden": True}], "unknown field 'hiden'"),
    "hidden is a word": ([{**PRINTS, "hidden": "no"}], "hidden='no' is neither"),
    "number printed": ([{"input": "3", "expected": 14}], "expected is int"),
    "surrogate": ([{"input": "\ud800", "expected": ""}], "input can't be written as UTF-8"),
    "no name": ([{**CALLS, "call": "f()"}], r"call='f\(\)' is not a function's name"),
    "no args": ([{"call": "f", "expected": 1}], "args is NoneType"),
    "object": ([{**CALLS, "expected": object()}], r"expected is no plain value \(object\)"),
    "nan": ([{**CALLS, "expected": [float("nan")]}], "NaN, which equals nothing"),
    "reference": ({"visible": [PRINTS], "reference": 3}, "reference is int"),
}


@pytest.mark.parametrize(("answer", "message"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_tests_are_named(answer, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_suite(answer)


CHANGES = {
    "input": [{**PRINTS, "input": "4\n"}],
    "expected": [{**PRINTS, "expected": "15"}],
    "hidden": [{**PRINTS, "hidden": True}],
    "reference": {"visible": [PRINTS], "reference": "pass"},
    "another test": [PRINTS, PRINTS],
    "function": [CALLS],
    "type of a value": [{**CALLS, "expected": 14.0}],
}


def test_each_change_of_the_tests_changes_their_key() -> None:
    keys = [read_suite(answer).key for answer in ([PRINTS], *CHANGES.values())]
    assert len(set(keys)) == len(keys)
    assert read_suite([PRINTS]).key == read_suite({"visible": [dict(PRINTS)]}).key
