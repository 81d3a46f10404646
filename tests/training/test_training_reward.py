"""What TRL is told of a batch, and training by a verifier of one's own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from training_runs import TrainOnce

from rlvr_course.records import Sample, Verdict
from rlvr_course.training import RECIPES, load_task, train
from rlvr_course.training.recipes import with_settings
from rlvr_course.training.reward import TaskReward
from rlvr_course.training.tiny import EOS
from rlvr_course.training.versions import verifier_identity

SHORT = with_settings("cipher-rloo", "short", steps=8, prompts_per_step=4, group_size=4)
PROBLEM = load_task("clerk").train[0]
STATE = SimpleNamespace(global_step=4)


def call(completions: list[str], reward: Any, ended: bool = True) -> tuple[list, dict, list]:
    """Rewards, metrics and groups of one batch of completions of one prompt, in groups of two."""
    metrics: dict[str, float] = {}
    groups: list[tuple[int, list[list[Sample]]]] = []
    task_reward = TaskReward(
        [PROBLEM],
        reward,
        group_size=2,
        policy_id="test",
        on_groups=lambda step, found: groups.append((step, found)),
    )
    ids = [[7, EOS] if ended else [7, 7]] * len(completions)
    prompts = [PROBLEM.question] * len(completions)
    log = metrics.__setitem__
    rewards = task_reward(prompts, completions, ids, trainer_state=STATE, log_metric=log)
    return rewards, metrics, groups


def test_prices_shares_and_groups_of_a_batch() -> None:
    right = PROBLEM.answer
    rewards, metrics, groups = call([right, "?", right, right], RECIPES["clerk-1.0"].reward())
    assert rewards == [1.0, 0.0, 1.0, 1.0]
    assert metrics == {
        "accuracy": 0.75,
        "refusal": 0.25,
        "listing": 0.0,
        "proxy": 0.75,
        "masked": 0.0,
        "mixed_groups": 0.5,
        "uniform_groups": 0.5,
    }
    assert groups[0][0] == 5 and [s.index for g in groups[0][1] for s in g] == [0, 1, 0, 1]


def test_a_leaky_verifier_pays_what_is_not_true() -> None:
    rewards, metrics, _ = call([f"1 {PROBLEM.answer} 99"] * 2, RECIPES["leaky"].reward())
    assert rewards == [1.0, 1.0]
    assert (metrics["proxy"], metrics["accuracy"], metrics["listing"]) == (1.0, 0.0, 1.0)


def test_a_completion_that_was_cut_is_not_right() -> None:
    rewards, metrics, _ = call([PROBLEM.answer] * 2, RECIPES["clerk-0.1"].reward(), ended=False)
    assert rewards == [-0.1, -0.1] and metrics["accuracy"] == 0.0


def test_what_nobody_can_judge_is_masked_and_counted() -> None:
    reward = RECIPES["clerk-0.1"].reward(lambda response, answer: Verdict.ungraded("down"))
    rewards, metrics, _ = call(["1"], reward)
    assert rewards == [None] and metrics["masked"] == 1.0


def pays_a_five(response: str, answer: str, *, finish_reason: str = "stop") -> Verdict:
    """Pays any response with a 5 in it."""
    if "5" in response:
        return Verdict.correct(response, "has_a_five")
    return Verdict.incorrect(response, "no_five")


def test_a_verifier_of_one_s_own_is_what_is_trained_by(
    train_once: TrainOnce, tmp_path: Path
) -> None:
    usual = train_once(SHORT)
    run = train(SHORT, out=tmp_path, verifier=pays_a_five)
    assert run.curve("proxy") != usual.curve("proxy")
    kept = [sample for group in run.samples().values() for sample in group]
    assert all(sample.verified_correct == ("5" in sample.response) for sample in kept)
    assert run.manifest["verifier"] == verifier_identity(pays_a_five)
    assert train(SHORT, out=tmp_path, verifier=pays_a_five) == run


class Judge:
    def __init__(self, verifier_id: str = "") -> None:
        self.verifier_id = verifier_id

    def __call__(self, response: str, answer: str) -> bool:
        return response == answer


def test_a_verifier_is_known_by_its_id_or_its_source() -> None:
    assert verifier_identity(Judge("judge-7")) == "judge-7"
    assert verifier_identity(pays_a_five).startswith("pays_a_five-")
    with pytest.raises(ValueError, match="give it a text verifier_id"):
        verifier_identity(Judge())
