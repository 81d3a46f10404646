"""The host's side of one fork server: hand a program in, take what it wrote and how it ended out.

The host keeps what matters: expected answers, the comparison, the output caps and the last word
on time. A server that is lost or late is replaced, and its run is "infra": nobody's fault yet.
"""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import math
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox import wire
from rlvr_course.sandbox.packages import PackageFiles, locate
from rlvr_course.sandbox.records import Limits, Program, RunResult, StopReason

LinuxTier = Literal["linux-ns", "linux-landlock"]
TIERS: tuple[LinuxTier, ...] = ("linux-ns", "linux-landlock")

START_S = 30.0
GRACE_S = 2.0
"""How much later than its wall limit a run may end before the server is taken for lost."""

_BOOTSTRAP = (
    "import sys; folder = sys.argv[2]; sys.path.append(folder); "
    "from rlvr_course.sandbox.zygote import main; main(sys.argv[1], folder)"
)
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "LC_ALL": "C.UTF-8",
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
}
_CHUNK = 1 << 16
_SEAL_ALL = 0x000F
_ADD_SEALS = 1033


def sealed_file(content: bytes) -> int:
    """A file in memory that nobody can change any more, its offset at the start."""
    descriptor = os.memfd_create("program", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, _ADD_SEALS, _SEAL_ALL)
    return descriptor


class _Server:
    """One started fork server: its process, its socket, the facts it told."""

    def __init__(self, tier: str, python: str, names: Sequence[str], files: PackageFiles) -> None:
        began = time.perf_counter()
        self.channel, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        settings = {
            "socket": far_end.fileno(),
            "host_pid": os.getpid(),
            "tier": tier,
            "packages": list(names),
            "package_paths": files.paths,
            "package_folders": files.folders,
        }
        self.owner = os.getpid()
        with far_end:
            self.process = _start(python, json.dumps(settings), far_end.fileno())
        self.info = self._greet()
        self.start_ms = (time.perf_counter() - began) * 1000

    def _greet(self) -> dict[str, object]:
        """Wait for the first packet; a server that doesn't come up is ended."""
        self.channel.settimeout(START_S)
        try:
            packet = self.channel.recv(wire.PACKET_BYTES)
            self.channel.settimeout(None)
            return wire.read_first(packet)
        except OSError:
            self.end()
            raise

    def end(self) -> None:
        """Kill it, with all that it started; in a forked copy of the host only let go of it."""
        self.channel.close()
        if self.owner == os.getpid() and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def _start(python: str, settings: str, descriptor: int) -> subprocess.Popen[bytes]:
    import rlvr_course

    own_folder = str(Path(rlvr_course.__file__).resolve().parent.parent)
    return subprocess.Popen(
        [python, "-P", "-s", "-S", "-X", "utf8", "-c", _BOOTSTRAP, settings, own_folder],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[descriptor],
        env=_ENVIRONMENT,
        cwd="/",
        start_new_session=True,
    )


class _Capture:
    """The two output pipes of one run, read as they fill, kept up to a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[int, bytearray] = {}
        self._order: list[int] = []
        self.writers: list[int] = []
        self.over_limit = False
        for _ in range(2):
            reader, writer = os.pipe()
            self._kept[reader] = bytearray()
            self._order.append(reader)
            self.writers.append(writer)
        self.open = set(self._order)

    def read(self, descriptor: int) -> None:
        """Take what is there; note the end, or that it was too much."""
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            self.open.discard(descriptor)
            return
        kept = self._kept[descriptor]
        room = self._limit - len(kept)
        kept += chunk[:room]
        self.over_limit = self.over_limit or len(chunk) > room

    def texts(self) -> list[str]:
        """Stdout and stderr."""
        return [self._kept[reader].decode("utf-8", "replace") for reader in self._order]

    def close(self) -> None:
        for reader in self._order:
            os.close(reader)


class Worker:
    """One fork server that runs programs, one at a time.

        with Worker("linux-ns") as worker:
            result = worker.run(Program("print(input())", "hello"), Limits())

    Args:
        tier: "linux-ns" (namespaces, Landlock, seccomp) or "linux-landlock" (without namespaces).
        packages: that programs may import besides the standard library, by their import names;
            they are imported ahead.
        python: the interpreter that runs the programs, 3.11 or later.

    Raises:
        ValueError: an unknown tier, or a package that isn't installed.
        SandboxUnavailable: this machine can't hold the tier; the message says why.

    Safe to share between threads, which wait for each other, and across ``fork``, after which
    the child starts a server of its own.
    """

    def __init__(
        self,
        tier: LinuxTier,
        *,
        packages: Sequence[str] = (),
        python: str = sys.executable,
    ) -> None:
        if tier not in TIERS:
            raise ValueError(f"tier={tier!r}: a worker holds {' or '.join(TIERS)}")
        self.tier = tier
        self._python, self._packages = python, tuple(packages)
        self._files = locate(self._packages)
        self._lock = threading.Lock()
        self._server: _Server | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None
        self._closed = False
        _LIVE.add(self)
        try:
            self._ensure()
        except OSError as error:
            raise SandboxUnavailable(f"{tier}: {error}") from None

    @property
    def start_ms(self) -> float:
        """How long the latest server took to start."""
        return self._server.start_ms if self._server else 0.0

    @property
    def info(self) -> dict[str, object]:
        """What the latest server says of itself: Landlock's ABI, its Python, its user."""
        return self._server.info if self._server else {}

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        """Run one program to its end or its limits.

        Args:
            program: what to run and what it reads.
            limits: the defaults of ``Limits`` if None.

        Returns:
            What became of it; reason "infra" where the sandbox failed, never an exception.

        Raises:
            ValueError: the worker is closed.
        """
        with self._lock:
            if self._closed:
                raise ValueError("this worker is closed: open another")
            try:
                server = self._ensure()
                return self._run(server, program, limits or Limits())
            except (OSError, ValueError) as error:
                self._lose()
                return RunResult("", "", None, "infra", self.tier, detail=f"server lost: {error}")

    def _ensure(self) -> _Server:
        """The server, started anew if there is none."""
        if self._server is None:
            self._server = _Server(self.tier, self._python, self._packages, self._files)
            self._finalizer = weakref.finalize(self, self._server.end)
        return self._server

    def _lose(self) -> None:
        if self._finalizer:
            self._finalizer()
        self._server = self._finalizer = None

    def _run(self, server: _Server, program: Program, limits: Limits) -> RunResult:
        capture = _Capture(limits.output_bytes)
        try:
            self._send(server, program, limits, capture)
            report = _follow(server.channel, capture, limits.wall_s + GRACE_S)
            return _result(report, capture, limits, self.tier)
        finally:
            capture.close()

    def _send(self, server: _Server, program: Program, limits: Limits, capture: _Capture) -> None:
        order = wire.Order(
            limits.wall_s,
            math.ceil(limits.cpu_s),
            limits.memory_bytes,
            limits.file_bytes,
            limits.threads,
        )
        handed: list[int] = list(capture.writers)
        try:
            for text in (program.stdin, program.source):
                handed.insert(0, sealed_file(text.encode("utf-8", "surrogatepass")))
            rights = array.array("i", handed)
            server.channel.sendmsg([order.pack()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        finally:
            for descriptor in handed:
                os.close(descriptor)

    def close(self) -> None:
        """End the server. Closing twice is no error."""
        with self._lock:
            self._closed = True
            self._lose()

    def _after_fork(self) -> None:
        """In a forked copy of the host: let go of the parent's server and of any held lock."""
        self._lock = threading.Lock()
        if self._server is not None:
            self._lose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _follow(channel: socket.socket, capture: _Capture, patience_s: float) -> wire.Report:
    """Read both pipes until the server has reported and both are at their end.

    Raises:
        OSError: the server is gone, or said nothing in time.
    """
    deadline = time.monotonic() + patience_s
    report: wire.Report | None = None
    told = False
    poller = select.poll()
    for descriptor in (*capture.open, channel.fileno()):
        poller.register(descriptor, select.POLLIN)
    while report is None or capture.open:
        events = poller.poll(min(max(0.0, deadline - time.monotonic()), 1e6) * 1000)
        if not events:
            raise TimeoutError(f"no report after {patience_s:g} s")
        for descriptor, _ in events:
            if descriptor == channel.fileno():
                packet = channel.recv(wire.PACKET_BYTES)
                if not packet:
                    raise ConnectionError("the fork server ended")
                report = wire.Report.unpack(packet)
                poller.unregister(descriptor)
                continue
            capture.read(descriptor)
            if descriptor not in capture.open:
                poller.unregister(descriptor)
        if capture.over_limit and not told and report is None:
            channel.send(wire.KILL)
            told = True
    return report


def _reason(report: wire.Report, capture: _Capture, limits: Limits) -> StopReason:
    """Why the run ended, from what the server saw and what the host read."""
    signalled = os.WTERMSIG(report.status) if os.WIFSIGNALED(report.status) else 0
    killed = signalled == signal.SIGKILL
    if report.stop is wire.Stop.NOT_STARTED:
        return "infra"
    if capture.over_limit:
        return "output_limit"
    if report.stop is wire.Stop.TIMEOUT or signalled == signal.SIGXCPU:
        return "timeout"
    if killed and report.cpu_s >= limits.cpu_s:
        return "timeout"
    if report.memory_error or (killed and report.max_rss_bytes > limits.memory_bytes // 2):
        return "memory"
    return "exit"


def _result(report: wire.Report, capture: _Capture, limits: Limits, tier: LinuxTier) -> RunResult:
    stdout, stderr = capture.texts()
    reason = _reason(report, capture, limits)
    infra = reason == "infra"
    return RunResult(
        stdout="" if infra else stdout,
        stderr=stderr,
        exit_code=None if infra else os.waitstatus_to_exitcode(report.status),
        reason=reason,
        tier=tier,
        wall_s=report.wall_s,
        cpu_s=report.cpu_s,
        max_rss_bytes=report.max_rss_bytes,
        detail="a restriction could not be applied, so nothing was run" if infra else "",
    )


_LIVE: weakref.WeakSet[Worker] = weakref.WeakSet()


def _after_fork() -> None:
    for worker in list(_LIVE):
        with contextlib.suppress(OSError):
            worker._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
