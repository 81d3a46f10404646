"""Killed at any moment (SIGKILL) and started again, a run ends as if nothing had happened."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from training_runs import TrainOnce

from rlvr_course.training import Recipe, train
from rlvr_course.training.bands import band_misses
from rlvr_course.training.execute import run_id
from rlvr_course.training.recipes import RECIPES, with_settings

SHORT = with_settings("cipher-rloo", "killed", steps=16, prompts_per_step=4, group_size=4)
DEADLINE_S = 300
CHILD = """
import json, sys
from rlvr_course.training import Recipe, train
train(Recipe.from_dict(json.loads(sys.argv[1])), out=sys.argv[2], seed=int(sys.argv[3]))
"""


def kill_after(rows: int, recipe: Recipe, folder: Path, *, seed: int = 0) -> int:
    """Train in a process and kill it once so many steps are written down; how many there are."""
    curves = folder / run_id(recipe, seed) / "progress" / "curves.jsonl"
    kill_once(lambda: count(curves) >= rows, recipe, folder, seed=seed)
    return count(curves)


def kill_once(so_far: Callable[[], bool], recipe: Recipe, folder: Path, *, seed: int = 0) -> None:
    """Train in a process and kill it as soon as it is so far."""
    import json

    arguments = [json.dumps(recipe.to_dict()), str(folder), str(seed)]
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", CHILD, *arguments])
    deadline = time.monotonic() + DEADLINE_S
    while not so_far() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"


def count(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize(
    "rows", [2, 6, 13], ids="before a checkpoint, between, near the end".split(", ")
)
def test_a_killed_run_goes_on_to_the_same_end(
    train_once: TrainOnce, tmp_path: Path, rows: int
) -> None:
    whole = train_once(SHORT)
    assert kill_after(rows, SHORT, tmp_path) >= rows
    resumed = train(SHORT, out=tmp_path)
    assert resumed.manifest["resumed_at"] == ([] if rows < 4 else [rows // 4 * 4])
    assert resumed.curves == whole.curves
    assert resumed.rollouts == whole.rollouts
    assert resumed.after == whole.after


def test_a_run_killed_after_its_last_step_takes_no_more(
    train_once: TrainOnce, tmp_path: Path
) -> None:
    whole = train_once(SHORT)
    last = tmp_path / run_id(SHORT, 0) / "progress" / "checkpoint-16" / "complete"
    kill_once(last.exists, SHORT, tmp_path)
    resumed = train(SHORT, out=tmp_path)
    assert resumed.manifest["resumed_at"] == [16]
    assert (resumed.curves, resumed.after) == (whole.curves, whole.after)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["cipher-rloo", "cipher-grpo", "clerk-dpo"])
def test_a_run_killed_twice_at_random_ends_within_its_band(
    train_once: TrainOnce, tmp_path: Path, name: str
) -> None:
    rng = random.Random(name)
    for first, last in ((5, 25), (30, 50)):
        kill_after(rng.randint(first, last), RECIPES[name], tmp_path)
    run = train(name, out=tmp_path)
    assert band_misses(run) == []
    assert run.curves == train_once(name).curves
