"""What learners' sessions leave behind: a notebook with its outputs, and the log of its run.

Each session is executed by the course's own runner, once in a process. What a learner does (writes
an answer, adds a cell, runs cells in another order, goes on writing after the last run) is done to
the cells before, while or after they run, so that outputs, counts and log fit each other as they
do in life.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from handed import log_of
from marking import CHECKOUT, solution_of

from rlvr_course.classroom.execution import execute
from sample_class.endpoint import served

NAME = "01_verifiers"
ANSWER = (
    "A short story. Two experts could not write its reference down beforehand, and the cheapest "
    "text that passes a check of length and spelling is a paragraph of filler."
)
EXERCISES = ("q01a", "q01b", "q01c", "q01d", "q01e", "q01f")

Cell = dict[str, Any]
Change = Callable[[list[Cell]], None]
Order = Callable[[Sequence[Cell]], Sequence[int]]


@dataclass(frozen=True)
class Session:
    """One learner's work on the notebook.

    Args:
        name: of the session; two of one name are one.
        before: writes into the cells, exercises of which are solved, before they run.
        order: the indexes of cells in the order in which they are run, some of them repeatedly.
        after: goes on writing when all has run.
        notebook: of the course.
        mode: "fake", or "api" with an endpoint on this machine.
    """

    name: str
    before: Change = lambda cells: None
    order: Order | None = None
    after: Change = lambda cells: None
    notebook: str = NAME
    mode: str = "fake"


@dataclass(frozen=True)
class HandIn:
    """What is packed: the notebook as saved, the run's log and its head; and how long it ran."""

    notebook: dict[str, Any]
    log: tuple[bytes, ...]
    head: str
    seconds: float

    def changed(self, change: Callable[[dict[str, Any]], object]) -> HandIn:
        """With a change to a copy of the notebook."""
        notebook = deepcopy(self.notebook)
        change(notebook)
        return HandIn(notebook, self.log, self.head, self.seconds)

    def with_log(self, log: Sequence[bytes], head: str) -> HandIn:
        """With another log."""
        return HandIn(self.notebook, tuple(log), head, self.seconds)


def given(name: str = NAME) -> dict[str, Any]:
    """The learner's copy of a notebook, as handed out."""
    return json.loads((CHECKOUT.notebooks / f"{name}.ipynb").read_text(encoding="utf-8"))


def at(cells: Sequence[Cell], key: str) -> int:
    """The index of a cell: by its grade id, or by how its text begins."""
    for index, cell in enumerate(cells):
        grading = cell["metadata"].get("nbgrader", {})
        if grading.get("grade_id") == key or text(cell).startswith(key):
            return index
    raise KeyError(key)


def text(cell: Cell) -> str:
    return "".join(cell["source"])


def code(source: str) -> Cell:
    """A code cell of the learner's own, not run."""
    fresh: Cell = {"cell_type": "code", "id": "", "source": source, "metadata": {}}
    return fresh | {"outputs": [], "execution_count": None}


def solved_cells(name: str) -> list[Cell]:
    """The cells with the course's solutions and a written answer, not run."""
    cells = given(name)["cells"]
    for cell in cells:
        if key := cell["metadata"].get("nbgrader", {}).get("grade_id"):
            cell["source"] = solution_of(name, key) if cell["cell_type"] == "code" else ANSWER
    return cells


def prepare(sessions: Sequence[Session]) -> None:
    """Execute those that have not been, two at a time."""
    with served(), ThreadPoolExecutor(2) as pool:
        list(pool.map(ran, dict.fromkeys(sessions)))


@cache
def ran(session: Session) -> HandIn:
    """The session's notebook and log; one in mode api has to be prepared."""
    cells = solved_cells(session.notebook)
    parameters = cells[at(cells, "MODE")]
    parameters["source"] = text(parameters).replace('"fake"', f'"{session.mode}"', 1)
    session.before(cells)
    everything = [n for n, cell in enumerate(cells) if cell["cell_type"] == "code"]
    order = session.order(cells) if session.order is not None else everything
    notebook = given(session.notebook)
    steps = [{**deepcopy(cells[n]), "id": f"step-{count}"} for count, n in enumerate(order)]
    folder = _scratch() / session.name
    folder.mkdir()
    source = folder / f"{session.notebook}.ipynb"
    source.write_text(json.dumps({**notebook, "cells": steps}), encoding="utf-8")
    output = folder / "executed" / source.name
    output.parent.mkdir()
    done = execute(source, output, cwd=output.with_suffix(""), mode=session.mode)
    assert done.ok, f"{session.name}: {done.failure}"
    executed = json.loads(output.read_text(encoding="utf-8"))["cells"]
    for step, index in zip(executed, order, strict=True):
        cells[index]["outputs"] = step["outputs"]
        cells[index]["execution_count"] = step["execution_count"]
    _name_new(cells, session.name)
    session.after(cells)
    log, head = log_of(done)
    return HandIn({**notebook, "cells": cells}, tuple(log), head, done.seconds)


def _name_new(cells: Sequence[Cell], name: str) -> None:
    for number, cell in enumerate(cells):
        cell["id"] = cell["id"] or f"{name[:20]}-{number}".replace(" ", "-")


@cache
def _scratch() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="rlvr-sample-class-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
