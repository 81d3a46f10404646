"""Returned values against expected values, and their way out of the sandbox."""

from __future__ import annotations

import collections
import enum
import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.programs.inside import MAX_DEPTH, NotPlain, decode, encode
from rlvr_course.verifiers.programs.values import holds_nan, same_value, shown

TOLERANCE = 1e-6
NAN = float("nan")

SAME = {
    "list and tuple": ([1, 2], (1, 2)),
    "float for int of its value": (14, 14.0),
    "int for float": (2.0, 2),
    "near float": (0.1, 0.1 + 1e-9),
    "nested near float": ({"a": [0.1]}, {"a": (0.1 + 1e-9,)}),
    "negative zero": (0.0, -0.0),
    "set": ({1, 2}, frozenset({2, 1})),
    "order of keys": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "infinity": (math.inf, math.inf),
    "huge": (10**5000, 10**5000),
    "rounding errors for zero": (0.0, math.sin(math.pi)),
    "None": (None, None),
}
DIFFERENT = {
    "True for 1": (1, True),
    "1 for True": (True, 1),
    "True for 1 in a set": ({1}, {True}),
    "True for 1 as a key": ({1: 2}, {True: 2}),
    "text for number": (1, "1"),
    "a small number for zero": (0.0, 1e-9),
    "near int": (1_000_000, 1_000_001),
    "complex for int": (14, 14 + 0j),
    "complex for float": (0.5, 0.5 + 0j),
    "huge float for huge int": (10**23, 1e23),
    "int beyond floats for a float": (1.5, 10**400),
    "nan for a number": (3.5, NAN),
    "nan for nan": (NAN, NAN),
    "infinity for a number": (1e300, math.inf),
    "number for infinity": (math.inf, 1e300),
    "shorter": ([1, 2], [1]),
    "longer": ([1], [1, 2]),
    "set for list": ([1], {1}),
    "text for list": (["a"], "a"),
    "missing key": ({"a": None}, {}),
    "other key": ({"a": None}, {"b": None}),
    "None for 0": (0, None),
    "bytes for text": ("a", b"a"),
}


@pytest.mark.parametrize(("expected", "got"), SAME.values(), ids=SAME)
def test_what_is_the_same(expected, got) -> None:
    assert same_value(expected, got, TOLERANCE)


@pytest.mark.parametrize(("expected", "got"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs(expected, got) -> None:
    assert not same_value(expected, got, TOLERANCE)


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary(),
    st.complex_numbers(allow_nan=False), st.just(math.inf),
)  # fmt: skip
KEYS = st.one_of(st.integers(), st.text(), st.tuples(st.integers(), st.text()))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(KEYS, inner), st.sets(KEYS),
        st.frozensets(KEYS),
    ),
    max_leaves=12,
)  # fmt: skip


@given(VALUES)
def test_a_plain_value_comes_back_as_it_was_sent(value) -> None:
    back = decode(encode(value))
    assert type(back) is type(value) and back == value
    assert same_value(value, back, 0.0)


@given(VALUES, st.integers(1, 9))
def test_a_value_is_not_the_same_inside_a_list_or_beside_another(value, other) -> None:
    assert not same_value([value], [value, other], TOLERANCE)
    assert not same_value({"a": value}, {"a": value, "b": other}, TOLERANCE)


@given(st.text() | st.lists(st.sampled_from('["i",0x1]{}:lde'), max_size=30).map("".join))
def test_a_forged_text_is_a_value_or_a_value_error(text: str) -> None:
    try:
        decode(text)
    except ValueError:
        return
    assert decode(text) is not NotImplemented


@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 100_000])
def test_a_forged_nest_is_a_value_error(depth: int) -> None:
    with pytest.raises(ValueError, match="not an encoded value"):
        decode('["l",[' * depth + "]]" * depth)


class Lies(int):
    def __eq__(self, other) -> bool:
        return True

    def __index__(self) -> int:
        return 7

    __hash__ = int.__hash__


class Pair(NamedTuple):
    a: int
    b: float


class Word(enum.StrEnum):
    A = "a"


class Shows(list):
    def __iter__(self):
        return iter([7])


@pytest.mark.parametrize(
    ("value", "base"),
    [(Lies(1), 1), (Pair(1, 0.5), (1, 0.5)), (Word.A, "a"), (Shows([1]), [1]), ([Lies(1)], [1])],
    ids=["int", "tuple", "str", "list", "member"],
)
def test_a_subclass_s_value_is_what_its_base_holds(value, base) -> None:
    back = decode(encode(value))
    assert type(back) is type(base) and same_value(base, back, 0.0)


DEEP = []
for _ in range(MAX_DEPTH + 1):
    DEEP = [DEEP]
CYCLE: list = []
CYCLE.append(CYCLE)
DOUBLED: list = [0]
for _ in range(60):
    DOUBLED = [DOUBLED, DOUBLED]


@pytest.mark.parametrize(
    "value", [object(), range(3), iter([]), len, DEEP, CYCLE, DOUBLED, [object()]],
    ids="object range iterator function deep cycle doubled member".split(),
)  # fmt: skip
def test_what_is_not_plain_is_not_sent(value) -> None:
    with pytest.raises(NotPlain):
        encode(value)


@pytest.mark.parametrize(
    "value",
    [collections.Counter("aab"), collections.OrderedDict(a=2, b=1), {"a": 2, "b": 1}],
    ids=["counter", "ordered", "plain"],
)
def test_the_library_s_dicts_are_sent_as_dicts(value) -> None:
    assert decode(encode(value)) == {"a": 2, "b": 1}


@pytest.mark.parametrize("value", [NAN, [NAN], {"a": (1, NAN)}, complex(NAN, 0)], ids=repr)
def test_nan_is_found_wherever_it_is(value) -> None:
    assert holds_nan(value)
    assert not holds_nan([1.0, "nan", {"a": None}])


def test_a_value_is_shown_cut_and_however_long_its_digits() -> None:
    assert shown([1, "a"]) == "[1, 'a']"
    assert len(shown("x" * 1_000)) == 200
    assert shown(10**5000) == "int of more digits than Python writes"
