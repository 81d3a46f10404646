"""Prices of verdicts, and the cap on masked samples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.records import Reward, Verdict
from rlvr_course.rewards import (
    MaskCap,
    MathRewardFunction,
    exceeds_cap,
    fractional_reward,
    is_refusal,
    score_verdict,
)
from rlvr_course.stats import Rate

CORRECT = Verdict.correct("80", "equal_number")
INCORRECT = Verdict.incorrect("81", "unequal_number")
REFUSAL = Verdict.no_answer("refusal")
CRASH = Verdict.incorrect("", "crash", "policy")
UNGRADED = Verdict.ungraded("gold_unparseable")
HALF = Verdict("partial", 0.5, "[1]", "subset")


def always(verdict: Verdict) -> Any:
    def verifier(response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
        return verdict

    return verifier


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [(CORRECT, 1.0), (INCORRECT, -0.1), (REFUSAL, -0.1), (CRASH, -0.1), (UNGRADED, None)],
    ids=["correct", "incorrect", "refusal", "crash", "ungraded"],
)
def test_compute_pays_by_the_verdict(verdict: Verdict, expected: float | None) -> None:
    assert MathRewardFunction(verifier=always(verdict)).compute("response", "80") == expected


def test_partial_credit_lies_between_floor_and_top() -> None:
    # -0.1 + (1.0 - -0.1) * 0.5
    assert score_verdict(HALF).value == pytest.approx(0.45)


def test_prices_are_the_callers() -> None:
    reward = MathRewardFunction(2.0, -1.0)
    assert [reward.reward(v).value for v in (CORRECT, HALF, INCORRECT)] == [2.0, 0.5, -1.0]


@pytest.mark.parametrize(
    ("score", "expected"),
    [(0.0, -0.5), (0.25, 0.0), (1.0, 1.5), (None, None)],
    ids=["none right", "a quarter", "all right", "ungraded"],
)
def test_a_score_earns_its_place_between_floor_and_top(
    score: float | None, expected: float | None
) -> None:
    assert fractional_reward(score, top=1.5, floor=-0.5) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": 1.5}, "score=1.5"),
        ({"score": float("nan")}, "score=nan"),
        ({"score": 0.5, "floor": 2.0}, "floor=2.0 is above top=1.0"),
        ({"score": None, "top": float("nan")}, "top=nan"),
    ],
    ids=["score", "nan", "order", "top"],
)
def test_a_wrong_fraction_is_a_callers_mistake(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fractional_reward(**arguments)


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (REFUSAL, 0.0),
        (INCORRECT, -0.1),
        (CORRECT, 1.0),
        (HALF, pytest.approx(0.45)),
        (Verdict.no_answer("empty"), -0.1),
        (Verdict.no_answer("hedge"), -0.1),
        (Verdict.incorrect("", "refusal"), -0.1),
        (CRASH, -0.1),
        (UNGRADED, None),
    ],
    ids="refusal wrong right half empty hedge judged_wrong crash ungraded".split(),
)
def test_only_an_open_refusal_earns_its_own_price(verdict: Verdict, expected: Any) -> None:
    assert MathRewardFunction(refusal_reward=0.0).reward(verdict).value == expected


def test_a_refusal_is_paid_under_its_own_name() -> None:
    assert score_verdict(REFUSAL, refusal=-0.02) == Reward(-0.02, {"refusal": -0.02})
    assert score_verdict(REFUSAL) == Reward(-0.1, {"correctness": -0.1})


@pytest.mark.parametrize(
    "response", ["I cannot solve this.", "I don't know.", "I'm sorry, but I can't help with this."]
)
def test_the_maths_verifier_reports_refusals_as_such(response: str) -> None:
    reward = MathRewardFunction(refusal_reward=0.0)
    assert is_refusal(reward.verifier(response, "80"))
    assert reward.compute(response, "80") == 0.0


def test_the_repr_names_the_prices() -> None:
    assert repr(MathRewardFunction()) == "MathRewardFunction(1.0, -0.1)"
    priced = MathRewardFunction(refusal_reward=0.0)
    assert repr(priced) == "MathRewardFunction(1.0, -0.1, refusal_reward=0.0)"


def test_a_grader_fault_earns_the_floor_when_asked() -> None:
    reward = MathRewardFunction(incorrect_penalty=-0.25, on_grader_error="floor")
    assert reward.reward(UNGRADED) == Reward(-0.25, {"ungraded_floor": -0.25})


@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.floats(0.01, 10.0),
    st.floats(-10.0, 0.0),
)
def test_reward_is_monotone_in_score_and_bounded(
    a: float, b: float, top: float, floor: float
) -> None:
    low, high = (
        score_verdict(Verdict("partial", s), top=top, floor=floor).value for s in sorted((a, b))
    )
    assert low is not None and high is not None
    assert floor <= low <= high + 1e-12
    assert high <= top + 1e-12


@given(st.sampled_from([CORRECT, INCORRECT, REFUSAL, HALF]), st.floats(-5.0, 0.0))
def test_components_sum_to_the_value(verdict: Verdict, floor: float) -> None:
    reward = score_verdict(verdict, floor=floor)
    assert sum(reward.components.values()) == reward.value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"correct_reward": float("nan")}, "correct_reward=nan"),
        ({"incorrect_penalty": float("-inf")}, "incorrect_penalty=-inf"),
        ({"incorrect_penalty": 0.1}, "such as -0.1"),
        ({"correct_reward": -0.1}, "not above"),
        ({"refusal_reward": float("nan")}, "refusal_reward=nan"),
        ({"refusal_reward": 1.0}, "nobody would answer"),
        ({"on_grader_error": "skip"}, "'skip'"),
    ],
    ids="nan infinite positive_penalty equal nan_refusal paid_refusal unknown_option".split(),
)
def test_a_wrong_price_is_a_callers_mistake(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MathRewardFunction(**arguments)


def test_a_single_masked_sample_stays_masked() -> None:
    rewards = MaskCap(0.05).apply([Reward(1.0), Reward(None)], "policy")
    assert rewards == [Reward(1.0), Reward(None)]


def test_masks_become_the_floor_above_the_cap() -> None:
    rewards = MaskCap(0.05, floor=-0.5).apply([Reward(None), Reward(None), Reward(1.0)], "policy")
    assert [reward.value for reward in rewards] == [-0.5, -0.5, 1.0]


def test_a_policy_that_spreads_its_masks_over_batches_reaches_the_cap() -> None:
    cap = MaskCap(0.05)
    batch = [Reward(None), *[Reward(1.0)] * 9]  # a tenth of each batch is masked
    masked = [cap.apply(batch, "policy")[0].value is None for _ in range(5)]
    assert masked == [True, False, False, False, False]


def test_one_policys_masks_are_not_anothers() -> None:
    cap = MaskCap(0.05)
    cap.apply([Reward(None)] * 10, "evasive")
    assert cap.apply([Reward(None), Reward(1.0)], "honest")[0].value is None
    assert cap.masked_shares() == {"evasive": Rate(10, 10), "honest": Rate(1, 2)}


@given(st.integers(0, 500), st.integers(0, 500), st.floats(0.0, 1.0))
def test_a_share_within_the_cap_never_exceeds_it(masked: int, rest: int, cap: float) -> None:
    seen = masked + rest
    if masked <= cap * seen:
        assert not exceeds_cap(masked, seen, cap)
    elif masked > 1:
        assert exceeds_cap(masked, seen, cap)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=12), min_size=1, max_size=12))
def test_being_ungraded_every_time_never_keeps_more_than_one_mask(sizes: list[list[bool]]) -> None:
    cap = MaskCap(0.05)
    kept = [cap.apply([Reward(None)] * len(batch), "evasive") for batch in sizes]
    assert sum(reward.value is None for batch in kept for reward in batch) <= 1


@pytest.mark.parametrize("cap", [-0.1, 1.5, float("nan")])
def test_the_cap_is_a_share(cap: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        MaskCap(cap)


def test_reward_many_counts_and_caps_what_it_masks() -> None:
    reward = MathRewardFunction()
    values = [r.value for r in reward.reward_many([UNGRADED, UNGRADED, CORRECT], "policy")]
    assert values == [-0.1, -0.1, 1.0]
    assert reward.mask_cap.masked_shares() == {"policy": Rate(2, 3)}
