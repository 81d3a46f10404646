"""The run that a notebook's outputs say they are of: what its ``start(...)`` cell printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rlvr_course.grading.seen import SeenCell

_PRINTED = re.compile(r"^mode (fake|local|api) · (.{1,300}) · run (\S{1,100})$", re.MULTILINE)


@dataclass(frozen=True)
class PrintedRun:
    """The line that ``start`` printed last.

    Args:
        run_id, mode, policy_id: as printed.
        place: of the cell that printed it.
        count: that cell's execution count.
    """

    run_id: str
    mode: str
    policy_id: str
    place: int
    count: int | None

    def covers(self, cell: SeenCell) -> bool:
        """Whether the cell was run after the start, so that this run's log is its log."""
        return self.count is None or cell.count is None or cell.count > self.count


def printed_run(cells: Sequence[SeenCell]) -> PrintedRun | None:
    """The run that was started last, by the execution counts; None where no start is shown."""
    found = [
        PrintedRun(run_id, mode, policy, cell.place, cell.count)
        for cell in cells
        if cell.is_code and "start(" in cell.source
        for mode, policy, run_id in _PRINTED.findall(cell.stdout[:100_000])
    ]
    return max(found, key=lambda run: (run.count or 0, run.place), default=None)
