"""Vitals are read from whatever a run is given as; traces average them over a few steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.errors import DataError
from rlvr_course.training.health import Vitals, read_vitals, write_vitals
from rlvr_course.training.health.traces import WINDOW, Level, Trace
from rlvr_course.training.recorded import recorded_run
from rlvr_course.training.run import Run


def leaky() -> Run:
    run = recorded_run("leaky")
    assert run is not None
    return run


def trace(values: list[float]) -> Trace:
    return Trace(range(1, len(values) + 1), values, 10)


def test_a_run_says_what_its_shares_are_over() -> None:
    vitals = read_vitals(leaky())
    assert (vitals.samples_per_step, vitals.group_size) == (256, 16)  # 16 prompts x 16
    assert (vitals.wrong, vitals.refusal, vitals.reward_functions) == (-0.1, 0.0, 1)
    assert vitals.last_step == 80 and vitals.label.startswith("recorded: tiny policy")


def test_vitals_come_back_from_their_file(tmp_path: Path) -> None:
    vitals = read_vitals(leaky())
    assert read_vitals(write_vitals(vitals, tmp_path / "leaky.json")) == vitals


def test_a_log_of_trl_is_read_under_the_course_s_names() -> None:
    log = [
        {"step": 1, "loss": 0.1, "completions/clipped_ratio": 0.5, "epoch": 0.1},
        {"step": 1, "train_runtime": 3.0},
    ]
    assert read_vitals(log).curves == [{"step": 1, "loss": 0.1, "clipped_ratio": 0.5}]


def test_a_run_that_is_going_on_is_read_too(tmp_path: Path) -> None:
    progress = tmp_path / "leaky-s0-12345678" / "progress"
    progress.mkdir(parents=True)
    lines = [json.dumps({"step": step, "reward": 0.1}) + "\n" for step in (1, 2)]
    (progress / "curves.jsonl").write_text("".join(lines) + '{"step": 3, "rew')
    vitals = read_vitals(progress.parent)
    assert vitals.last_step == 2 and vitals.label == "not finished: 2 steps so far"
    assert vitals.group_size == 16


def test_a_going_run_of_an_unknown_recipe_is_read_without_its_sizes(tmp_path: Path) -> None:
    (tmp_path / "progress").mkdir()
    (tmp_path / "progress" / "curves.jsonl").write_text('{"step": 1, "reward": 0.1}\n')
    assert read_vitals(tmp_path).samples_per_step is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": "x"}'], ids=str)
def test_a_file_that_is_no_run_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text(text)
    with pytest.raises(DataError, match=r"odd\.json can't be read as the vitals"):
        read_vitals(tmp_path / "odd.json")


def test_a_folder_without_a_step_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no run with a step"):
        read_vitals(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"curves": []}, "no step to read", id="no curves"),
        pytest.param({"curves": [{"kl": 1.0}]}, "without its step", id="no step"),
        pytest.param({"template": "maybe"}, "'maybe' is not one of applied", id="template"),
        pytest.param({"group_size": 0}, "group_size=0", id="group"),
        pytest.param({"samples_per_step": 0}, "samples_per_step=0", id="samples"),
    ],
)
def test_impossible_vitals_are_refused(change: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Vitals(**{"name": "run", "label": "run", "curves": [{"step": 1}], **change})


def test_a_curve_that_no_step_has_is_none() -> None:
    assert Trace.of(read_vitals(leaky()), "kl") is None


def test_steps_without_a_number_are_left_out() -> None:
    curves = [{"step": 1, "kl": 1.0}, {"step": 2, "kl": float("nan")}, {"step": 3, "kl": 3.0}]
    found = Trace.of(Vitals("run", "run", curves), "kl")
    assert found is not None and (found.steps, found.values) == ([1, 3], [1.0, 3.0])


def test_shares_of_groups_are_over_groups() -> None:
    found = Trace.of(read_vitals(leaky()), "frac_reward_zero_std", per="groups")
    assert found is not None and found.early().n == WINDOW * 16


def test_a_short_run_is_one_window() -> None:
    assert list(trace([1.0, 3.0]).windows()) == [Level(2.0, 1, 2, 20)]


def test_a_stretch_begins_with_the_first_step_that_meets_it_by_itself() -> None:
    found = trace([0.0] * 6 + [1.0] * 4 + [0.0] * 6).stretch(
        lambda level: level.value >= 0.6, own=lambda value: value >= 0.6
    )
    assert found is not None
    assert (found.level, found.step, found.until) == (Level(0.6, 5, 9, 50), 7, 12)


def test_a_level_without_n_has_no_interval() -> None:
    level = Level(0.5, 1, 5)
    assert level.bounds() == (0.5, 0.5) and level.share() == "0.50 (steps 1 to 5)"


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=30))
def test_windows_cover_the_run_and_stay_inside_its_values(values: list[float]) -> None:
    levels = list(trace(values).windows())
    assert levels[0].first == 1 and levels[-1].last == len(values)
    assert len(levels) == max(1, len(values) - WINDOW + 1)
    for level in levels:
        inside = values[level.first - 1 : level.last]
        assert min(inside) - 1e-9 <= level.value <= max(inside) + 1e-9
