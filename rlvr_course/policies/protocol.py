"""What a policy is: something that answers requests with groups of completions.

    policy.generate([Request(messages, n=4), ...]) -> [[Completion, ...4], ...]

One call takes many requests, so that a policy over a network can send them concurrently and a
local one can batch them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rlvr_course.records import Completion, Message


@dataclass(frozen=True)
class Request:
    """Ask for ``n`` independent completions of the same messages.

    Args:
        messages: the chat so far, as sent.
        n: group size, at least 1.
        temperature: at least 0.
        max_tokens: limit on each completion; None leaves it to the policy.
        seed: base seed where the policy can use one.

    Raises:
        ValueError: no messages, n below 1, or a negative temperature.
    """

    messages: Sequence[Message]
    n: int = 1
    temperature: float = 1.0
    max_tokens: int | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        if not self.messages:
            raise ValueError("a request needs at least one message")
        if self.n < 1:
            raise ValueError(f"n={self.n}: ask for at least one completion")
        if not self.temperature >= 0:
            raise ValueError(f"temperature={self.temperature}: it must be 0 or more")

    @property
    def key(self) -> str:
        """SHA-256 of messages and temperature as canonical JSON: the name of a recording."""
        body = {
            "messages": [dict(m) for m in self.messages],
            "temperature": float(self.temperature),
        }
        text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


class Policy(Protocol):
    """A source of completions with a stable name."""

    @property
    def policy_id(self) -> str:
        """Model, version or quantisation, and mode: what a log should say answered."""
        ...

    def generate(self, requests: Sequence[Request]) -> list[list[Completion]]:
        """One group of ``request.n`` completions for each request, in order."""
        ...
