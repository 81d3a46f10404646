"""Copy: repeat four digits: ``1239=`` is answered ``1239``.

A beginner is right about .04 of the time, and often partly right: this is where a reward for the
share of right digits can be compared with one for the whole.
"""

from __future__ import annotations

from random import Random

from rlvr_course.records import Problem
from rlvr_course.training.tasks.cipher import spoil_digits
from rlvr_course.training.tasks.task import Task, make_problem, split


def copying() -> Task:
    """1,800 numbers to train on, 200 others to test on."""
    rng = Random(0)
    numbers = [f"{number:04d}" for number in rng.sample(range(10_000), 2_000)]
    train, test = split([make_problem("copy", f"{n}=", n, "number") for n in numbers], 200)
    return Task(
        name="copy",
        about="repeat four digits",
        train=train,
        test=test,
        max_tokens=6,
        demonstrate=_demonstrate,
        warm_steps=600,
    )


def _demonstrate(rng: Random, problem: Problem) -> str:
    return spoil_digits(rng, problem.answer, keep=0.40)
