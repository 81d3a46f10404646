"""Work in a process that can be given up: a deadline is a kill, and so is a crash of its own.

The process says what it has so far, item by item; what it said before it died is kept. Items are
JSON, so that nothing that was handed in is ever unpickled.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

Work = Callable[..., Iterator[Mapping[str, Any]]]
READY, END = b"true", b"null"
ROUNDS, TIDY_S = 50, 10.0
START_S = 300.0
"""Seconds that a child may take to import what it needs on a busy machine."""


@dataclass(frozen=True)
class Told:
    """What the process said of one order; ``failure`` is "" or why it did not come to its end."""

    items: list[Mapping[str, Any]] = field(default_factory=list)
    failure: str = ""


class WorkProcess:
    """A child process that does one order after another, replaced after a deadline or a crash.

    Args:
        work: a picklable callable: gets an order's values as keywords and yields JSON objects
            without a key ``failure``.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._closed = False
        self._is_busy = False
        self._process: Any = None
        self._connection: Connection | None = None

    def run(self, order: Mapping[str, Any], *, limit_s: float) -> Told:
        """Do one order.

        Args:
            order: plain JSON values, the work's keywords.
            limit_s: wall time in seconds, above 0, after which the process is killed.

        Returns:
            What it said until it was done, died or was killed.
        """
        items: list[Mapping[str, Any]] = []
        try:
            connection = self._started()
            self._is_busy = True
            connection.send_bytes(json.dumps(order).encode())
            ends = time.monotonic() + limit_s
            while connection.poll(max(0.0, ends - time.monotonic())):
                message = connection.recv_bytes()
                item = json.loads(message)
                if item is None or "failure" in item:
                    self._is_busy = False
                    return Told(items, item["failure"] if item else "")
                items.append(item)
            failure = f"it took longer than {limit_s:g} s"
        except (EOFError, OSError):
            failure = self._death()
        self._stop()
        self._is_busy = False
        return Told(items, failure)

    def close(self) -> None:
        """End the child and everything that it started; no other is started.

        One that has nothing to do may tidy up first; one that is at work is killed.
        """
        with self._lock:
            self._closed = True
            connection, process = self._connection, self._process
        if connection is not None and not self._is_busy:
            with contextlib.suppress(OSError):
                connection.send_bytes(END)
            process.join(TIDY_S)
        self._stop()

    def _started(self) -> Connection:
        with self._lock:
            if self._closed:
                raise EOFError
            is_new = self._connection is None
            if self._connection is None:
                context = multiprocessing.get_context("spawn")
                self._connection, theirs = context.Pipe()
                self._process = context.Process(target=_serve, args=(theirs, self._work))
                self._process.start()
                theirs.close()
            connection = self._connection
        if is_new:
            if not connection.poll(START_S):
                raise EOFError
            connection.recv_bytes()  # READY
        return connection

    def _death(self) -> str:
        process = self._process
        if process is None:
            return "it was interrupted"
        process.join(5)
        code = process.exitcode
        if code is None:
            return f"its process did not start within {START_S:g} s"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"its process was ended by {signal.Signals(-code).name}"
        return f"its process ended early (exit status {code})"

    def _stop(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            connection, self._connection = self._connection, None
        if process is None:
            return
        end_with_descendants(process.pid)
        process.join()
        process.close()
        if connection is not None:
            connection.close()


def end_with_descendants(pid: int) -> None:
    """Kill a process and whatever it started, in sessions of its own or not."""
    _send(pid, "SIGSTOP")  # so that it starts nothing more, and its children keep it as parent
    for _ in range(ROUNDS):
        children = descendants(pid)
        for child in children:
            _send(child, "SIGKILL")
        if not children:
            break
        time.sleep(0.01)  # the killed ones go when their parent, or the system, has noticed
    _send(pid, "SIGKILL")


def _send(pid: int, name: str) -> None:
    """Send a signal, where the system knows it, to a process that may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):
        os.kill(pid, getattr(signal, name))


def descendants(pid: int) -> list[int]:
    """Every living process that ``pid`` started, directly or not; [] where there is no /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name in parentheses may hold spaces and parentheses itself.
            line = (entry / "stat").read_text(errors="replace")
            state, parent = line.rpartition(")")[2].split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append(int(entry.name))
    found, ahead = [], [pid]
    while ahead:
        below = children.get(ahead.pop(), [])
        found += below
        ahead += below
    return found


def _serve(connection: Connection, work: Work) -> None:
    """The child: wait for an order, tell what the work yields, wait for the next."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _be_the_first_to_go()
    _be_silent()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        connection.send_bytes(READY)
        while (order := json.loads(connection.recv_bytes())) is not None:
            connection.send_bytes(_done(connection, work, order))


def _done(connection: Connection, work: Work, order: Mapping[str, Any]) -> bytes:
    """Do one order; the last message, which says how it ended."""
    try:
        for item in work(**order):
            connection.send_bytes(json.dumps(item).encode())
    except Exception as error:  # the process's outermost boundary: the parent is told
        text = " ".join(str(error).split())[:300]
        return json.dumps({"failure": f"{type(error).__name__}: {text}"}).encode()
    return END


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    wait([parent.sentinel])
    for pid in descendants(os.getpid()):
        _send(pid, "SIGKILL")
    os._exit(1)


def _be_silent() -> None:
    """Keep warnings about learners' code, and whatever a library prints, out of the terminal."""
    if not os.environ.get("RLVR_COURSE_DEBUG"):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(nowhere, stream)


def _be_the_first_to_go() -> None:
    """Where memory runs out, let the system end this process and not the batch (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")
