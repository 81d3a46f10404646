"""The one object behind every door: a verifier, its prices and the failure law."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rlvr_course.records import Reward, Verdict
from rlvr_course.rewards import MathRewardFunction
from rlvr_course.rollouts import GroupReward, RewardFunction
from rlvr_course.verifiers.boundary import describe_value, judge_many


@dataclass(frozen=True)
class Scored:
    """What one completion was judged to be, and what it earned.

    ``reward.value`` is a finite number, or None where it is masked; ``floor`` is what a door
    that has no mask pays instead.
    """

    verdict: Verdict
    reward: Reward
    floor: float

    @property
    def value(self) -> float | None:
        """The reward; None where it is masked."""
        return self.reward.value

    @property
    def is_ungraded(self) -> bool:
        """Whether the grader could not judge, whatever was paid for it."""
        return self.verdict.status == "ungraded"

    @property
    def finite(self) -> float:
        """The reward as a number: the floor where it is masked."""
        return self.floor if self.reward.value is None else self.reward.value


class VerifiedReward:
    """A verifier and what its verdicts earn.

    Args:
        verifier: any verifier or function ``(response, answer)``, as for ``rollout``; if None, the
            one of ``reward``, or the course's ``MathVerifier``.
        reward: from verdict to reward, as for ``rollout``: ``MathRewardFunction`` (the default),
            ``StackedReward``, or a function of yours.

    It can be called from several threads at once, and pickled if verifier and reward can.

    >>> reward = VerifiedReward()
    >>> [scored.value for scored in reward.score(["It is 80.", "It is 81."], ["80", "80"])]
    [1.0, -0.1]
    >>> reward.score(["It is 80."], ["see figure"])[0].value is None
    True
    """

    def __init__(
        self,
        verifier: Callable[..., Any] | None = None,
        reward: RewardFunction | GroupReward | None = None,
    ) -> None:
        self.reward = MathRewardFunction() if reward is None else reward
        self.verifier = _own_verifier(self.reward) if verifier is None else verifier
        self.floor = _floor(self.reward)
        self._lock = threading.Lock()

    def score(
        self,
        responses: Sequence[str],
        answers: Sequence[Any],
        *,
        finish_reasons: Sequence[str] | None = None,
        policy_id: str = "",
    ) -> list[Scored]:
        """Judge and reward completions, in order.

        Args:
            responses: the policy's texts.
            answers: their references, equally many.
            finish_reasons: why each ended; all "stop" if None.
            policy_id: whose masked completions are counted, and floored above the cap.

        Returns:
            One for each response. A reward that is not finite counts as a grader fault: masked,
            with the reason in the verdict.

        Raises:
            ValueError: lengths differ, or the reward returned another number of rewards.

        Limits: whatever the reward raises is passed on; what the verifier raises is a verdict.
        """
        reasons = ["stop"] * len(responses) if finish_reasons is None else list(finish_reasons)
        if not len(responses) == len(answers) == len(reasons):
            raise ValueError(
                f"{len(responses)} responses, {len(answers)} answers and {len(reasons)} finish "
                "reasons: give one of each for every completion"
            )
        verdicts = judge_many(self.verifier, responses, answers, reasons)
        rewards = self._pay(verdicts, policy_id, responses)
        if len(rewards) != len(verdicts):
            raise ValueError(f"{self.reward!r} gave {len(rewards)} rewards for {len(verdicts)}")
        return [self._scored(*pair) for pair in zip(verdicts, rewards, strict=True)]

    def ungraded(self, reason: str) -> Scored:
        """What a completion is scored that could not even be read at the door."""
        return Scored(Verdict.ungraded(reason), Reward(None), self.floor)

    def _pay(
        self, verdicts: list[Verdict], policy_id: str, responses: Sequence[str]
    ) -> Sequence[Reward]:
        if not isinstance(self.reward, GroupReward):
            return [self.reward(verdict) for verdict in verdicts]
        with self._lock:  # it keeps a count of masks
            return self.reward.reward_many(verdicts, policy_id, responses=responses)

    def _scored(self, verdict: Verdict, reward: Reward) -> Scored:
        if reward.value is not None and not math.isfinite(reward.value):
            verdict = Verdict.ungraded(f"reward_not_finite: {describe_value(reward.value)}")
            reward = Reward(None)
        return Scored(verdict, reward, self.floor)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"VerifiedReward({type(self.verifier).__name__}, {self.reward!r})"


def _own_verifier(reward: RewardFunction | GroupReward) -> Callable[..., Any]:
    owner = getattr(reward, "correctness", reward)
    own = getattr(owner, "verifier", None)
    return MathRewardFunction().verifier if own is None else own


def _floor(reward: RewardFunction | GroupReward) -> float:
    """The floor of the reward's cap on masks; where it has none, what no answer earns."""
    cap = getattr(reward, "mask_cap", None)
    if cap is not None:
        return cap.floor
    nothing = Verdict.no_answer("nothing_said")
    if isinstance(reward, GroupReward):
        paid = reward.reward_many([nothing], responses=[""])[0]
    else:
        paid = reward(nothing)
    if paid.value is None or not math.isfinite(paid.value):
        raise ValueError(f"{reward!r} pays {paid.value} for no answer: it must be a finite number")
    return paid.value
