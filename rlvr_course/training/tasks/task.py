"""What a tiny policy is trained on: problems, and the demonstrations that it starts from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from rlvr_course.records import Problem

REFUSAL = "?"
"""What a tiny policy says in place of an answer."""


@dataclass(frozen=True)
class Task:
    """Seeded problems for training and for testing, and how a beginner answers them.

    Args:
        name: "cipher", "clerk", "lister", "dice" or "copy".
        about: one sentence on what is asked.
        train, test: problems without a question in common; ``metadata["kind"]`` groups them.
        max_tokens: longest completion, in characters, one for the end included.
        demonstrate: what a beginner answers: right, wrong or a refusal, drawn at random.
        warm_steps: optimizer steps of the supervised warm start.
        warm_on_test: whether the warm start demonstrates the test questions too. It must where a
            question can't be answered without having been seen, as in a table of sums; even then
            training by reward sees ``train`` alone.

    Raises:
        ValueError: a question that is in both halves.
    """

    name: str
    about: str
    train: tuple[Problem, ...]
    test: tuple[Problem, ...]
    max_tokens: int
    demonstrate: Callable[[Random, Problem], str]
    warm_steps: int = 500
    warm_on_test: bool = False

    def __post_init__(self) -> None:
        shared = {p.question for p in self.train} & {p.question for p in self.test}
        if shared:
            raise ValueError(f"task {self.name!r} tests on {min(shared)!r}, which it trains on")

    @property
    def warm_problems(self) -> tuple[Problem, ...]:
        """What the warm start demonstrates."""
        return self.train + self.test if self.warm_on_test else self.train

    def __repr__(self) -> str:
        return f"Task({self.name!r}, {len(self.train)} to train on, {len(self.test)} to test on)"


def make_problem(task: str, question: str, answer: str, kind: str) -> Problem:
    """A problem of a tiny task; its question is the whole prompt.

    >>> make_problem("dice", "d6.001=", "4", "d6").messages
    ({'role': 'user', 'content': 'd6.001='},)
    """
    return Problem(question, answer, f"{task}/{question}", f"tiny-{task}", {"kind": kind})


def split(problems: list[Problem], n_test: int, seed: int = 0) -> tuple[tuple[Problem, ...], ...]:
    """Shuffle by ``seed`` and put the first ``n_test`` apart: (train, test)."""
    shuffled = list(problems)
    Random(seed).shuffle(shuffled)
    return tuple(shuffled[n_test:]), tuple(shuffled[:n_test])
