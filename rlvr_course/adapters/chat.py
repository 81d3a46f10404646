"""The text of a completion, however a trainer hands it over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def response_text(completion: Any) -> str:
    """What the policy said: a string as it is; of messages, the last one of the assistant.

    Args:
        completion: text, or a sequence of chat messages whose content is text, None or a sequence
            of parts ``{"type": "text", "text": ...}``.

    Returns:
        The text; "" where there is none.

    Raises:
        ValueError: neither text nor messages.

    >>> response_text([{"role": "assistant", "content": "It is 80."}])
    'It is 80.'
    """
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, Sequence) or isinstance(completion, bytes):
        raise ValueError(f"a completion is text or messages, not {type(completion).__name__}")
    for message in reversed(completion):
        if not isinstance(message, Mapping):
            raise ValueError(f"a message is a mapping, not {type(message).__name__}")
        if message.get("role", "assistant") == "assistant":
            return _content(message.get("content"))
    return ""


def _content(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(
        str(part.get("text", ""))
        for part in content
        if isinstance(part, Mapping) and part.get("type") == "text"
    )
