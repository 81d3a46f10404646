"""``train``: lists, plans and recalls without training; failures are one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlvr_course.cli import main
from rlvr_course.training import RECIPES, can_train, recipes
from rlvr_course.training.health import write_vitals
from rlvr_course.training.health.sick import load_sick
from rlvr_course.training.recipes import with_settings


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_list_names_every_recipe_and_what_it_shows(capsys) -> None:
    assert main(["train", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*RECIPES, "smollm2-lora"]
    assert all(RECIPES[line.split()[0]].shows in line for line in lines[:-1])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["smollm2-lora", "--dry-run"], "needs     the extras train and", id="plan"),
        pytest.param(["smollm2-lora", "--recorded"], "recorded: SmolLM2-135M-In", id="recorded"),
        pytest.param(["--health", "smollm2-lora"], "Health of smollm2-lora, seed 0", id="health"),
    ],
)
def test_the_language_model_is_planned_recalled_and_examined(
    capsys, elsewhere: Path, arguments: list[str], said: str
) -> None:
    assert main(["train", *arguments]) == 0
    assert said in capsys.readouterr().out
    assert list(elsewhere.iterdir()) == []


def test_the_language_model_without_its_weights_is_one_line(
    capsys, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLVR_CACHE", str(elsewhere / "cache"))
    monkeypatch.setenv("RLVR_SMOLLM2", str(elsewhere / "nowhere"))
    assert main(["train", "smollm2-lora"]) == 1
    error = capsys.readouterr().err
    assert "nowhere" in error or "uv sync --extra train" in error
    assert error.count("\n") == 1


def test_a_dry_run_tells_and_writes_nothing(capsys, elsewhere: Path) -> None:
    assert main(["train", "cipher-grpo", "--dry-run"]) == 0
    told = capsys.readouterr().out
    for word in ("data", "tokenizer", "steps", "memory", "time", "2000 problems"):
        assert word in told
    assert list(elsewhere.iterdir()) == []


def test_a_recorded_run_is_shown_as_recorded(capsys, elsewhere: Path) -> None:
    assert main(["train", "clerk-1.0", "--recorded"]) == 0
    assert "(recorded: tiny policy" in capsys.readouterr().out
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param([], "rlvr-course train --list names them", id="no recipe"),
        pytest.param(["cypher"], "recipe 'cypher' is not one of cipher-rloo", id="unknown"),
        pytest.param(["cypher", "--dry-run"], "recipe 'cypher' is not", id="unknown, dry"),
        pytest.param(["--warm-start", "chess"], "task 'chess' is not one of", id="task"),
        pytest.param(["--health", "x"], "'x' is neither the folder of a run nor", id="no run"),
    ],
)
def test_a_mistake_is_one_line(capsys, arguments: list[str], said: str) -> None:
    assert main(["train", *arguments]) == 1
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.skipif(not can_train(), reason="training needs the extra train")
def test_a_run_is_trained_once_and_says_where_it_is(
    capsys, monkeypatch: pytest.MonkeyPatch, elsewhere: Path
) -> None:
    short = with_settings("cipher-rloo", "short", steps=4, prompts_per_step=2, group_size=2)
    monkeypatch.setattr(recipes, "RECIPES", {"short": short})
    assert main(["train", "short", "--out", "runs"]) == 0
    first = capsys.readouterr()
    assert main(["train", "short", "--out", "runs"]) == 0
    assert capsys.readouterr().out == first.out
    assert "written to runs/short-s0-" in first.out
    assert "\nHealth of short, seed 0: nothing found\n" in first.out
    assert "Traceback" not in first.err


def test_health_of_a_recorded_run_is_told(capsys, elsewhere: Path) -> None:
    assert main(["train", "--health", "clerk-1.0"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("Health of clerk-1.0, seed 0: 1 found\n! refusal collapse, from step ")
    assert list(elsewhere.iterdir()) == []


def test_health_of_a_file_or_folder_is_told(capsys, elsewhere: Path) -> None:
    write_vitals(load_sick("KL blow-up"), elsewhere / "seen.json")
    assert main(["train", "--health", "seen.json"]) == 0
    assert "! KL blow-up, from step" in capsys.readouterr().out
