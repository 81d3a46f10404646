"""Whatever a verifier does, its caller gets verdicts."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.records import Verdict
from rlvr_course.verifiers.boundary import REASON_LIMIT, as_verdict, judge, judge_many


class AlwaysEqual:
    """Equal to everything, true, and within every range."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ge__(self, other: object) -> bool:
        return True

    __le__ = __ge__

    def __hash__(self) -> int:
        return 1


class LookAlike(Verdict):
    """A subclass whose ``is_correct`` could say anything."""


class Unprintable(Exception):
    """An error whose message raises."""

    def __str__(self) -> str:
        raise RuntimeError("no message")


@pytest.mark.parametrize(
    ("reply", "status", "score"),
    [
        (True, "correct", 1.0),
        (False, "incorrect", 0.0),
        (1.0, "correct", 1.0),
        (0.0, "incorrect", 0.0),
        (0.25, "partial", 0.25),
        (np.float64(0.25), "partial", 0.25),
        (np.bool_(True), "correct", 1.0),
    ],
    ids=repr,
)
def test_a_plain_reply_becomes_a_verdict(reply: Any, status: str, score: float) -> None:
    verdict = as_verdict(reply)
    assert (verdict.status, verdict.score) == (status, score)


def test_a_verdict_passes_as_it_is() -> None:
    verdict = Verdict.incorrect("81", "unequal_number")
    assert as_verdict(verdict) is verdict


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "True",
        math.nan,
        math.inf,
        -0.1,
        1.01,
        2,
        [True],
        AlwaysEqual(),
        LookAlike("correct", 1.0),
    ],
    ids=lambda reply: type(reply).__name__ + "_" + str(reply)[:5],
)
def test_any_other_reply_is_a_grader_fault(reply: Any) -> None:
    verdict = as_verdict(reply)
    assert verdict.status == "ungraded"
    assert verdict.reason.startswith("verifier_returned: ")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyError("x"), "verifier_raised: KeyError: 'x'"),
        (SystemExit(0), "verifier_raised: SystemExit: 0"),
        (ValueError("two\nlines"), "verifier_raised: ValueError: two lines"),
        (Unprintable(), "verifier_raised: Unprintable: (its message could not be printed)"),
    ],
    ids=["exception", "exit", "newline", "unprintable"],
)
def test_an_exception_becomes_a_reason(error: BaseException, reason: str) -> None:
    def verifier(response: str, answer: str) -> bool:
        raise error

    assert judge(verifier, "r", "a") == Verdict.ungraded(reason)


def test_a_keyboard_interrupt_still_interrupts() -> None:
    def verifier(response: str, answer: str) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(verifier, "r", "a")


@given(st.text(max_size=2000))
def test_a_reason_is_one_short_line(message: str) -> None:
    def verifier(response: str, answer: str) -> bool:
        raise ValueError(message)

    reason = judge(verifier, "r", "a").reason
    assert len(reason.splitlines()) == 1
    assert len(reason) <= REASON_LIMIT + len("verifier_raised: ")


def test_finish_reason_reaches_a_verifier_that_takes_it() -> None:
    def verifier(response: str, answer: str, *, finish_reason: str = "stop") -> bool:
        return finish_reason == "length"

    assert judge(verifier, "r", "a", finish_reason="length").is_correct


def test_a_builtin_without_a_signature_is_called_with_two_values() -> None:
    assert judge(sys.intern, "r", "a").reason.startswith("verifier_raised: TypeError")


class Batched:
    """A verifier whose batch call replies with ``replies`` or raises; a single one compares."""

    def __init__(self, replies: list[Any] | None) -> None:
        self.replies = replies

    def __call__(self, response: str, answer: str) -> bool:
        return response == answer

    def verify_many(
        self, responses: Sequence[str], answers: Sequence[str], finish_reasons: Sequence[str]
    ) -> list[Any]:
        if self.replies is None:
            raise TimeoutError("batch")
        return self.replies


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        ([False, True], [False, True]),
        (None, [True, False]),
        ([True], [True, False]),
        ([True, True, True], [True, False]),
        ([True, "?"], [True, None]),
    ],
    ids=["whole", "raised", "cut", "too_long", "one_malformed"],
)
def test_a_batch_reply_counts_only_when_it_is_whole(replies: Any, expected: list[Any]) -> None:
    verdicts = judge_many(Batched(replies), ["a", "b"], ["a", "a"], ["stop", "stop"])
    assert [verdict.is_correct for verdict in verdicts] == expected


def test_a_crash_on_one_candidate_is_that_candidates_and_leaves_the_others_judged() -> None:
    def verifier(response: str, answer: str) -> bool:
        return 1 / len(response) > 0

    verdicts = judge_many(verifier, ["x", "", "y"], ["a"] * 3, ["stop"] * 3)
    assert [verdict.is_correct for verdict in verdicts] == [True, False, True]
    assert [verdict.fault for verdict in verdicts] == [None, "policy", None]
    assert verdicts[1].reason == "verifier_raised: ZeroDivisionError: division by zero"


class Failing:
    """Raises ``error`` on the responses in ``on``, at most ``times`` times; else compares."""

    def __init__(self, error: BaseException, on: set[str], times: int = 99) -> None:
        self.error, self.on, self.times = error, on, times

    def __call__(self, response: str, answer: str) -> bool:
        if response in self.on and self.times:
            self.times -= 1
            raise self.error
        return response == answer


@pytest.mark.parametrize(
    ("verifier", "status", "fault"),
    [
        (Failing(ValueError("bad"), {"r"}), "incorrect", "policy"),
        (Failing(SystemExit(0), {"r"}), "incorrect", "policy"),
        (Failing(ValueError("bad"), {"r", "a"}), "ungraded", "grader"),
        (Failing(ValueError("bad"), {"r"}, times=1), "incorrect", None),
        (Failing(ConnectionError("gone"), {"r"}), "ungraded", "grader"),
        (Failing(TimeoutError("slow"), {"r"}), "ungraded", "grader"),
    ],
    ids=["candidate", "exit", "canary_fails_too", "only_once", "lost_connection", "time_out"],
)
def test_whose_failure_it_is_decides_the_verdict(
    verifier: Failing, status: str, fault: str | None
) -> None:
    verdict = judge(verifier, "r", "a")
    assert (verdict.status, verdict.fault) == (status, fault)


def test_an_odd_reply_is_the_graders_even_where_the_canary_passes() -> None:
    def verifier(response: str, answer: str) -> Any:
        return True if response == answer else None

    assert judge(verifier, "r", "a") == Verdict.ungraded("verifier_returned: None")


@given(st.sampled_from(["ok", "crash"]), st.text(max_size=20))
def test_no_response_makes_a_sound_verifier_ungraded(mode: str, response: str) -> None:
    def verifier(response: str, answer: str) -> bool:
        if mode == "crash" and response != answer:
            raise RuntimeError(response)
        return response == answer

    assert judge(verifier, response, "a").status == ("correct" if response == "a" else "incorrect")
