"""What the course handed out: the cells of a learner's notebook, and what of them is the learner's.

Everything is read from the released notebook itself, so the grader can't disagree with what
learners were given. Cells of a submission are matched by their ids, which editors keep.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rlvr_course.classroom.checkout import find_checkout, select
from rlvr_course.errors import NotebookError


@dataclass(frozen=True)
class ReleasedCell:
    """One cell as it was handed out.

    Args:
        id: the same in every copy.
        place: in the notebook, from 1.
        cell_type: "code" or "markdown".
        source: the text; of an exercise, the stub.
        grade_id: such as "q01c" or "Q1"; "" where nothing is earned.
        points: what it is worth.
        tags: the notebook's own.
        check: the name in a ``check("q01c", last_box)`` cell; "" in others.
        checked: the expression that is checked there, "last_box".
    """

    id: str
    place: int
    cell_type: str
    source: str
    grade_id: str = ""
    points: float = 0.0
    tags: tuple[str, ...] = ()
    check: str = ""
    checked: str = ""

    @property
    def is_learners(self) -> bool:
        """Whether the learner is asked to change it: an exercise, an answer, the parameters."""
        return bool(self.grade_id) or "parameters" in self.tags


@dataclass(frozen=True)
class Released:
    """One notebook of the course as it was handed out."""

    name: str
    cells: tuple[ReleasedCell, ...]

    @cached_property
    def by_id(self) -> dict[str, ReleasedCell]:
        """The cells by their ids."""
        return {cell.id: cell for cell in self.cells}

    @property
    def graded(self) -> Sequence[ReleasedCell]:
        """The cells that earn points, in order."""
        return [cell for cell in self.cells if cell.grade_id]

    def check_of(self, grade_id: str) -> ReleasedCell | None:
        """The cell that checks an exercise; None for a written answer."""
        return next((cell for cell in self.cells if cell.check == grade_id), None)


def released(name: str, folder: Path | None = None) -> Released:
    """Read one released notebook.

    Args:
        name: ``1``, ``01`` or "01_verifiers".
        folder: of learner notebooks; those of the checkout around the current directory if None.

    Raises:
        NotebookError: there is none of that name, or it can't be read.
    """
    path = select(folder or find_checkout().notebooks, "*.ipynb", [name])[0]
    return Released(path.stem, tuple(_cells(path)))


def released_names(folder: Path | None = None) -> list[str]:
    """The names of the released notebooks, in order.

    Raises:
        NotebookError: there are none.
    """
    found = select(folder or find_checkout().notebooks, "*.ipynb")
    return [path.stem for path in found]


def _cells(path: Path) -> list[ReleasedCell]:
    import nbformat

    try:
        notebook: Any = nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat raises many kinds for a file that is no notebook
        raise NotebookError(
            f"{path} can't be read ({type(error).__name__}): build it anew"
        ) from None
    return [_cell(place, cell) for place, cell in enumerate(notebook.cells, start=1)]


def _cell(place: int, cell: Any) -> ReleasedCell:
    grading = cell.metadata.get("nbgrader", {})
    check, checked = _check_call(cell.source) if cell.cell_type == "code" else ("", "")
    return ReleasedCell(
        id=cell.id,
        place=place,
        cell_type=cell.cell_type,
        source=cell.source,
        grade_id=grading.get("grade_id", "") if grading.get("grade") else "",
        points=float(grading.get("points", 0)),
        tags=tuple(cell.metadata.get("tags", ())),
        check=check,
        checked=checked,
    )


def _check_call(source: str) -> tuple[str, str]:
    """The name and the expression of the cell's ``check("name", expression)``; else two ""."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # an IPython line
        return "", ""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("check"), args=[ast.Constant(str(name)), checked]):
                return name, ast.unparse(checked)
    return "", ""
