"""Answers as text: there and back, and ordinary text left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.adapters.answer_text import answer_from_text, answer_to_text

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers
answers = st.recursive(
    scalars | st.text() | st.text().map(lambda s: f"json:{s}"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(answers)
def test_an_answer_comes_back_as_it_was(answer):
    back = answer_from_text(answer_to_text(answer))
    assert (back, type(back)) == (answer, type(answer))


@given(st.text().filter(lambda s: not s.startswith("json:")))
def test_ordinary_text_is_left_alone(text):
    assert answer_to_text(text) == text == answer_from_text(text)


@pytest.mark.parametrize("answer", [{1, 2}, float("nan"), b"156"], ids=["set", "nan", "bytes"])
def test_what_is_not_json_is_refused(answer):
    with pytest.raises(ValueError, match="is not JSON"):
        answer_to_text(answer)


@pytest.mark.parametrize("text", ["json:", "json:{", "json:" + "[" * 100_000, "json:" + "9" * 5000])
def test_what_is_marked_and_unreadable_stays_text(text):
    assert answer_from_text(text) == text
