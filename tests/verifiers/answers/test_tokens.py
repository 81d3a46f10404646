"""Tokens and their caps."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.answers.grammar import readings
from rlvr_course.verifiers.answers.tokens import MAX_DIGITS, MAX_TOKENS, TooLarge, tokenize

CAPS = {
    "digits": ("9" * (MAX_DIGITS + 1), "too_many_digits"),
    "decimals": ("0." + "9" * MAX_DIGITS, "too_many_digits"),
    "exponent": (f"1e{MAX_DIGITS + 1}", "exponent_too_large"),
    "negative exponent": (f"1e-{MAX_DIGITS + 1}", "exponent_too_large"),
    "tokens": ("+" * (MAX_TOKENS + 1), "too_many_tokens"),
    "tokens in text": (r"\mathbf{" + "+" * (MAX_TOKENS + 1) + "}", "too_many_tokens"),
}


@pytest.mark.parametrize(("text", "reason"), CAPS.values(), ids=CAPS)
def test_a_text_above_a_cap_is_refused_with_its_reason(text: str, reason: str):
    with pytest.raises(TooLarge, match=f"^{reason}$"):
        tokenize(text)


@pytest.mark.parametrize(
    "text", ["9" * MAX_DIGITS, f"1e{MAX_DIGITS}", "+" * MAX_TOKENS], ids=["digits", "exp", "tokens"]
)
def test_a_text_at_a_cap_is_read(text: str):
    assert tokenize(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a" * 4_001, "answer_too_long"),
        ("(" * 61, "nested_too_deep"),
        ("{" * 61, "nested_too_deep"),
    ],
    ids=["length", "brackets", "braces"],
)
def test_a_long_or_deep_answer_is_refused_before_it_is_parsed(text: str, reason: str):
    with pytest.raises(TooLarge, match=f"^{reason}$"):
        readings(text)


NUMBERS = {
    "7": (7, 0),
    "007": (7, 0),
    "7.": (7, 0),
    ".5": (Fraction(1, 2), 1),
    "0.50": (Fraction(1, 2), 2),
    "0.00": (0, 2),
    "12.30": (Fraction(123, 10), 4),
    "1,234": (1234, 0),
    "1,234.5": (Fraction(2469, 2), 5),
    "12,34,567": (1234567, 0),
    "1.5e3": (1500, 2),
    "2E-2": (Fraction(1, 50), 0),
}


@pytest.mark.parametrize(("text", "expected"), NUMBERS.items(), ids=NUMBERS)
def test_a_number_has_its_exact_value_and_the_digits_that_were_written(
    text: str, expected: tuple[Fraction, int]
):
    (token,) = tokenize(text)
    assert (token.kind, token.value, token.digits) == ("num", *expected)


@pytest.mark.parametrize("text", ["1,23", "1,2345", "12,3456", "1,234,56"])
def test_a_comma_that_groups_no_three_digits_parts_numbers(text: str):
    assert len([t for t in tokenize(text) if t.kind == "num"]) >= 2


def test_without_groups_every_comma_parts():
    assert [t.text for t in tokenize("1,234", groups=False)] == ["1", ",", "234"]


@given(st.decimals(0, 10**9, places=3, allow_nan=False, allow_infinity=False))
def test_any_decimal_is_read_exactly_with_or_without_groups(value: Decimal):
    for text in (f"{value:f}", f"{value:,f}"):
        (token,) = tokenize(text)
        assert token.value == Fraction(value)


@given(st.text(alphabet=st.characters(), max_size=100))
def test_any_text_is_tokens_or_too_large(text: str):
    try:
        tokens = tokenize(text)
    except TooLarge as error:
        assert str(error) == "exponent_too_large"
    else:
        assert all((t.value is not None) == (t.kind == "num") for t in tokens)
