"""Tests that can't grade are found by their own reference solution."""

from __future__ import annotations

import pytest

TESTS = [{"input": "3\n", "expected": "9"}, {"input": "5\n", "expected": "25", "hidden": True}]
RIGHT = "print(int(input()) ** 2)"
# The process's clock in nanoseconds: no two runs agree on it.
NOW = "import time\nn = int(input())\nprint(25 if n == 5 else time.monotonic_ns())"
# Right on about half of all runs; twenty runs alike are a matter of one in half a million.
COIN = "import random\nn = int(input())\nprint(n ** 2 if n == 5 or random.random() < 0.5 else 0)"


def test_sound_tests_have_no_fault(verifier) -> None:
    check = verifier.check_tests(TESTS, RIGHT)
    assert check.fault == ""
    assert [(case.passed, case.repeats) for case in check.cases] == [(5, 5), (5, 5)]
    assert str(check) == "2 tests: all sound"


def test_a_reference_that_fails_a_test_is_named_with_what_it_gave(verifier) -> None:
    check = verifier.check_tests(TESTS, "print(9)", repeats=2)
    assert check.fault == "reference_fails_tests: 2"
    assert "test 2, failing: passed 0 of 2; wrong_output: expected '25'" in str(check)


def test_a_test_that_passes_now_and_then_is_flaky(verifier) -> None:
    check = verifier.check_tests(TESTS, COIN, repeats=20)
    assert check.fault == "flaky_tests: 1"
    assert [case.status for case in check.cases] == ["flaky", "sound"]


def test_a_test_that_nobody_can_pass_twice_is_failing(verifier) -> None:
    assert verifier.check_tests(TESTS, NOW).fault == "reference_fails_tests: 1"


def test_a_flaky_reference_leaves_every_program_ungraded(verifier) -> None:
    # Four runs at two suites: one of the two is found but once in some thousand sessions.
    coins = [{"input": f"{n}\n", "expected": str(n * n)} for n in range(20)]
    coin = "import random\nprint(int(input()) ** 2 if random.random() < 0.5 else -1)"
    verdict = verifier(RIGHT, {"visible": coins, "reference": coin})
    assert verdict.status == "ungraded"
    assert verdict.reason.startswith(("flaky_tests", "reference_fails_tests"))


def test_a_random_candidate_is_scored_and_not_excused(verifier) -> None:
    verdicts = verifier.verify_many([COIN] * 12, [TESTS] * 12)
    assert {verdict.status for verdict in verdicts} <= {"correct", "partial"}
    assert {verdict.score for verdict in verdicts} <= {0.5, 1.0}


def test_the_tests_own_reference_is_used_if_none_is_given(verifier) -> None:
    assert verifier.check_tests({"visible": TESTS, "reference": RIGHT}).fault == ""


@pytest.mark.parametrize(
    ("tests", "reference", "repeats", "message"),
    [
        (TESTS, "", 5, "needs a reference solution"),
        (TESTS, RIGHT, 0, "repeats=0"),
        ([], RIGHT, 5, "no tests"),
    ],
    ids=["no reference", "no repeats", "no tests"],
)
def test_a_check_that_can_t_be_made_is_an_error(verifier, tests, reference, repeats, message):
    with pytest.raises(ValueError, match=message):
        verifier.check_tests(tests, reference, repeats=repeats)
