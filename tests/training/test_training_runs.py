"""Real runs: what each recipe must show on problems that it was not trained on.

One seed of each recipe here, three at night. Bands are those of ``training.bands``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from training_runs import TrainOnce

from rlvr_course.audit import verify_audit
from rlvr_course.records import Problem
from rlvr_course.training import RECIPES, RLOO, Run, load_task, plan, read_run, train
from rlvr_course.training.bands import BANDS, band_misses
from rlvr_course.training.execute import run_id
from rlvr_course.training.recipes import with_settings

SHORT = with_settings("cipher-rloo", "short", steps=8, prompts_per_step=4, group_size=4)


@pytest.mark.parametrize("name", BANDS)
def test_a_run_lands_in_its_bands(train_once: TrainOnce, name: str) -> None:
    assert band_misses(train_once(name)) == []


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", BANDS)
def test_other_seeds_land_there_too(train_once: TrainOnce, name: str, seed: int) -> None:
    assert band_misses(train_once(name, seed)) == []


def test_a_band_tells_a_run_that_misses_it(train_once: TrainOnce) -> None:
    run = train_once(SHORT)
    manifest = {**run.manifest, "recipe": RECIPES["cipher-rloo"].to_dict()}
    misses = band_misses(Run(manifest, run.curves))
    assert len(misses) == 1 and misses[0].startswith("cipher-rloo: accuracy after is 0.")


def test_the_same_seed_gives_the_same_curves_and_samples(
    train_once: TrainOnce, tmp_path: Path
) -> None:
    first, again = train_once(SHORT), train(SHORT, out=tmp_path)
    assert again.folder != first.folder
    assert again.curves == first.curves
    assert again.rollouts == first.rollouts
    assert again.after == first.after


def test_another_seed_gives_other_curves(train_once: TrainOnce) -> None:
    assert train_once(SHORT, 1).curve("reward") != train_once(SHORT).curve("reward")


def test_a_second_call_returns_the_finished_run(train_once: TrainOnce) -> None:
    first = train_once(SHORT)
    steps: list[int] = []
    assert first.folder is not None
    again = train(SHORT, out=first.folder.parent, on_step=lambda step, of: steps.append(step))
    assert again == first and steps == []


def test_the_caller_s_random_generators_are_left_alone(
    train_once: TrainOnce, tmp_path: Path
) -> None:
    import random

    import numpy as np
    import torch

    states = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    threads = torch.get_num_threads()
    train(SHORT, out=tmp_path, seed=7)
    assert random.getstate() == states[0]
    assert np.random.get_state()[1].tolist() == states[1]
    assert torch.get_rng_state().tolist() == states[2]
    assert torch.get_num_threads() == threads


def test_every_step_has_its_row_and_its_shares_are_shares(train_once: TrainOnce) -> None:
    run = train_once(SHORT)
    assert [row["step"] for row in run.curves] == list(range(1, 9))
    for name in ("accuracy", "proxy", "refusal", "listing", "mixed_groups", "uniform_groups"):
        assert all(0.0 <= share <= 1.0 for share in run.curve(name))
    assert min(run.curve("entropy")) > 0.0


def test_the_reward_curve_is_the_prices_times_the_shares(train_once: TrainOnce) -> None:
    for row in train_once(SHORT).curves:
        wrong = 1.0 - row["accuracy"] - row["refusal"]
        assert row["reward"] == pytest.approx(row["accuracy"] - 0.1 * wrong, abs=1e-6)


def test_kept_samples_are_an_audit_log_that_holds(train_once: TrainOnce) -> None:
    run = train_once(SHORT)
    assert run.folder is not None
    assert verify_audit(run.folder / "rollouts.jsonl").ok
    samples = run.samples()
    assert sorted(samples) == list(range(1, 9)) and len(samples[1]) == 8  # two groups of four
    assert all(s.reward in (1.0, 0.0, -0.1) for group in samples.values() for s in group)


def test_training_asks_none_of_the_test_questions(train_once: TrainOnce) -> None:
    asked = {s.problem.question for group in train_once(SHORT).samples().values() for s in group}
    assert asked and asked & {problem.question for problem in load_task("cipher").test} == set()


def test_the_trained_policy_can_be_asked(train_once: TrainOnce) -> None:
    from rlvr_course.policies.protocol import Request

    policy = train_once("cipher-rloo").policy()
    request = Request(Problem("1234=", "2345").messages, n=8)
    [completions] = policy.generate([request])
    assert [c.text for c in completions].count("2345") >= 5  # right .9 of the time
    assert policy.generate([request])[0] == completions


def test_a_run_may_start_from_another_s_result(train_once: TrainOnce) -> None:
    from dataclasses import replace

    further = train_once(replace(SHORT, name="further", start="cipher-rloo"))
    assert further.before == train_once("cipher-rloo").after


def test_training_without_the_extra_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from rlvr_course.errors import TrainingUnavailable
    from rlvr_course.training import requirements

    monkeypatch.setattr(requirements, "PACKAGES", ("torch_that_is_not_there",))
    with pytest.raises(TrainingUnavailable, match="uv sync --extra train"):
        train(SHORT, out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(train_once: TrainOnce, tmp_path: Path) -> None:
    from rlvr_course.errors import TrainingError

    (tmp_path / "file").touch()
    with pytest.raises(TrainingError, match="give another folder"):
        train(SHORT, out=tmp_path / "file")


def test_a_run_that_another_process_trains_is_refused(
    train_once: TrainOnce, tmp_path: Path
) -> None:
    from rlvr_course.errors import TrainingError
    from rlvr_course.training.folder_lock import held

    with (
        held(tmp_path / run_id(SHORT, 0)),
        pytest.raises(TrainingError, match="another process trains"),
    ):
        train(SHORT, out=tmp_path)


def test_training_speaks_to_nobody(train_once: TrainOnce, tmp_path: Path) -> None:
    code = """
import sys
from rlvr_course.training import train
from rlvr_course.training.recipes import with_settings
asked = []
sys.addaudithook(lambda event, details: asked.append(event) if event in (
    "socket.getaddrinfo", "socket.connect", "socket.sendto") else None)
tiny = with_settings("cipher-rloo", "quiet", steps=1, prompts_per_step=2, group_size=2)
train(tiny, out=sys.argv[1])
print(asked)
"""
    command = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_plan_writes_nothing_and_matches_what_is_done(
    train_once: TrainOnce, tmp_path: Path
) -> None:
    planned = plan(SHORT, out=tmp_path)
    assert list(tmp_path.iterdir()) == [] and not planned.finished
    run = train_once(SHORT)
    assert run.folder is not None and run.folder.name == planned.run_id
    assert len(run.curves) == planned.steps
    assert plan(SHORT, out=run.folder.parent).finished


def test_a_folder_without_a_finished_run_is_named(tmp_path: Path) -> None:
    from rlvr_course.errors import DataError

    with pytest.raises(DataError, match="no finished run"):
        read_run(tmp_path)


def test_methods_that_sample_once_train_too(train_once: TrainOnce) -> None:
    run = train_once(with_settings("clerk-dpo", "short-dpo", steps=4))
    assert len(run.curves) == 4 and run.curve("reward_margin")[0] == pytest.approx(0.0, abs=0.05)
    run = train_once(with_settings("cipher-sft", "short-sft", steps=4, group_size=2))
    assert len(run.curves) == 4 and min(run.curve("token_accuracy")) > 0.0


def test_a_short_method_is_what_it_says() -> None:
    assert SHORT.method == RLOO(steps=8, prompts_per_step=4, group_size=4)
