"""Means over pairs: their intervals are about groups."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.pairs.clusters import ClusteredMean
from rlvr_course.stats import Rate


def mean_of(*groups: list[int]) -> ClusteredMean:
    found = ClusteredMean()
    for values in groups:
        found.add(sum(values), len(values))
    return found


def width(bounds) -> float:
    assert bounds is not None
    return bounds[1] - bounds[0]


def holds(mean: ClusteredMean, value: float) -> bool:
    bounds = mean.interval()
    assert bounds is not None
    return bounds[0] <= value <= bounds[1]


def test_groups_that_are_all_alike_have_no_spread():
    alike = mean_of(*[[10, 20, 60]] * 5)
    assert (alike.value, alike.standard_error, alike.interval()) == (30.0, 0.0, (30.0, 30.0))


def test_single_pairs_have_the_interval_of_independent_values():
    # 1, 2, 3, 4, 5: standard deviation √2.5, and t is 2.776 with 4 degrees of freedom.
    bounds = mean_of([1], [2], [3], [4], [5]).interval()
    half = 2.7764 * sqrt(2.5 / 5)
    assert bounds == pytest.approx((3 - half, 3 + half), abs=1e-3)


def test_unequal_groups_weigh_by_their_pairs():
    # Mean 12/4 = 3; residuals 6 − 3·3 = −3 and 6 − 1·3 = 3: √(18 · 2/1) / 4.
    assert mean_of([2, 2, 2], [6]).standard_error == pytest.approx(1.5)


def test_copies_of_a_pair_are_no_evidence_where_pairwise_they_would_be():
    once, copied = mean_of([100], [-40], [30], [10]), mean_of(
        [100] * 100, [-40] * 100, [30] * 100, [10] * 100
    )  # fmt: skip
    assert copied.interval() == pytest.approx(once.interval())
    pairwise = mean_of(*[[v] for v in (100, -40, 30, 10) for _ in range(100)])
    assert width(copied.interval()) > 10 * width(pairwise.interval())


@pytest.mark.parametrize("groups", [[], [[7, 9]]], ids=["none", "one"])
def test_fewer_than_two_groups_show_no_spread(groups: list[list[int]]):
    assert (mean_of(*groups).standard_error, mean_of(*groups).interval()) == (None, None)


def test_a_group_without_pairs_counts_for_nothing():
    assert mean_of([1], [], [3]) == mean_of([1], [3])


def test_a_share_counts_as_many_trials_as_groups():
    # Twelve groups, each with three longer winners of four: as 9 of 12, not 36 of 48.
    bounds = mean_of(*[[1, 1, 1, 0]] * 12).share_interval()
    assert bounds == pytest.approx(Rate(9, 12).interval())


def test_a_share_of_all_keeps_a_width():
    assert mean_of(*[[1] * 16] * 5).share_interval() == pytest.approx(Rate(5, 5).interval())


def test_a_share_of_nothing_may_be_anything():
    assert mean_of().share_interval() == (0.0, 1.0)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_out_of_range_is_a_callers_mistake(confidence: float):
    with pytest.raises(ValueError, match=f"confidence={confidence}: it must lie between 0 and 1"):
        mean_of([1], [2]).interval(confidence)
    with pytest.raises(ValueError, match=f"confidence={confidence}: it must lie between 0 and 1"):
        mean_of([1], [2]).share_interval(confidence)


GROUPS = st.lists(st.lists(st.integers(-500, 500), min_size=1, max_size=6), min_size=2, max_size=12)


@given(GROUPS, st.integers(1, 9))
def test_repeating_every_pair_changes_no_interval(groups: list[list[int]], times: int):
    once, repeated = mean_of(*groups), mean_of(*(values * times for values in groups))
    assert repeated.interval() == pytest.approx(once.interval())
    assert repeated.effective_groups == pytest.approx(once.effective_groups)


@given(GROUPS, st.randoms(use_true_random=False))
def test_no_order_of_groups_or_pairs_matters(groups: list[list[int]], random):
    moved = [random.sample(values, len(values)) for values in groups]
    random.shuffle(moved)
    assert mean_of(*moved) == mean_of(*groups)


@given(GROUPS)
def test_the_interval_holds_the_mean_and_effective_groups_are_at_most_all(groups):
    found = mean_of(*groups)
    assert holds(found, found.total / found.pairs)
    assert 1 <= found.effective_groups <= found.groups + 1e-9


@pytest.mark.nightly
def test_it_covers_what_it_promises_where_a_pairwise_interval_does_not():
    rng = np.random.default_rng(0)
    covered = pairwise = 0
    for _ in range(1000):
        centres = np.rint(rng.normal(0, 50, size=20)).astype(int)
        groups = [list(map(int, c + np.rint(rng.normal(0, 10, 12)).astype(int))) for c in centres]
        covered += holds(mean_of(*groups), 0)
        pairwise += holds(mean_of(*[[v] for values in groups for v in values]), 0)
    assert 0.93 <= covered / 1000 <= 0.97
    assert pairwise / 1000 < 0.6
