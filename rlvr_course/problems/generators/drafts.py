"""What the families share: a dial to draw numbers with, and the draft of a problem.

>>> dial = Dial(random.Random(1), difficulty=0.5)
>>> dial.top(10, 1000), Dial(random.Random(1), difficulty=0.0).top(10, 1000)
(100, 10)
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Dial:
    """A seeded source of numbers whose sizes grow with the difficulty.

    Args:
        rng: every draw comes from it.
        difficulty: in [0, 1]; 0 is easiest.
    """

    rng: random.Random
    difficulty: float

    def top(self, easy: int, hard: int) -> int:
        """The largest number to draw: ``easy`` at 0, ``hard`` at 1, geometric in between."""
        return round(easy * (hard / easy) ** self.difficulty)

    def whole(self, low: int, easy: int, hard: int) -> int:
        """A whole number from ``low`` to ``top(easy, hard)``, both included."""
        return self.rng.randint(low, self.top(easy, hard))

    def steps(self, easy: int, hard: int) -> int:
        """How many: from ``easy`` to ``hard``, each for an equally long stretch of the dial."""
        return min(hard, easy + int((hard - easy + 1) * self.difficulty))


@dataclass(frozen=True)
class Draft:
    """A problem before it has an id.

    Args:
        topic: which of its family's kinds of question this is.
        question: as asked.
        answer: the reference, a number as text.
        steps: operations that lead to the answer.
        operands: the numbers asked about, by name; JSON values only.
        unit: what the answer counts or measures, "" for a pure number.
    """

    topic: str
    question: str
    answer: str
    steps: int
    operands: Mapping[str, Any]
    unit: str = ""


def series(items: Sequence[str]) -> str:
    """Items as English lists them.

    >>> series(["2", "3", "5"])
    '2, 3 and 5'
    """
    return ", ".join(items[:-1]) + " and " + items[-1]
