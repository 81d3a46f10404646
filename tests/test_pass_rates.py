"""pass@k: unbiased for one problem, and with an interval over problems."""

from __future__ import annotations

import math
import random
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.pass_rates import (
    PassAtK,
    mean_pass_at_k,
    pass_at_k,
    pass_at_k_curve,
    solved_counts,
)
from rlvr_course.records import Problem, Sample


@st.composite
def problem_counts(draw: st.DrawFn, n: int = 8) -> list[tuple[int, int]]:
    return [(n, c) for c in draw(st.lists(st.integers(0, n), min_size=1, max_size=15))]


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(4, 1, 1, 1 / 4), (4, 1, 2, 1 / 2), (4, 2, 2, 5 / 6), (10, 3, 5, 11 / 12), (4, 3, 2, 1.0)],
)
def test_worked_values(n: int, c: int, k: int, expected: float) -> None:
    # Such as 1 - C(7, 5) / C(10, 5) = 1 - 21 / 252
    assert pass_at_k(n, c, k) == pytest.approx(expected, rel=1e-15)


@given(st.integers(1, 9), st.data())
def test_it_is_the_share_of_draws_with_a_right_one(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    draws = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, draws)) / len(draws), rel=1e-12)


@given(st.integers(1, 8), st.floats(0.0, 1.0), st.data())
def test_it_is_unbiased(n: int, p: float, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    chances = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    mean = math.fsum(chance * pass_at_k(n, c, k) for c, chance in enumerate(chances))
    assert mean == pytest.approx(1 - (1 - p) ** k, abs=1e-9)


@given(st.integers(1, 200), st.data())
def test_more_draws_and_more_right_ones_never_hurt(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    value = pass_at_k(n, c, k)
    assert 0.0 <= value <= 1.0
    assert value <= pass_at_k(n, min(n, c + 1), k)
    assert value <= pass_at_k(n, c, min(n, k + 1))


@given(st.integers(1, 10_000), st.data())
def test_pass_at_1_is_the_share_that_is_right(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    assert pass_at_k(n, c, 1) == c / n


def test_a_small_chance_keeps_its_digits() -> None:
    assert pass_at_k(10**9, 1, 1) == 1e-9


@pytest.mark.parametrize(
    ("n", "c", "k", "message"),
    [(0, 0, 1, "n=0"), (4, 5, 1, "c=5"), (4, -1, 1, "c=-1"), (4, 1, 5, "k=5"), (4, 1, 0, "k=0")],
)
def test_impossible_counts_are_named(n: int, c: int, k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pass_at_k(n, c, k)


def test_ungraded_samples_are_in_no_count() -> None:
    problem = Problem("2 + 2?", "4")
    truths = [[True, None, False], [None, None]]
    groups = [[Sample(problem, "", "", None, truth) for truth in row] for row in truths]
    assert solved_counts(groups) == [(2, 1), (0, 0)]


@settings(max_examples=30, deadline=None)  # the first loads numpy
@given(problem_counts(), st.integers(1, 8))
def test_the_interval_holds_the_mean_of_the_problems(counts: list[tuple[int, int]], k: int) -> None:
    result = mean_pass_at_k(counts, k, resamples=200)
    assert result.value == pytest.approx(sum(pass_at_k(*nc, k) for nc in counts) / len(counts))
    assert 0.0 <= result.low <= result.value <= result.high <= 1.0


def test_a_wider_confidence_gives_a_wider_interval() -> None:
    counts = [(8, c) for c in range(9)] * 3
    narrow, wide = (mean_pass_at_k(counts, 2, confidence=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_the_problem_is_the_unit_and_not_the_sample() -> None:
    # All or nothing: 20 problems are 20 trials, however often each was sampled.
    few, many = (mean_pass_at_k([(n, n), (n, 0)] * 10, 1) for n in (1, 100))
    assert (few.low, few.high) == (many.low, many.high)
    assert few.high - few.low > 0.4  # as wide as 20 trials: 2 * 1.96 * sqrt(0.25 / 20) = 0.44


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([(4, 4)] * 10, (0.722, 1.0)),  # Wilson's low: 1 / (1 + 1.96^2 / 10)
        ([(4, 0)] * 10, (0.0, 0.278)),
        ([(4, 2)], (0.0, 1.0)),
    ],
    ids=["all solved", "none solved", "one problem"],
)
def test_problems_that_score_alike_are_no_certainty(
    counts: list[tuple[int, int]], expected: tuple[float, float]
) -> None:
    result = mean_pass_at_k(counts, 1)
    assert (result.low, result.high) == pytest.approx(expected, abs=1e-3)


def test_the_same_seed_gives_the_same_interval() -> None:
    counts = [(8, c) for c in range(9)]
    assert mean_pass_at_k(counts, 2, seed=3) == mean_pass_at_k(counts, 2, seed=3)
    assert mean_pass_at_k(counts, 2, seed=3) != mean_pass_at_k(counts, 2, seed=4)


@settings(max_examples=20, deadline=None)  # the first loads numpy
@given(problem_counts())
def test_a_curve_never_falls_and_agrees_with_its_points(counts: list[tuple[int, int]]) -> None:
    curve = pass_at_k_curve(counts, resamples=100)
    assert [point.k for point in curve] == [1, 2, 4, 8]
    assert all(a.value <= b.value for a, b in pairwise(curve))
    assert curve[2] == mean_pass_at_k(counts, 4, resamples=100)


@pytest.mark.parametrize(
    ("counts", "ks"), [([(4, 1)], [1, 2, 4]), ([(6, 1), (9, 9)], [1, 2, 4, 6]), ([(1, 1)], [1])]
)
def test_a_curve_ends_at_the_smallest_group(counts: list[tuple[int, int]], ks: list[int]) -> None:
    assert [point.k for point in pass_at_k_curve(counts, resamples=100)] == ks


def test_the_result_is_printed_with_its_interval() -> None:
    assert str(PassAtK(4, 0.75, 0.62, 0.86, 40)) == "pass@4 0.75 [0.62, 0.86] (40 problems)"


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        ([], {}, "at least one problem"),
        ([(4, 1)], {"ks": []}, "at least one k"),
        ([(4, 1), (2, 1)], {"ks": [4]}, "problem 1: k=4"),
        ([(4, 1), (0, 0)], {}, "problem 1: n=0"),
        ([(4, 1)], {"confidence": 1.0}, "confidence=1.0"),
        ([(4, 1)], {"resamples": 10}, "resamples=10"),
    ],
    ids=["no problems", "no k", "small group", "ungraded group", "confidence", "resamples"],
)
def test_a_wrong_option_is_named(counts: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pass_at_k_curve(counts, **options)


@pytest.mark.nightly
@pytest.mark.parametrize(("k", "truth"), [(1, 0.5), (4, 0.8)])
def test_the_interval_covers_what_it_promises(k: int, truth: float) -> None:
    # A problem's chance p is uniform, so the mean of 1 - (1 - p)^k is k / (k + 1).
    rng = random.Random(0)
    covered = 0
    for trial in range(400):
        chances = [rng.random() for _ in range(40)]
        counts = [(8, sum(rng.random() < p for _ in range(8))) for p in chances]
        point = mean_pass_at_k(counts, k, resamples=500, seed=trial)
        covered += point.low <= truth <= point.high
    # Nominal 0.95; three standard errors of 400 trials are 0.033.
    assert covered / 400 >= 0.90
