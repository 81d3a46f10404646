"""Rates, their intervals, and the confusion counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.stats import Confusion, Rate, confusion

decisions = st.sampled_from([True, False, None])


@st.composite
def rates(draw: st.DrawFn) -> Rate:
    n = draw(st.integers(1, 2000))
    return Rate(draw(st.integers(0, n)), n)


def test_wilson_interval_matches_a_hand_calculation() -> None:
    # p = 0.5, n = 100, z = 1.959964: centre 0.5, half-width z / sqrt(n + z^2) / 2 = 0.09617.
    low, high = Rate(50, 100).interval()
    assert low == pytest.approx(0.40383, abs=1e-5)
    assert high == pytest.approx(0.59617, abs=1e-5)


def test_exact_interval_with_no_success_has_its_closed_form() -> None:
    # With 0 of n the upper bound solves (1 - p)^n = 0.025.
    low, high = Rate(0, 10).interval(method="exact")
    assert low == 0.0
    assert high == pytest.approx(1 - 0.025**0.1)


def test_exact_interval_with_all_successes_has_its_closed_form() -> None:
    low, high = Rate(10, 10).interval(method="exact")
    assert low == pytest.approx(0.025**0.1)
    assert high == 1.0


@given(rates(), st.floats(0.01, 0.999))
def test_wilson_interval_holds_the_observed_rate(rate: Rate, confidence: float) -> None:
    low, high = rate.interval(confidence)
    assert rate.value is not None
    assert 0.0 <= low <= rate.value <= high <= 1.0


@given(rates(), st.sampled_from([0.8, 0.95, 0.99]))
def test_exact_interval_holds_the_observed_rate(rate: Rate, confidence: float) -> None:
    low, high = rate.interval(confidence, method="exact")
    assert rate.value is not None
    assert 0.0 <= low <= rate.value <= high <= 1.0


@given(rates())
def test_more_confidence_never_narrows_the_interval(rate: Rate) -> None:
    narrow, wide = rate.interval(0.8), rate.interval(0.99)
    assert wide[0] <= narrow[0] and narrow[1] <= wide[1]


@given(rates())
def test_intervals_of_successes_and_of_failures_mirror_each_other(rate: Rate) -> None:
    low, high = rate.interval()
    mirrored = Rate(rate.n - rate.successes, rate.n).interval()
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_no_data_says_so_and_has_no_value() -> None:
    nothing = Rate(0, 0)
    assert nothing.value is None
    assert nothing.interval() == (0.0, 1.0)
    assert str(nothing) == "no data (n=0)"


def test_a_rate_prints_value_interval_and_n() -> None:
    assert str(Rate(50, 100)) == "0.50 [0.40, 0.60] (n=100)"


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_impossible_counts_are_a_callers_mistake(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} successes of {n}"):
        Rate(successes, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 95, float("nan")])
def test_confidence_must_lie_between_0_and_1(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence="):
        Rate(1, 2).interval(confidence)


def test_an_unknown_interval_method_is_named() -> None:
    with pytest.raises(ValueError, match="'wald'"):
        Rate(1, 2).interval(method="wald")  # type: ignore[arg-type]


def test_confusion_counts_each_pairing_in_its_own_cell() -> None:
    predicted = [True, True, True, False, False, None, None, True]
    truth = [True, True, False, True, False, True, None, None]
    assert confusion(predicted, truth) == Confusion(tp=2, fp=1, fn=1, tn=1, open=2, ungraded=1)


def test_rates_leave_open_and_ungraded_items_out() -> None:
    counts = Confusion(tp=3, fp=1, fn=2, tn=4, open=50, ungraded=60)
    assert counts.precision == Rate(3, 4)
    assert counts.recall == Rate(3, 5)
    assert counts.agreement == Rate(7, 10)


@given(st.lists(st.tuples(decisions, decisions)))
def test_confusion_counts_every_item_once(pairs: list[tuple[bool | None, bool | None]]) -> None:
    counts = confusion([p for p, _ in pairs], [t for _, t in pairs])
    total = counts.tp + counts.fp + counts.fn + counts.tn + counts.open + counts.ungraded
    assert total == len(pairs)


@given(st.lists(decisions))
def test_a_perfect_verifier_agrees_wherever_the_truth_is_known(truth: list[bool | None]) -> None:
    counts = confusion(truth, truth)
    assert counts.fp == counts.fn == counts.ungraded == 0
    assert counts.agreement.n == sum(t is not None for t in truth)


def test_confusion_of_nothing_has_rates_without_data() -> None:
    assert str(confusion([], []).precision) == "no data (n=0)"


def test_confusion_refuses_unequal_lengths() -> None:
    with pytest.raises(ValueError, match="2 predictions but 1 truths"):
        confusion([True, False], [True])


@pytest.mark.parametrize("entry", [1, "yes", float("nan")], ids=repr)
def test_confusion_names_an_entry_that_is_no_decision(entry: object) -> None:
    with pytest.raises(ValueError, match="item 1 is"):
        confusion([True, entry], [True, False])  # type: ignore[list-item]


def test_confusion_shows_its_counts_in_text_and_html() -> None:
    counts = Confusion(tp=101, fp=7, fn=47, tn=157, open=8)
    assert "right answers: 101 accepted, 47 rejected" in str(counts)
    assert "<td>101</td><td>47</td>" in counts._repr_html_()
    assert "8 open" in counts._repr_html_()
