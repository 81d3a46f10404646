"""Recorded runs: one of every recipe, said to be recorded, small, and within its bands."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from training_runs import TrainOnce

from rlvr_course.errors import DataError
from rlvr_course.training import RECIPES, load_run, load_task, plan, train_or_recall
from rlvr_course.training.bands import band_misses
from rlvr_course.training.recipes import with_settings
from rlvr_course.training.recorded import FOLDER, record_run, recorded_run
from rlvr_course.training.run import Run

SHORT = with_settings("cipher-rloo", "short", steps=8, prompts_per_step=4, group_size=4)
MOST_BYTES = 60_000


def recorded(name: str) -> Run:
    run = recorded_run(name)
    assert run is not None
    return run


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_has_a_recorded_run_of_just_this_recipe(name: str) -> None:
    run = recorded(name)
    assert run.recipe == RECIPES[name]
    assert [row["step"] for row in run.curves] == list(range(1, run.recipe.method.steps + 1))
    assert (FOLDER / f"{name}.json.gz").stat().st_size <= MOST_BYTES


@pytest.mark.parametrize("name", RECIPES)
def test_a_recorded_run_lands_in_its_bands_and_says_what_it_is(name: str) -> None:
    run = recorded(name)
    assert band_misses(run) == []
    assert run.recorded and run.label.startswith("recorded: tiny policy, 50,400 parameters, 20")
    assert run.label.endswith(f"rlvr-course train {name} --seed {run.seed}")


@pytest.mark.parametrize("name", RECIPES)
def test_recorded_evaluations_are_of_every_test_problem(name: str) -> None:
    run = recorded(name)
    n_problems = len(load_task(run.recipe.task).test)
    for evaluation in (run.before, run.after):
        assert evaluation.accuracy.n >= n_problems
        assert evaluation.accuracy.n % n_problems == 0


def test_without_a_live_run_the_recorded_one_is_given(tmp_path: Path) -> None:
    assert load_run("leaky", out=tmp_path) is recorded_run("leaky")
    assert list(tmp_path.iterdir()) == []


def test_a_recipe_with_other_settings_is_not_passed_off_as_recorded(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no run of 'leaky' with these settings"):
        load_run(replace(RECIPES["leaky"], wrong=-0.5), out=tmp_path)


def test_a_live_run_comes_before_the_recorded_one(train_once: TrainOnce) -> None:
    run = train_once(SHORT)
    assert run.folder is not None and not run.recorded
    assert load_run(SHORT, out=run.folder.parent) == run
    assert train_or_recall(SHORT, out=run.folder.parent) == run


def test_the_recorded_run_is_shown_where_it_is_asked_for(train_once: TrainOnce) -> None:
    run = train_once(SHORT)
    assert run.folder is not None
    assert train_or_recall("leaky", live=False, out=run.folder.parent) is recorded_run("leaky")
    with pytest.raises(DataError, match="no run of 'short' with these settings is recorded"):
        train_or_recall(SHORT, live=False, out=run.folder.parent)


@pytest.mark.parametrize("name", ["clerk-0.1", "clerk-1.0", "clerk-grpo-0.1", "clerk-grpo-1.0"])
@pytest.mark.parametrize("seed", [1, 2])
def test_other_seeds_are_recorded_of_what_is_compared_across_seeds(name: str, seed: int) -> None:
    run = train_or_recall(name, seed=seed, live=False)
    assert (run.name, run.seed) == (name, seed)
    assert band_misses(run) == []


def test_a_seed_that_is_not_recorded_gets_the_run_of_seed_0() -> None:
    assert train_or_recall("leaky", seed=99, live=False) is recorded_run("leaky")


def test_where_nothing_can_be_trained_the_recorded_run_is_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from rlvr_course.training import requirements

    monkeypatch.setattr(requirements, "PACKAGES", ("torch_that_is_not_there",))
    assert train_or_recall("dice-1.0", out=tmp_path).recorded


def test_recording_a_run_keeps_all_but_the_weights(train_once: TrainOnce, tmp_path: Path) -> None:
    run = train_once(SHORT)
    path = record_run(run, folder=tmp_path)
    first = path.read_bytes()
    again = recorded_run("short", folder=tmp_path)
    assert again is not None
    assert (again.manifest, again.curves, again.rollouts) == (
        run.manifest,
        run.curves,
        run.rollouts,
    )
    assert record_run(run, folder=tmp_path).read_bytes() == first
    with pytest.raises(DataError, match="holds no weights"):
        again.policy()


def test_a_damaged_recording_is_named(tmp_path: Path) -> None:
    path = tmp_path / "hurt.json.gz"
    path.write_bytes((FOLDER / "leaky.json.gz").read_bytes()[:500])
    with pytest.raises(DataError, match="reinstall"):
        recorded_run("hurt", folder=tmp_path)


@pytest.mark.parametrize("name", RECIPES)
def test_a_plan_of_a_recorded_recipe_says_how_long_it_takes(name: str, tmp_path: Path) -> None:
    planned = plan(name, out=tmp_path)
    assert planned.cpu_s == recorded(name).manifest["cpu_s"]
    assert f"{planned.steps} of {planned.sequences} x" in str(planned)
    assert list(tmp_path.iterdir()) == []


def test_a_curve_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(ValueError, match="no curve 'kl'; it has accuracy"):
        recorded("cipher-rloo").curve("kl")


def test_recorded_runs_and_plans_load_nothing_heavy() -> None:
    code = """
import sys
from rlvr_course.training import load_run, plan
print(load_run("leaky", out="nowhere"), plan("leaky"))
print([name for name in ("torch", "trl", "transformers", "datasets") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
