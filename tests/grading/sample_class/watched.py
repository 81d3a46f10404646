"""Run a command under watch: processor time of its whole tree, and what it leaves running.

    python watched.py COMMAND...     prints {"status": ..., "cpu_seconds": ..., "left": [...]}

Whatever the command leaves behind becomes a child of this process, which the kernel tells to adopt
orphans, and is named. Linux only.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
DYING_S = 10.0
"""How long what was killed may take to be gone on a busy machine."""


def watched(command: list[str]) -> dict[str, object]:
    """Run it; standard output goes to standard error."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    done = subprocess.run(command, stdout=sys.stderr)
    ends = time.monotonic() + DYING_S
    while _reaped() and time.monotonic() < ends:
        time.sleep(0.05)
    left = _children() if _reaped() else []
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    return {"status": done.returncode, "cpu_seconds": seconds, "left": left}


def _reaped() -> bool:
    """Take in whatever has ended; whether anything is still there."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _children() -> list[str]:
    pids = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    lines = (Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids)
    return [line.replace(b"\0", b" ").decode(errors="replace")[:200] for line in lines]


if __name__ == "__main__":
    print(json.dumps(watched(sys.argv[1:])))
