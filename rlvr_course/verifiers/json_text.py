"""Judge a response that should be one JSON value and nothing else.

The text is read by the standard library's parser, with what it tolerates beyond JSON refused:
``NaN`` and ``Infinity``, and an object that has one name twice. Values are compared as JSON has
them, so ``1`` and ``1.0`` are one number and ``true`` is none.

Limits: no schema is looked at, and no JSON is searched for in prose or in a fenced block.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rlvr_course.records import Verdict

MAX_CHARACTERS = 100_000
"""Longer responses are not read."""


def verify_json(response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
    """Decide whether a response is the expected JSON value.

    Args:
        response: the whole response; white space around the value is allowed.
        answer: the value as Python has it: a dict, list, text, number, bool or None.
        finish_reason: a response that was cut ("length") is read all the same: half a value is
            no JSON, and a whole one is what was asked for.

    Returns:
        "correct" with reason "equal_json"; "incorrect" with "unequal_json"; "no_answer" with
        "empty", "too_long" or "not_json".

    >>> verify_json('{"count": 2, "item": "eggs"}', {"item": "eggs", "count": 2}).reason
    'equal_json'
    >>> verify_json("Here you are: {}", {}).reason
    'not_json'
    >>> verify_json("true", 1).status
    'incorrect'
    """
    if not response.strip():
        return Verdict.no_answer("empty")
    if len(response) > MAX_CHARACTERS:
        return Verdict.no_answer("too_long")
    try:
        value = json.loads(
            response, object_pairs_hook=_without_repeats, parse_constant=_no_such_number
        )
        equal = _equal(value, answer)
    except (ValueError, RecursionError):
        return Verdict.no_answer("not_json")
    extracted = response.strip()
    if equal:
        return Verdict.correct(extracted, "equal_json")
    return Verdict.incorrect(extracted, "unequal_json")


def _without_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has one name twice")
    return found


def _no_such_number(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _equal(one: Any, other: Any) -> bool:
    """Equality in which a bool equals bools alone, at every depth."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return (type(one) is type(other) and one == other) or _same_number(one, other)


def _same_number(one: Any, other: Any) -> bool:
    return isinstance(one, int | float) and isinstance(other, int | float) and one == other
