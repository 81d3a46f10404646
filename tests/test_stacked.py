"""Format and correctness, paid apart and summed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.records import Reward, Verdict
from rlvr_course.rewards import MathRewardFunction
from rlvr_course.stacked import StackedReward, has_closed_box, largest_format_reward
from rlvr_course.stats import Rate

BOXED, PLAIN = r"So it is \boxed{80}.", "So it is 80."
CORRECT = Verdict.correct("80", "equal_number")
INCORRECT = Verdict.incorrect("81", "unequal_number")
REFUSAL = Verdict.no_answer("refusal")
CRASH = Verdict.incorrect("", "verifier_raised: RecursionError", "policy")
UNGRADED = Verdict.ungraded("gold_unparseable")
HALF = Verdict("partial", 0.5, "[1]", "subset")

verdicts = st.sampled_from([CORRECT, INCORRECT, REFUSAL, CRASH, HALF])
penalties = st.floats(0.0, 5.0)


@pytest.mark.parametrize(
    "response",
    [
        BOXED,
        r"\boxed{\frac{1}{2}}",
        r"\boxed{\{1, 2\}}",
        r"\boxed{5 Then: \boxed{7}",
        r"<think>\boxed{</think>\boxed{7}",
    ],
    ids=["plain", "nested", "escaped braces", "last one closed", "after a thought"],
)
def test_a_closed_box_is_the_format(response: str) -> None:
    assert has_closed_box(response)


@pytest.mark.parametrize(
    "response",
    [
        "",
        PLAIN,
        r"\boxed{80",
        r"\boxed{ }",
        r"\boxed{{}}",
        r"\boxed{7} and \boxed{8",
        r"\boxed{80\}",
        r"\boxed 80",
        r"<think>\boxed{80}</think>",
        r"<think>\boxed{80}",
        "\\boxed{" * 5_000,
    ],
    ids="none plain open blank hollow last_open escaped bare thought unfinished flood".split(),
)
def test_anything_else_is_not(response: str) -> None:
    assert not has_closed_box(response)


@given(st.text(alphabet="\\boxed{}1 <think>/", max_size=60))
def test_the_format_check_answers_yes_or_no_to_any_text(response: str) -> None:
    assert has_closed_box(response) in (True, False)


@pytest.mark.parametrize(
    ("response", "verdict", "components"),
    [
        (BOXED, CORRECT, {"correctness": 1.0, "format": 0.05}),
        (PLAIN, CORRECT, {"correctness": 1.0, "format": 0.0}),
        (BOXED, INCORRECT, {"correctness": -0.1, "format": 0.05}),
        (PLAIN, INCORRECT, {"correctness": -0.1, "format": 0.0}),
        (BOXED, REFUSAL, {"correctness": -0.1, "format": 0.0}),
        (BOXED, CRASH, {"correctness": -0.1, "format": 0.0}),
    ],
    ids="right_boxed right_plain wrong_boxed wrong_plain refusal crash".split(),
)
def test_parseable_and_right_are_two_signals(
    response: str, verdict: Verdict, components: dict[str, float]
) -> None:
    reward = StackedReward().reward(response, verdict)
    assert reward == Reward(sum(components.values()), components)


def test_a_grader_fault_masks_the_whole_sum() -> None:
    assert StackedReward().reward(BOXED, UNGRADED) == Reward(None)


def test_a_floor_in_place_of_a_mask_earns_no_format_reward() -> None:
    stacked = StackedReward(MathRewardFunction(on_grader_error="floor"))
    assert stacked.reward(BOXED, UNGRADED).value == -0.1


@given(penalties, st.floats(0.0, 1.0))
def test_a_format_never_makes_up_for_a_wrong_answer(penalty: float, share: float) -> None:
    correctness = MathRewardFunction(incorrect_penalty=-penalty)
    stacked = StackedReward(correctness, format_reward=share * penalty)
    right, wrong = stacked.reward(PLAIN, CORRECT).value, stacked.reward(BOXED, INCORRECT).value
    assert right is not None and wrong is not None
    assert wrong <= 0.0 < right


@given(verdicts, st.sampled_from([BOXED, PLAIN]))
def test_components_sum_to_the_value(verdict: Verdict, response: str) -> None:
    reward = StackedReward().reward(response, verdict)
    assert reward.value == sum(reward.components.values())


@given(st.floats(0.1, 5.0), st.floats(0.0, 0.99))
def test_a_formatted_guess_never_beats_a_priced_refusal(penalty: float, share: float) -> None:
    correctness = MathRewardFunction(incorrect_penalty=-penalty, refusal_reward=-penalty * share)
    limit = largest_format_reward(correctness)
    stacked = StackedReward(correctness, format_reward=limit)
    guess = stacked.reward(BOXED, INCORRECT).value
    refusal = stacked.reward(PLAIN, REFUSAL).value
    assert guess is not None and refusal is not None
    assert guess <= refusal + 1e-9


@pytest.mark.parametrize(
    ("correctness", "limit"),
    [
        (MathRewardFunction(), 0.1),
        (MathRewardFunction(incorrect_penalty=0.0), 0.0),
        (MathRewardFunction(refusal_reward=0.5), 0.1),
        (MathRewardFunction(refusal_reward=-0.04), 0.06),
        (MathRewardFunction(refusal_reward=-0.1), 0.1),
    ],
    ids=["default", "no penalty", "paid refusal", "mild refusal", "refusal as wrong"],
)
def test_the_limit_is_what_silence_earns(correctness: MathRewardFunction, limit: float) -> None:
    assert largest_format_reward(correctness) == pytest.approx(limit)


@pytest.mark.parametrize("format_reward", [0.2, -0.01, float("nan")])
def test_a_format_reward_beyond_the_limit_is_named(format_reward: float) -> None:
    with pytest.raises(ValueError, match=rf"format_reward={format_reward}: give 0 to 0\.1"):
        StackedReward(format_reward=format_reward)


def raises_on_everything(response: str) -> bool:
    raise RuntimeError("no model loaded")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (raises_on_everything, "RuntimeError: no model loaded"),
        (lambda response: "yes", "returned str"),
        (lambda response: None, "returned NoneType"),
        (lambda response: 1.0, "returned float"),
    ],
    ids=["raises", "text", "none", "number"],
)
def test_a_broken_check_is_found_before_training(check: Callable[[str], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StackedReward(format=check)


def test_a_response_that_crashes_the_check_is_paid_no_format() -> None:
    stacked = StackedReward(format=lambda response: response.index("boxed") > 0)
    assert stacked.reward(PLAIN, CORRECT).components == {"correctness": 1.0, "format": 0.0}


@pytest.mark.parametrize(("option", "value"), [("mask", None), ("floor", -0.1)])
def test_a_check_that_breaks_later_is_a_grader_fault(option: Any, value: float | None) -> None:
    stacked = StackedReward(MathRewardFunction(on_grader_error=option))
    stacked.format = raises_on_everything
    assert stacked.reward(BOXED, CORRECT).value == value


def test_masks_of_both_parts_are_counted_and_capped() -> None:
    stacked = StackedReward()
    many = stacked.reward_many([UNGRADED, UNGRADED, CORRECT], "policy", responses=[BOXED] * 3)
    assert [reward.value for reward in many] == [-0.1, -0.1, 1.05]
    assert stacked.mask_cap.masked_shares() == {"policy": Rate(2, 3)}


def test_responses_and_verdicts_come_in_pairs() -> None:
    with pytest.raises(ValueError, match="2 responses but 1 verdicts"):
        StackedReward().reward_many([CORRECT], responses=[BOXED, PLAIN])


def test_the_repr_names_both_prices() -> None:
    assert (
        repr(StackedReward()) == "StackedReward(MathRewardFunction(1.0, -0.1), format_reward=0.05)"
    )
