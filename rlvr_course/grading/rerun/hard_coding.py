"""Tell figures that were computed from figures that were written down: run on other fixtures.

With each problem's recorded samples drawn anew, figures that come from the data change. The
released notebook shows which do; cells that look for one sample and don't find it are left out. A
cell of the learner's that goes on showing the old ones did not compute them.

Two runs of the released notebook are made once in a process. A submission costs a run only if a
cell of the learner's shows such a figure, or a given cell was changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from rlvr_course.classroom.outputs import shown
from rlvr_course.grading.handin.handed_in import handed_in
from rlvr_course.grading.records import Finding, Submission
from rlvr_course.grading.released import Released
from rlvr_course.grading.rerun.composition import PlannedCell, plan
from rlvr_course.grading.rerun.jail import TIER
from rlvr_course.grading.rerun.reexecution import run_cells
from rlvr_course.grading.rerun.rerun import Reexecution
from rlvr_course.grading.rerun.warden import Bounds
from rlvr_course.problems.fixtures import Fixtures, from_environment

_FIGURE = re.compile(r"(?<![\w.])\d+\.\d{2,}(?![\w.]*\d)|(?<![\w.])\d{3,}(?![\w.]*\d)")
"""Figures that hardly stand somewhere by chance: two decimals, or three digits."""


@dataclass(frozen=True)
class _Moving:
    """Which figures of the released notebook change with the fixtures.

    Args:
        old: by released cell, those that it shows only with the usual fixtures.
        new: all that any cell shows with the others.
    """

    old: Mapping[str, frozenset[str]]
    new: frozenset[str]

    @property
    def gone(self) -> frozenset[str]:
        """Figures that nothing shows any more once the fixtures are others."""
        return frozenset().union(*self.old.values()) - self.new


def find_hard_coding(
    submission: Submission,
    released: Released,
    first: Reexecution,
    *,
    bounds: Bounds | None = None,
) -> list[Finding]:
    """Findings "hard_coded": cells that show figures of the usual fixtures on other ones, too.

    Args:
        submission: what was handed in.
        released: what was handed out.
        first: its rerun with the usual fixtures; without a jail nothing is run again.
        bounds: of each further run.

    Limits: figures below 100 without two decimals are too common to tell. What a function
    returns for texts that it knows by heart is a matter of the checks' hidden cases.
    """
    if first.jail != TIER or first.notebook is None or submission.notebook is None:
        return []
    limits = bounds or Bounds()
    suspects = _suspects(submission, released, first, limits)
    if not suspects:
        return []
    cells = _as_handed_in(submission, released, last=max(suspects))
    second = run_cells(cells, limits, other_seed())
    if second.notebook is None:
        return []
    still = {
        cell["metadata"]["submitted"]: _figures(cell["outputs"])
        for cell in second.notebook["cells"]
    }
    return [
        _finding(place, sorted(kept))
        for place, figures in sorted(suspects.items())
        if (kept := figures & still.get(place, frozenset()))
    ]


def _finding(place: int, figures: list[str]) -> Finding:
    listed = ", ".join(figures[:6])
    message = (
        f"On other recorded samples the cell goes on showing {listed}, "
        "which the notebook's own cells then no longer do: they were written, not computed."
    )
    return Finding("hard_coded", "integrity", message, place, listed)


def _suspects(
    submission: Submission, released: Released, first: Reexecution, bounds: Bounds
) -> dict[int, frozenset[str]]:
    """Places in the submission of cells that show moving figures by the learner's own code."""
    assert submission.notebook is not None and first.notebook is not None
    claims = dict(_changed(submission, released))
    learners = _by_place(c for c in first.notebook["cells"] if c["metadata"]["learners"])
    if not claims and not any(learners.values()):
        return {}
    moving = _moving(released, bounds)
    found = {place: figures & moving.gone for place, figures in learners.items()}
    found |= {place: moving.old.get(name, frozenset()) for place, name in claims.items()}
    return {place: figures for place, figures in found.items() if figures}


def _changed(submission: Submission, released: Released) -> Iterator[tuple[int, str]]:
    """Given code cells whose text the learner changed: place and released id."""
    assert submission.notebook is not None
    for cell in handed_in(submission.notebook, released):
        given = cell.released
        if given is None or cell.place is None or given.is_learners:
            continue
        if given.cell_type == "code" and cell.source.split() != given.source.split():
            yield cell.place, given.id


def _as_handed_in(submission: Submission, released: Released, last: int) -> list[PlannedCell]:
    """The learner's text of every cell up to a place, given ones included; the mode stays fixed."""
    assert submission.notebook is not None
    stored = submission.notebook["cells"]
    cells = plan(submission, released)
    end = max(n for n, cell in enumerate(cells) if cell.submitted == last)
    return [
        cell
        if cell.submitted is None or "parameters" in cell.tags
        else replace(cell, source=stored[cell.submitted - 1]["source"])
        for cell in cells[: end + 1]
    ]


def other_seed() -> str:
    """Fixtures that are not those of this process."""
    usual = from_environment()
    return str(Fixtures(20 + (usual is not None and usual.seed == 20), redrawn=True))


@lru_cache(maxsize=16)
def _moving(released: Released, bounds: Bounds) -> _Moving:
    blank = _blank(released)
    cells = plan(blank, released)
    usual, other = run_cells(cells, bounds), run_cells(cells, bounds, other_seed())
    if usual.notebook is None or other.notebook is None or usual.stopped or other.stopped:
        return _Moving({}, frozenset())
    before, after = (_by_place(run["cells"]) for run in (usual.notebook, other.notebook))
    names = {cell.place: cell.id for cell in released.cells}
    failed = {cell["metadata"]["submitted"] for cell in other.notebook["cells"] if _failed(cell)}
    old = {
        names[place]: figures - after.get(place, figures)
        for place, figures in before.items()
        if place not in failed  # its figures are gone, whether or not they come from the data
    }
    return _Moving(old, frozenset().union(*after.values()))


def _blank(released: Released) -> Submission:
    """The notebook as it was handed out, as a submission."""
    cells: list[dict[str, Any]] = [
        {
            "id": cell.id,
            "cell_type": cell.cell_type,
            "source": cell.source,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        for cell in released.cells
    ]
    return Submission("", Path(), released.name, {"nbformat": 4, "metadata": {}, "cells": cells})


def _by_place(cells: Iterable[Mapping[str, Any]]) -> dict[int, frozenset[str]]:
    """The figures of cells that were handed in, by their places there."""
    places = {cell["metadata"]["submitted"]: cell["outputs"] for cell in cells}
    return {place: _figures(outputs) for place, outputs in places.items() if place}


def _failed(cell: Mapping[str, Any]) -> bool:
    """A cell that reads a sample which these fixtures don't have, or one that needs such a cell."""
    return any(output["output_type"] == "error" for output in cell["outputs"])


def _figures(outputs: Any) -> frozenset[str]:
    return frozenset(figure for line in shown(outputs) for figure in _FIGURE.findall(line))
