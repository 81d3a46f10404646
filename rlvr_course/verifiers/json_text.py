"""Judge a response that should be one JSON value and nothing else.

The text is read strictly and within bounds (``structured.reading``). Values are compared as JSON
has them, so ``1`` and ``1.0`` are one number and ``true`` is none.

Limits: no schema is looked at, and no JSON is searched for in prose or in a fenced block;
``JSONSchemaVerifier`` does both.
"""

from __future__ import annotations

from typing import Any

from rlvr_course.records import Verdict
from rlvr_course.verifiers.structured.reading import MAX_CHARACTERS, NotJSON, canonical, read_json


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
        value = read_json(response)
        equal = canonical(value) == canonical(answer)
    except (NotJSON, RecursionError):  # a reference nested too deep equals no value that is read
        return Verdict.no_answer("not_json")
    extracted = response.strip()
    if equal:
        return Verdict.correct(extracted, "equal_json")
    return Verdict.incorrect(extracted, "unequal_json")
