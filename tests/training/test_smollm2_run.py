"""The run of SmolLM2: how lines are scored, what a run says, and the recorded one."""

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.errors import DataError, PolicyUnavailable, TrainingError, TrainingUnavailable
from rlvr_course.policies import smollm2
from rlvr_course.training.smollm2 import (
    LoraSettings,
    describe_smollm2,
    reward_line,
    run_folder,
    score_line,
    train_smollm2,
)
from rlvr_course.training.smollm2_run import (
    LineScores,
    SmolRun,
    load_smollm2_run,
    mean_of,
    read_smollm2_run,
    write_smollm2_run,
)

counts = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("text", "right", "tidy"),
    [
        (" 54", True, True),
        ("54", True, True),
        (" 54\n7 * 8 = 56", True, True),
        (" 54.", True, False),
        (" 54 and 1 +", True, False),
        ("  54", True, False),
        (" 45", False, True),
        (" 541", False, True),
        (" 6 * 9 = 54", False, False),
        (" fifty-four", False, False),
        ("", False, False),
        ("5" * 10_000, False, False),
    ],
)
def test_a_line_is_scored_for_its_number_and_for_its_form(text, right, tidy):
    assert score_line(text, "54") == (right, tidy)


def test_a_line_that_was_cut_is_not_tidy():
    assert score_line(" 54", "54", finish_reason="length") == (True, False)


@given(st.text(max_size=30), st.integers(0, 99))
def test_any_text_is_scored_and_only_right_numbers_are_paid(text, answer):
    right, tidy = score_line(text, str(answer))
    assert reward_line(right, tidy) == (0.0 if not right else 1.0 if tidy else 0.5)
    assert score_line(f" {answer}", str(answer)) == (True, True)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_interval_holds_the_mean_and_lies_within_the_values(values):
    mean = mean_of(values)
    assert min(values) - 1e-9 <= mean.low <= mean.high <= max(values) + 1e-9
    assert mean.low - 0.2 <= mean.value <= mean.high + 0.2
    assert mean.n == len(values)


def test_the_interval_is_that_of_theory_where_theory_is_simple():
    mean = mean_of([0.0, 1.0] * 200)  # standard error .5 / sqrt(400) = .025
    assert mean.value == 0.5
    assert mean.low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.006)
    assert mean.high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.006)


@given(counts, counts)
def test_a_run_survives_its_file(tmp_path_factory, before, after):
    size = min(len(before), len(after))
    parts = [
        LineScores(*map(tuple, zip(*part[:size], strict=True)), n_samples=4)
        for part in (before, after)
    ]
    manifest = {"model": "m", "date": "d", "command": "c", "cpu_s": 1.0, "settings": {"steps": 1}}
    folder = tmp_path_factory.mktemp("run")
    run = write_smollm2_run(folder, SmolRun(manifest, [{"step": 1, "reward": 0.5}], *parts))
    assert read_smollm2_run(folder) == run
    gain = run.gain("right").value
    assert gain == pytest.approx(run.after.correctness.value - run.before.correctness.value)


def test_a_folder_without_a_run_is_none_and_a_torn_one_is_named(tmp_path):
    assert read_smollm2_run(tmp_path) is None
    (tmp_path / "run.json").write_text('{"manifest": {')
    with pytest.raises(DataError, match=r"run\.json can't be read .*train anew"):
        read_smollm2_run(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="can't be written"):
        write_smollm2_run(tmp_path / "file", load_smollm2_run())


@pytest.mark.parametrize(
    ("right", "tidy", "said"),
    [((), (), "0 counts"), ((1,), (1, 2), "1 counts of right, 2"), ((5,), (0,), r"0\.\.4")],
    ids=["none", "unequal", "too many"],
)
def test_scores_that_cannot_be_are_refused(right, tidy, said):
    with pytest.raises(ValueError, match=said):
        LineScores(right, tidy, 4)


@pytest.mark.parametrize(
    "settings",
    [{"steps": 0}, {"group_size": 1}, {"learning_rate": 0.0}, {"rank": 0}, {"test_samples": 0}],
    ids=str,
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        LoraSettings(**settings)


def test_the_recorded_run_says_what_it_is_and_is_of_the_default_settings():
    run = load_smollm2_run()
    assert run.label.startswith("recorded: SmolLM2-135M-Instruct")
    assert run.manifest["command"] == "train_smollm2()"
    assert LoraSettings(**run.manifest["settings"]) == LoraSettings()
    assert len(run.curve("reward")) == run.manifest["settings"]["steps"] == 12


def test_the_recorded_run_measures_correctness_and_format_apart_on_100_questions_or_more():
    run = load_smollm2_run()
    for scores in (run.before, run.after):
        for mean in (scores.correctness, scores.format):
            assert mean.n >= 100
            assert mean.low < mean.value < mean.high
    assert run.before.mixed >= 30


@pytest.mark.nightly
def test_one_step_trains_on_smollm2_and_is_not_trained_twice(tmp_path):
    if smollm2.missing() is not None:
        pytest.skip(f"no SmolLM2 here: {smollm2.missing()}")
    pytest.importorskip("peft", reason="needs the extra train")
    told = []
    settings = LoraSettings(steps=1, test_samples=1, prompts_per_step=1)
    run = train_smollm2(settings, out=tmp_path, on_step=lambda *step: told.append(step))
    assert told == [(1, 1)]
    assert run.curve("right")[0] * 8 in range(9)
    assert (run.folder / "adapter" / "adapter_model.safetensors").is_file()
    assert train_smollm2(settings, out=tmp_path) == run
    assert told == [(1, 1)]


CHILD = """
import sys
from rlvr_course.training.smollm2 import LoraSettings, train_smollm2
train_smollm2(LoraSettings(steps=2, test_samples=1, prompts_per_step=1), out=sys.argv[1])
"""


@pytest.mark.nightly
@pytest.mark.parametrize("step", [1, 2])
def test_a_run_that_is_killed_goes_on_to_the_same_end(tmp_path, step):
    if smollm2.missing() is not None:
        pytest.skip(f"no SmolLM2 here: {smollm2.missing()}")
    pytest.importorskip("peft", reason="needs the extra train")
    settings = LoraSettings(steps=2, test_samples=1, prompts_per_step=1)
    checkpoint = run_folder(settings, tmp_path / "killed") / "progress" / f"checkpoint-{step}"
    child = subprocess.Popen([sys.executable, "-W", "ignore", "-c", CHILD, tmp_path / "killed"])
    while not (checkpoint / "complete").exists() and child.poll() is None:
        time.sleep(0.01)
    child.kill()
    assert child.wait() != 0, "it ended before it could be killed"
    resumed = train_smollm2(settings, out=tmp_path / "killed")
    whole = train_smollm2(settings, out=tmp_path / "whole")
    assert resumed.manifest["resumed_at"] == [step]
    assert (resumed.curves, resumed.before, resumed.after) == (
        whole.curves,
        whole.before,
        whole.after,
    )
    assert not (resumed.folder / "progress").exists()


def test_the_plan_says_what_is_needed_and_writes_nothing(tmp_path):
    told = describe_smollm2(LoraSettings(seed=3), out=tmp_path)
    for text in ("smollm2-lora, seed 3", "12 of 32 lines", "1,288 lines", "extras train and local"):
        assert text in told
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_missing_are_told_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("RLVR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RLVR_SMOLLM2", str(tmp_path / "nowhere"))
    with pytest.raises((PolicyUnavailable, TrainingUnavailable), match=r"nowhere|uv sync"):
        train_smollm2(out=tmp_path / "runs")
    assert "nowhere" in describe_smollm2() or "uv sync" in describe_smollm2()
    assert not (tmp_path / "runs").exists()
