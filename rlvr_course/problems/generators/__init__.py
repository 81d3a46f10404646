"""Problems made to measure: four families, a seed, and a dial for the difficulty.

    generate(kind, n, difficulty=0.3, seed=1) -> [Problem, ...n]

Recorded problems are as hard as they are. For a policy to learn from its own groups they must be
neither always solved nor never: ``rlvr_course.tuner`` turns the dial until they are.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from rlvr_course.problems.generators.arithmetic import draft_arithmetic
from rlvr_course.problems.generators.drafts import Dial, Draft
from rlvr_course.problems.generators.fraction_arithmetic import draft_fractions
from rlvr_course.problems.generators.number_theory import draft_number_theory
from rlvr_course.problems.generators.word_problems import draft_word_problem
from rlvr_course.records import Problem

__all__ = ["FAMILIES", "generate"]

FAMILIES: Mapping[str, Callable[[Dial], Draft]] = MappingProxyType(
    {
        "arithmetic": draft_arithmetic,
        "word_problems": draft_word_problem,
        "number_theory": draft_number_theory,
        "fractions": draft_fractions,
    }
)
"""The kinds of problems, each with the function that drafts one."""

_TRIES_FOR_A_NEW_ONE = 50
_FREE_GUESSES = (0, 1)


def generate(kind: str, n: int, *, difficulty: float, seed: int = 0) -> list[Problem]:
    """Make problems whose answers are known.

    Args:
        kind: "arithmetic", "word_problems", "number_theory" or "fractions".
        n: how many, 0 or more.
        difficulty: in [0, 1]. A larger one never lowers the bounds on operands, nor the number of
            operations where a family sets it; a single problem can still be easier than another
            from a lower setting.
        seed: the same arguments give the same problems on every machine, and a longer batch
            begins with the shorter one.

    Returns:
        Problems with ids such as "gen-arithmetic-0.5-7-3" (kind, difficulty, seed, index). The
        answer is a number as text; ``metadata`` has ``family``, ``topic``, ``difficulty``,
        ``seed``, ``steps``, ``operands`` and ``unit``. No answer is 0 or 1, or stands among the
        numbers of its question, so that neither a habit nor a copied number pays. No question
        comes round again before the questions of this kind and setting are all but used up:
        hundreds of them at 0, millions at 1.

    Raises:
        ValueError: an unknown kind, a negative n, or a difficulty outside [0, 1].

    Limits: the answer carries no unit, the question names it; a verifier of values does not see
    whether a response converted to another one.

    >>> problem = generate("arithmetic", 1, difficulty=0.2, seed=7)[0]
    >>> problem.id, problem.question, problem.answer
    ('gen-arithmetic-0.2-7-0', 'What is 22 * 5?', '110')
    """
    if kind not in FAMILIES:
        raise ValueError(f"kind {kind!r} is not one of {', '.join(FAMILIES)}")
    if n < 0:
        raise ValueError(f"n={n}: it must be 0 or more")
    if not 0.0 <= difficulty <= 1.0:
        raise ValueError(f"difficulty={difficulty}: it must lie in [0, 1]")
    difficulty = float(difficulty) + 0.0  # so that 1 and 1.0, and 0.0 and -0.0, are one setting
    name = f"{kind}-{difficulty!r}-{seed}"
    dial = Dial(random.Random(name), difficulty)
    seen: set[str] = set()
    problems = []
    for index in range(n):
        draft = _unseen(FAMILIES[kind], dial, seen)
        seen.add(draft.question)
        problems.append(_problem(draft, kind, f"gen-{name}-{index}", difficulty, seed))
    return problems


def _unseen(make: Callable[[Dial], Draft], dial: Dial, seen: set[str]) -> Draft:
    """A draft whose question is new; when none turns up, all count as new again."""
    for _ in range(_TRIES_FOR_A_NEW_ONE):
        draft = _closed(make, dial)
        if draft.question not in seen:
            return draft
    seen.clear()
    return _closed(make, dial)


def _closed(make: Callable[[Dial], Draft], dial: Dial) -> Draft:
    """A draft whose answer is neither in its question nor a guess that comes for free."""
    while True:
        draft = make(dial)
        answer = Fraction(draft.answer)
        if answer not in _FREE_GUESSES and answer not in _numbers(draft.question):
            return draft


def _numbers(question: str) -> set[Fraction]:
    """Numbers in a text: whole, decimal, fractional and mixed, and the parts of each."""
    found = re.findall(r"\d+/\d+|\d+\.\d+", question) + re.findall(r"\d+", question)
    mixed = re.findall(r"(\d+) (\d+/\d+)", question)
    return {Fraction(text) for text in found} | {int(w) + Fraction(part) for w, part in mixed}


def _problem(draft: Draft, kind: str, name: str, difficulty: float, seed: int) -> Problem:
    return Problem(
        question=draft.question,
        answer=draft.answer,
        id=name,
        domain="math",
        metadata={
            "family": kind,
            "topic": draft.topic,
            "difficulty": difficulty,
            "seed": seed,
            "steps": draft.steps,
            "operands": dict(draft.operands),
            "unit": draft.unit,
        },
    )
