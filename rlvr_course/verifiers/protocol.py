"""What a verifier is: a function of plain values that returns a Verdict and never raises on them.

    verifier(response, answer, finish_reason="stop") -> Verdict

``verify_many`` is the same over two equally long sequences, for trainers and servers; a verifier
without its own gets a loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rlvr_course.records import Verdict


class Verifier(Protocol):
    """Anything callable as ``verifier(response, answer, finish_reason=...)``."""

    def __call__(self, response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
        """Judge one response against its reference."""
        ...


def verify_many(
    verifier: Verifier,
    responses: Sequence[str],
    answers: Sequence[Any],
    finish_reasons: Sequence[str] | None = None,
) -> list[Verdict]:
    """Judge responses against references, in order.

    Args:
        verifier: its own ``verify_many`` is used where it has one.
        responses, answers: equally long.
        finish_reasons: one for each response; all "stop" if None.

    Raises:
        ValueError: lengths differ.
    """
    if len(responses) != len(answers):
        raise ValueError(f"{len(responses)} responses but {len(answers)} answers")
    reasons = ["stop"] * len(responses) if finish_reasons is None else list(finish_reasons)
    if len(reasons) != len(responses):
        raise ValueError(f"{len(responses)} responses but {len(reasons)} finish reasons")
    own = getattr(verifier, "verify_many", None)
    if own is not None:
        return own(responses, answers, reasons)
    triples = zip(responses, answers, reasons, strict=True)
    return [verifier(r, a, finish_reason=f) for r, a, f in triples]
