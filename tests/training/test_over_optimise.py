"""Trained against a learned reward model, the score rises and the truth falls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlvr_course.errors import TrainingError, TrainingUnavailable
from rlvr_course.training.over_optimise import (
    OverOptimised,
    over_optimise,
    over_optimise_or_recall,
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


@pytest.mark.nightly
@pytest.mark.skipif(not can_train(), reason="needs the extra train")
@pytest.mark.parametrize("seed", [0, 2])
def test_other_seeds_show_it_too(seed):
    holds(over_optimise(seed=seed))


def test_fake_mode_gets_the_recorded_run_and_writes_nothing(tmp_path: Path):
    run = over_optimise_or_recall(live=False, out=tmp_path)
    assert run == recorded_over_optimisation()
    assert run.label.startswith("recorded: tiny policy, 20")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not can_train(), reason="needs the extra train")
def test_a_live_run_shows_it_and_is_not_made_twice(tmp_path: Path):
    first = over_optimise_or_recall(out=tmp_path)
    holds(first)
    (kept,) = tmp_path.iterdir()
    made_at = kept.stat().st_mtime_ns
    assert first.label.startswith("live: tiny policy, 20")
    assert over_optimise_or_recall(out=tmp_path) == first
    assert kept.stat().st_mtime_ns == made_at


@pytest.mark.skipif(not can_train(), reason="needs the extra train")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(TrainingError, match=r"can't write the run .*reward-model-s1"):
        over_optimise_or_recall(out=blocked)
