"""Answers to the exercises of notebook 00: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

from typing import Any

from rlvr_course.records import Problem


def centred_on_the_best(rewards: list[float]) -> list[float]:
    return [r - max(rewards) for r in rewards]


def standardised(rewards: list[float]) -> list[float]:
    mean = sum(rewards) / len(rewards)
    spread = (sum((r - mean) ** 2 for r in rewards) / len(rewards)) ** 0.5
    return [(r - mean) / (spread or 1) for r in rewards]


def scaled_by_the_sum(rewards: list[float]) -> list[float]:
    return [r / (sum(rewards) or 1) - 1 / len(rewards) for r in rewards]


def one_mean_for_all(rewards: list[float]) -> list[float]:
    return [sum(rewards) / len(rewards)] * len(rewards)


WRONG: dict[str, dict[str, Any]] = {
    "q00a": {
        "standardised": standardised,
        "centred on the best": centred_on_the_best,
        "scaled by the sum": scaled_by_the_sum,
        "one mean for all": one_mean_for_all,
        "sum": sum,
    },
    "q00b": {
        "any right sample counts": lambda counts, size: sum(c > 0 for c in counts) / len(counts),
        "groups are always of eight": lambda counts, size: (
            sum(0 < c < 8 for c in counts) / len(counts)
        ),
        "a number, not a share": lambda counts, size: float(sum(0 < c < size for c in counts)),
        "share of the right samples": lambda counts, size: sum(counts) / (size * len(counts)),
    },
    "q00c": {
        "a reference in words": Problem("What is it?", "see the figure above"),
        "a whole number": Problem("2 + 2?", "4"),
        "no question": {"question": "", "answer": "5/8"},
        "a number in words": Problem("How many?", "about five"),
        "an approximate number": Problem("How many?", "about 3.3"),
        "a decimal comma": Problem("How many?", "7,5"),
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q00a": {
        "against each member": lambda rewards: [
            sum(r - other for other in rewards) / len(rewards) for r in rewards
        ]
    },
    "q00b": {
        "less the uniform ones": lambda counts, size: (
            1 - sum(c in (0, size) for c in counts) / len(counts)
        )
    },
    "q00c": {"a dict": {"question": "Half of five?", "answer": "2.5"}},
}
"""Right answers that look unlike the solution."""
