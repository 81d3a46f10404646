"""Replies are taken over by exact type, or refused."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.classroom.plain import NotPlain, as_plain
from rlvr_course.records import Verdict
from rlvr_course.stats import Rate


class EqualToAll(str):
    """A string that equals everything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Colour(StrEnum):
    """An enum that is also a string."""

    RED = "red"


class PaidVerdict(Verdict):
    """A verdict's subclass."""


def test_a_range_is_the_list_of_its_numbers():
    assert as_plain({0.1: range(2, 5)}) == {0.1: [2, 3, 4]}


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values)
def test_a_plain_value_is_copied_as_it_is(value: Any) -> None:
    copied = as_plain(value)
    assert copied == value
    assert type(copied) is type(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([1, 2]), [1, 2]),
    ],
    ids=["float", "int", "bool", "array"],
)
def test_numpy_becomes_python(value: Any, expected: Any) -> None:
    plain = as_plain(value)
    assert plain == expected
    assert type(plain) is type(expected)


@pytest.mark.parametrize("value", [Verdict.correct("4", "equal"), Rate(1, 2)], ids=["v", "r"])
def test_the_courses_records_are_plain(value: Any) -> None:
    assert as_plain(value) == value


@pytest.mark.parametrize(
    "value",
    [
        EqualToAll("x"),
        [EqualToAll("x")],
        {"k": EqualToAll("x")},
        {EqualToAll("x"): 1},
        Colour.RED,
        PaidVerdict("correct", 1.0),
        object(),
        {1, 2},
        len,
    ],
    ids=["str", "in_list", "in_dict", "as_key", "enum", "verdict", "object", "set", "function"],
)
def test_everything_else_is_refused(value: Any) -> None:
    with pytest.raises(NotPlain):
        as_plain(value)


@pytest.mark.parametrize(
    "value",
    [{1}, frozenset({1}), (n for n in "ab"), map(str, [1]), filter(None, [1]), {1: 2}.values()],
    ids=["set", "frozenset", "generator", "map", "filter", "dict_values"],
)
def test_what_could_be_a_list_is_refused_with_that_remedy(value: Any) -> None:
    with pytest.raises(NotPlain, match=f"of type {type(value).__name__}; give a list$"):
        as_plain(value)


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(NotPlain, match="levels deep"):
        as_plain(endless)
