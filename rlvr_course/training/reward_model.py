"""A learned reward model: the box that verifiable rewards take out, to look into.

It is fitted to completions that someone labelled right or wrong, and then judges any completion
of any question, with no reference in hand. This one is a ridge regression on what a glance at a
question and an answer shows: which character stands where, how long the answer is, whether the
question is a sum or a product. It scores new answers of the policy that it was fitted to better
than chance, which is all that a small model can know, and a policy that is trained against it
finds the answers that it overrates (``over_optimise``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rlvr_course.records import Problem

POSITIONS = 6
"""How many characters of an answer are looked at one by one."""


class Labelled(NamedTuple):
    """A completion and whether it was right: 1.0 or 0.0."""

    question: str
    response: str
    label: float


@dataclass(frozen=True)
class RewardModel:
    """A learned judge, in the place of a verifier.

    Called as ``model(response, question)`` it returns a score in [0, 1], so that ``rollout`` and
    the trainers' doors take it for a verifier. What it is given as the answer is the question: see
    ``judged_problems``.

    Args:
        weights: of the features that it was fitted with; others count nothing.

    Limits: it has never seen a reference. A high score says "like what was labelled right".
    """

    weights: Mapping[str, float]

    def __call__(self, response: str, answer: str) -> float:
        """The score of a response to the question ``answer``, in [0, 1]."""
        score = sum(self.weights.get(name, 0.0) for name in features(answer, response))
        return min(1.0, max(0.0, score))

    def __repr__(self) -> str:
        return f"RewardModel({len(self.weights)} weights)"


def judged_problems(problems: Sequence[Problem]) -> list[Problem]:
    """The same problems for a judge without references: the answer is the question itself.

    >>> judged_problems([Problem("6*7=", "42")])[0].answer
    '6*7='
    """
    return [replace(problem, answer=problem.question) for problem in problems]


def features(question: str, response: str) -> Iterator[str]:
    """What the model sees of an answer: names of features of value 1, none of them twice.

    >>> list(features("6*7=", "42"))
    ['always', 'length 2', 'length 2 *', 'length 2 6*', 'length 2 *7', '0:4', '1:2', 'last 2 *']
    """
    kind = "+" if "+" in question else "*"
    left, _, right = question.rstrip("=").partition(kind)
    yield "always"
    length = f"length {len(response)}"
    yield length
    yield f"{length} {kind}"
    yield f"{length} {left}{kind}"
    yield f"{length} {kind}{right}"
    for place, character in enumerate(response[:POSITIONS]):
        yield f"{place}:{character}"
    if response:
        yield f"last {response[-1]} {kind}"


def fit_reward_model(labelled: Sequence[Labelled], *, ridge: float = 1.0) -> RewardModel:
    """Least squares with a penalty on large weights.

    Args:
        labelled: completions with their labels.
        ridge: weight of the penalty, above 0.

    Raises:
        ValueError: nothing labelled, or a ridge that is not above 0.
    """
    if not labelled:
        raise ValueError("a reward model needs labelled completions: give at least one")
    if not (ridge > 0 and math.isfinite(ridge)):
        raise ValueError(f"ridge={ridge}: give a number above 0")
    import numpy as np

    rows = [list(features(question, response)) for question, response, _ in labelled]
    places = {
        name: place for place, name in enumerate(dict.fromkeys(n for row in rows for n in row))
    }
    seen = np.zeros((len(rows), len(places)))
    for number, row in enumerate(rows):
        seen[number, [places[name] for name in row]] = 1.0
    labels = np.array([row.label for row in labelled])
    solved = np.linalg.solve(seen.T @ seen + ridge * np.eye(len(places)), seen.T @ labels)
    return RewardModel({name: float(solved[place]) for name, place in places.items()})


def ranking_quality(model: RewardModel, labelled: Sequence[Labelled]) -> float:
    """How often a right completion is scored above a wrong one, ties by halves (the AUC).

    Args:
        model: to be measured.
        labelled: completions that it was not fitted to, right and wrong ones.

    Returns:
        In [0, 1]; 0.5 is chance.

    Raises:
        ValueError: only right ones or only wrong ones.
    """
    right = [model(row.response, row.question) for row in labelled if row.label == 1.0]
    wrong = [model(row.response, row.question) for row in labelled if row.label != 1.0]
    if not right or not wrong:
        raise ValueError(f"{len(right)} right and {len(wrong)} wrong: both are needed to rank")
    won = sum((r > w) + 0.5 * (r == w) for r in right for w in wrong)
    return won / (len(right) * len(wrong))
