"""The record of a run while it goes on: whole rows only, and none beyond its checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.records import Problem, Sample
from rlvr_course.training.recorder import (
    CURVES,
    ROLLOUTS,
    Recorder,
    curve_row,
    kept_steps,
    last_checkpoint,
    whole_rows,
)


def group(n: int) -> list[Sample]:
    return [Sample(Problem("1=", "1"), "1", "1", 1.0, True, index=i) for i in range(n)]


@given(st.integers(1, 1000))
def test_samples_are_kept_of_the_first_and_the_last_step(steps: int) -> None:
    kept = kept_steps(steps)
    assert {1, steps} <= kept <= set(range(1, steps + 1))
    assert len(kept) <= 8


def test_rows_come_under_the_course_s_names(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, steps=4)
    recorder.on_log(1, {"loss": 0.5, "completions/clipped_ratio": 0.25, "epoch": 0.1})
    assert whole_rows(tmp_path / CURVES) == [{"step": 1, "loss": 0.5, "clipped_ratio": 0.25}]


def test_what_a_method_does_not_have_is_left_out() -> None:
    assert curve_row({"rewards/margins": 2}) == {"reward_margin": 2.0}


def test_two_groups_of_a_kept_step_are_written_and_none_of_another(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, steps=60)
    recorder.on_groups(1, [group(8), group(8), group(8)])
    recorder.on_groups(2, [group(8)])
    rows = whole_rows(tmp_path / ROLLOUTS)
    assert [row.pop("step") for row in rows] == [1] * 16
    assert Sample.from_dict(rows[3]) == group(8)[3]


def test_going_on_drops_the_rows_beyond_the_checkpoint(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, steps=8)
    for step in range(1, 6):
        recorder.on_log(step, {"loss": float(step)})
    Recorder(tmp_path, steps=8, resume_at=3)
    assert [row["step"] for row in whole_rows(tmp_path / CURVES)] == [1, 2, 3]


@given(cut=st.integers(0, 60))
def test_a_row_that_was_cut_is_no_row(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("cut") / CURVES
    text = "".join(json.dumps({"step": step}) + "\n" for step in range(4))
    path.write_text(text[:cut])
    assert whole_rows(path) == [{"step": step} for step in range(text[:cut].count("\n"))]


def test_only_a_checkpoint_that_was_marked_whole_counts(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, steps=9)
    for step in (3, 6, 9, 12):
        (tmp_path / f"checkpoint-{step}").mkdir()
    recorder.on_save(3)
    recorder.on_save(9)
    assert last_checkpoint(tmp_path) == (9, tmp_path / "checkpoint-9")
    assert not (tmp_path / "checkpoint-12").exists()


def test_without_a_checkpoint_a_run_begins_at_0(tmp_path: Path) -> None:
    assert last_checkpoint(tmp_path) == (0, None)
