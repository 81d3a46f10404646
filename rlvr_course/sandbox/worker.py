"""One fork server as the host sees it: a program goes in, what it wrote and how it ended comes out.

The host keeps what matters: expected answers, the comparison, the output caps and the last word
on time. A server that is lost or late is replaced, and its run is "infra": nobody's fault yet.
"""

from __future__ import annotations

import array
import contextlib
import os
import signal
import socket
import struct
import sys
import threading
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal, Self

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox import wire
from rlvr_course.sandbox.exchange import Capture, follow, sealed_file
from rlvr_course.sandbox.packages import locate, refuse_under_tmp
from rlvr_course.sandbox.records import Limits, Program, RunResult, StopReason
from rlvr_course.sandbox.server import ForkServer

LinuxTier = Literal["linux-ns", "linux-landlock"]
TIERS: tuple[LinuxTier, ...] = ("linux-ns", "linux-landlock")

GRACE_S = 5.0
"""How much later than its wall limit a run may end, its set-up included, before the server is taken
for lost."""

_LARGEST = 1 << 62  # what the kernel takes for a limit and the order's fields hold
_SOURCE_SHARE = 4


class Worker:
    """One fork server that runs programs, one at a time.

        with Worker("linux-ns") as worker:
            result = worker.run(Program("print(input())", "hello"))

    Args:
        tier: "linux-ns" (namespaces, Landlock, seccomp) or "linux-landlock" (without namespaces).
        packages: that programs may import besides the standard library, by their import names,
            such as "numpy"; they are imported ahead, once.
        python: the interpreter that runs the programs, 3.11 or later. Packages are those of the
            interpreter that this runs in: with another one leave them out.

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
        self.tier: LinuxTier = tier
        self._python, self._packages = python, tuple(packages)
        self._paths = locate(self._packages)
        if tier == "linux-ns":
            refuse_under_tmp(tier, self._paths)
        self._lock = threading.Lock()
        self._server: ForkServer | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None
        self._closed = False
        self._start_ms = 0.0
        self._info: dict[str, object] = {}
        try:
            self._ensure()
        except TimeoutError:
            raise  # by an alarm of the caller's own: nothing here raises it
        except OSError as error:
            raise SandboxUnavailable(f"{tier}: {error}") from None
        _LIVE.add(self)

    @property
    def start_ms(self) -> float:
        """How long the latest server took to start."""
        return self._start_ms

    @property
    def info(self) -> dict[str, object]:
        """What the latest server says of itself: Landlock's ABI, its Python, its user."""
        return self._info

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
        limits = limits or Limits()
        source, stdin = (
            text.encode("utf-8", "surrogatepass") for text in (program.source, program.stdin)
        )
        if len(source) > limits.memory_bytes // _SOURCE_SHARE:
            return self._too_large(len(source), limits)
        with self._lock:
            if self._closed:
                raise ValueError("this worker is closed: open another")
            try:
                return self._run(self._ensure(), source, stdin, limits)
            except (OSError, ValueError, struct.error) as error:
                self._lose()
                if isinstance(error, TimeoutError):
                    raise  # by an alarm of the caller's own: nothing here raises it
                return RunResult("", "", None, "infra", self.tier, detail=f"server lost: {error}")
            except BaseException:  # an interrupt: the late report must not become the next run's
                self._lose()
                raise

    def _too_large(self, size: int, limits: Limits) -> RunResult:
        """A source that would fill its memory before it begins is the program's own doing."""
        detail = f"{size} bytes of source under a limit of {limits.memory_bytes} bytes of memory"
        return RunResult("", "", None, "memory", self.tier, detail=detail)

    def _ensure(self) -> ForkServer:
        """The server, started anew if there is none."""
        if self._server is None:
            self._server = ForkServer(self.tier, self._python, self._packages, self._paths)
            self._finalizer = weakref.finalize(self, self._server.end)
            self._start_ms, self._info = self._server.start_ms, self._server.info
        return self._server

    def _lose(self) -> None:
        if self._finalizer:
            self._finalizer()
        self._server = self._finalizer = None

    def _run(self, server: ForkServer, source: bytes, stdin: bytes, limits: Limits) -> RunResult:
        capture = Capture(limits.output_bytes)
        try:
            _send(server.channel, (source, stdin), capture.writers, limits)
            report = follow(server.channel, capture, limits.wall_s + GRACE_S)
            return _result(report, capture, limits, self.tier)
        finally:
            capture.close()

    def close(self) -> None:
        """End the server. Closing twice is no error."""
        with self._lock:
            self._closed = True
            self._lose()

    def _after_fork(self) -> None:
        """In a forked copy of the host: let go of the parent's server and of any held lock."""
        self._lock = threading.Lock()
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


def _send(
    channel: socket.socket, files: Sequence[bytes], writers: list[int], limits: Limits
) -> None:
    """Hand over an order with its four descriptors; the writing ends are closed here after."""
    handed: list[int] = []
    try:
        order = wire.Order(
            wall_s=limits.wall_s,
            cpu_s=min(limits.cpu_s, _LARGEST),
            memory_bytes=min(limits.memory_bytes, _LARGEST),
            file_bytes=min(limits.file_bytes, _LARGEST),
            threads=min(limits.threads, _LARGEST),
        )
        for content in files:
            handed.append(sealed_file(content))
        rights = array.array("i", [*handed, *writers])
        channel.sendmsg([order.pack()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    finally:
        for descriptor in (*handed, *writers):
            os.close(descriptor)


def _reason(report: wire.Report, capture: Capture, limits: Limits) -> StopReason:
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


def _result(report: wire.Report, capture: Capture, limits: Limits, tier: str) -> RunResult:
    stdout, stderr = capture.texts()
    reason = _reason(report, capture, limits)
    infra = reason == "infra"
    return RunResult(
        stdout=stdout,
        stderr=stderr,
        exit_code=None if infra else os.waitstatus_to_exitcode(report.status),
        reason=reason,
        tier=tier,
        wall_s=report.wall_s,
        cpu_s=report.cpu_s,
        max_rss_bytes=report.max_rss_bytes,
        detail=f"not started: {report.detail}" if infra else "",
    )


_LIVE: weakref.WeakSet[Worker] = weakref.WeakSet()


def _after_fork() -> None:
    for worker in list(_LIVE):
        with contextlib.suppress(OSError):
            worker._after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, where this still has to import
    os.register_at_fork(after_in_child=_after_fork)
