"""The run that a notebook's outputs say they are of: what its ``start(...)`` cell printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from rlvr_course.grading.handin.seen import SeenCell

Standing = Literal["before", "after", "unknown"]

_PRINTED = re.compile(r"^mode (fake|local|api) · (.{1,300}) · run (\S{1,100})$", re.MULTILINE)


@dataclass(frozen=True)
class PrintedRun:
    """The line that ``start`` printed last.

    Args:
        run_id, mode, policy_id: as printed.
        place: of the cell that printed it.
        count, begun: that cell's execution count, and when it ran where that is known.
    """

    run_id: str
    mode: str
    policy_id: str
    place: int
    count: int | None
    begun: datetime | None

    def standing(self, cell: SeenCell) -> Standing:
        """Whether the cell was run before the start, in an earlier run, or after it.

        A notebook may hold outputs of two sessions whose counts fit each other, since a new kernel
        counts from 1 again: without times it can't be told.
        """
        if self.begun is not None and cell.begun is not None:
            return "after" if cell.begun >= self.begun else "before"
        if self.count is not None and cell.count is not None and cell.count < self.count:
            return "before"
        return "unknown"


def printed_run(cells: Sequence[SeenCell]) -> PrintedRun | None:
    """The run that was started last, by the execution counts; None where no start is shown."""
    found = [
        PrintedRun(run_id, mode, policy, cell.place, cell.count, cell.begun)
        for cell in cells
        if cell.is_code and "start(" in cell.source
        for mode, policy, run_id in _PRINTED.findall(cell.stdout[:100_000])
    ]
    return max(found, key=lambda run: (run.count or 0, run.place), default=None)
