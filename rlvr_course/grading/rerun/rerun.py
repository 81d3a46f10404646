"""What came of running a submission anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Status = Literal[
    "ok",
    "failed",
    "timeout",
    "memory",
    "processes",
    "output_limit",
    "no_jail",
    "other_mode",
    "unreadable",
]
"""failed: a cell raised, or the kernel ended; the cells after it ran all the same in the first
case. timeout to output_limit: the run was stopped at a bound. no_jail, other_mode and unreadable:
nothing ran."""

STOPPED = ("timeout", "memory", "processes", "output_limit")
NOT_RUN = ("no_jail", "other_mode", "unreadable")


@dataclass(frozen=True)
class Reexecution:
    """How running a submission anew went.

    Args:
        status: see ``Status``.
        notebook: the code cells that ran, with their new outputs; each cell's metadata have
            ``submitted`` (its place in the submission, from 1, or None), ``learners`` (whether its
            source is the learner's) and ``tags``. After a stop the cells that were reached have
            outputs. None if nothing ran.
        seconds: wall time.
        cell: the first cell to blame, by its place in the submission; None if there is none.
        reason: one line for people; "" if all is well.
        jail: what held it, "kernel-jail" or "none"; "" if nothing ran.
        left_running: processes that were still there at the end, and were ended.
        memory_bytes: the most that was seen in use.
    """

    status: Status
    notebook: Mapping[str, Any] | None = None
    seconds: float = 0.0
    cell: int | None = None
    reason: str = ""
    jail: str = ""
    left_running: int = 0
    memory_bytes: int = 0

    @property
    def ran(self) -> bool:
        """Whether any cell ran."""
        return self.status not in NOT_RUN

    @property
    def stopped(self) -> bool:
        """Whether the run was ended from outside before its last cell."""
        return self.status in STOPPED
