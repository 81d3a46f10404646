"""A watch sees what TRL leaves out of its log; sick runs are sick when they are trained anew."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from training_runs import TrainOnce, needs_training

from rlvr_course.training.health import Vitals, health
from rlvr_course.training.health.mistakes import CHAT_TEMPLATE, MISTAKES, train_with_mistake
from rlvr_course.training.health.sick import (
    HEALTHY,
    SICK,
    make_control,
    make_sick,
    record_sick,
)
from rlvr_course.training.health.watch import template_use
from rlvr_course.training.tiny import character_tokenizer

pytestmark = needs_training

# What so high a learning rate ruins differs by seed: here answers stop to end before anything else.
OTHERWISE_RUINED = [("entropy collapse", 1), ("entropy collapse", 2)]
QUESTION = [{"role": "user", "content": "1239="}]


@pytest.fixture(scope="module")
def none_in_part() -> Vitals:
    return train_with_mistake("a None in part")


def trainer(prompt: Any, template: str | None) -> Any:
    """What ``template_use`` looks at, with a real tokenizer."""
    tokenizer = character_tokenizer()
    tokenizer.chat_template = template
    return SimpleNamespace(train_dataset=[{"prompt": prompt}], processing_class=tokenizer)


@pytest.mark.parametrize(
    ("prompt", "template", "use"),
    [
        pytest.param("1239=", CHAT_TEMPLATE, "not applied", id="plain"),
        pytest.param(QUESTION, CHAT_TEMPLATE, "applied", id="messages"),
        pytest.param("[1239=]", CHAT_TEMPLATE, "applied", id="rendered already"),
        pytest.param("1239=", None, "none", id="no template"),
        pytest.param("1239=", "{{ messages[0]['content'] }}", "none", id="changes nothing"),
    ],
)
def test_the_use_of_a_template_is_told_from_a_prompt(
    prompt: Any, template: str | None, use: str
) -> None:
    assert template_use(trainer(prompt, template)) == use


def test_a_data_set_that_cannot_be_looked_up_is_unknown() -> None:
    streamed = SimpleNamespace(train_dataset=iter([]), processing_class=None)
    assert template_use(streamed) == "unknown"


def test_a_partial_none_is_counted_beside_a_real_trainer(none_in_part: Vitals) -> None:
    shares = [row["partial_none"] for row in none_in_part.curves]
    assert len(shares) == 12 and all(share * 16 == int(share * 16) for share in shares)
    assert 0.3 <= sum(shares) / 12 <= 0.7  # every other number: of 192 prompts, half
    assert health(none_in_part).names == ["partial None"]


def test_a_watch_knows_sizes_and_the_best_reward_paid(none_in_part: Vitals) -> None:
    assert (none_in_part.samples_per_step, none_in_part.group_size) == (128, 8)
    assert none_in_part.reward_functions == 2
    assert none_in_part.best_paid == pytest.approx(1.2)  # right, and in form


@pytest.mark.parametrize("make", [make_sick, make_control, train_with_mistake])
def test_what_is_not_known_is_refused(make: Any) -> None:
    with pytest.raises(ValueError, match="'measles' is not one of"):
        make("measles")


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("sickness", SICK)
def test_a_sick_run_trained_anew_is_named(sickness: str, seed: int) -> None:
    names = health(make_sick(sickness, seed=seed)).names
    assert names if (sickness, seed) in OTHERWISE_RUINED else names == [sickness]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_same_without_its_mistake_is_left_in_peace(mistake: str, seed: int) -> None:
    assert health(make_control(mistake, seed=seed)).findings == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_runs_of_other_seeds_are_left_in_peace(
    train_once: TrainOnce, name: str, seed: int
) -> None:
    assert health(train_once(name, seed)).findings == []


@pytest.mark.nightly
def test_recorded_sick_runs_can_be_made_again(tmp_path: Any) -> None:
    paths = record_sick(folder=tmp_path)
    assert len(paths) == 7 + len(MISTAKES)
    assert health(tmp_path / "constant-reward.json").names == ["constant reward"]
