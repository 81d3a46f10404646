"""Prices alone decide when answering beats refusing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rlvr_course.breakeven import best_action, break_even, expected_reward, price_of_wrong

probabilities = st.floats(0.0, 1.0)
penalties = st.floats(0.001, 100.0)
prices = st.floats(-10.0, 10.0)


@st.composite
def ordered_prices(draw: st.DrawFn) -> dict[str, float]:
    """wrong <= refuse <= correct, with a gap that rounding can't close."""
    wrong, refuse, correct = sorted(draw(st.lists(prices, min_size=3, max_size=3)))
    assume(correct - wrong > 1e-3)
    return {"correct": correct, "wrong": wrong, "refuse": refuse}


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [(-0.1, 1 / 11), (-0.25, 0.2), (-1.0, 0.5), (-4.0, 0.8), (0.0, 0.0)],
)
def test_break_even_of_a_penalty_c_is_c_over_one_plus_c(wrong: float, expected: float) -> None:
    assert break_even(wrong=wrong) == pytest.approx(expected)


def test_refusing_at_the_price_of_a_wrong_answer_never_pays() -> None:
    assert break_even(wrong=-0.1, refuse=-0.1) == 0.0


def test_a_priced_refusal_moves_the_break_even() -> None:
    # p * 1 + (1 - p) * -1 = -0.5 at p = 1/4
    assert break_even(1.0, -1.0, -0.5) == 0.25


@given(ordered_prices())
def test_both_actions_earn_the_same_at_the_break_even(priced: dict[str, float]) -> None:
    p = break_even(**priced)
    answer = expected_reward(p, correct=priced["correct"], wrong=priced["wrong"])
    assert answer == pytest.approx(priced["refuse"], abs=1e-9)
    assert best_action(p, **priced) == "either"


@given(ordered_prices(), probabilities)
def test_the_better_action_changes_at_the_break_even(priced: dict[str, float], p: float) -> None:
    p_star = break_even(**priced)
    assume(abs(p - p_star) > 1e-6)
    assert best_action(p, **priced) == ("answer" if p > p_star else "refuse")


@given(penalties, penalties)
def test_a_heavier_penalty_asks_for_more_certainty(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assert break_even(wrong=-low) <= break_even(wrong=-high)


@given(ordered_prices(), st.floats(0.01, 100.0), prices)
def test_only_the_ratio_of_the_gaps_counts(
    priced: dict[str, float], scale: float, shift: float
) -> None:
    moved = {name: scale * price + shift for name, price in priced.items()}
    assume(moved["wrong"] <= moved["refuse"] <= moved["correct"])
    assert break_even(**moved) == pytest.approx(break_even(**priced), abs=1e-6)


@given(ordered_prices(), st.floats(0.0, 5.0))
def test_a_format_reward_lowers_the_break_even_by_its_share_of_the_gap(
    priced: dict[str, float], f: float
) -> None:
    correct, wrong, refuse = priced["correct"], priced["wrong"], priced["refuse"]
    assume(wrong + f <= refuse)
    lower = break_even(correct + f, wrong + f, refuse)
    assert lower == pytest.approx(break_even(**priced) - f / (correct - wrong), abs=1e-9)


@given(st.floats(0.0, 0.99), st.floats(0.1, 10.0), st.floats(-5.0, 0.0))
def test_the_price_of_wrong_is_the_inverse(p_star: float, correct: float, refuse: float) -> None:
    wrong = price_of_wrong(p_star, correct=correct, refuse=refuse)
    assert break_even(correct, wrong, refuse) == pytest.approx(p_star, abs=1e-9)


def test_expected_reward_of_three_outcomes_is_worked_out_by_hand() -> None:
    # 0.5 * 1 + 0.3 * 0.25 + 0.2 * -0.5
    value = expected_reward(0.5, wrong=-0.5, p_partial=0.3, partial=0.25)
    assert value == pytest.approx(0.475)


def test_a_partly_right_answer_earns_halfway_unless_priced() -> None:
    assert expected_reward(0.0, wrong=-1.0, p_partial=1.0) == 0.0


def test_partial_credit_can_turn_a_refusal_into_an_answer() -> None:
    # Alone 0.4 * 1 - 0.6 < 0; with half of it partly right 0.4 + 0.5 * 0.5 - 0.1 > 0.
    assert best_action(0.4, wrong=-1.0) == "refuse"
    assert best_action(0.4, wrong=-1.0, p_partial=0.5, partial=0.5) == "answer"


@given(ordered_prices(), probabilities, probabilities)
def test_expected_reward_lies_between_the_prices(
    priced: dict[str, float], p: float, share: float
) -> None:
    correct, wrong = priced["correct"], priced["wrong"]
    value = expected_reward(p, correct=correct, wrong=wrong, p_partial=share * (1 - p))
    assert wrong - 1e-9 <= value <= correct + 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"correct": float("nan")}, "correct=nan"),
        ({"refuse": float("inf")}, "refuse=inf"),
        ({"wrong": 1.0}, "wrong=1.0 is not below correct=1.0"),
        ({"refuse": -0.5}, "refuse=-0.5 is below wrong=-0.1"),
        ({"refuse": 1.5}, "refuse=1.5 is above correct=1.0"),
    ],
    ids=["nan", "infinite", "wrong pays", "refusal below wrong", "refusal above correct"],
)
def test_prices_without_a_break_even_are_named(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        break_even(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"p": 1.2}, "p=1.2"),
        ({"p": float("nan")}, "p=nan"),
        ({"p": 0.5, "p_partial": -0.1}, "p_partial=-0.1"),
        ({"p": 0.7, "p_partial": 0.4}, "sum to more than 1"),
        ({"p": 0.5, "partial": float("nan")}, "partial=nan"),
        ({"p": 0.5, "refuse": float("nan")}, "refuse=nan"),
    ],
)
def test_odds_out_of_range_are_named(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_action(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"p_star": 1.0}, "p_star=1.0"), ({"p_star": 0.5, "refuse": 2.0}, "nobody would answer")],
)
def test_a_price_that_cannot_be_set_is_named(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        price_of_wrong(**arguments)
