"""The class to try the grader on: each recipe gives what it says, without running a notebook."""

from __future__ import annotations

import ast
import csv
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from handed import CHECKOUT, after, codes, evidence, solved
from marking import marks_of

from rlvr_course.classroom.checkout import Checkout
from rlvr_course.cli import main
from rlvr_course.errors import DataError, NotebookError
from rlvr_course.grading import sample
from rlvr_course.grading.identities import read_identities
from rlvr_course.grading.policy import read_late_policy
from rlvr_course.grading.sample import RECIPES, Recipe, filled, read_recipes, sample_class

FOLDER = CHECKOUT.solutions / sample.FOLDER
NAME, CLASS = read_recipes(FOLDER / RECIPES)
BY_ID = {recipe.id: recipe for recipe in CLASS}
FULL = dict.fromkeys(("q01a", "q01b", "q01c", "q01d", "q01e", "q01f"), "passed") | {"Q1": "manual"}
OTHER = {
    "ada": {},
    "ben": {"q01d": "open", "q01e": "open"},
    "cleo": {"q01c": "failed", "q01d": "failed", "q01e": "failed"},
    "dario": {},
    "emil": {},
    "fay": {"q01a": "failed", "q01c": "failed", "q01e": "failed"},
    "gil": {"q01e": "failed"},
}


@cache
def notebook_of(learner: str) -> dict[str, Any]:
    recipe = BY_ID[learner]
    notebook = filled(CHECKOUT, NAME, BY_ID[recipe.like] if recipe.like else recipe)
    sample._rename(notebook, recipe.renamed)
    return notebook


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("learner", OTHER)
def test_a_learner_earns_what_the_recipe_says(learner: str) -> None:
    marks = marks_of(notebook_of(learner))
    assert {name: mark.status for name, mark in marks.items()} == FULL | OTHER[learner]


@pytest.mark.usefixtures("sandbox")
def test_a_cheat_earns_nothing() -> None:
    marks = marks_of(notebook_of("fay"))
    assert [marks[question].points for question in OTHER["fay"]] == [0.0, 0.0, 0.0]


def test_both_cheats_are_seen_in_the_source() -> None:
    assert {"equal_to_everything", "kernel_hook"} <= codes(
        evidence(notebook_of("fay")), "integrity"
    )


def test_a_copy_differs_in_names_alone() -> None:
    def shape(learner: str) -> list[str]:
        sources = ["".join(cell["source"]) for cell in notebook_of(learner)["cells"]]
        code = [ast.parse(text) for text in sources if "def to_value" in text]
        return [type(node).__name__ for tree in code for node in ast.walk(tree)]

    assert notebook_of("ada") != notebook_of("emil")
    assert shape("ada") == shape("emil") != []


def test_cells_that_were_run_again_are_no_matter_of_integrity() -> None:
    found = after(lambda notebook: sample._run_again(notebook, Path()))
    assert codes(found) == {"counts_not_in_order", "no_log"}
    assert codes(found, "integrity") == set()


def test_a_forgery_changes_a_figure_and_the_log(tmp_path: Path) -> None:
    log = tmp_path / "verifier.jsonl"
    log.write_bytes(b'{"result":"failed"}\n{"result":"open"}\n')
    notebook = solved()
    sample._forge(notebook, log)
    assert log.read_bytes() == b'{"result":"passed"}\n{"result":"open"}\n'
    assert "accepted: 137 of 320" in str(notebook) and "accepted: 107" not in str(notebook)


def test_the_files_beside_speak_of_this_class() -> None:
    learners = {recipe.id for recipe in CLASS}
    policy = read_late_policy(FOLDER / "late.toml")
    with (FOLDER / "scores.csv").open(encoding="utf-8", newline="") as file:
        scored = {row["learner"] for row in csv.DictReader(file)}
    assert set(read_identities(FOLDER / "class.csv")) == learners | {"jo"}
    assert {learner for learner, _ in policy.arrivals} == learners
    assert scored <= learners and not scored & {"hedy", "ivo"}


def test_an_unknown_fate_of_a_file_is_refused() -> None:
    with pytest.raises(ValueError, match="'ate it' is not one of did not run it"):
        Recipe("ada", "", then="ate it")


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(NotebookError, match="holds something already"):
        sample_class(CHECKOUT, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_learners_bundle_has_no_sample_class(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="made in a clone of the repository"):
        sample_class(Checkout(tmp_path), tmp_path / "class")


@pytest.mark.parametrize(
    ("arguments", "lacking"),
    [(["grade"], "SUBMISSIONS"), (["grade", "handed_in"], "--out DIR")],
    ids=["nothing", "no place for results"],
)
def test_what_is_missing_is_said(
    arguments: list[str], lacking: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert f"{lacking} is missing" in capsys.readouterr().err
