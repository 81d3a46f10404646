"""Strict reading: JSON and nothing else, within bounds; canonical forms are equality."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.structured.reading import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_VALUES,
    NotJSON,
    StrictDecoder,
    canonical,
    excess,
    read_json,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
REFUSED = {
    "": "empty",
    "{} {}": "not_json",
    "{'a': 1}": "not_json",
    '{"a": 1,}': "not_json",
    "01": "not_json",
    "NaN": "not_a_number",
    "[-Infinity]": "not_a_number",
    '{"a": 1, "a": 1}': "repeated_name",
    "9" * (MAX_DIGITS + 1): "number_too_large",
    "1e999": "number_too_large",
    "[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2): "nested_too_deep",
    "[" * 50_000 + "]" * 50_000: "nested_too_deep",
    "[" + "1," * MAX_VALUES + "1]": "too_many_values",
    " " * (MAX_CHARACTERS + 1): "too_long",
}


@given(VALUES)
def test_what_is_written_is_read_back(value):
    assert canonical(read_json(json.dumps(value))) == canonical(value)


@pytest.mark.parametrize(("text", "reason"), REFUSED.items(), ids=lambda text: str(text)[:20])
def test_what_is_refused_has_its_reason(text: str, reason: str):
    with pytest.raises(NotJSON, match=reason):
        read_json(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str):
    try:
        read_json(text)
    except NotJSON as error:
        assert error.reason in {*REFUSED.values()}


@given(st.text(alphabet='{}[]",:1 \\a', max_size=40), st.integers(0, 40))
def test_decoding_always_moves_on(text: str, start: int):
    try:
        _, end = StrictDecoder().decode(text, min(start, len(text)))
    except NotJSON as error:
        end = error.end
    assert end > start or start >= len(text)


@given(VALUES, VALUES)
def test_values_are_equal_when_their_json_is_the_same_and_only_then(one, other):
    def plain(value):
        """Numbers as floats, which the values drawn here all fit or differ in."""
        return json.dumps(value, sort_keys=True, default=str)

    if plain(one) == plain(other):
        assert canonical(one) == canonical(other)
    if canonical(one) == canonical(other):
        assert one == other


def test_a_boolean_is_no_number_and_one_is_one_point_zero():
    assert canonical([True, 0]) != canonical([1, False])
    assert canonical({"a": 1}) == canonical({"a": 1.0})


def test_bounds_are_inclusive():
    nested = json.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert excess(nested) == "" and excess([nested]) == ""
    assert excess([[nested]]) == "nested_too_deep"
    assert excess([1] * (MAX_VALUES - 1)) == ""
    assert excess([1] * MAX_VALUES) == "too_many_values"
