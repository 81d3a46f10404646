"""The kernel jail: a notebook's cells run anew where they can reach nothing, and end for certain.

Each run has namespaces of its own (user, processes, files, network, IPC, host name) on a root of
its own: the system, this Python and this package read-only, an empty /tmp in memory, no home, no
other submission, no key. It can't make namespaces again, and is held to bounds on time, memory,
processes and output. When it ends, whatever it started ends with it, and its files are gone.

Limits: Linux only. A flaw of the kernel itself is out of scope.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.grading.rerun.warden import Bounds
from rlvr_course.sandbox.exchange import sealed_file
from rlvr_course.sandbox.outer_jail import python_for_jail
from rlvr_course.sandbox.tiers import WITHOUT

TIER = "kernel-jail"
_START_S, _GRACE_S = 120.0, 15.0
_CHUNK = 1 << 18
_OPENING = threading.Lock()


@dataclass(frozen=True)
class JailRun:
    """How a run in the jail went.

    Args:
        status: "ended", "timeout", "memory", "processes", "output_limit" or "no_jail".
        detail: more about it, "" if nothing.
        exit: the kernel's exit code, negative for a signal; None if it was stopped.
        left_running: processes that it had started and that were still there at its end.
        memory_bytes: the most that was seen in use.
    """

    status: str
    detail: str = ""
    exit: int | None = None
    left_running: int = 0
    memory_bytes: int = 0


class KernelJail:
    """Makes jails, each forked from one process that has imported what notebooks need.

    Raises:
        SandboxUnavailable: this machine can't make one; the message says what is refused.

    Limits: may be used from several threads.
    """

    def __init__(self) -> None:
        if why := missing():
            raise SandboxUnavailable(why)
        self._lock = threading.Lock()
        self._control, other = socket.socketpair()
        script = f"from rlvr_course.grading.rerun.warm import serve\nserve({other.fileno()})"
        with other, tempfile.TemporaryFile() as complaints:
            self._parent = subprocess.Popen(
                python_for_jail(script),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                pass_fds=[other.fileno()],
                start_new_session=True,
                env=_environment(),
            )
            other.close()
            try:
                self._control.settimeout(_START_S)
                ready = self._control.recv(64)
            except OSError:
                ready = b""
            complaints.seek(0)
            said = complaints.read().decode("utf-8", "replace").strip().splitlines()
        try:
            if not ready:
                why = said[-1] if said else f"it took more than {_START_S:g} s"
                raise SandboxUnavailable(f"the kernel jail's parent process: {why}")
            self._probe()
        except BaseException:
            self.close()
            raise

    def _probe(self) -> None:
        tried = self.run([], {}, Bounds(timeout_s=30), lambda event: None)
        if tried.status != "ended" or tried.exit != 0:
            why = tried.detail or f"{tried.status}, exit code {tried.exit}"
            raise SandboxUnavailable(f"the kernel jail: {why}")

    def run(
        self,
        cells: Sequence[Mapping[str, Any]],
        variables: Mapping[str, str],
        bounds: Bounds,
        take: Callable[[bytes], None],
    ) -> JailRun:
        """Run cells; returns when nothing of the run is left.

        Args:
            cells: each with "place" and "source".
            variables: of its environment, besides what every run has.
            bounds: what it may use.
            take: called with each event's line as it comes.
        """
        order = {"cells": list(cells), "environment": _inner_environment() | dict(variables)}
        leash, its_leash = socket.socketpair()
        reader, writer = os.pipe()
        content = sealed_file(json.dumps(order).encode())
        ends = [content, writer, its_leash.fileno()]
        try:
            with self._lock:
                about = json.dumps(asdict(bounds)).encode()
                socket.send_fds(self._control, [about], ends)
        except OSError as error:
            os.close(reader)
            leash.close()
            return JailRun("no_jail", f"the jail's parent process is gone ({error.strerror})")
        finally:
            os.close(content)
            os.close(writer)
            its_leash.close()
        try:
            with leash:
                return _follow(reader, leash, bounds, take)
        finally:
            os.close(reader)

    def close(self) -> None:
        """End the parent process; runs that are under way end, too."""
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._parent.wait(5)
        self._parent.kill()
        self._parent.wait()


def shared_jail() -> KernelJail:
    """One for this process, opened at first use and closed at exit.

    Raises:
        SandboxUnavailable: this machine can't make jails.
    """
    with _OPENING:
        return _opened()


@cache
def _opened() -> KernelJail:
    jail = KernelJail()
    atexit.register(jail.close)
    return jail


def missing() -> str:
    """Why there can be no jail here, without trying; "" if there may be one."""
    if sys.platform != "linux":
        return "the kernel jail needs Linux with user namespaces"
    if TIER in os.environ.get(WITHOUT, ""):
        return f"the kernel jail: taken away by {WITHOUT} (unset it)"
    return ""


def _environment() -> dict[str, str]:
    """What the parent process is told; its children could read it, so nothing of the teacher's."""
    return _inner_environment() | {"PYTHONHASHSEED": "0"}


def _inner_environment() -> dict[str, str]:
    return {
        "PATH": f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def _follow(
    events: int, leash: socket.socket, bounds: Bounds, take: Callable[[bytes], None]
) -> JailRun:
    """Read events and pass them on, until the warden's report; hold the bound on output."""
    deadline = time.monotonic() + bounds.timeout_s + _GRACE_S
    lines = _Lines(take, bounds.output_bytes)
    poller = select.poll()
    for descriptor in (events, leash.fileno()):
        poller.register(descriptor, select.POLLIN)
    while (left := deadline - time.monotonic()) > 0:
        ready = {descriptor for descriptor, _ in poller.poll(left * 1000)}
        if events in ready:
            if not lines.feed(os.read(events, _CHUNK)):
                poller.unregister(events)
            if lines.over_limit:
                break
        elif leash.fileno() in ready:
            return _report(leash)
    _stop(leash)
    if lines.over_limit:
        return JailRun("output_limit", f"more than {bounds.output_bytes >> 20} MB of output")
    return JailRun("timeout", "its warden said nothing")


class _Lines:
    """Cuts what is read into lines, up to a limit of bytes altogether."""

    def __init__(self, take: Callable[[bytes], None], limit: int) -> None:
        self._take, self._left, self._begun = take, limit, b""

    @property
    def over_limit(self) -> bool:
        return self._left < 0

    def feed(self, chunk: bytes) -> bool:
        """Take a chunk; whether there may be more."""
        self._left -= len(chunk)
        if not self.over_limit:
            *whole, self._begun = (self._begun + chunk).split(b"\n")
            for line in whole:
                self._take(line)
        return bool(chunk)


def _report(leash: socket.socket) -> JailRun:
    leash.settimeout(_GRACE_S)
    said = b""
    with contextlib.suppress(OSError):
        while chunk := leash.recv(4096):
            said += chunk
    try:
        return JailRun(**json.loads(said))
    except ValueError:
        return JailRun("no_jail", "the jail's warden ended without a word")


def _stop(leash: socket.socket) -> None:
    """Tell the warden to end the run, and wait until it has."""
    with contextlib.suppress(OSError):
        leash.shutdown(socket.SHUT_WR)
        leash.settimeout(_GRACE_S)
        while leash.recv(4096):
            pass
