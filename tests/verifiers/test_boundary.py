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


def test_one_failing_response_leaves_the_others_judged() -> None:
    def verifier(response: str, answer: str) -> bool:
        return 1 / len(response) > 0

    verdicts = judge_many(verifier, ["x", "", "y"], ["a"] * 3, ["stop"] * 3)
    assert [verdict.status for verdict in verdicts] == ["correct", "ungraded", "correct"]
