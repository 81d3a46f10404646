"""Trained against a learned reward model, the score rises and the truth falls."""

from __future__ import annotations

import json

import pytest

from rlvr_course.errors import TrainingUnavailable
from rlvr_course.training.over_optimise import (
    OverOptimised,
    over_optimise,
    recorded_over_optimisation,
)
from rlvr_course.training.requirements import can_train


def holds(run: OverOptimised) -> None:
    """The band: score up by .2 or more, accuracy down, three answers for nearly everything."""
    assert run.ranking > 0.55
    assert run.after.score - run.before.score >= 0.2
    assert run.after.accuracy.value <= run.before.accuracy.value - 0.02
    assert sum(run.favourites.values()) > 0.8
    first, last = run.curve[:5], run.curve[-5:]
    assert sum(r["score"] for r in last) > sum(r["score"] for r in first)
    assert sum(r["accuracy"] for r in last) < sum(r["accuracy"] for r in first)


def test_the_recorded_run_shows_it():
    run = recorded_over_optimisation()
    holds(run)
    assert len(run.curve) == 80
    assert run.about["command"].endswith(f"over_optimise --seed {run.about['seed']}")


def test_a_run_goes_through_json():
    run = recorded_over_optimisation()
    assert OverOptimised.from_dict(json.loads(json.dumps(run.to_dict()))) == run
    assert str(run).startswith("score 0.")


@pytest.mark.skipif(can_train(), reason="the extra train is installed")
def test_without_the_extra_it_says_how_to_get_it():
    with pytest.raises(TrainingUnavailable, match="uv sync --extra train"):
        over_optimise()


@pytest.mark.skipif(not can_train(), reason="needs the extra train")
def test_a_live_run_shows_it():
    steps = []
    holds(over_optimise(seed=1, on_step=lambda step, of: steps.append((step, of))))
    assert steps[-1] == (80, 80)


@pytest.mark.nightly
@pytest.mark.skipif(not can_train(), reason="needs the extra train")
@pytest.mark.parametrize("seed", [0, 2])
def test_other_seeds_show_it_too(seed):
    holds(over_optimise(seed=seed))
