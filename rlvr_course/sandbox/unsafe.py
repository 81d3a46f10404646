"""NOT A SANDBOX: a program in a child process with all the rights of this one.

Here to be attacked, so that a learner sees what a timeout doesn't cover. Two things only are held:
it is killed when its time is up, and its output is cut, so that a flood can't grow this process.
Files, keys, network, other processes, memory: everything is open to it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Sequence

from rlvr_course.sandbox.one_process import LAUNCHER, Command, run_once
from rlvr_course.sandbox.records import Limits, Program, RunResult

TIER = "unsafe-subprocess"


class NotASandboxWarning(UserWarning):
    """A program that nobody has read is about to run with all of your rights."""


class UnsafeSubprocess:
    """Runs each program in a plain child process. NOT A SANDBOX.

    Args:
        packages: taken for the likeness with sandboxes; all that is installed can be imported.

    Of ``Limits``, only ``wall_s`` and ``output_bytes`` are held. What the program starts is killed
    with it, unless it takes itself out of the process group.
    """

    tier = TIER
    start_ms = 0.0

    def __init__(self, *, packages: Sequence[str] = ()) -> None:
        warnings.warn(
            "NOT A SANDBOX: programs run with all of your rights, on your files and your keys; "
            "use it on programs that you have read",
            NotASandboxWarning,
            stacklevel=2,
        )
        self.packages = tuple(packages)

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        """Run one program in an empty folder of its own, which is removed afterwards."""
        with tempfile.TemporaryDirectory(prefix="unsafe-", ignore_cleanup_errors=True) as folder:
            command = Command(
                line=(sys.executable, "-c", LAUNCHER),
                tier=TIER,
                environment={**os.environ, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"},
                folder=folder,
                resources=(),
                signal_base=0,
            )
            return run_once(command, program, limits or Limits())

    def close(self) -> None:
        """Nothing is left to close."""
