"""Reference answers as text, for doors that carry nothing else.

OpenRLHF's labels and Inspect's targets are strings, and a table's column has one type, while an
answer may be a string, a number, tests or a schema. Text goes through as it is, so that an
ordinary data set needs nothing; anything else becomes ``json:`` and its JSON.
"""

from __future__ import annotations

import json
from typing import Any

_MARK = "json:"


def answer_to_text(answer: Any) -> str:
    """Write an answer as text that ``answer_from_text`` reads back.

    Args:
        answer: a string, or any value that JSON can carry.

    Raises:
        ValueError: the answer is not JSON.

    >>> answer_to_text("156"), answer_to_text({"input": "3", "expected": "9"})
    ('156', 'json:{"input": "3", "expected": "9"}')
    """
    if isinstance(answer, str) and not answer.startswith(_MARK):
        return answer
    try:
        return _MARK + json.dumps(answer, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"an answer of type {type(answer).__name__} is not JSON: {error}"
        ) from None


def answer_from_text(text: Any) -> Any:
    """Read what ``answer_to_text`` wrote; other text, and what is no text, stays as it is.

    So does text that is marked and isn't JSON: its verifier can't read it and says "ungraded",
    where an exception would end a training run for one bad row.

    >>> answer_from_text("156"), answer_from_text("json:[1, 2]"), answer_from_text(156)
    ('156', [1, 2], 156)
    """
    if not isinstance(text, str) or not text.startswith(_MARK):
        return text
    try:
        return json.loads(text[len(_MARK) :])
    except (ValueError, RecursionError):
        return text
