"""Reading numbers, operations and answers out of a response."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.hacks.text import number_of, numbers, operations, plain, same_answer


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("25%", Fraction(1, 4)),
        (r"\frac{3}{8}", Fraction(3, 8)),
        ("$1,250.50", Fraction(2501, 2)),
        ("80 km/h", None),
        ("-7 degrees", Fraction(-7)),
        ("1/0", None),
        ("x = 7", None),
        ("", None),
    ],
    ids=["percent", "fraction", "money", "quotient unit", "negative", "1/0", "equation", "empty"],
)
def test_an_answer_that_is_one_number_has_a_value(text: str, value: Fraction | None) -> None:
    assert number_of(text) == value


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("25%", "0.25", True),
        ("25", "25%", True),
        (r"\frac{1}{2}", "0.5", True),
        ("12", "13", False),
        ("x + 1", "x+1", True),
        ("x + 1", "x + 2", False),
    ],
)
def test_answers_are_compared_by_value(one: str, other: str, expected: bool) -> None:
    assert same_answer(one, other) is expected
    assert same_answer(other, one) is expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (r"\(12 \times 13 = 156\)", 1),
        (r"8.5 \, \text{cm} \times 4 \, \text{cm}", 1),
        ("x = 7", 0),
        ("The speed is 80 km/h.", 0),
        ("2^20 and 3x + 4", 2),
        ("√1681 = 41", 1),
    ],
    ids=["LaTeX", "units between", "bare equation", "unit", "power and sum", "root"],
)
def test_operations_are_counted_and_equations_are_not(text: str, count: int) -> None:
    assert len(list(operations(text))) == count


@given(st.integers(-(10**12), 10**12))
def test_a_whole_number_is_read_back_with_and_without_groups(value: int) -> None:
    assert numbers(f"It is {value:,} or {value}") == [value, value]


@given(st.text(max_size=200))
def test_reading_takes_any_text(text: str) -> None:
    assert isinstance(plain(text), str)
    assert all(isinstance(n, Fraction) for n in numbers(text))
    assert same_answer(text, text)
