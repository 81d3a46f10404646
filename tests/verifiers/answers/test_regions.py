"""Interval algebra against membership of sampled points."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import MathVerifier
from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.nodes import num
from rlvr_course.verifiers.answers.regions import Region, same_region, to_region

ENDS = st.integers(-5, 5)
POINTS = [Fraction(n, 2) for n in range(-13, 25)]
"""Every end of an interval, and a point between each two."""

Set = tuple[v.Value, frozenset[Fraction]]


def between(low: int, high: int, closed: tuple[bool, bool]) -> Set:
    left, right = "[" if closed[0] else "(", "]" if closed[1] else ")"
    value = v.Items(left, right, (v.Scalar(num(low)), v.Scalar(num(high))))
    above = {p for p in POINTS if p > low or (closed[0] and p == low)}
    return value, frozenset(p for p in above if p < high or (closed[1] and p == high))


def points(members: set[int]) -> Set:
    value = v.Items("{", "}", tuple(v.Scalar(num(m)) for m in sorted(members)))
    return value, frozenset(map(Fraction, members))


def union(left: Set, right: Set) -> Set:
    return v.Union((left[0], right[0])), left[1] | right[1]


def both(left: Set, right: Set) -> Set:
    return v.Both((left[0], right[0])), left[1] & right[1]


def without(left: Set, right: Set) -> Set:
    return v.Without(left[0], right[0]), left[1] - right[1]


FLAGS = st.tuples(st.booleans(), st.booleans())
INTERVALS = st.builds(
    lambda low, width, c: between(low, low + width, c), ENDS, st.integers(1, 6), FLAGS
)
LEAVES = INTERVALS | st.sets(ENDS, min_size=1, max_size=3).map(points)
SETS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda f, a, b: f(a, b), st.sampled_from([union, both, without]), inner, inner
    ),
    max_leaves=5,
)


def members(region: Region) -> frozenset[Fraction]:
    """The sampled points inside a region; halves and integers are exact in binary."""
    found = set()
    for part in region:
        for point in POINTS:
            p = float(point)
            above = p > part.low or (part.low_closed and p == part.low)
            below = p < part.high or (part.high_closed and p == part.high)
            found |= {point} if above and below else set()
    return frozenset(found)


def region_of(value: v.Value) -> Region:
    region = to_region(value)
    assert region is not None
    return region


@given(SETS)
def test_a_region_has_the_members_that_its_set_has(pair: Set):
    assert members(region_of(pair[0])) == pair[1]


@given(SETS, SETS)
def test_two_regions_are_the_same_exactly_where_their_members_are(left: Set, right: Set):
    same = same_region(region_of(left[0]), region_of(right[0]))
    assert same is (left[1] == right[1])


@given(SETS)
def test_parts_are_sorted_apart_and_not_empty(pair: Set):
    region = region_of(pair[0])
    for part in region:
        assert part.low < part.high or (part.low_closed and part.high_closed)
    for one, after in pairwise(region):
        apart = not (one.high_closed or after.low_closed)
        assert one.high < after.low or (one.high == after.low and apart)


@given(SETS, SETS)
def test_a_difference_and_an_intersection_part_a_set(left: Set, right: Set):
    parted = union(without(left, right), both(left, right))
    assert same_region(region_of(parted[0]), region_of(left[0]))


FORMS = {
    "inequality": (r"x \ge 2", r"[2, \infty)", True),
    "inequality turned round": ("2 < x", "x > 2", True),
    "chain": (r"1 \le x < 5", "[1, 5)", True),
    "half open is not open": ("(1, 5)", "[1, 5)", False),
    "joined": (r"(1, 3) \cup [3, 5)", "(1, 5)", True),
    "a hole": (r"(1, 3) \cup (3, 5)", "(1, 5)", False),
    "a hole named": (r"\mathbb{R} \setminus \{3\}", r"(-\infty, 3) \cup (3, \infty)", True),
    "not equal": (r"x \ne 3", r"(-\infty, 3) \cup (3, \infty)", True),
    "either": ("x < 1 or x > 2", r"(-\infty, 1) \cup (2, \infty)", True),
    "both": ("x > 1 and x < 2", "(1, 2)", True),
    "everything": (r"(-\infty, \infty)", r"\mathbb{R}", True),
    "nothing": (r"\emptyset", r"\{\}", True),
    "a tuple is no interval of three": ("(1, 2, 3)", "(1, 3)", False),
}


@pytest.mark.parametrize(("answer", "gold", "same"), FORMS.values(), ids=FORMS)
def test_ways_to_write_a_set_of_numbers(answer: str, gold: str, same: bool):
    assert MathVerifier()(rf"\boxed{{{answer}}}", gold).is_correct is same
    assert MathVerifier()(rf"\boxed{{{gold}}}", answer).is_correct is same
