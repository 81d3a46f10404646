"""How good a simulated policy is: its chance of solving a problem, by the problem's difficulty."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rlvr_course.records import Problem

DEFAULT_SLOPE = 10.0


@dataclass(frozen=True)
class StrengthCurve:
    """The chance of solving a problem, falling with ``metadata["difficulty"]``.

    p = 1 / (1 + exp(slope * (difficulty - strength)))

    Args:
        strength: the difficulty that is solved half the time; below 0 or above 1 for a policy
            that finds every problem of the dial hard, or easy.
        slope: above 0; at 10, p falls from 0.8 to 0.2 over 0.28 of difficulty.

    Raises:
        ValueError: a slope or strength out of range.

    >>> problem = Problem("2 + 2?", "4", metadata={"difficulty": 0.4})
    >>> StrengthCurve(0.4)(problem), round(StrengthCurve(0.5)(problem), 2)
    (0.5, 0.73)
    """

    strength: float
    slope: float = DEFAULT_SLOPE

    def __post_init__(self) -> None:
        if not math.isfinite(self.strength):
            raise ValueError(f"strength={self.strength}: it must be a finite difficulty")
        if not 0.0 < self.slope < math.inf:
            raise ValueError(f"slope={self.slope}: it must be above 0 and finite")

    def __call__(self, problem: Problem) -> float:
        """The chance for one problem.

        Raises:
            ValueError: the problem's metadata has no difficulty.
        """
        if "difficulty" not in problem.metadata:
            raise ValueError(
                f"problem {problem.id or problem.question[:40]!r} has no metadata['difficulty']: "
                "use generated problems, or add it"
            )
        # tanh has no overflow: 1 / (1 + exp(x)) == (1 - tanh(x / 2)) / 2.
        excess = self.slope * (problem.metadata["difficulty"] - self.strength)
        return (1.0 - math.tanh(excess / 2.0)) / 2.0

    def __str__(self) -> str:
        slope = "" if self.slope == DEFAULT_SLOPE else f", slope {self.slope:g}"
        return f"strength {self.strength:g}{slope}"
