"""Advantages by TRL's own trainers: what the course computes, live and recorded."""

from __future__ import annotations

import pytest

from rlvr_course.errors import DataError
from rlvr_course.estimators import Method, group_advantages
from rlvr_course.training import can_train
from rlvr_course.training.trl_advantages import Trainer, recorded_groups, trl_advantages

OURS: dict[Trainer, Method] = {"rloo": "rloo", "grpo": "grpo", "grpo_unscaled": "dr_grpo"}


def by_us(rewards: list[float], trainer: Trainer) -> list[float | None]:
    return group_advantages(rewards, OURS[trainer])


@pytest.mark.parametrize("trainer", OURS)
def test_recorded_advantages_are_those_of_the_course(trainer: Trainer) -> None:
    for rewards in recorded_groups():
        recorded = trl_advantages(rewards, trainer, live=False)
        assert recorded.values == pytest.approx(by_us(rewards, trainer), abs=1e-5)
        assert recorded.label.startswith("recorded: TRL 1.")


@pytest.mark.skipif(not can_train(), reason="needs the extra train")
@pytest.mark.parametrize("trainer", OURS)
def test_a_step_of_the_real_trainer_gives_those_of_the_course(trainer: Trainer) -> None:
    rewards = [1.0, -0.1, 0.0, -0.1, 0.25]
    live = trl_advantages(rewards, trainer)
    assert live.values == pytest.approx(by_us(rewards, trainer), abs=1e-5)
    assert live.label.startswith("live: TRL ")


def test_rewards_that_are_not_recorded_are_said_so() -> None:
    with pytest.raises(DataError, match=r"advantages of \[0.5, 0.25\] by 'grpo' are not recorded"):
        trl_advantages([0.5, 0.25], live=False)


def test_a_group_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="a group of 1 rewards: give at least 2"):
        trl_advantages([1.0])


def test_an_unknown_trainer_is_refused() -> None:
    with pytest.raises(ValueError, match="'ppo' is not one of rloo, grpo, grpo_unscaled"):
        trl_advantages([1.0, 0.0], "ppo")  # type: ignore[arg-type]
