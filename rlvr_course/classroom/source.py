"""One source, two notebooks: the learner's copy with stubs and the filled solution.

A source is a py:percent file. Solution regions become stubs in the learner's copy (``stubs.py``),
and a cell tagged ``solution-only`` is left out of it. Cell metadata (tags, nbgrader's grade id,
points, locked) is carried over into both.
"""

from __future__ import annotations

import copy
import hashlib
from pathlib import Path
from typing import Any

from rlvr_course.classroom.stubs import regions, stub
from rlvr_course.errors import NotebookError

NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
"""All the metadata that a built notebook has: nothing that changes from one machine to another."""


def read_source(path: Path) -> Any:
    """The notebook that a py:percent source describes, filled, with ids that never change.

    Returns:
        An ``nbformat`` notebook. The id of a cell is a hash of the file's name and the cell's
        place, so that building twice gives the same bytes.

    Raises:
        NotebookError: the file can't be read, its markers don't pair up, a grade id occurs
            twice, or the reader of the format (extra ``dev``) is not installed.
    """
    try:
        import jupytext
    except ImportError:
        raise NotebookError(
            "building needs jupytext: run it as uv run --extra dev rlvr-course build"
        ) from None
    try:
        notebook: Any = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    except UnicodeDecodeError as error:
        raise NotebookError(
            f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8"
        ) from None
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata.clear()
    notebook.metadata.update(copy.deepcopy(NOTEBOOK_METADATA))
    for index, cell in enumerate(notebook.cells):
        cell.id = hashlib.sha256(f"{path.stem}:{index}".encode()).hexdigest()[:12]
        _settle_metadata(cell)
        list(regions(cell, path.stem))
    _unique_grade_ids(notebook, path.stem)
    return notebook


def _settle_metadata(cell: Any) -> None:
    """Drop the reader's own notes and complete nbgrader's mapping to its schema."""
    for name in ("lines_to_next_cell", "lines_to_end_of_cell_marker", "cell_marker"):
        cell.metadata.pop(name, None)
    grading = cell.metadata.get("nbgrader")
    if grading is not None:
        grading.setdefault("schema_version", 3)
        for name in ("grade", "locked", "solution", "task"):
            grading.setdefault(name, False)


def _unique_grade_ids(notebook: Any, name: str) -> None:
    seen: set[str] = set()
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in seen:
            raise NotebookError(
                f"{name}: grade_id {grade_id!r} occurs twice; give each cell its own"
            )
        if grade_id is not None:
            seen.add(grade_id)


def learner_copy(notebook: Any, name: str) -> Any:
    """The notebook with stubs for its solutions and without its ``solution-only`` cells.

    Args:
        notebook: from ``read_source``; it is not changed.
        name: for messages.

    Raises:
        NotebookError: a cell with a solution is not Python that parses.
    """
    learner = copy.deepcopy(notebook)
    learner.cells = [c for c in learner.cells if "solution-only" not in c.metadata.get("tags", [])]
    for cell in learner.cells:
        lines = cell.source.split("\n")
        # From the end, so that the regions still to come keep their line numbers.
        for region in reversed(list(regions(cell, name))):
            lines[region.first : region.last + 1] = stub(cell, region, name)
        cell.source = "\n".join(lines)
    return learner


def solution_copy(notebook: Any, name: str) -> Any:
    """The filled notebook; markers stay in code, where they show what was asked, not in text."""
    solution = copy.deepcopy(notebook)
    for cell in solution.cells:
        if cell.cell_type == "markdown":
            marked = {n for region in regions(cell, name) for n in (region.first, region.last)}
            lines = cell.source.split("\n")
            cell.source = "\n".join(line for n, line in enumerate(lines) if n not in marked)
    return solution


def solution_lines(notebook: Any, name: str) -> set[str]:
    """Lines that a learner's copy must not show: of regions and of ``solution-only`` cells.

    Short lines and imports are left out: they give nothing away and are bound to recur.
    """
    found: set[str] = set()
    for cell in notebook.cells:
        lines = [line.strip() for line in cell.source.split("\n")]
        if "solution-only" in cell.metadata.get("tags", []):
            found.update(lines)
        for region in regions(cell, name):
            found.update(lines[region.first + 1 : region.last])
    return {line for line in found if len(line) >= 20 and not line.startswith(("import ", "from "))}


def refuse_leaks(learner: Any, secret_lines: set[str], name: str) -> None:
    """Check that no solution line stands in a learner's copy.

    Limits: it finds a line that is repeated word for word, not one that was reworded.

    Raises:
        NotebookError: one does; the message shows the line and its cell.
    """
    for index, cell in enumerate(learner.cells, start=1):
        for line in cell.source.split("\n"):
            for secret in secret_lines:
                if secret in line:
                    raise NotebookError(
                        f"{name}: cell {index} of the learner's copy shows a solution's line "
                        f"{secret!r}: mark it as solution too, or word one of them differently"
                    )
