"""One value in many forms: what every generator of this package yields."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Case:
    """One labelled pair; ``expected`` is "equal" or "not_equal"."""

    gold: str
    completion: str
    expected: str
    kind: str
    why: str


@dataclass(frozen=True)
class Family:
    """A drawn value: references, forms equal to them, and near misses with their reasons.

    Args:
        kind: what is being rendered, "fraction" for instance.
        golds: ways to write the reference, all equal.
        equal: forms of an answer that must be paid.
        near: (form, why) pairs that must not be paid.
        plain: every form can also stand unboxed after an answer phrase.
    """

    kind: str
    golds: tuple[str, ...]
    equal: tuple[str, ...]
    near: tuple[tuple[str, str], ...]
    plain: bool = False


Draw = Callable[[random.Random], Family]
DrawCases = Callable[[random.Random], Iterator[Case]]


def proper_fraction(rng: random.Random, largest: int = 24) -> Fraction:
    """A reduced fraction strictly between 0 and 1."""
    denominator = rng.randint(2, largest)
    return Fraction(rng.randint(1, denominator - 1), denominator)


def other(rng: random.Random, value: int, low: int, high: int) -> int:
    """An integer in [low, high] that is not ``value``."""
    return rng.choice([n for n in range(low, high + 1) if n != value])


def latex(value: Fraction, command: str = "frac") -> str:
    """A fraction with its sign in front, or an integer."""
    sign = "-" if value < 0 else ""
    value = abs(value)
    if value.denominator == 1:
        return f"{sign}{value.numerator}"
    return f"{sign}\\{command}{{{value.numerator}}}{{{value.denominator}}}"


def times(count: int, unit: str) -> str:
    """``3\\pi``, ``\\pi``, ``-\\pi``: the coefficient 1 is not written."""
    return {1: unit, -1: f"-{unit}"}.get(count, f"{count}{unit}")
