"""One program, one process: start it, feed it, keep what it says within bounds, stop it in time.

The slow way, for the backends that are somebody else's command. The process is a Python that runs
``LAUNCHER``: it reads limits and program from the front of its standard input, lowers its own
resource limits and says ``READY``. A command that fails before that has not run the program, so
its exit code is not the program's: the run is "infra".
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rlvr_course.sandbox.exchange import Capture
from rlvr_course.sandbox.records import Limits, Program, RunResult, StopReason

START_S = 30.0
"""How long a backend may take until the program starts."""

DRAIN_S = 0.5
"""How long to wait for the end of a pipe after the process ended: another may hold it open."""

READY = "ready\n"

HEADER_BYTES = 128

LAUNCHER = """\
import os, sys
size, *limits = map(int, os.read(0, 128).split())
source = b""
while len(source) < size:
    source += os.read(0, size - len(source)) or sys.exit("the program did not arrive whole")
if limits:
    import resource
    for which, value in zip(limits[::2], limits[1::2]):
        resource.setrlimit(which, (value, value + 1))  # for processor time: SIGXCPU, then SIGKILL
sys.argv = ["main.py"]
sys.set_int_max_str_digits(0)
main = sys.modules["__main__"] = type(sys)("__main__")
main.__builtins__ = __builtins__
os.write(1, b"ready\\n")
exec(compile(source.decode("utf-8-sig"), "<program>", "exec"), vars(main))
"""


@dataclass(frozen=True)
class Command:
    """How a backend starts a Python.

    Args:
        line: the whole command line, ``-c`` and ``LAUNCHER`` included where they belong.
        tier: for the results.
        environment: of the command; None is this process's own.
        folder: to start in.
        resources: which of ``Limits`` the launcher sets for itself, as names of ``resource``.
        signal_base: what the command adds to a signal's number when it reports one as an exit
            code, 128 for most; 0 for a command that becomes the program.
        tells_usage: whether the command's own usage includes the program's.
    """

    line: Sequence[str]
    tier: str
    environment: Mapping[str, str] | None = None
    folder: str = "/"
    resources: Sequence[str] = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_CORE")
    signal_base: int = 128
    tells_usage: bool = True


@dataclass
class _Progress:
    """What is known of a run while it goes on."""

    deadline: float
    began: float
    started: bool = False
    stop: StopReason = "exit"
    usage: tuple[float, int] = field(default=(0.0, 0))


def run_once(command: Command, program: Program, limits: Limits) -> RunResult:
    """Run a program in a process of its own, to its end or its limits.

    Returns:
        What became of it; "infra" where the command can't be started or never got to it. A
        signal that the command reports as an exit code stays one where it can't be told apart.
    """
    source = program.source.encode("utf-8", "surrogatepass")
    numbers = [len(source), *_resource_limits(command.resources, limits)]
    header = " ".join(map(str, numbers)).encode().ljust(HEADER_BYTES)
    capture = Capture(limits.output_bytes + len(READY))
    try:
        with tempfile.TemporaryFile() as given:
            given.write(header + source + program.stdin.encode("utf-8", "surrogatepass"))
            given.seek(0)
            process = _start(command, given.fileno(), capture.writers)
        progress = _follow(process, capture, limits.wall_s)
        return _result(command, process.returncode, capture, limits, progress)
    except OSError as error:
        return RunResult("", "", None, "infra", command.tier, detail=str(error))
    finally:
        capture.close()


def _start(command: Command, stdin: int, writers: Sequence[int]) -> subprocess.Popen[bytes]:
    """Start the launcher; our copies of the pipes' writing ends are closed whatever happens."""
    try:
        return subprocess.Popen(
            list(command.line),
            stdin=stdin,
            stdout=writers[0],
            stderr=writers[1],
            env=None if command.environment is None else dict(command.environment),
            cwd=command.folder,
            start_new_session=True,  # so that what it starts is killed with it
        )
    finally:
        for writer in writers:
            os.close(writer)


def _resource_limits(names: Sequence[str], limits: Limits) -> list[int]:
    """Each limit's number and value, one after the other."""
    if not names:
        return []
    import resource

    values = {
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_CPU": limits.cpu_s,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_CORE": 0,
    }
    return [number for name in names for number in (getattr(resource, name), int(values[name]))]


def _follow(process: subprocess.Popen[bytes], capture: Capture, wall_s: float) -> _Progress:
    """Read both pipes until the process ends, stop it where it must be, and reap it."""
    now = time.monotonic()
    progress = _Progress(deadline=now + START_S, began=now)
    try:
        while not _has_ended(process.pid):
            _read_some(capture, min(progress.deadline - time.monotonic(), 0.05), process.pid)
            if not progress.started and capture.texts()[0].startswith(READY):
                progress.started, progress.began = True, time.monotonic()
                progress.deadline = progress.began + wall_s
            if capture.over_limit:
                progress.stop = "output_limit"
            elif time.monotonic() >= progress.deadline:
                progress.stop = "timeout"
            if progress.stop != "exit":
                break
    finally:
        _kill_group(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    progress.usage = (usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
    give_up = time.monotonic() + DRAIN_S
    while capture.open and not capture.over_limit and time.monotonic() < give_up:
        _read_some(capture, give_up - time.monotonic())
    return progress


def _has_ended(pid: int) -> bool:
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT  # it stays a zombie, so its number stays its own
    return os.waitid(os.P_PID, pid, flags) is not None


def _read_some(capture: Capture, patience_s: float, pid: int | None = None) -> None:
    """Wait for output, or where the system can tell for the process's end; read once."""
    watch = select.poll()
    for reader in capture.open:
        watch.register(reader, select.POLLIN)
    with contextlib.ExitStack() as stack:
        if pid is not None and hasattr(os, "pidfd_open"):
            ended = os.pidfd_open(pid)
            stack.callback(os.close, ended)
            watch.register(ended, select.POLLIN)
        for descriptor, _ in watch.poll(max(0.0, patience_s) * 1000):
            if descriptor in capture.open:
                capture.read(descriptor)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _result(
    command: Command, code: int, capture: Capture, limits: Limits, progress: _Progress
) -> RunResult:
    stdout, stderr = capture.texts()
    if not stdout.startswith(READY):
        detail = _first_line(stderr) or f"{command.line[0]} ended with {code}, nothing was run"
        return RunResult("", stderr, None, "infra", command.tier, detail=detail)
    cpu_s, max_rss_bytes = progress.usage if command.tells_usage else (0.0, 0)
    reason = progress.stop
    if reason == "exit":
        reason = (
            "output_limit" if capture.over_limit else _why(command, code, stderr, limits, cpu_s)
        )
    return RunResult(
        stdout=stdout.removeprefix(READY),
        stderr=stderr[: limits.output_bytes],
        exit_code=code,
        reason=reason,
        tier=command.tier,
        wall_s=time.monotonic() - progress.began,
        cpu_s=cpu_s,
        max_rss_bytes=max_rss_bytes,
    )


def _why(command: Command, code: int, said: str, limits: Limits, cpu_s: float) -> StopReason:
    """Why a process that ended by itself did, from its exit code and its last line."""
    number = -code if code < 0 else code - command.signal_base
    if number == signal.SIGXCPU or (number == signal.SIGKILL and cpu_s >= limits.cpu_s):
        return "timeout"
    last = said.rstrip().rpartition("\n")[2]
    return "memory" if code == 1 and last.startswith("MemoryError") else "exit"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
