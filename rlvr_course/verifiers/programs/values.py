"""Returned values against expected values, compared here by type and value.

Both sides hold exact built-in types (see ``inside.decode``), so that no comparison asks code of a
candidate's. Tests come as JSON, which has no tuple: list and tuple are alike. True is not 1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

from rlvr_course.verifiers.programs.outputs import margin

SHOWN = 200


def same_value(expected: Any, got: Any, tolerance: float) -> bool:
    """Whether a returned value is the expected one.

    Args:
        expected, got: plain values.
        tolerance: relative, for an expected float; an expected int is compared exactly.

    Limits: nothing but numbers is approximate: dictionary keys and members of sets are not. NaN
        equals nothing; 0.0 and -0.0 are equal; an expected 0.0 takes rounding errors only. JSON
        has neither sets nor keys other than text: a test that is read from JSON can't expect them.

    >>> same_value([1, 0.1], (1.0, 0.1 + 1e-12), 1e-6), same_value(1, True, 1e-6)
    (True, False)
    """
    if type(expected) in (int, float, complex):
        return _same_number(expected, got, tolerance)
    if type(expected) in (list, tuple):
        return (
            type(got) in (list, tuple)
            and len(got) == len(expected)
            and all(same_value(e, g, tolerance) for e, g in zip(expected, got, strict=True))
        )
    if isinstance(expected, dict):
        return _same_mapping(expected, got, tolerance)
    if type(expected) in (set, frozenset):
        return type(got) in (set, frozenset) and _key(expected) == _key(got)
    return type(got) is type(expected) and got == expected


def _same_number(expected: Any, got: Any, tolerance: float) -> bool:
    if type(got) not in (int, float, complex) or (type(got) is complex and _is_real(expected)):
        return False
    if got == expected:
        return True
    if type(expected) is int:
        return False
    try:
        difference, size = abs(got - expected), abs(expected)
    except OverflowError:  # an int that no float can hold
        return False
    return math.isfinite(size) and difference <= margin(size, tolerance)


def _is_real(number: complex) -> bool:
    return type(number) in (int, float)


def _same_mapping(expected: dict[Any, Any], got: Any, tolerance: float) -> bool:
    if type(got) is not dict or len(got) != len(expected):
        return False
    by_key = {_key(key): value for key, value in got.items()}
    missing = object()
    return all(
        same_value(value, by_key.get(_key(key), missing), tolerance)
        for key, value in expected.items()
    )


def _key(value: Any) -> Hashable:
    """A hashable stand-in under which equal members are equal; no two NaNs, True and 1 apart."""
    if type(value) in (list, tuple):
        return ("items", tuple(map(_key, value)))
    if type(value) in (set, frozenset):
        return ("members", frozenset(map(_key, value)))
    if type(value) in (int, float, complex):
        return ("number", value if value == value else object())
    return (type(value).__name__, value)


def holds_nan(value: Any) -> bool:
    """Whether a plain value is NaN or has one in it."""
    if type(value) in (float, complex):
        return value != value
    if isinstance(value, dict):
        return any(holds_nan(part) for item in value.items() for part in item)
    return type(value) in (list, tuple, set, frozenset) and any(map(holds_nan, value))


def shown(value: Any, limit: int = SHOWN) -> str:
    """A plain value for a person, cut at ``limit`` characters."""
    try:
        text = repr(value)
    except ValueError:  # an integer with more digits than Python will write
        text = f"{type(value).__name__} of more digits than Python writes"
    return clipped(text, limit)


def clipped(text: str, limit: int = SHOWN) -> str:
    """A text, cut at ``limit`` characters."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
