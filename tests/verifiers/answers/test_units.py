"""Units: what they reduce to, which fit, and which words are no unit."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import MathVerifier
from rlvr_course.verifiers.answers.units import Unit, compatible, parse_unit

FACTORS = {
    "km": (1000, {"length": 1}),
    "m^2": (1, {"length": 2}),
    "cm^3": (Fraction(1, 10**6), {"length": 3}),
    "litres": (Fraction(1, 1000), {"length": 3}),
    "km/h": (Fraction(1000, 3600), {"length": 1, "time": -1}),
    "kilometers per hour": (Fraction(1000, 3600), {"length": 1, "time": -1}),
    "kph": (Fraction(1000, 3600), {"length": 1, "time": -1}),
    "m/s^2": (1, {"length": 1, "time": -2}),
    "square meters": (1, {"length": 2}),
    "meters squared": (1, {"length": 2}),
    "minutes": (60, {"time": 1}),
    "kg": (1000, {"mass": 1}),
    "cents": (Fraction(1, 100), {"usd": 1}),
    "years": (12, {"month": 1}),
}


@pytest.mark.parametrize(("text", "expected"), FACTORS.items(), ids=FACTORS)
def test_a_unit_is_a_factor_and_dimensions(text: str, expected: tuple[Fraction, dict[str, int]]):
    unit = parse_unit(text)
    assert unit is not None
    assert (unit.factor, dict(unit.dimensions)) == expected


@pytest.mark.parametrize("text", ["cows", "red balls", "ways", "students"])
def test_a_plain_word_is_a_label_that_fits_anything(text: str):
    label, metre = parse_unit(text), parse_unit("m")
    assert label is not None and metre is not None
    assert label.is_label and compatible(label, metre) and compatible(metre, label)


@pytest.mark.parametrize(
    "text", ["or 7", "more than", "not cows", "squared", "million", "times x", "^2", "", "a" * 99]
)
def test_what_changes_the_number_is_no_unit(text: str):
    assert parse_unit(text) is None


def unit(text: str) -> Unit:
    found = parse_unit(text)
    assert found is not None
    return found


def test_units_of_one_dimension_fit_and_others_do_not():
    assert compatible(unit("km"), unit("inches"))
    assert not compatible(unit("km"), unit("kg"))
    assert not compatible(unit("m"), unit("m^2"))
    assert not compatible(unit("dollars"), unit("euros"))
    assert compatible(unit("degrees"), unit("celsius"))


CONVERSIONS = [("km", "m", 1000), ("hours", "minutes", 60), ("dollars", "cents", 100),
               ("kg", "g", 1000), ("m^2", "cm^2", 10_000), ("liters", "ml", 1000)]  # fmt: skip


@given(st.integers(1, 10**6), st.sampled_from(CONVERSIONS))
def test_a_converted_quantity_is_the_same_and_a_renamed_one_is_not(
    count: int, conversion: tuple[str, str, int]
):
    large, small, factor = conversion
    verify, gold = MathVerifier(), f"{count} {large}"
    assert verify(rf"\boxed{{{count * factor} {small}}}", gold).is_correct is True
    assert verify(rf"\boxed{{{count} {small}}}", gold).is_correct is False


@pytest.mark.parametrize("digit", "²①፩٣")
def test_a_digit_of_another_kind_is_no_error(digit: str):
    found = parse_unit(f"m{digit}")
    assert found is None or found.is_label or found.factor == 1
    verdict = MathVerifier()(rf"\boxed{{5\text{{ m {digit}}}}}", "7 m")
    assert verdict.is_correct is False


@given(st.text(alphabet=st.characters(), max_size=90))
def test_any_text_is_a_unit_or_none(text: str):
    found = parse_unit(text)
    assert found is None or found.factor > 0
