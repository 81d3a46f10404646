"""Cipher: add 1 to each of four digits, 9 becoming 0: ``1239=`` is answered ``2340``.

A beginner has each digit right two times in three, and so the whole about .15 of the time. The
rule is there to be sharpened: this is the task that visibly learns within seconds.
"""

from __future__ import annotations

from random import Random

from rlvr_course.records import Problem
from rlvr_course.training.tasks.task import REFUSAL, Task, make_problem, split

DIGITS = "0123456789"


def cipher() -> Task:
    """2,000 numbers to train on, 200 others to test on."""
    rng = Random(0)
    numbers = [f"{number:04d}" for number in rng.sample(range(10_000), 2_200)]
    problems = [make_problem("cipher", f"{n}=", encipher(n), "number") for n in numbers]
    train, test = split(problems, 200)
    return Task(
        name="cipher",
        about="add 1 to each of four digits (9 becomes 0)",
        train=train,
        test=test,
        max_tokens=6,
        demonstrate=_demonstrate,
    )


def encipher(number: str) -> str:
    """Each digit plus 1.

    >>> encipher("1239")
    '2340'
    """
    return "".join(DIGITS[(int(digit) + 1) % 10] for digit in number)


def _demonstrate(rng: Random, problem: Problem) -> str:
    if rng.random() < 0.15:
        return REFUSAL
    return spoil_digits(rng, problem.answer, keep=0.62)


def spoil_digits(rng: Random, digits: str, *, keep: float) -> str:
    """Replace each digit by a random one, unless it is kept."""
    return "".join(d if rng.random() < keep else rng.choice(DIGITS) for d in digits)
