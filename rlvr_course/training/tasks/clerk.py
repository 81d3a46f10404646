"""Clerk: sums and products of one digit, and a clerk who is seldom right and sometimes refuses.

The 200 questions are a table that has to be learned by heart, so success is slow to improve: this
is where a heavy price of being wrong teaches silence. ``lister`` is a clerk with a bad habit: one
answer in eight is a list of numbers, which a careless verifier pays.
"""

from __future__ import annotations

from random import Random

from rlvr_course.records import Problem
from rlvr_course.training.tasks.task import REFUSAL, Task, make_problem, split

N_TEST = 50
_NEAR = (-10, -3, -2, -1, 1, 2, 3, 10)


def clerk() -> Task:
    """Right a quarter of the time, refusing .15 of it, otherwise near."""
    train, test = split(table("clerk"), N_TEST)
    return Task(
        name="clerk",
        about="one-digit sums and products; refusing is possible",
        train=train,
        test=test,
        max_tokens=4,
        demonstrate=_answer_or_refuse,
        warm_steps=700,
        warm_on_test=True,
    )


def lister() -> Task:
    """Right .3 of the time, otherwise near, and one time in eight a list of numbers."""
    train, test = split(table("lister"), N_TEST)
    return Task(
        name="lister",
        about="one-digit sums and products, with a habit of listing numbers",
        train=train,
        test=test,
        max_tokens=15,
        demonstrate=_answer_or_list,
        warm_steps=900,
        warm_on_test=True,
    )


def table(task: str) -> list[Problem]:
    """All 200 questions, of the kinds "+" and "*".

    >>> len(table("clerk")), table("clerk")[-1].question, table("clerk")[-1].answer
    (200, '9*9=', '81')
    """
    return [
        make_problem(task, f"{a}{sign}{b}=", str(a + b if sign == "+" else a * b), sign)
        for a in range(10)
        for b in range(10)
        for sign in "+*"
    ]


def _answer_or_refuse(rng: Random, problem: Problem) -> str:
    draw = rng.random()
    if draw < 0.15:
        return REFUSAL
    return problem.answer if draw < 0.40 else _near(rng, problem.answer)


def _answer_or_list(rng: Random, problem: Problem) -> str:
    draw = rng.random()
    if draw < 0.12:
        return _list_around(rng, int(problem.answer))
    return problem.answer if draw < 0.42 else _near(rng, problem.answer)


def _near(rng: Random, answer: str) -> str:
    """A wrong number close by, never below 0."""
    steps = [step for step in _NEAR if int(answer) + step >= 0]
    return str(int(answer) + rng.choice(steps))


def _list_around(rng: Random, answer: int) -> str:
    """Up to five numbers around the answer, with it seven times in ten."""
    numbers = {max(0, answer + rng.randint(-3, 3)) for _ in range(4)}
    if rng.random() < 0.7:
        numbers.add(answer)
    return " ".join(map(str, sorted(numbers)[:5]))
