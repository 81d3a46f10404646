"""Every convention: what it changes, and what it leaves as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import MathVerifier
from rlvr_course.verifiers.answers.scalars import Conventions

DEFAULT = MathVerifier()

CHANGED = [
    ("rel_tol", 1e-4, "1/3", "0.33333", False),
    ("rel_tol", 1e-12, "1/3", "0.3333333333", True),
    ("rounding", True, "0.33", "1/3", False),
    ("rounding", True, "0.33", "0.334", False),
    ("percent", "value", "15%", "15", True),
    ("percent", "sign", "15%", "15", True),
    ("percent", "sign", "15%", "0.15", True),
    ("percent", "sign", "0.5", "50%", True),
    ("unit_conversion", False, "5000 m", "5 km", True),
    ("unit_conversion", False, r"\pi/6", r"30^\circ", True),
    ("decimal_comma", True, "3.5", "3,5", False),
    ("decimal_comma", True, "1234.5", "1.234,5", False),
    ("case_sensitive", True, "Monday", "monday", True),
    ("case_sensitive", True, "B", "b", True),
    ("log_base", "10", r"\ln 100", r"\log 100", True),
    ("unevaluated", True, "7", "3 + 4", False),
    ("unevaluated", True, "21", r"\gcd(462, 1071)", False),
]

KEPT = [
    ("rel_tol", 1e-4, "1/3", "0.334", False),
    ("rel_tol", 1e-4, "10001", "10000", False),
    ("rounding", True, "0.33", "0.34", False),
    ("percent", "value", "15%", "0.15", True),
    ("percent", "value", "15%", "16", False),
    ("percent", "sign", "15%", "15%", True),
    ("percent", "sign", "15%", "16%", False),
    ("unit_conversion", False, "5000 m", "5000 m", True),
    ("unit_conversion", False, "5000", "5000 m", True),
    ("unit_conversion", False, "5000 m", "6 km", False),
    ("decimal_comma", True, "3.5", "3,6", False),
    ("decimal_comma", True, "7", "7", True),
    ("case_sensitive", True, "Monday", "Monday", True),
    ("case_sensitive", True, "Monday", "Tuesday", False),
    ("log_base", "10", r"\log 1000", r"\log_{10} 10 + \log 100", True),
    ("log_base", "10", r"\log 100", r"\log 101", False),
    ("unevaluated", True, "7", "3 + 5", False),
]


def row_id(row: tuple[Any, ...]) -> str:
    name, value, gold, answer, _ = row
    return f"{name}={value}: {answer} for {gold}"


def paid(verify: MathVerifier, answer: str, gold: str) -> bool | None:
    return verify(rf"\boxed{{{answer}}}", gold).is_correct


@pytest.mark.parametrize("row", CHANGED, ids=row_id)
def test_a_convention_decides_what_is_contested(row: tuple[str, Any, str, str, bool]):
    name, value, gold, answer, by_default = row
    assert paid(DEFAULT, answer, gold) is by_default
    assert paid(MathVerifier(Conventions(**{name: value})), answer, gold) is not by_default


@pytest.mark.parametrize("row", KEPT, ids=row_id)
def test_a_convention_decides_nothing_else(row: tuple[str, Any, str, str, bool]):
    name, value, gold, answer, expected = row
    assert paid(MathVerifier(Conventions(**{name: value})), answer, gold) is expected


@pytest.mark.parametrize(
    "options",
    [{"rel_tol": -1e-9}, {"rel_tol": 1.0}, {"rel_tol": float("nan")}, {"percent": "yes"},
     {"log_base": "2"}],
    ids=str,
)  # fmt: skip
def test_an_unknown_convention_is_the_caller_s_mistake(options: dict[str, Any]):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name}="):
        Conventions(**options)


INFINITE = [r"\infty", r"-\infty", r"\infty + 1", r"\pi \cdot \infty", "1/0", "0/0", "nan"]
ALL_LENIENT = MathVerifier(Conventions(rel_tol=0.01, rounding=True, unevaluated=True))


@pytest.mark.parametrize("gold", ["5.5", "0.0001", "7", "1/3", r"\sqrt{2}", "50%", "5.5 m", "0"])
@pytest.mark.parametrize("answer", INFINITE)
def test_no_tolerance_reaches_from_a_number_to_infinity(answer: str, gold: str):
    assert paid(DEFAULT, answer, gold) is False
    assert paid(ALL_LENIENT, answer, gold) is False


@given(st.integers(10**10, 10**13), st.integers(0, 8))
def test_decimals_of_up_to_15_digits_compare_exactly(whole: int, tenth: int):
    assert paid(DEFAULT, f"{whole}.{tenth}0", f"{whole}.{tenth}") is True
    assert paid(DEFAULT, f"{whole}.{tenth + 1}", f"{whole}.{tenth}") is False


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_default_tolerance_takes_a_float_s_own_digits(top: int, bottom: int):
    assert paid(DEFAULT, f"{top / bottom:.17g}", f"{top}/{bottom}") is True


@given(st.integers(-999, 999), st.integers(1, 3))
def test_rounding_takes_half_a_unit_of_the_last_written_digit_and_no_more(n: int, places: int):
    verify = MathVerifier(Conventions(rounding=True))
    gold = f"{n / 10**places:.{places}f}"  # "0.50" and "0.00" keep their zeros
    step = 10**-places
    assert paid(verify, f"{float(gold) + 0.49 * step:.6f}", gold) is True
    assert paid(verify, f"{float(gold) + 0.51 * step:.6f}", gold) is False
