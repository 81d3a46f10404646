"""Text that goes round in circles."""

from __future__ import annotations

import re

from rlvr_course.hacks.text import shortened
from rlvr_course.records import Sample

MAX_PERIOD = 40
MIN_ROUNDS = 4
MIN_TOKENS = 20
GRAM = 4
MIN_TOKENS_FOR_SHARE = 60
MAX_REPEATED_SHARE = 0.6

_TOKEN = re.compile(r"\w+|[^\w\s]")
_COUNTER = re.compile(r"(?im)^[ \t]*((?:(?:step|part|line)[ \t]+)?)\d+([.):])")


def repetition(sample: Sample) -> str | None:
    """The same words over and over: a loop of up to 40 tokens, or mostly repeated 4-grams.

    Returns:
        What is repeated and how often, or None.

    Limits: a loop of fewer than 4 rounds or 20 tokens is let through; so is one that changes a
        word each time.
    """
    tokens = _TOKEN.findall(_COUNTER.sub(r"\1\2", sample.response.lower()))
    start, period, length = longest_loop(tokens)
    if length >= MIN_TOKENS and length >= MIN_ROUNDS * period:
        unit = shortened(" ".join(tokens[start : start + period]), 60)
        return f"{unit!r} {length // period} times in a row"
    named = [token for token in tokens if token[0].isalnum()]
    share = repeated_share(named)
    if len(named) >= MIN_TOKENS_FOR_SHARE and share > MAX_REPEATED_SHARE:
        return f"{share:.0%} of the {GRAM}-grams stood there before"
    return None


def longest_loop(tokens: list[str]) -> tuple[int, int, int]:
    """(start, period, length) of the longest stretch that repeats its first ``period`` tokens.

    Stretches without a letter or digit, such as a ruled line, don't count.

    >>> longest_loop("a b a b a b c".split())
    (0, 2, 6)
    """
    best = (0, 1, 0)
    for period in range(1, min(MAX_PERIOD, len(tokens) // 2) + 1):
        run = 0
        for index in range(period, len(tokens) + 1):
            if index < len(tokens) and tokens[index] == tokens[index - period]:
                run += 1
                continue
            start = index - run - period
            if run >= period and run + period > best[2] and _has_words(tokens, start, period):
                best = (start, period, run + period)
            run = 0
    return best


def _has_words(tokens: list[str], start: int, period: int) -> bool:
    return any(token[0].isalnum() for token in tokens[start : start + period])


def repeated_share(tokens: list[str]) -> float:
    """Share of 4-grams that occurred before, 0 where there are none."""
    grams = [tuple(tokens[i : i + GRAM]) for i in range(len(tokens) - GRAM + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0
