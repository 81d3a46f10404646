"""From verdicts to rewards, with the failure law of ``records`` applied.

A judged answer earns between the floor and the top by its score; no answer earns the floor, unless
an open refusal has a price of its own. A grader fault earns nothing (None: masked out of
training), unless the caller prefers the floor, or too large a share of one policy's samples is
masked: then ``MaskCap`` puts the floor in place of the mask, because a policy that learns to be
ungraded would otherwise never be penalised.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from rlvr_course.records import Reward, Verdict
from rlvr_course.stats import Rate
from rlvr_course.verifiers.protocol import Verifier

OnGraderError = Literal["mask", "floor"]


def fractional_reward(
    score: float | None, *, top: float = 1.0, floor: float = -0.1
) -> float | None:
    """What a score between 0 and 1 earns: ``floor`` at 0, ``top`` at 1, on a straight line between.

    Args:
        score: share of the work that is right, in [0, 1]; None where nobody could judge.
        top, floor: rewards of a whole and of no success, floor at most top.

    Returns:
        The reward; None for a score of None.

    Raises:
        ValueError: a score outside [0, 1], a reward that is not finite, or floor above top.

    Limits: partial credit is a slope that a policy climbs as far as is easy. Where half the tests
    are trivial, half the reward is too.

    >>> round(fractional_reward(0.5), 3), fractional_reward(0.0), fractional_reward(None)
    (0.45, -0.1, None)
    """
    for name, value in (("top", top), ("floor", floor)):
        _check_finite(name, value)
    if floor > top:
        raise ValueError(f"floor={floor} is above top={top}: swap them")
    if score is None:
        return None
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"score={score}: give a share between 0 and 1, or None if ungraded")
    return top if score == 1.0 else floor + (top - floor) * score


def is_refusal(verdict: Verdict) -> bool:
    """Whether a response openly declined to answer: no answer, with the reason "refusal".

    An empty, cut-off or hedged response is no refusal: it admits nothing.
    """
    return verdict.status == "no_answer" and verdict.reason == "refusal"


def score_verdict(
    verdict: Verdict,
    *,
    top: float = 1.0,
    floor: float = -0.1,
    refusal: float | None = None,
    on_grader_error: OnGraderError = "mask",
) -> Reward:
    """The reward of one verdict: ``floor`` at score 0, ``top`` at score 1, linear between.

    Args:
        verdict: what a verifier decided.
        top: reward of a fully correct answer.
        floor: reward of a wrong answer, a crash, no answer or any other policy fault.
        refusal: reward of an open refusal (see ``is_refusal``); the floor if None.
        on_grader_error: "mask" gives an ungraded verdict the value None, "floor" the floor.

    Returns:
        The value and its components, which sum to it; value None means masked.

    Raises:
        ValueError: as ``fractional_reward``.

    >>> score_verdict(Verdict.incorrect("81", "unequal")).value
    -0.1
    """
    value = fractional_reward(verdict.score, top=top, floor=floor)
    if value is None:
        if on_grader_error == "mask":
            return Reward(None)
        return Reward(floor, {"ungraded_floor": floor})
    if refusal is not None and is_refusal(verdict):
        return Reward(refusal, {"refusal": refusal})
    return Reward(value, {"correctness": value})


class MaskCap:
    """A running count of masked samples per policy, and the cap on their share.

    One masked sample is always allowed, since in a small batch a single one is above any cap.

    Args:
        cap: largest share of a policy's samples that may stay masked, 0 to 1.
        floor: the reward that replaces a mask above the cap.

    Raises:
        ValueError: cap outside [0, 1].

    Limits: samples masked before the cap was passed keep their mask; only later ones are floored.
    """

    def __init__(self, cap: float = 0.05, *, floor: float = -0.1) -> None:
        if not 0.0 <= cap <= 1.0:
            raise ValueError(f"cap={cap}: give a share between 0 and 1")
        self.cap = cap
        self.floor = floor
        self._seen: Counter[str] = Counter()
        self._masked: Counter[str] = Counter()

    def apply(self, rewards: Sequence[Reward], policy_id: str = "") -> list[Reward]:
        """Count one batch of one policy, and replace its masks if the policy is above the cap."""
        self._seen[policy_id] += len(rewards)
        self._masked[policy_id] += sum(reward.value is None for reward in rewards)
        if not exceeds_cap(self._masked[policy_id], self._seen[policy_id], self.cap):
            return list(rewards)
        floored = Reward(self.floor, {"ungraded_floor": self.floor})
        return [floored if reward.value is None else reward for reward in rewards]

    def masked_shares(self) -> dict[str, Rate]:
        """For each policy seen, the share of its samples that no grader could judge."""
        return {policy: Rate(self._masked[policy], n) for policy, n in self._seen.items()}


def exceeds_cap(masked: int, seen: int, cap: float) -> bool:
    """Whether ``masked`` of ``seen`` samples are too many: above the cap, and more than one.

    >>> exceeds_cap(1, 4, cap=0.05), exceeds_cap(2, 40, cap=0.05), exceeds_cap(3, 40, cap=0.05)
    (False, False, True)
    """
    return masked > max(1.0, cap * seen)


class MathRewardFunction:
    """Reward for maths answers: +1 if right, a small penalty if not, None if nobody can tell.

    Args:
        correct_reward: reward of a right answer.
        incorrect_penalty: signed reward of a wrong answer, or of none at all, at most 0.
        refusal_reward: signed reward of an open refusal, below ``correct_reward``; the same as
            ``incorrect_penalty`` if None. Above it, a policy earns more by refusing than by
            guessing wherever it is right less often than ``breakeven.break_even`` says.
        verifier: what judges a response; the course's ``MathVerifier`` if None.
        on_grader_error: "mask" (reward None, counted, capped by ``mask_cap``) or "floor".

    Raises:
        ValueError: a reward that is not finite, a positive penalty, or an unknown option.

    Limits: it pays for the final answer, whatever the working looks like, and any worded refusal
    as honest, even of a problem that the policy could have solved.

    >>> reward = MathRewardFunction()
    >>> reward.reward(Verdict.correct("80", "equal_number")).value
    1.0
    >>> reward.reward(Verdict.no_answer("refusal")).value
    -0.1
    >>> MathRewardFunction(refusal_reward=0.0).reward(Verdict.no_answer("refusal")).value
    0.0
    """

    def __init__(
        self,
        correct_reward: float = 1.0,
        incorrect_penalty: float = -0.1,
        *,
        refusal_reward: float | None = None,
        verifier: Verifier | None = None,
        on_grader_error: OnGraderError = "mask",
    ) -> None:
        _check_prices(correct_reward, incorrect_penalty, refusal_reward)
        if on_grader_error not in ("mask", "floor"):
            raise ValueError(f"on_grader_error={on_grader_error!r} is not 'mask' or 'floor'")
        self.correct_reward = correct_reward
        self.incorrect_penalty = incorrect_penalty
        self.refusal_reward = refusal_reward
        self.on_grader_error: OnGraderError = on_grader_error
        self.mask_cap = MaskCap(floor=incorrect_penalty)
        self._verifier = verifier

    @property
    def verifier(self) -> Verifier:
        """What judges a response."""
        if self._verifier is None:
            from rlvr_course.verifiers.math_answers import MathVerifier

            self._verifier = MathVerifier()
        return self._verifier

    def compute(self, response: str, ground_truth: Any) -> float | None:
        """The reward of one response.

        Args:
            response: the policy's text.
            ground_truth: the reference answer.

        Returns:
            A finite number, or None where the grader is at fault (such as a reference that
            can't be parsed) and ``on_grader_error`` is "mask". A single call knows no policy,
            so the cap on masks is left to ``reward_many``.
        """
        return self.reward(self.verifier(response, ground_truth)).value

    def reward(self, verdict: Verdict) -> Reward:
        """The reward of one verdict, before any cap on masks."""
        return score_verdict(
            verdict,
            top=self.correct_reward,
            floor=self.incorrect_penalty,
            refusal=self.refusal_reward,
            on_grader_error=self.on_grader_error,
        )

    def reward_many(
        self, verdicts: Sequence[Verdict], policy_id: str = "", *, responses: Sequence[str] = ()
    ) -> list[Reward]:
        """The rewards of one policy's verdicts, counted by ``mask_cap`` and floored above it.

        Args:
            verdicts: of one policy's samples.
            policy_id: whose masks are counted.
            responses: as ``rollout`` passes them; the verdicts alone decide here.
        """
        return self.mask_cap.apply([self.reward(verdict) for verdict in verdicts], policy_id)

    def __call__(self, verdict: Verdict) -> Reward:
        """Same as ``reward``, so that an instance can be passed where a function is expected."""
        return self.reward(verdict)

    def __repr__(self) -> str:
        prices = f"{self.correct_reward}, {self.incorrect_penalty}"
        if self.refusal_reward is not None:
            prices += f", refusal_reward={self.refusal_reward}"
        return f"MathRewardFunction({prices})"


def _check_finite(name: str, value: float) -> None:
    if not math.isfinite(value):
        raise ValueError(f"{name}={value}: a reward must be a finite number")


def _check_prices(
    correct_reward: float, incorrect_penalty: float, refusal_reward: float | None
) -> None:
    _check_finite("correct_reward", correct_reward)
    _check_finite("incorrect_penalty", incorrect_penalty)
    if incorrect_penalty > 0:
        raise ValueError(
            f"incorrect_penalty={incorrect_penalty} would pay for a wrong answer; "
            f"write it with its sign, such as {-incorrect_penalty}"
        )
    if correct_reward <= incorrect_penalty:
        raise ValueError(
            f"correct_reward={correct_reward} is not above incorrect_penalty={incorrect_penalty}"
        )
    if refusal_reward is None:
        return
    _check_finite("refusal_reward", refusal_reward)
    if refusal_reward >= correct_reward:
        raise ValueError(
            f"refusal_reward={refusal_reward} is not below correct_reward={correct_reward}: "
            "nobody would answer"
        )
