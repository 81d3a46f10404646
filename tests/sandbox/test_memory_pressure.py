"""When the machine runs out of memory, it is a program that goes, not the process that runs it."""

from __future__ import annotations

from pathlib import Path

from rlvr_course.sandbox.worker import Worker


def test_the_kernel_takes_a_program_before_its_host(worker: Worker) -> None:
    assert worker._server is not None
    score = Path(f"/proc/{worker._server.process.pid}/oom_score_adj").read_text()
    assert int(score) == 1000 > int(Path("/proc/self/oom_score_adj").read_text())
