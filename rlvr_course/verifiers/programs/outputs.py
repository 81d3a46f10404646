"""Printed text against expected text: whole, line by line.

Not compared: a byte order mark, the kind of line ends, blanks at the ends of lines, empty lines at
the end. Everything else is, so that neither a missing nor an extra line passes. A number that is
expected with a point or an exponent takes any number within the relative tolerance; an expected
whole number is compared as text.
"""

from __future__ import annotations

import math
import re

_BETWEEN = re.compile(r"([\s,;:=%$()\[\]{}]+)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_MAX_DIGITS = 400
ZERO = 1e-12
"""What passes for an expected 0.0: the rounding errors of sums, and no answer of its own."""


def same_output(expected: str, got: str, tolerance: float) -> bool:
    """Whether a program printed what was expected.

    Args:
        expected, got: texts.
        tolerance: relative, for expected numbers that are no whole numbers.

    Limits: letters' case, blanks inside a line and the order of lines count; "nan" is a word, so
        it equals "nan" and no number; an expected "0.0" takes no number that is further from zero
        than rounding errors are (``ZERO``; none if the tolerance is 0). What a program prints is
        decoded first, so that bytes that are no UTF-8 equal an expected U+FFFD.

    >>> same_output("0.3333334", "0.3333333333333333\\n", 1e-6), same_output("1000", "1001", 1e-3)
    (True, False)
    >>> same_output("1", "1\\n2\\n", 1e-6)
    False
    """
    wanted, printed = _lines(expected), _lines(got)
    if len(wanted) != len(printed):
        return False
    return all(_same_line(w, p, tolerance) for w, p in zip(wanted, printed, strict=True))


def _lines(text: str) -> list[str]:
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = [line.rstrip() for line in plain.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _same_line(expected: str, got: str, tolerance: float) -> bool:
    if expected == got:
        return True
    wanted, printed = _BETWEEN.split(expected), _BETWEEN.split(got)
    if len(wanted) != len(printed):
        return False
    return all(_same_piece(w, p, tolerance) for w, p in zip(wanted, printed, strict=True))


def _same_piece(expected: str, got: str, tolerance: float) -> bool:
    if expected == got:
        return True
    a, b = _number(expected), _number(got)
    if a is None or b is None or _WHOLE.fullmatch(expected):
        return False
    return abs(a - b) <= margin(a, tolerance)


def margin(expected: float, tolerance: float) -> float:
    """How far from an expected number another may be, at a relative tolerance."""
    return tolerance * abs(expected) if expected else min(ZERO, tolerance)


def _number(text: str) -> float | None:
    if len(text) > _MAX_DIGITS or not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None
