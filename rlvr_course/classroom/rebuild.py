"""Tell whether the notebooks on disk are what their sources give."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rlvr_course.classroom.build import Built, as_text, executed, make
from rlvr_course.classroom.checkout import Checkout
from rlvr_course.classroom.outputs import output_lines
from rlvr_course.errors import NotebookError


def differences(
    checkout: Checkout,
    numbers: Sequence[str] = (),
    *,
    execute: bool = True,
    timeout_s: float = 600.0,
) -> list[str]:
    """Build in memory and compare with the files; nothing is written.

    Args:
        checkout: where the files are.
        numbers: which notebooks; all of them if empty.
        execute: run the solutions again and compare their outputs too.
        timeout_s: wall time for each solution.

    Returns:
        One line for each difference, with the command that mends it; empty if there is none.

    Raises:
        NotebookError: a source is malformed or a solution fails.
    """
    found: list[str] = []
    for one in make(checkout, numbers):
        found += _learner_difference(checkout, one)
        found += _solution_difference(checkout, one, execute, timeout_s)
    return found


def _learner_difference(checkout: Checkout, one: Built) -> list[str]:
    path = checkout.notebooks / f"{one.name}.ipynb"
    return _difference(path, _stored_text(path), one.learner, one.name)


def _solution_difference(
    checkout: Checkout, one: Built, execute: bool, timeout_s: float
) -> list[str]:
    path = checkout.solutions / f"{one.name}.ipynb"
    text = _stored_text(path)
    if text is None:
        return _difference(path, None, "", one.name)
    stored = _parsed(path, text)
    found = _difference(path, _without_outputs(stored), _without_outputs(one.solution), one.name)
    if not execute or found:
        return found
    fresh = executed(one, timeout_s)
    return _difference(path, _outputs(stored), _outputs(fresh), one.name)


def _difference(path: Path, stored: str | None, fresh: str, name: str) -> list[str]:
    """A line that names the first place where two texts differ."""
    mend = f"run rlvr-course build {name[:2]}"
    if stored is None:
        return [f"{path.name} in {path.parent.name}/ is missing: {mend}"]
    if stored == fresh:
        return []
    changes = difflib.unified_diff(stored.splitlines(), fresh.splitlines(), lineterm="", n=0)
    first = [
        line.strip() for line in changes if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    shown = " / ".join(line[:100] for line in first[:2]) or "line ends"
    return [f"{path.name} in {path.parent.name}/ differs from its source: {shown}: {mend}"]


def _stored_text(path: Path) -> str | None:
    try:
        # newline="" keeps the line ends: learner copies are compared byte for byte.
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _parsed(path: Path, text: str) -> Any:
    import nbformat

    try:
        return nbformat.reads(text, as_version=4)
    except Exception as error:  # nbformat raises many kinds for a file that is no notebook
        raise NotebookError(
            f"{path} is not a notebook ({type(error).__name__}): rebuild it"
        ) from None


def _without_outputs(notebook: Any) -> str:
    import nbformat

    bare = nbformat.from_dict(json.loads(nbformat.writes(notebook)))
    for cell in bare.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return as_text(bare)


def _outputs(notebook: Any) -> str:
    """All outputs as text, normalised: one line an output line, images by their kind only."""
    lines: list[str] = []
    for index, cell in enumerate(notebook.cells, start=1):
        for output in cell.get("outputs", []):
            lines += [f"cell {index}: {line}" for line in output_lines(output)]
    return "\n".join(lines)
