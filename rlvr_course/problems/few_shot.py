"""Few-shot prompts: examples and an open last line, for a small model to continue.

A model of 135 million parameters follows hardly any instruction, but it continues a pattern. Sent
as they are, without a chat template, and cut at the line break, these prompts give groups of it
in which some answers are right and some wrong, which is what a policy can learn from.

    policy = LocalPolicy(chat=False, stop=STOP)

>>> print(few_shot_arithmetic(1, seed=3)[0].question)
3 + 4 = 7
9 - 5 = 4
6 * 2 = 12
4 + 8 =
>>> few_shot_json(1, seed=3)[0].answer
{'name': 'Frank', 'item': 'roses', 'count': 6}
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any, Literal

from rlvr_course.records import Problem

STOP = ("\n",)
"""What ends a completion of these prompts."""

Part = Literal["all", "train", "test"]
PARTS = ("all", "train", "test")
_TRAIN_SHARE = 0.4

_SUMS = (("+", 3, 4, 7), ("-", 9, 5, 4), ("*", 6, 2, 12))
_NAMES = ("Ann", "Ben", "Carla", "David", "Eva", "Frank", "Maria", "Peter", "Sara", "Tom")
_ITEMS = ("apples", "books", "chairs", "eggs", "lemons", "pens", "roses", "shirts")
_VERBS = ("bought", "sold", "found", "ordered")
_COUNTS = range(2, 13)
_SALES = (("Lena", "sold", 4, "lamps"), ("Omar", "bought", 15, "nails"))


def few_shot_arithmetic(n: int, *, seed: int = 0, part: Part = "all") -> list[Problem]:
    """Sums, differences and products of one-digit numbers, after three worked lines.

    Args:
        n: how many, at most as many as the part has.
        seed: of the order; a longer list begins with the shorter one.
        part: "train" and "test" share no question, and none with its operands swapped.

    Returns:
        Problems of domain "math" with the answer as text; no difference is below 1.

    Raises:
        ValueError: an unknown part, or an n out of range.

    >>> len(few_shot_arithmetic(80, part="train")), len(few_shot_arithmetic(113, part="test"))
    (80, 113)
    """
    if part not in PARTS:
        raise ValueError(f"part {part!r} is not one of {', '.join(PARTS)}")
    cards = [card for name in ("train", "test") if part in ("all", name) for card in _deck()[name]]
    if not 0 <= n <= len(cards):
        raise ValueError(f"n={n}: part {part!r} has {len(cards)} problems")
    random.Random(f"arithmetic-{seed}").shuffle(cards)
    return [_sum(*card) for card in cards[:n]]


def few_shot_json(n: int, *, seed: int = 0) -> list[Problem]:
    """A sentence to write as JSON, after two worked ones.

    Args:
        n: how many, 0 or more.
        seed: as for ``few_shot_arithmetic``.

    Returns:
        Problems of domain "json" whose answer is the object itself; all questions differ.

    Raises:
        ValueError: n is negative, or larger than there are sentences.
    """
    deck = [(a, v, c, i) for a in _NAMES for v in _VERBS for c in _COUNTS for i in _ITEMS]
    if not 0 <= n <= len(deck):
        raise ValueError(f"n={n}: there are {len(deck)} sentences")
    random.Random(f"json-{seed}").shuffle(deck)
    return [_sale(*card) for card in deck[:n]]


@cache
def _deck() -> dict[str, list[tuple[str, int, int]]]:
    """Every question but the worked ones, parted so that a and b stay with b and a."""
    shown = {_unordered(sign, a, b) for sign, a, b, _ in _SUMS}
    kinds: dict[tuple[str, int, int], list[tuple[str, int, int]]] = {}
    for sign in "+-*":
        for a in range(1, 10):
            for b in range(1, 10):
                if (sign != "-" or a > b) and _unordered(sign, a, b) not in shown:
                    kinds.setdefault(_unordered(sign, a, b), []).append((sign, a, b))
    order = sorted(kinds)
    random.Random("parts").shuffle(order)
    n_train = round(_TRAIN_SHARE * len(order))
    parts = {"train": order[:n_train], "test": order[n_train:]}
    return {
        name: [card for kind in chosen for card in kinds[kind]] for name, chosen in parts.items()
    }


def _unordered(sign: str, a: int, b: int) -> tuple[str, int, int]:
    return (sign, min(a, b), max(a, b))


def _sum(sign: str, a: int, b: int) -> Problem:
    shots = "".join(f"{x} {s} {y} = {value}\n" for s, x, y, value in _SUMS)
    answer = {"+": a + b, "-": a - b, "*": a * b}[sign]
    return Problem(
        f"{shots}{a} {sign} {b} =",
        str(answer),
        id=f"few-arithmetic-{a}{sign}{b}",
        metadata={"family": "few_shot_arithmetic", "topic": sign, "max_tokens": 8},
    )


def _sale(name: str, verb: str, count: int, item: str) -> Problem:
    shots = "".join(f"{_sentence(*s)}\n{json.dumps(_object(*s))}\n" for s in _SALES)
    return Problem(
        f"{shots}{_sentence(name, verb, count, item)}\n",
        _object(name, verb, count, item),
        id=f"few-json-{name}-{verb}-{count}-{item}".lower(),
        domain="json",
        metadata={"family": "few_shot_json", "topic": "sale", "max_tokens": 40},
    )


def _sentence(name: str, verb: str, count: int, item: str) -> str:
    return f"{name} {verb} {count} {item}."


def _object(name: str, verb: str, count: int, item: str) -> dict[str, Any]:
    return {"name": name, "item": item, "count": count}
