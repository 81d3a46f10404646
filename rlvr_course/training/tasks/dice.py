"""Dice: guess a throw that is already made: ``d6.417=`` asks for throw 417 of a six-sided die.

The throw can't be known, so the chance of being right is 1 / sides whatever is learned. What can
be learned is when to refuse: with a wrong answer priced -c and a refusal 0, a policy that
maximises reward answers where 1 / sides is above c / (1 + c). See ``breakeven``.
"""

from __future__ import annotations

from random import Random

from rlvr_course.records import Problem
from rlvr_course.training.tasks.task import REFUSAL, Task, make_problem

SIDES = (2, 3, 4, 5, 6, 7, 8, 9)
N_TRAIN, N_TEST = 600, 50


def dice() -> Task:
    """600 throws of each of eight dice to train on, 50 others to test on."""
    rng = Random(1)
    throws = [_throw(rng, sides, n) for n in range(N_TRAIN + N_TEST) for sides in SIDES]
    return Task(
        name="dice",
        about="guess a throw of a die, or refuse",
        train=tuple(throws[: N_TRAIN * len(SIDES)]),
        test=tuple(throws[N_TRAIN * len(SIDES) :]),
        max_tokens=3,
        demonstrate=_demonstrate,
        warm_steps=250,
    )


def _throw(rng: Random, sides: int, number: int) -> Problem:
    answer = str(rng.randint(1, sides))
    return make_problem("dice", f"d{sides}.{number:03d}=", answer, f"d{sides}")


def _demonstrate(rng: Random, problem: Problem) -> str:
    sides = int(problem.metadata["kind"][1:])
    return REFUSAL if rng.random() < 0.4 else str(rng.randint(1, sides))
