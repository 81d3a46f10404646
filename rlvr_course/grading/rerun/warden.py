"""One re-execution's jail from the outside: made, watched, ended, with all that ran in it.

Three processes. The *warden* stays outside and watches; the *first* process of the jail's own
process numbers reaps orphans, and with it everything ends; the *kernel*, without any right, runs
the cells. Time, memory and processes are counted from outside, where nothing in the jail reaches.

Limits: memory is that of the processes, of their files in memory (memfd), of /tmp and of /dev/shm.
What the kernel itself holds for them is not counted, nor is a memfd of a process that hides its
descriptors from an ordinary user; the run ends if the whole machine runs short.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import select
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlvr_course.grading.rerun import jailed_shell
from rlvr_course.sandbox import kernel, outer_jail
from rlvr_course.sandbox.outer_filter import refuse_calls

_TICK_S = 0.05
_ENDING_TICKS = 10
_FURNISHING_S = 60.0
_RESIDENT = re.compile(r"^Rss(?:Anon|Shmem):\s+(\d+)", re.M)
_PROPORTIONAL = re.compile(r"^Pss_(?:Anon|Shmem):\s+(\d+)", re.M)
_FLOOR = 0.03
"""The share of the machine's memory that has to stay available."""
_HOME, _WORK = "/tmp/home", "/tmp/work"


@dataclass(frozen=True)
class Bounds:
    """What one re-execution may use.

    Args:
        timeout_s: wall time, above 0.
        memory_bytes: of all its processes and files together.
        processes: at the same time.
        output_bytes: of events; held by whoever reads them, not here.
        room_bytes: of /tmp, home and working directory included, and as much of /dev/shm.
    """

    timeout_s: float = 120.0
    memory_bytes: int = 1 << 30
    processes: int = 48
    output_bytes: int = 32 << 20
    room_bytes: int = 256 << 20

    def resources(self) -> dict[int, int]:
        """As resource limits, each a little above what the warden stops."""
        return {
            resource.RLIMIT_AS: max(4 * self.memory_bytes, 2 << 30),
            resource.RLIMIT_FSIZE: self.room_bytes,
            resource.RLIMIT_NPROC: 4 * self.processes,  # counts threads
            resource.RLIMIT_NOFILE: 256,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_CPU: int(2 * self.timeout_s) + 2,
        }


@dataclass(frozen=True)
class Ends:
    """The descriptors that a run comes with.

    Args:
        order: a file with the cells and the environment's variables.
        events: where the kernel writes what cells show.
        leash: to whoever asked; the run ends when they close it, and the report goes there.
    """

    order: int
    events: int
    leash: int


def guard(ends: Ends, bounds: Bounds, shell: Any) -> None:
    """Make a jail, run the order in it, report. To be called in a process forked for it.

    Args:
        ends: what the run is connected to.
        bounds: what it may use.
        shell: from ``jailed_shell.make_shell``, for the kernel.

    Everything that ran is gone when this returns.
    """
    leash = socket.socket(fileno=ends.leash)
    mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    report: dict[str, Any] = {"status": "no_jail", "detail": "", "left_running": 0}
    first = 0
    try:
        user = os.getuid()
        outer_jail.unshare_spaces()
        first = os.fork()
        if first == 0:
            _first_process(ends, bounds, its, _Kernel(shell, user))
        its.close()
        os.close(ends.events)
        report |= _watch(first, mine, leash, bounds)
    except OSError as error:
        report["detail"] = str(error)
    finally:
        if first:
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, signal.SIGKILL)
            os.waitpid(first, 0)  # returns when nothing is left of its process numbers
        with contextlib.suppress(OSError):
            leash.sendall(json.dumps(report).encode())
            leash.close()


def _watch(
    first: int, inside: socket.socket, leash: socket.socket, bounds: Bounds
) -> dict[str, Any]:
    """Wait for the run's end; stop it at a bound, or when nobody waits for it any more."""
    inside.settimeout(_FURNISHING_S)
    said = inside.recv(4096).decode("utf-8", "replace")
    if said != "furnished":
        return {"detail": said or "the jail's first process ended"}
    deadline = time.monotonic() + bounds.timeout_s
    ended = os.pidfd_open(first)
    poller = select.poll()
    for descriptor in (ended, leash.fileno()):
        poller.register(descriptor, select.POLLIN)
    most = 0
    while True:
        ready = {descriptor for descriptor, _ in poller.poll(_TICK_S * 1000)}
        if ended in ready:
            return _last_words(inside) | {"memory_bytes": most}
        if leash.fileno() in ready:
            return {"status": "stopped"}
        if time.monotonic() > deadline:
            return {"status": "timeout"}
        pids = _pids()
        if len(pids) > bounds.processes:
            return {"status": "processes"}
        most = max(most, used := _memory(pids, bounds.memory_bytes))
        if used > bounds.memory_bytes:
            return {"status": "memory", "memory_bytes": most}
        if _short_of_memory():
            return {"status": "memory", "detail": "the machine ran short of memory"}


def _last_words(inside: socket.socket) -> dict[str, Any]:
    said = inside.recv(4096).decode("utf-8", "replace")
    if not said:
        return {"status": "ended", "detail": "the jail's first process was killed"}
    return {"status": "ended", **json.loads(said)}


def _pids() -> list[str]:
    """The jail's processes but the first: its root, with its /proc, is the warden's as well."""
    return [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]  # noqa: PTH208


def _memory(pids: Sequence[str], limit: int) -> int:
    """Bytes in use: a quick sum, and where that is over the limit one that splits shared pages."""
    files = sum(_held("/tmp", "/dev/shm")) + _files_in_memory(pids)
    quick = files + sum(_sum_of(pid, "status", _RESIDENT) for pid in pids)
    if quick <= limit:
        return quick
    return files + sum(_sum_of(pid, "smaps_rollup", _PROPORTIONAL) for pid in pids)


def _held(*folders: str) -> list[int]:
    found = [os.statvfs(folder) for folder in folders]
    return [(one.f_blocks - one.f_bfree) * one.f_frsize for one in found]


def _files_in_memory(pids: Sequence[str]) -> int:
    """What memfds hold that processes have open, each counted once."""
    sizes: dict[int, int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):  # it has just ended, or is closed to this user
            for entry in os.scandir(f"/proc/{pid}/fd"):
                if os.readlink(entry.path).startswith("/memfd:"):  # noqa: PTH115
                    seen = entry.stat()
                    sizes[seen.st_ino] = seen.st_blocks * 512
    return sum(sizes.values())


def _sum_of(pid: str, file: str, lines: re.Pattern[str]) -> int:
    try:
        text = Path("/proc", pid, file).read_text()
    except OSError:  # it has just ended
        return 0
    return sum(int(size) for size in lines.findall(text)) * 1024


def _short_of_memory() -> bool:
    text = Path("/proc/meminfo").read_text()
    sizes = {line[0]: int(line[1]) for line in re.findall(r"^(Mem\w+):\s+(\d+)", text, re.M)}
    return sizes.get("MemAvailable", 1) < _FLOOR * sizes.get("MemTotal", 0)


def _first_process(ends: Ends, bounds: Bounds, report: socket.socket, made: _Kernel) -> None:
    """Furnish the jail, start the kernel, reap; say how the kernel ended and what was left."""
    status = 1
    try:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # or the jail's processes could send it here
        os.close(ends.leash)
        outer_jail.furnish(bounds.room_bytes, terminals=True)
        if (child := os.fork()) == 0:
            made.run(ends, bounds, report)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        os.close(ends.events)
        os.close(ends.order)
        while (ended := os.wait())[0] != child:
            pass
        left = _left_running()
        words = {"exit": os.waitstatus_to_exitcode(ended[1]), "left_running": len(left)}
        report.sendall(json.dumps(words).encode())
        status = 0
    except OSError as error:
        with contextlib.suppress(OSError):
            report.sendall(str(error).encode())
    finally:
        os._exit(status)


def _left_running() -> list[str]:
    """Processes that go on without their kernel, after a moment for those that are ending."""
    for _ in range(_ENDING_TICKS):
        if not (left := [pid for pid in _pids() if not _is_zombie(pid)]):
            break
        time.sleep(_TICK_S)
    return left


def _is_zombie(pid: str) -> bool:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class _Kernel:
    """What runs the cells, once it has given up every right.

    Args:
        shell: from ``jailed_shell.make_shell``.
        user: who the jail's maker was, 0 for root.
    """

    def __init__(self, shell: Any, user: int) -> None:
        self._shell, self._user = shell, user

    def run(self, ends: Ends, bounds: Bounds, report: socket.socket) -> None:
        """Settle in, say so, run the order; never returns."""
        try:
            os.setsid()
            outer_jail.give_up_rights(self._user, bounds.resources(), count_alone=True)
            refuse_calls()
            order = _read(ends.order)
            _settle(order["environment"])
            report.sendall(b"furnished")
            report.close()
        except BaseException as error:  # whatever it is, the cells must not run
            report.sendall(f"{type(error).__name__}: {error}".encode()[:2000])
            os._exit(1)
        try:
            self._run_cells(order["cells"], ends.events)
            os._exit(0)
        except BaseException:  # a cell may have changed anything
            os._exit(2)

    def _run_cells(self, cells: Sequence[Mapping[str, Any]], events: int) -> None:
        """Keep nothing open but standard input (empty), output and the events; run."""
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(events, 3)
        kernel.close_from(4)
        jailed_shell.run_cells(self._shell, cells, jailed_shell.Events(3))


def _read(descriptor: int) -> dict[str, Any]:
    with open(descriptor, "rb") as file:
        return json.load(file)


def _settle(environment: Mapping[str, str]) -> None:
    """A home, a working directory and an environment that say nothing of the host."""
    for folder in (_HOME, _WORK):
        Path(folder).mkdir()
    os.environ.clear()
    os.environ.update(environment, HOME=_HOME, TMPDIR="/tmp", USER="learner")
    os.environ.update(IPYTHONDIR=f"{_HOME}/.ipython", MPLCONFIGDIR=f"{_HOME}/.matplotlib")
    os.environ.update(RLVR_ARTIFACTS="artifacts")
    os.chdir(_WORK)
