"""A small class to try the grader on: constructed submissions, made by running notebooks.

    solutions_private/sample_class/learners.toml ──► fill in ──► run ──► spoil ──► handed_in/ID.zip

Nobody wrote these submissions. Each is the released notebook with some answers filled in, executed
like any other, and then, for a few, changed as hand-ins are changed in life.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from rlvr_course.classroom.checkout import Checkout
from rlvr_course.errors import DataError, NotebookError

FOLDER = "sample_class"
RECIPES = "learners.toml"
HANDED_IN = "handed_in"
UNRUN = "did not run it"
CUT = "lost half of the file"

Cell = dict[str, Any]


@dataclass(frozen=True)
class Recipe:
    """How one submission is made.

    Args:
        id: the learner's.
        about: what is to be seen in it, in a sentence.
        answers: by grade id, what stands there instead of the solution.
        unanswered: grade ids that are left as they were handed out.
        cells: by grade id, a cell of the learner's own before it.
        like: whose file it is a copy of; "" for work of one's own.
        renamed: names that the copy has changed.
        then: what was done to the file afterwards, "" for nothing.
    """

    id: str
    about: str
    answers: Mapping[str, str] = field(default_factory=dict)
    unanswered: Sequence[str] = ()
    cells: Mapping[str, str] = field(default_factory=dict)
    like: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    then: str = ""

    def __post_init__(self) -> None:
        known = ("", UNRUN, CUT, *CHANGES)
        if self.then not in known:
            raise ValueError(
                f"{self.id}: then = {self.then!r} is not one of {', '.join(known[1:])}"
            )


def read_recipes(path: Path) -> tuple[str, list[Recipe]]:
    """The notebook's name and the recipes, in the file's order.

    Raises:
        DataError: it can't be read, or a recipe is not one.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        return values["notebook"], [Recipe(**learner) for learner in values["learner"]]
    except OSError as error:
        raise DataError(
            f"{path} can't be read ({error.strerror}): the sample class is made in a clone of the "
            "repository, where the solutions are"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} is no list of sample learners: {error}") from None


def sample_class(
    checkout: Checkout,
    out: Path,
    *,
    jobs: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> list[Recipe]:
    """Write the sample class.

    Args:
        checkout: a clone, with the solutions.
        out: a folder that is not there yet, or is empty. ``handed_in/`` in it will hold the
            submissions; the files for lateness, names and scores lie beside.
        jobs: notebooks executed at a time, at least 1.
        report: called with the number of submissions made so far and the total.

    Returns:
        The recipes, in order.

    Raises:
        DataError: the recipes can't be read.
        NotebookError: ``out`` holds something, can't be written, or a notebook does not run.
    """
    name, recipes = read_recipes(checkout.solutions / FOLDER / RECIPES)
    _require_empty(out)
    beside = [p for p in (checkout.solutions / FOLDER).iterdir() if p.name != RECIPES]
    own = [recipe for recipe in recipes if not recipe.like]
    with (
        tempfile.TemporaryDirectory(prefix="rlvr-sample-") as scratch,
        ThreadPoolExecutor(jobs) as pool,
    ):
        work = partial(_work, checkout, name, Path(scratch))
        report(0, len(own))
        for done, _ in enumerate(pool.map(work, own), start=1):
            report(done, len(own))
        for recipe in recipes:
            _hand_in(recipe, name, Path(scratch), out / HANDED_IN)
    for file in beside:
        shutil.copy(file, out / file.name)
    return recipes


def _require_empty(out: Path) -> None:
    from rlvr_course.classroom.run import require_writable

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise NotebookError(f"{out} holds something already: name a folder that is not there yet")
    require_writable(out)


def _work(checkout: Checkout, name: str, scratch: Path, recipe: Recipe) -> None:
    """What a learner does: answer, run all cells, save."""
    from rlvr_course.classroom.execution import execute

    file = scratch / recipe.id / f"{name}.ipynb"
    answered = file if recipe.then == UNRUN else file.with_name("answered.ipynb")
    _save(filled(checkout, name, recipe), answered)
    if recipe.then == UNRUN:
        return
    run = execute(answered, file, cwd=file.with_suffix(""))
    if not run.ok:
        raise NotebookError(f"the sample of {recipe.id} did not run: {run.failure}")


def filled(checkout: Checkout, name: str, recipe: Recipe) -> dict[str, Any]:
    """The released notebook with a learner's answers, not run."""
    notebook = _read(checkout.notebooks / f"{name}.ipynb")
    solved = _read(checkout.solutions / f"{name}.ipynb")["cells"]
    answers = {_grade_id(c): c["source"] for c in solved if _grade_id(c)} | dict(recipe.answers)
    cells = []
    for cell in notebook["cells"]:
        grade_id = _grade_id(cell)
        if grade_id in recipe.cells:
            cells.append(_own_cell(recipe.cells[grade_id].strip("\n")))
        if grade_id in answers and grade_id not in recipe.unanswered:
            cell = {**cell, "source": "".join(answers[grade_id]).strip("\n")}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _grade_id(cell: Cell) -> str:
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def _own_cell(source: str) -> Cell:
    parts = {"source": source, "metadata": {}, "outputs": [], "execution_count": None}
    return {"cell_type": "code", "id": "own-cell", **parts}


def _hand_in(recipe: Recipe, name: str, scratch: Path, out: Path) -> None:
    """What becomes of the saved notebook and its log until they lie in the teacher's folder."""
    from rlvr_course.classroom.submit import pack

    folder = scratch / recipe.id
    if recipe.like:
        shutil.copytree(scratch / recipe.like, folder)
    file = folder / f"{name}.ipynb"
    notebook = _read(file)
    _rename(notebook, recipe.renamed)
    artifacts = file.with_suffix("") / "artifacts"
    if recipe.then in CHANGES:
        CHANGES[recipe.then](notebook, next(artifacts.glob("*/verifier.jsonl")))
    _save(notebook, file)
    packed = pack(file, artifacts=[artifacts], out=out / f"{recipe.id}.zip", learner=recipe.id)
    if recipe.then == CUT:
        packed.write_bytes(packed.read_bytes()[: packed.stat().st_size // 2])


def _rename(notebook: dict[str, Any], names: Mapping[str, str]) -> None:
    """Other names in the answers; the outputs stay as they are."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and _grade_id(cell):
            source = "".join(cell["source"])
            for old, new in names.items():
                source = re.sub(rf"\b{old}\b", new, source)
            cell["source"] = source


def _run_again(notebook: dict[str, Any], _log: Path) -> None:
    """An exercise and its check get later counts and times, as when they are run once more."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    last = max(cell["execution_count"] or 0 for cell in code)
    place = next(n for n, cell in enumerate(code) if _grade_id(cell) == "q01b")
    for later, cell in enumerate(code[place : place + 2], start=1):
        cell["execution_count"] = last + later
        for output in cell["outputs"]:
            if output["output_type"] == "execute_result":
                output["execution_count"] = last + later
        stamps = cell["metadata"].get("execution", {})
        for key, stamp in stamps.items():
            stamps[key] = _minutes_later(stamp, 20 + later)


def _minutes_later(stamp: str, minutes: int) -> str:
    moment = datetime.fromisoformat(stamp) + timedelta(minutes=minutes)
    return moment.isoformat().replace("+00:00", "Z")


def _forge(notebook: dict[str, Any], log: Path) -> None:
    """A printed count is raised, and the log's failed checks are said to have passed."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            if "text" in output:
                output["text"] = "".join(output["text"]).replace("accepted: 107", "accepted: 137")
    log.write_bytes(log.read_bytes().replace(b'"result":"failed"', b'"result":"passed"'))


CHANGES: Mapping[str, Callable[[dict[str, Any], Path], None]] = {
    "ran two cells again": _run_again,
    "changed a figure and the log": _forge,
}


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotebookError(
            f"{path} can't be read ({type(error).__name__}): build it anew with rlvr-course build"
        ) from None


def _save(notebook: Mapping[str, Any], path: Path) -> None:
    from rlvr_course.classroom.build import write_whole

    write_whole(path, json.dumps(notebook, indent=1) + "\n")
