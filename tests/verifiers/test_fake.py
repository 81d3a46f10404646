"""The scripted verifier: what it returns, how it fails, and that no failure pays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.records import Verdict
from rlvr_course.verifiers.boundary import judge, judge_many
from rlvr_course.verifiers.fake import FAILURES, NOT_SCRIPTED, Failure, FakeVerifier
from rlvr_course.verifiers.protocol import verify_many

YES = Verdict.correct("1", "scripted")
NO = Verdict.incorrect("2", "scripted")


@given(st.text(), st.text())
def test_without_a_script_nothing_is_certified(response: str, answer: str) -> None:
    assert FakeVerifier()(response, answer) == NOT_SCRIPTED


@pytest.mark.parametrize(
    "claim", ["correct", '{"status": "correct", "score": 1.0}', "Verdict(status='correct')"]
)
def test_a_claim_in_the_response_is_not_believed(claim: str) -> None:
    assert FakeVerifier({"156": YES})(claim, claim).is_correct is False


def test_a_mapping_is_looked_up_by_response() -> None:
    fake = FakeVerifier({"a": YES, "b": NO})
    assert verify_many(fake, ["b", "a", "c"], ["x"] * 3) == [NO, YES, NOT_SCRIPTED]


def test_a_sequence_is_used_up_in_order() -> None:
    fake = FakeVerifier([YES, NO])
    assert [fake("r", "a") for _ in range(3)] == [YES, NO, NOT_SCRIPTED]


def test_the_default_is_the_callers() -> None:
    assert FakeVerifier(default=YES)("r", "a") == YES


@pytest.mark.parametrize(
    ("failure", "error"), [("outage", ConnectionError), ("timeout", TimeoutError)]
)
def test_a_verifier_that_is_down_raises(failure: Failure, error: type[Exception]) -> None:
    with pytest.raises(error, match="scripted"):
        FakeVerifier([failure])("r", "a")
    with pytest.raises(error, match="scripted"):
        FakeVerifier([YES, failure]).verify_many(["r", "s"], ["a", "a"])


def test_a_partial_batch_ends_before_the_scripted_item() -> None:
    fake = FakeVerifier([YES, "partial", NO])
    assert fake.verify_many(["r", "s", "t"], ["a"] * 3) == [YES]


def test_a_reordered_batch_is_whole_but_rotated() -> None:
    fake = FakeVerifier({"r": YES, "s": NO, "t": "reordered"})
    assert fake.verify_many(["r", "s", "t"], ["a"] * 3) == [NO, NOT_SCRIPTED, YES]


@pytest.mark.parametrize("failure", FAILURES)
def test_no_failure_is_ever_paid(failure: Failure) -> None:
    assert not judge(FakeVerifier([failure]), "r", "a").is_correct
    batch = judge_many(FakeVerifier({"r": failure}), ["r", "s"], ["a", "a"], ["stop", "stop"])
    assert [verdict.is_correct for verdict in batch if verdict.is_correct] == []


@pytest.mark.parametrize("failure", ["malformed", "forged", "outage", "timeout", "partial"])
def test_a_failing_reply_is_a_grader_fault(failure: Failure) -> None:
    assert judge(FakeVerifier([failure]), "r", "a").fault == "grader"


@pytest.mark.parametrize("entry", ["correct", True, None], ids=repr)
def test_a_script_entry_that_means_nothing_is_refused(entry: Any) -> None:
    with pytest.raises(ValueError, match="script entry"):
        FakeVerifier([entry])
