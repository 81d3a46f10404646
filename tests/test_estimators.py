"""Advantages of one group: what each estimator keeps, and what it hides."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rlvr_course.estimators import (
    Advantages,
    Method,
    dr_grpo_advantages,
    group_advantages,
    group_mean_advantages,
    leave_one_out_advantages,
    standardised_advantages,
)

METHODS: tuple[Method, ...] = ("group_mean", "rloo", "grpo", "dr_grpo")
UNSCALED: tuple[Method, ...] = ("group_mean", "rloo", "dr_grpo")
every_method = pytest.mark.parametrize("method", METHODS)

# Rewards in hundredths: differences are then never so small that rounding decides.
rewards = st.integers(-1_000, 1_000).map(lambda n: n / 100)
masks = st.none()
groups = st.lists(rewards | masks, min_size=1, max_size=12)
unmasked_groups = st.lists(rewards, min_size=1, max_size=12)


def close(actual: Advantages, expected: Any, tolerance: float = 1e-8) -> bool:
    """Masks at the same places, numbers within the tolerance."""
    return [a is None for a in actual] == [e is None for e in expected] and all(
        a == pytest.approx(e, rel=tolerance, abs=tolerance)
        for a, e in zip(actual, expected, strict=True)
        if a is not None
    )


def test_a_worked_group_of_four() -> None:
    # The mean is 0.175; the others' mean is (0.7 - r) / 3.
    group = [1.0, -0.1, -0.1, -0.1]
    assert close(group_mean_advantages(group), [0.825, -0.275, -0.275, -0.275])
    assert close(leave_one_out_advantages(group), [1.1, -1.1 / 3, -1.1 / 3, -1.1 / 3])
    # 0.825^2 + 3 * 0.275^2 = 0.9075, which is 3 * 0.55^2: the spread is 0.55 over n - 1 = 3.
    assert close(standardised_advantages(group, eps=0.0), [1.5, -0.5, -0.5, -0.5])
    population = standardised_advantages(group, eps=0.0, population=True)
    assert close(population, [3**0.5, *[-(3**0.5) / 3] * 3])


def test_standardising_uses_the_trainers_eps() -> None:
    # Deviations of 0.5, a spread of sqrt(0.5)
    expected = 0.5 / (0.5**0.5 + 1e-4)
    assert close(standardised_advantages([1.0, 0.0]), [expected, -expected])


@every_method
@given(value=st.floats(-1e6, 1e6), size=st.integers(1, 40))
def test_equal_rewards_give_exactly_zero(method: Method, value: float, size: int) -> None:
    assert group_advantages([value] * size, method) == [0.0] * size


@every_method
@given(group=groups, places=st.lists(st.integers(0, 12), max_size=4))
def test_masked_samples_do_not_move_the_others(
    method: Method, group: list[float | None], places: list[int]
) -> None:
    masked = list(group)
    for place in places:
        masked.insert(place, None)
    of_the_rest = [a for a in group_advantages(masked, method) if a is not None]
    assert of_the_rest == [a for a in group_advantages(group, method) if a is not None]


@every_method
@given(group=groups)
def test_masks_stay_where_they_are(method: Method, group: list[float | None]) -> None:
    advantages = group_advantages(group, method)
    assert [a is None for a in advantages] == [r is None for r in group]


@every_method
@given(group=groups)
def test_advantages_of_a_group_sum_to_zero(method: Method, group: list[float | None]) -> None:
    assert sum(a or 0.0 for a in group_advantages(group, method)) == pytest.approx(0, abs=1e-9)


@every_method
@given(group=groups, seed=st.integers(0, 2**16))
def test_permuting_a_group_permutes_its_advantages(
    method: Method, group: list[float | None], seed: int
) -> None:
    order = random.Random(seed).sample(range(len(group)), len(group))
    advantages = group_advantages(group, method)
    assert group_advantages([group[i] for i in order], method) == [advantages[i] for i in order]


@every_method
@given(group=unmasked_groups, shift=rewards)
def test_a_constant_added_to_all_rewards_changes_nothing(
    method: Method, group: list[float], shift: float
) -> None:
    # Rounded back to hundredths, so that a uniform group stays uniform.
    shifted = [round(reward + shift, 2) for reward in group]
    assert close(group_advantages(shifted, method), group_advantages(group, method))


@pytest.mark.parametrize("method", UNSCALED)
@given(group=unmasked_groups, scale=st.integers(1, 50))
def test_without_scaling_a_price_counts_in_full(
    method: Method, group: list[float], scale: int
) -> None:
    scaled = group_advantages([scale * reward for reward in group], method)
    expected = [scale * a for a in group_advantages(group, method) if a is not None]
    assert close(scaled, expected)


@given(group=unmasked_groups, scale=st.integers(1, 50))
def test_standardised_advantages_do_not_see_a_scale(group: list[float], scale: int) -> None:
    scaled = standardised_advantages([scale * reward for reward in group], eps=0.0)
    assert close(scaled, standardised_advantages(group, eps=0.0))


def test_standardising_makes_a_mild_and_a_harsh_penalty_alike() -> None:
    mild, harsh = standardised_advantages([-0.1, 0.0]), standardised_advantages([-1.0, 0.0])
    assert close(mild, harsh, tolerance=2e-3)
    assert dr_grpo_advantages([-0.1, 0.0])[1] == pytest.approx(0.05)
    assert dr_grpo_advantages([-1.0, 0.0])[1] == pytest.approx(0.5)


def test_a_third_outcome_lets_the_penalty_be_seen_again() -> None:
    # Right, refused, wrong: how far the refusal lies below the mean depends on the penalty.
    mild, harsh = (standardised_advantages([1.0, 0.0, wrong])[1] for wrong in (-0.1, -1.0))
    assert mild is not None and mild < -0.4
    assert harsh == 0.0


@given(unmasked_groups)
def test_leave_one_out_compares_with_the_mean_of_the_others(group: list[float]) -> None:
    assume(len(group) > 1)
    n, total = len(group), sum(group)
    assert close(leave_one_out_advantages(group), [r - (total - r) / (n - 1) for r in group])


@given(unmasked_groups)
def test_standardised_advantages_have_unit_spread(group: list[float]) -> None:
    assume(len(set(group)) > 1)
    squares = [a * a for a in standardised_advantages(group, eps=0.0) if a is not None]
    assert sum(squares) / (len(group) - 1) == pytest.approx(1.0)


@given(groups)
def test_dr_grpo_is_the_group_mean(group: list[float | None]) -> None:
    assert dr_grpo_advantages(group) == group_mean_advantages(group)


@every_method
@pytest.mark.parametrize(
    ("group", "expected"),
    [([0.7], [0.0]), ([None, 0.7], [None, 0.0]), ([None, None], [None, None])],
    ids=["one sample", "one unmasked", "all masked"],
)
def test_a_group_without_a_comparison_teaches_nothing(
    method: Method, group: list[float | None], expected: list[float | None]
) -> None:
    assert group_advantages(group, method) == expected


@every_method
def test_extreme_rewards_stay_finite(method: Method) -> None:
    assert all(abs(a or 0.0) < 1e308 for a in group_advantages([1e300, -1e300, 0.0], method))
    assert any(group_advantages([1e-300, 0.0], method))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rewards": []}, "empty group"),
        ({"rewards": [1.0, float("nan")]}, "reward 1 is nan"),
        ({"rewards": [float("-inf")]}, "reward 0 is -inf"),
        ({"rewards": [1.0], "method": "ppo"}, "'ppo' is not one of group_mean, rloo"),
    ],
    ids=["empty", "nan", "infinite", "method"],
)
def test_a_wrong_group_is_a_callers_mistake(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        group_advantages(**arguments)


@pytest.mark.parametrize("eps", [-1e-4, float("nan"), float("inf")])
def test_a_wrong_eps_is_named(eps: float) -> None:
    with pytest.raises(ValueError, match="eps="):
        standardised_advantages([1.0, 0.0], eps=eps)


@pytest.mark.nightly
@settings(deadline=None)  # the first example loads torch
@given(st.lists(rewards | masks, min_size=2, max_size=12))
def test_the_spread_is_the_trainers(group: list[float | None]) -> None:
    torch = pytest.importorskip("torch")
    utils = pytest.importorskip("trl.trainer.utils")
    assume(len({reward for reward in group if reward is not None}) > 1)
    values = [float("nan") if reward is None else reward for reward in group]
    tensor = torch.tensor(values, dtype=torch.float64)
    expected = (tensor - torch.nanmean(tensor)) / (utils.nanstd(tensor) + 1e-4)
    expected = [None if r is None else e for r, e in zip(group, expected.tolist(), strict=True)]
    # The trainer's correction for n - 1 is rounded to 32 bits.
    assert close(standardised_advantages(group), expected, tolerance=1e-6)
