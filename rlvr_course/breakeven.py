"""When answering pays more than refusing, worked out from the prices alone.

A policy that is right with probability p earns p * correct + (1 - p) * wrong on average if it
answers, and ``refuse`` if it does not. Both are equal at the break-even

    p* = (refuse - wrong) / (correct - wrong)

With correct = 1, refuse = 0 and wrong = -c that is c / (1 + c): 0.09 for c = 0.1, a half for
c = 1. A policy that maximises reward answers above p* and refuses below it, so the price of a
wrong answer is a choice of how sure an answer has to be. Only the ratio of the two gaps counts:
p* stays the same if all three prices are multiplied by one positive number, or shifted by one.

Where refusing is priced like a wrong answer, p* is 0: a guess costs nothing.
"""

from __future__ import annotations

import math
from typing import Literal

Action = Literal["answer", "refuse", "either"]


def break_even(correct: float = 1.0, wrong: float = -0.1, refuse: float = 0.0) -> float:
    """The probability of being right above which answering beats refusing.

    Args:
        correct: reward of a right answer.
        wrong: reward of a wrong answer, with its sign; below ``correct``.
        refuse: reward of a refusal, from ``wrong`` to ``correct``.

    Returns:
        p*, from 0 (answering is never worse) to 1 (answering is never better).

    Raises:
        ValueError: a price that is not finite, ``wrong`` not below ``correct``, or ``refuse``
            outside the two, where one action is better at every p and no break-even exists.

    Limits: it assumes a policy that knows its p and maximises the mean reward. A group-relative
    trainer sees rewards only after its own scaling: see ``estimators``.

    >>> round(break_even(wrong=-0.1), 3), break_even(wrong=-1.0), break_even(wrong=-4.0)
    (0.091, 0.5, 0.8)
    """
    _check_gap(correct, wrong)
    _check_finite(refuse=refuse)
    if refuse < wrong:
        raise ValueError(
            f"refuse={refuse} is below wrong={wrong}: answering pays more whatever p is, "
            "so there is no break-even; raise refuse or lower wrong"
        )
    if refuse > correct:
        raise ValueError(
            f"refuse={refuse} is above correct={correct}: refusing pays more whatever p is, "
            "so there is no break-even; lower refuse"
        )
    return (refuse - wrong) / (correct - wrong)


def price_of_wrong(p_star: float, *, correct: float = 1.0, refuse: float = 0.0) -> float:
    """The reward of a wrong answer that puts the break-even at ``p_star``: inverse of it.

    Args:
        p_star: how sure a policy should be before it answers, 0 <= p_star < 1.
        correct: reward of a right answer, above ``refuse``.
        refuse: reward of a refusal.

    Raises:
        ValueError: p_star out of range, a price that is not finite, or correct <= refuse.

    >>> price_of_wrong(0.5), price_of_wrong(0.75)
    (-1.0, -3.0)
    """
    _check_finite(correct=correct, refuse=refuse)
    if not 0.0 <= p_star < 1.0:
        raise ValueError(f"p_star={p_star}: give a probability from 0 to below 1, such as 0.5")
    if correct <= refuse:
        raise ValueError(f"correct={correct} is not above refuse={refuse}: nobody would answer")
    # Odds rather than (refuse - p*correct)/(1-p), which cancels where p_star is near 1. Adding
    # 0.0 turns -0.0 into 0.0.
    return refuse - (correct - refuse) * (p_star / (1.0 - p_star)) + 0.0


def expected_reward(
    p: float,
    *,
    correct: float = 1.0,
    wrong: float = -0.1,
    p_partial: float = 0.0,
    partial: float | None = None,
) -> float:
    """The mean reward of answering.

    Args:
        p: probability of a right answer, 0 to 1.
        correct, wrong: rewards of a right and a wrong answer, wrong below correct.
        p_partial: probability of a partly right answer, 0 to 1 - p; what is left is wrong.
        partial: reward of a partly right answer; halfway between wrong and correct if None.

    Raises:
        ValueError: a probability out of range, or a price that is not finite or out of order.

    >>> round(expected_reward(0.5), 2), round(expected_reward(0.5, p_partial=0.5), 3)
    (0.45, 0.725)
    """
    _check_gap(correct, wrong)
    halfway = wrong + (correct - wrong) / 2
    partial = halfway if partial is None else partial
    _check_finite(partial=partial)
    _check_probabilities(p, p_partial)
    p_wrong = max(0.0, 1.0 - p - p_partial)
    return math.fsum((p * correct, p_partial * partial, p_wrong * wrong))


def best_action(
    p: float,
    *,
    correct: float = 1.0,
    wrong: float = -0.1,
    refuse: float = 0.0,
    p_partial: float = 0.0,
    partial: float | None = None,
) -> Action:
    """What a policy that maximises the mean reward does with a chance ``p`` of being right.

    Args:
        p, correct, wrong, p_partial, partial: as in ``expected_reward``.
        refuse: reward of a refusal, any finite number.

    Returns:
        "answer" or "refuse", whichever earns more on average; "either" at the break-even, up to
        rounding.

    Raises:
        ValueError: as ``expected_reward``, or ``refuse`` is not finite.

    >>> best_action(0.05), best_action(0.05, refuse=-0.1), best_action(0.5, wrong=-1.0)
    ('refuse', 'answer', 'either')
    """
    _check_finite(refuse=refuse)
    answer = expected_reward(p, correct=correct, wrong=wrong, p_partial=p_partial, partial=partial)
    scale = max(abs(price) for price in (correct, wrong, refuse, partial or 0.0))
    if math.isclose(answer, refuse, rel_tol=0.0, abs_tol=1e-12 * scale):
        return "either"
    return "answer" if answer > refuse else "refuse"


def _check_gap(correct: float, wrong: float) -> None:
    _check_finite(correct=correct, wrong=wrong)
    if wrong >= correct:
        raise ValueError(f"wrong={wrong} is not below correct={correct}: being right must pay")


def _check_finite(**prices: float) -> None:
    for name, price in prices.items():
        if not math.isfinite(price):
            raise ValueError(f"{name}={price}: a reward must be a finite number")


def _check_probabilities(p: float, p_partial: float) -> None:
    for name, value in (("p", p), ("p_partial", p_partial)):
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"{name}={value}: give a probability between 0 and 1")
    # A hair of slack, since 0.7 and 0.1 and 0.2 do not sum to 1 in floating point.
    if p + p_partial > 1.0 + 1e-9:
        raise ValueError(f"p={p} and p_partial={p_partial} sum to more than 1: lower one of them")
