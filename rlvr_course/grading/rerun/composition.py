"""The notebook that is run anew: what was given as it was handed out, what is the learner's as
handed in.

A changed set-up cell, a patched ``check`` or a kernel of the learner's choice never runs.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rlvr_course.classroom.source import NOTEBOOK_METADATA
from rlvr_course.grading.handin.handed_in import HandedCell, handed_in
from rlvr_course.grading.records import Submission
from rlvr_course.grading.released import Released

MODES = ("fake", "local", "api")


@dataclass(frozen=True)
class PlannedCell:
    """One code cell to run.

    Args:
        place: in the composed notebook, from 1.
        source: what runs.
        submitted: its place in the submission, from 1; None if it isn't there.
        learners: whether the source is the learner's.
        tags: as handed out.
    """

    place: int
    source: str
    submitted: int | None
    learners: bool
    tags: tuple[str, ...] = ()

    @property
    def shown_place(self) -> int:
        """The place to name to people: in what they handed in, or else in the composed one."""
        return self.submitted or self.place


def plan(submission: Submission, released: Released | None) -> list[PlannedCell]:
    """The code cells to run, in order.

    Args:
        submission: with a readable notebook.
        released: what was handed out; None runs the submission as it was handed in.
    """
    assert submission.notebook is not None
    if released is None:
        cells = submission.notebook["cells"]
        handed = [
            HandedCell(place, cell["cell_type"], cell["source"])
            for place, cell in enumerate(cells, start=1)
        ]
    else:
        handed = handed_in(submission.notebook, released)
    planned = [_planned(place, cell) for place, cell in enumerate(handed, start=1)]
    return [cell for cell in planned if cell is not None and cell.source.strip()]


def _planned(place: int, cell: HandedCell) -> PlannedCell | None:
    given = cell.released
    if given is None:
        own = PlannedCell(place, cell.source, cell.place, learners=True)
        return own if cell.cell_type == "code" else None
    if given.cell_type != "code":
        return None
    if "parameters" in given.tags:  # the mode is part of what is fixed here
        return PlannedCell(place, given.source, cell.place, False, given.tags)
    theirs = given.is_learners and cell.place is not None
    source = cell.source if theirs else given.source
    return PlannedCell(place, source, cell.place, theirs, given.tags)


def mode_of(submission: Submission) -> str:
    """The mode that a submission says it was run in: "fake", "local", "api", or "" if it doesn't.

    Its notebook's last assignment to ``MODE`` counts, then the manifest.
    """
    found = ""
    for cell in (submission.notebook or {}).get("cells", ()):
        if cell["cell_type"] == "code" and "MODE" in cell["source"]:
            found = _assigned_mode(cell["source"]) or found
    stated = submission.manifest.get("mode")
    return found or (stated if isinstance(stated, str) and stated in MODES else "")


def _assigned_mode(source: str) -> str:
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for statement in statements:
        match statement:
            case ast.AnnAssign(target=ast.Name("MODE"), value=ast.Constant(str(mode))):
                return mode
            case ast.Assign(targets=[ast.Name("MODE")], value=ast.Constant(str(mode))):
                return mode
    return ""


def composed(
    cells: list[PlannedCell], outputs: Mapping[int, Any], counts: Mapping[int, int]
) -> dict[str, Any]:
    """The executed notebook as plain values; each cell's metadata say where it came from."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": NOTEBOOK_METADATA,
        "cells": [
            {
                "id": f"cell-{cell.place}",
                "cell_type": "code",
                "source": cell.source,
                "execution_count": counts.get(cell.place),
                "outputs": outputs.get(cell.place, []),
                "metadata": {
                    "tags": list(cell.tags),
                    "submitted": cell.submitted,
                    "learners": cell.learners,
                },
            }
            for cell in cells
        ],
    }
