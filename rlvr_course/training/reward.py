"""The reward that a tiny run hands to TRL: verifier, prices and a record of every step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rlvr_course.advantages import group_statistics
from rlvr_course.records import Completion, Problem, Sample
from rlvr_course.rewards import MathRewardFunction
from rlvr_course.rollouts import scored_sample
from rlvr_course.training.measure import summarise
from rlvr_course.training.tiny import EOS
from rlvr_course.verifiers.boundary import judge_many


class TaskReward:
    """What TRL calls with each batch of completions.

    Args:
        problems: whose questions are the prompts.
        reward: prices, with the verifier that judges.
        group_size: completions of one prompt follow each other.
        policy_id: written into the samples.
        on_groups: called with the step, from 1, and the scored groups.
    """

    __name__ = "task_reward"

    def __init__(
        self,
        problems: Sequence[Problem],
        reward: MathRewardFunction,
        *,
        group_size: int,
        policy_id: str,
        on_groups: Callable[[int, list[list[Sample]]], object],
    ) -> None:
        self._problems = {problem.question: problem for problem in problems}
        self._reward, self._group_size = reward, group_size
        self._policy_id, self._on_groups = policy_id, on_groups

    def __call__(
        self,
        prompts: Sequence[str],
        completions: Sequence[str],
        completion_ids: Sequence[Sequence[int]],
        *,
        trainer_state: Any,
        log_metric: Callable[[str, float], None],
        **columns: Any,
    ) -> list[float | None]:
        """One reward for each completion, None where nobody could judge."""
        problems = [self._problems[prompt] for prompt in prompts]
        finishes = ["stop" if EOS in ids else "length" for ids in completion_ids]
        answers = [problem.answer for problem in problems]
        verdicts = judge_many(self._reward.verifier, completions, answers, finishes)
        rewards = self._reward.reward_many(verdicts, self._policy_id)
        rows = zip(problems, completions, finishes, verdicts, rewards, strict=True)
        samples = [self._sample(place, *row) for place, row in enumerate(rows)]
        size = self._group_size
        groups = [samples[start : start + size] for start in range(0, len(samples), size)]
        for name, value in batch_metrics(groups).items():
            log_metric(name, value)
        self._on_groups(trainer_state.global_step + 1, groups)
        return [reward.value for reward in rewards]

    def _sample(
        self, place: int, problem: Problem, response: str, finish_reason: str, *judged: Any
    ) -> Sample:
        completion = Completion(
            response,
            messages=problem.messages,
            finish_reason=finish_reason,
            policy_id=self._policy_id,
        )
        return scored_sample(problem, completion, *judged, index=place % self._group_size)


def batch_metrics(groups: Sequence[Sequence[Sample]]) -> dict[str, float]:
    """What a step's samples were: by the truth, by the run's verifier, and by group."""
    seen = summarise([sample for group in groups for sample in group])
    statistics = group_statistics(groups)
    return {
        "accuracy": seen.accuracy.value or 0.0,
        "refusal": seen.refusal.value or 0.0,
        "listing": seen.listing.value or 0.0,
        "proxy": seen.proxy.value or 0.0,
        "masked": statistics.masked_samples / statistics.samples,
        "mixed_groups": statistics.mixed / statistics.groups,
        "uniform_groups": statistics.zero_gradient / statistics.groups,
    }
