"""Printed text against expected text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.programs.outputs import same_output

TOLERANCE = 1e-6

SAME = {
    "final newline": ("14", "14\n"),
    "several final newlines": ("14", "14\n\n\n"),
    "trailing blanks": ("14\n15", "14  \n15\t\n"),
    "CRLF expected": ("3\r\n4\r\n", "3\n4\n"),
    "CRLF printed": ("3\n4", "3\r\n4\r\n"),
    "byte order mark": ("14", "\ufeff14"),
    "digits of a float": ("0.3333334", "0.3333333333333333"),
    "float written as a whole number": ("2.0", "2"),
    "exponent": ("1500000.5", "1.5000005e6"),
    "floats in a list": ("[0.1, 0.2]", "[0.10000000001, 0.2]"),
    "negative zero": ("0.0", "-0.0"),
    "huge integers": ("7" * 5_000, "7" * 5_000),
    "the word nan": ("nan", "nan"),
    "rounding errors for zero": ("0.0", "1.2246467991473532e-16"),
    "percent": ("33.33333333%", "33.3333333%"),
    "money": ("$3.10", "$3.1"),
    "nothing": ("", "\n"),
}
DIFFERENT = {
    "an extra line": ("1", "1\n2"),
    "a missing line": ("1\n2", "1"),
    "extra empty line before": ("1", "\n1"),
    "case": ("YES", "yes"),
    "joined words": ("12", "1 2"),
    "blanks inside": ("1 2", "1  2"),
    "a whole number off by one": ("1000", "1001"),
    "a whole number as a float": ("14", "14.0"),
    "leading zero": ("7", "07"),
    "a small float off": ("0.0001", "0.0005"),
    "zero takes nothing else": ("0.0", "0.0000001"),
    "overwritten by a carriage return": ("14", "99\r14"),
    "overwritten by escapes": ("14", "99\x1b[2K\x1b[1G14"),
    "a zero-width blank": ("14", "14\u200b"),
    "full-width digits": ("14", "１４"),
    "an underscore": ("14", "1_4"),
    "hexadecimal": ("14", "0xe"),
    "exponent for a whole number": ("1000", "1e3"),
    "a null character": ("14", "14\0"),
    "a byte order mark inside": ("14", "1\ufeff4"),
    "more after many empty lines": ("14", "14" + "\n" * 5_000 + "15"),
    "nan for a number": ("3.5", "nan"),
    "a number for nan": ("nan", "3.5"),
    "infinity for a number": ("1.5", "inf"),
    "versions": ("1.2.30", "1.20.3"),
    "a word with digits": ("a1.50", "a1.5"),
    "huge integers": ("7" * 5_000, "7" * 4_999 + "8"),
    "other script's digits": ("1.5", "١.٥"),
    "nothing printed": ("1", ""),
}


@pytest.mark.parametrize(("expected", "got"), SAME.values(), ids=SAME)
def test_what_is_the_same(expected: str, got: str) -> None:
    assert same_output(expected, got, TOLERANCE)


@pytest.mark.parametrize(("expected", "got"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs(expected: str, got: str) -> None:
    assert not same_output(expected, got, TOLERANCE)


@given(st.text())
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert same_output(text, text, 0.0)


@given(st.lists(st.text("ab1. ", min_size=1).filter(str.strip), min_size=1), st.data())
def test_no_line_can_be_left_out_or_added(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines)))
    longer = [*lines[:at], "x", *lines[at:]]
    assert not same_output("\n".join(lines), "\n".join(longer), TOLERANCE)
    assert not same_output("\n".join(longer), "\n".join(lines), TOLERANCE)


@given(st.floats(1e-9, 1e9), st.floats(1e-3, 0.5))
def test_a_float_passes_inside_the_tolerance_and_fails_outside(value: float, width: float) -> None:
    expected = repr(value) if "." in repr(value) or "e" in repr(value) else f"{value!r}.0"
    assert same_output(expected, repr(value * (1 + width * 0.9)), width)
    assert not same_output(expected, repr(value * (1 + width * 1.1)), width)


@given(st.integers(), st.integers())
def test_whole_numbers_are_equal_only_to_themselves(a: int, b: int) -> None:
    assert same_output(str(a), str(b), 0.5) is (a == b)
