"""Answers to the exercises of notebook 03: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any


def standardised(rewards: list[float]) -> list[float]:
    mean = sum(rewards) / len(rewards)
    spread = (sum((r - mean) ** 2 for r in rewards) / len(rewards)) ** 0.5
    return [(r - mean) / (spread or 1) for r in rewards]


def against_all(rewards: list[float]) -> list[float]:
    return [r - sum(rewards) / len(rewards) for r in rewards]


def sum_of_all_over_the_others(rewards: list[float]) -> list[float]:
    return [r - sum(rewards) / max(1, len(rewards) - 1) for r in rewards]


def others_without_the_lonely_case(rewards: list[float]) -> list[float]:
    return [r - (sum(rewards) - r) / (len(rewards) - 1) for r in rewards]


def against_the_best_other(rewards: list[float]) -> list[float]:
    return [r - max([*rewards[:i], *rewards[i + 1 :]], default=r) for i, r in enumerate(rewards)]


def mask_as_zero(rewards: list[Any]) -> list[Any]:
    return [None if r is None else r - sum(x or 0 for x in rewards) / len(rewards) for r in rewards]


def mask_dropped(rewards: list[Any]) -> list[Any]:
    known = [r for r in rewards if r is not None]
    return [r - sum(known) / len(known) for r in known]


def mask_gets_zero(rewards: list[Any]) -> list[Any]:
    known = [r for r in rewards if r is not None] or [0]
    return [0.0 if r is None else r - sum(known) / len(known) for r in rewards]


def zero_taken_for_a_mask(rewards: list[Any]) -> list[Any]:
    known = [r for r in rewards if r] or [0]
    return [r - sum(known) / len(known) if r else None for r in rewards]


def mask_counted_as_wrong(rewards: list[Any]) -> list[Any]:
    filled = [-0.1 if r is None else r for r in rewards]
    centred = against_all(filled)
    return [None if r is None else a for r, a in zip(rewards, centred, strict=True)]


def masked_in_a_loop(rewards: list[Any]) -> list[Any]:
    total, known = 0.0, 0
    for reward in rewards:
        if reward is not None:
            total, known = total + reward, known + 1
    return [reward if reward is None else reward - total / known for reward in rewards]


WRONG: dict[str, dict[str, Any]] = {
    "q03a": {
        "against the others' mean": [1.1, -0.3667, -0.3667, -0.3667],
        "divided by the spread": [1.5, -0.5, -0.5, -0.5],
        "two of four": [0.825, -0.275],
        "the rewards themselves": [1.0, -0.1, -0.1, -0.1],
    },
    "q03b": {
        "against all": against_all,
        "sum of all over the others": sum_of_all_over_the_others,
        "others without the lonely case": others_without_the_lonely_case,
        "against the best other": against_the_best_other,
        "standardised": standardised,
    },
    "q03c": {
        "mask as zero": mask_as_zero,
        "mask dropped": mask_dropped,
        "mask gets zero": mask_gets_zero,
        "zero taken for a mask": zero_taken_for_a_mask,
        "mask counted as wrong": mask_counted_as_wrong,
    },
    "q03d": {
        "drawn with replacement": lambda n, c, k: 1 - (1 - c / n) ** k,
        "a bound, not the chance": lambda n, c, k: min(1.0, k * c / n),
        "the chance of none": lambda n, c, k: comb(n - c, k) / comb(n, k),
        "the chance that all are right": lambda n, c, k: comb(c, k) / comb(n, k),
        "right if k are": lambda n, c, k: float(c >= k),
    },
    "q03e": {
        "all wrong counted as mixed": lambda p, n: 1 - p**n,
        "all right counted as mixed": lambda p, n: 1 - (1 - p) ** n,
        "a group of two": lambda p, n: 2 * p * (1 - p),
        "the chance of a uniform group": lambda p, n: p**n + (1 - p) ** n,
        "exactly one right": lambda p, n: n * p * (1 - p) ** (n - 1),
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q03a": {"fractions": [Fraction(33, 40), *[Fraction(-11, 40)] * 3]},
    "q03b": {
        "from the sum of all": lambda rewards: [
            Fraction(len(rewards) * r - sum(rewards)) / max(len(rewards) - 1, 1) for r in rewards
        ]
    },
    "q03c": {"in a loop": masked_in_a_loop},
    "q03d": {"fractions": lambda n, c, k: 1 - Fraction(comb(n - c, k), comb(n, k))},
    "q03e": {
        "summed over the mixed counts": lambda p, n: sum(
            comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(1, n)
        )
    },
}
"""Right answers that look unlike the solution."""
