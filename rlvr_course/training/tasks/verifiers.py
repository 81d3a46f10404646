"""Verifiers of tiny answers: the strict one, a careless one, and one that pays shares.

All are plain functions of the course's one protocol, so they also serve ``rollout`` and
``attack``. ``verify_exact`` is the truth that every run is measured by, whatever it trained on.
"""

from __future__ import annotations

import re
from typing import Any

from rlvr_course.records import Verdict
from rlvr_course.training.tasks.task import REFUSAL
from rlvr_course.verifiers.protocol import Verifier


def verify_exact(response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
    """Correct if the response is the answer and nothing else.

    Args:
        response, answer: texts.
        finish_reason: a response that was cut ("length") is not the answer yet.

    >>> verify_exact("56", "56").status, verify_exact("?", "56").reason
    ('correct', 'refusal')
    >>> verify_exact("54 55 56", "56").reason
    'listing'
    >>> verify_exact("56", "56", finish_reason="length").reason
    'cut_off'
    """
    if (nothing := _no_answer(response)) is not None:
        return nothing
    if finish_reason == "length":
        return Verdict.incorrect(response, "cut_off")
    if response == answer:
        return Verdict.correct(response, "equal_text")
    return Verdict.incorrect(response, "listing" if is_listing(response) else "unequal")


def verify_any_number(response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
    """Correct if any number in the response is the answer: leaky, for it pays whole lists.

    >>> verify_any_number("54 55 56", "56").reason
    'any_number'
    """
    if (nothing := _no_answer(response)) is not None:
        return nothing
    if answer in re.findall(r"[0-9]+", response):
        return Verdict.correct(answer, "any_number")
    return Verdict.incorrect(response, "no_number_matches")


def verify_share(response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
    """Scored by the share of characters that are right in their places; 0 if longer.

    >>> verify_share("1204", "1234").score, verify_share("12345", "1234").score
    (0.75, 0.0)
    """
    exact = verify_exact(response, answer, finish_reason=finish_reason)
    if exact.score == 1.0 or exact.status == "no_answer" or len(response) > len(answer):
        return exact
    right = sum(a == b for a, b in zip(response, answer, strict=False))
    if right in (0, len(answer)):  # all right but cut off: no better than it was
        return exact
    return Verdict("partial", right / len(answer), response, "some_characters")


def is_listing(response: str) -> bool:
    """Whether the response is a list: two numbers or more with blanks between.

    >>> is_listing("54 55"), is_listing("54"), is_listing(" ")
    (True, False, False)
    """
    return len(response.split()) > 1


def _no_answer(response: str) -> Verdict | None:
    if response == REFUSAL:
        return Verdict.no_answer("refusal")
    return None if response.strip() else Verdict.no_answer("empty")


VERIFIERS: dict[str, Verifier] = {
    "exact": verify_exact,
    "any_number": verify_any_number,
    "share": verify_share,
}
"""By the name that a recipe gives."""
