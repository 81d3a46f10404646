"""Answers to the exercises of notebook 02: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

WRONG: dict[str, dict[str, Any]] = {
    "q02a": {
        "the cost charged to every answer": [0.2 - 0.1, 0.2 - 0.25, 0.2 - 1],
        "the cost added": [0.28, 0.4, 1.0],
        "chance and cost exchanged": [0.1 * 0.2 - 0.8, 0.25 * 0.2 - 0.8, -0.6],
        "for ten answers": [1.2, 0.0, -6.0],
        "texts": ["0.12", "0.0", "-0.6"],
    },
    "q02b": {
        "the cost itself": lambda c: c,
        "the chance of being wrong": lambda c: 1 / (1 + c),
        "odds for a chance": lambda c: c / (1 - c) if c != 1 else 1.0,
        "half the cost": lambda c: c / 2,
        "a sign lost": lambda c: -c / (1 - c) if c != 1 else 0.5,
        "costs above 1 cut off": lambda c: min(c, 1) / (1 + min(c, 1)),
    },
    "q02c": {
        "the refusal left out": -9.0,
        "the sign lost": 9.5,
        "neither divided nor with the refusal": -0.9,
        "the refusal with the wrong sign": -8.5,
        "not divided by the chance": -0.95,
        "the refusal's price": 0.05,
        "a text": "-9.5",
        "a list": [-9.5],
    },
    "q02d": {
        "dice too many at 0.25": {0.1: list(range(2, 11)), 0.25: [2, 3, 4, 5, 6], 1.0: [2]},
        "where it should refuse": {
            0.1: [12, 13, 14, 15],
            0.25: list(range(6, 16)),
            1.0: list(range(3, 16)),
        },
        "one die too few at each cost": {0.1: list(range(2, 10)), 0.25: [2, 3], 1.0: []},
        "a cost left out": {0.1: list(range(2, 11)), 0.25: [2, 3, 4]},
        "a die beyond the boundary": {0.1: list(range(2, 13)), 0.25: [2, 3, 4], 1.0: []},
        "all dice at the low cost": {0.1: list(range(2, 16)), 0.25: [2, 3, 4], 1.0: []},
        "a set, not a list": {0.1: set(range(2, 11)), 0.25: [2, 3, 4], 1.0: []},
        "numbers, not lists": {0.1: 11, 0.25: 5, 1.0: 2},
    },
    "q02e": {
        "the partial answer left out": lambda q, partial, c: c / (1 + c),
        "partly right counted as wrong, too": lambda q, partial, c: max(
            0.0, (c - q * partial) / (1 + c)
        ),
        "no floor at 0": lambda q, partial, c: (c * (1 - q) - q * partial) / (1 + c),
        "only the cost divided": lambda q, partial, c: max(
            0.0, c * (1 - q) / (1 + c) - q * partial
        ),
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q02a": {"fractions": [Fraction(3, 25), 0, Fraction(-3, 5)]},
    "q02b": {"fractions": lambda c: Fraction(c) / (1 + Fraction(c))},
    "q02c": {"a fraction": Fraction(-19, 2)},
    "q02d": {
        "tuples, with a die at the boundary": {0.1: tuple(range(2, 12)), 0.25: [5, 4, 3, 2], 1: [2]}
    },
    "q02e": {
        "fractions": lambda q, partial, c: max(
            0, Fraction(c * (1 - q) - q * partial).limit_denominator(10**6) / Fraction(1 + c)
        )
    },
}
"""Right answers that look unlike the solution."""
