"""Training data for the methods that sample once and then imitate or compare."""

from __future__ import annotations

from collections.abc import Sequence

from rlvr_course.pairs import PairChoice, iter_preferences
from rlvr_course.policies.protocol import Policy
from rlvr_course.records import Sample
from rlvr_course.rewards import MathRewardFunction
from rlvr_course.rollouts import rollout
from rlvr_course.training.recipes import DPO, SFT, Recipe
from rlvr_course.training.tasks import load_task

Row = dict[str, str]


def offline_rows(recipe: Recipe, policy: Policy, reward: MathRewardFunction) -> list[Row]:
    """Rows for TRL, made of the start's own answers to the training problems.

    Args:
        recipe: of the method ``SFT`` or ``DPO``.
        policy: the start.
        reward: prices and verifier of the run.

    Returns:
        For ``SFT`` rows of prompt and completion, for ``DPO`` of prompt, chosen and rejected.

    Raises:
        ValueError: another method, or no answer that can be used.
    """
    method = recipe.method
    if not isinstance(method, (SFT, DPO)):
        raise ValueError(f"{type(method).__name__} samples as it trains: it needs no rows")
    problems = load_task(recipe.task).train
    groups = rollout(
        problems[: method.prompts] if isinstance(method, DPO) else problems,
        policy,
        reward.verifier,
        reward,
        n_samples=method.group_size,
    )
    rows = accepted_rows(groups) if isinstance(method, SFT) else pair_rows(groups, method)
    if not rows:
        raise ValueError(f"no answer of {policy.policy_id!r} can be used: train it more first")
    return rows


def accepted_rows(groups: Sequence[Sequence[Sample]]) -> list[Row]:
    """Every answer that the verifier accepted."""
    return [
        {"prompt": sample.problem.question, "completion": sample.response}
        for group in groups
        for sample in group
        if sample.verified_correct
    ]


def pair_rows(groups: Sequence[Sequence[Sample]], method: DPO) -> list[Row]:
    """Right against wrong answers of the same prompt, as the course's pairs make them."""
    choice = PairChoice(max_pairs_per_group=method.pairs_per_group)
    return [
        {
            "prompt": pair.prompt[-1]["content"],
            "chosen": pair.chosen[0]["content"],
            "rejected": pair.rejected[0]["content"],
        }
        for pair in iter_preferences(groups, choice=choice)
    ]
