"""Which processes a host has started, and whether they are gone."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from rlvr_course.sandbox.worker import Worker


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def gone(pids: list[int], within_s: float = 10.0) -> bool:
    """Whether all of these processes end, zombies counted as ended."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.01)
    return False


def alive(pid: int) -> bool:
    """Whether a process runs: there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def server_processes(worker: Worker) -> list[int]:
    """The processes of a worker's server."""
    assert worker._server is not None
    pid = worker._server.process.pid
    return [pid, *descendants(pid)]
