"""Strict JSON with bounds: what is not JSON, or is too large to be worth judging, has a reason.

The standard library's parser tolerates more than JSON does. Refused here are ``NaN`` and
``Infinity``, an object that has one name twice, numbers past a float's range or of more than
``MAX_DIGITS`` digits, nesting past ``MAX_DEPTH`` and more than ``MAX_VALUES`` values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

MAX_CHARACTERS = 100_000
MAX_DEPTH = 50
MAX_DIGITS = 300
MAX_VALUES = 20_000


class NotJSON(ValueError):
    """A text that is refused: ``reason`` is a code, ``end`` the place up to which it was read."""

    def __init__(self, reason: str, end: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.end = end


def read_json(text: str) -> Any:
    """The one JSON value that a text is; white space around it is allowed.

    Raises:
        NotJSON: with the reason "empty", "too_long", "not_json", "repeated_name",
            "not_a_number", "number_too_large", "nested_too_deep" or "too_many_values".

    >>> read_json(' {"count": 2} ')
    {'count': 2}
    """
    if len(text) > MAX_CHARACTERS:
        raise NotJSON("too_long", 0)
    stripped = text.strip(" \t\r\n")
    if not stripped:
        raise NotJSON("empty", 0)
    value, end = StrictDecoder().decode(stripped, 0)
    if end != len(stripped):
        raise NotJSON("not_json", end)
    return value


class StrictDecoder:
    """Decodes JSON values out of texts; one serves for many, one after the other."""

    def __init__(self) -> None:
        self._faults: list[str] = []
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._members,
            parse_constant=self._constant,
            parse_int=self._whole,
            parse_float=self._decimal,
        )

    def decode(self, text: str, start: int) -> tuple[Any, int]:
        """The JSON value that begins at ``start``, and where it ends.

        Raises:
            NotJSON: as ``read_json``.
        """
        self._faults.clear()
        try:
            value, end = self._decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise NotJSON("not_json", max(error.pos, start + 1)) from None
        except RecursionError:
            raise NotJSON("nested_too_deep", len(text)) from None
        fault = self._faults[0] if self._faults else excess(value)
        if fault:
            raise NotJSON(fault, end)
        return value, end

    def _members(self, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self._faults.append("repeated_name")
        return found

    def _constant(self, _: str) -> None:
        self._faults.append("not_a_number")

    def _whole(self, digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            self._faults.append("number_too_large")
            return 0
        return int(digits)

    def _decimal(self, digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")) or len(digits) > MAX_DIGITS:
            self._faults.append("number_too_large")
        return value


def excess(value: Any) -> str:
    """Why a value is too large to be judged, or ""; without recursion, so that it can't fail."""
    level, depth, count = [value], 0, 1
    while level:
        if depth > MAX_DEPTH:
            return "nested_too_deep"
        level = [child for node in level for child in _children(node)]
        count += len(level)
        depth += 1
        if count > MAX_VALUES:
            return "too_many_values"
    return ""


def _children(node: Any) -> Iterator[Any] | Sequence[Any]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list | tuple) else ()


def canonical(value: Any, text: Callable[[str], str] = str) -> Any:
    """A hashable form in which two JSON values are equal if and only if they are one value.

    ``1`` and ``1.0`` are one number, ``true`` is none, members have no order and items do.

    Args:
        value: JSON as Python has it, nested no deeper than ``MAX_DEPTH``.
        text: applied to each text value, not to names.

    >>> canonical({"a": [1, True]}) == canonical({"a": [1.0, True]})
    True
    >>> canonical([True]) == canonical([1])
    False
    """
    if isinstance(value, dict):
        return "object", frozenset((name, canonical(v, text)) for name, v in value.items())
    if isinstance(value, list | tuple):
        return "array", tuple(canonical(item, text) for item in value)
    if isinstance(value, bool) or value is None:
        return "literal", value is None, bool(value)
    if isinstance(value, str):
        return "text", text(value)
    return "number", value


def kind_of(value: Any) -> str:
    """The name that JSON Schema has for a value's type, with one for all numbers.

    >>> kind_of({}), kind_of([1]), kind_of(True), kind_of(2.5), kind_of(None)
    ('object', 'array', 'boolean', 'number', 'null')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list | tuple):
        return "array"
    return "string" if isinstance(value, str) else "number"
