"""CPU-seconds of a run, over all the processes that worked on it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any


class RunClock:
    """Counts on from a checkpoint; what was computed after it and lost is left out.

    Args:
        progress: the run's ``progress`` folder.
        resume_at: the checkpoint's step; 0 begins afresh.
    """

    def __init__(self, progress: Path, resume_at: int) -> None:
        self._path = progress / "clock.json"
        past = json.loads(self._path.read_text()) if resume_at and self._path.exists() else {}
        self._before_s = past.get(str(resume_at), 0.0)
        self.resumed_at: list[int] = [*past.get("resumed_at", []), resume_at] if resume_at else []
        self._times: dict[str, Any] = {**past, "resumed_at": self.resumed_at}
        self._started_s = time.process_time()

    def cpu_s(self) -> float:
        """So far."""
        return self._before_s + time.process_time() - self._started_s

    def on_save(self, step: int) -> None:
        """Note the time at a checkpoint."""
        self._times[str(step)] = self.cpu_s()
        fresh = self._path.with_name(f"{self._path.name}.new")
        fresh.write_text(json.dumps(self._times))
        fresh.replace(self._path)  # a kill must leave the old one or the new one
