"""macOS: each program under a Seatbelt profile that denies all but a few things.

Not tried here: written for macOS 13 and later, and opened only if every probe attack fails inside
it. Weaker than the Linux tiers: there are no namespaces, the kernel doesn't hold a limit on
memory, and Apple documents neither the profile language nor the command for this use.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.one_process import LAUNCHER, Command, run_once
from rlvr_course.sandbox.packages import locate
from rlvr_course.sandbox.records import Limits, Program, RunResult

TIER = "macos-seatbelt"
_SYSTEM = ("/usr/lib", "/System/Library", "/usr/share/zoneinfo", "/private/var/db/timezone")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


def missing() -> str:
    """Why there is no Seatbelt here; "" if there is one."""
    return "" if shutil.which("sandbox-exec") else "sandbox-exec is not on the PATH: part of macOS"


def profile(readable: Sequence[str], executable: str) -> str:
    """The rules, in Seatbelt's language: deny all, then allow reading and one executable.

    Args:
        readable: absolute paths of folders or files, with links resolved.
        executable: the Python to start.
    """
    return "\n".join(_rules(readable, executable))


def _rules(readable: Sequence[str], executable: str) -> Iterator[str]:
    yield "(version 1)"
    yield "(deny default)"
    yield f"(allow process-exec (literal {json.dumps(executable)}))"
    yield "(allow sysctl-read)"
    yield "(allow file-read-metadata)"
    yield '(allow file-read* (literal "/"))'
    for path in (*_SYSTEM, executable, *readable):
        yield f"(allow file-read* (subpath {json.dumps(path)}))"
    for device in _DEVICES:
        yield f"(allow file-read* (literal {json.dumps(device)}))"
    yield '(allow file-write-data (literal "/dev/null"))'
    yield "(allow signal (target self))"


class Seatbelt:
    """Runs each program under ``sandbox-exec``.

    Args:
        packages: that programs may import besides the standard library.

    Raises:
        ValueError: a package that isn't installed.
        SandboxUnavailable: no Seatbelt, or it can't start.

    Limits: ``memory_bytes`` and ``threads`` are not held.
    """

    tier = TIER

    def __init__(self, *, packages: Sequence[str] = ()) -> None:
        if why := missing():
            raise SandboxUnavailable(why)
        paths = locate(packages)
        executable = str(Path(sys.executable).resolve())
        rules = profile([str(Path(sys.base_prefix).resolve()), *paths], executable)
        folders = ":".join(sorted({str(Path(path).parent) for path in paths}))
        self._command = Command(
            line=("sandbox-exec", "-p", rules, executable, "-P", "-s", "-c", LAUNCHER),
            tier=TIER,
            environment={"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "PYTHONPATH": folders},
            resources=("RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_CORE"),
            signal_base=0,
        )
        began = time.perf_counter()
        result = self.run(Program("pass"))
        self.start_ms = (time.perf_counter() - began) * 1000
        if not result.ok:
            raise SandboxUnavailable(f"Seatbelt can't start: {result.detail or result.stderr}")

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        """Run one program."""
        return run_once(self._command, program, limits or Limits())

    def close(self) -> None:
        """Nothing is left to close."""
