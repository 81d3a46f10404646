"""Symbolic equality in a worker process with a real deadline.

Only references outside the grammar (sums, integrals, limits) come here. SymPy runs in a child
started with ``-m`` over pipes, so a deadline is a kill: it works from threads, Jupyter and
asyncio and on any platform, and touches neither signals nor the caller's process.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from typing import Any

_START_S = 60.0
"""Seconds that a worker may take to import SymPy on a busy machine; not part of any deadline."""


class WorkerFailed(Exception):
    """The worker gave no answer; ``grader_fault`` if the reference alone already fails."""

    def __init__(self, message: str, *, grader_fault: bool) -> None:
        super().__init__(message)
        self.grader_fault = grader_fault


class SymbolicWorker:
    """A child process, started at the first question and replaced after a deadline or a crash.

    A second one is kept ready, so that the question after a lost worker need not wait for SymPy.
    """

    _shared: SymbolicWorker | None = None
    _shared_lock = threading.Lock()

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.Queue[bytes] = queue.Queue()
        self._spare: _Child | None = None
        self._pid = 0
        self._references: dict[str, bool] = {}

    @classmethod
    def shared(cls) -> SymbolicWorker:
        """The worker of this process; a forked child gets its own."""
        with cls._shared_lock:
            if cls._shared is None or cls._shared._pid not in (0, os.getpid()):
                cls._shared = cls()
                atexit.register(cls._shared.close)
            return cls._shared

    def equal(self, reference: str, answer: str, *, deadline_s: float) -> bool:
        """Whether SymPy finds two expressions equal.

        The reference is first compared with itself, once: if that fails the grader is at fault,
        and if it passes whatever then fails is the answer's doing.

        Raises:
            TimeoutError: the answer took longer than ``deadline_s``.
            WorkerFailed: the worker died or could not start, or can't read the reference.
        """
        with self._lock:
            if reference not in self._references:
                try:
                    self._references[reference] = self._ask(reference, reference, deadline_s * 2)
                except TimeoutError:
                    return False  # not kept: the machine may only have been busy
                except WorkerFailed as error:
                    if error.grader_fault:
                        raise
                    self._references[reference] = False
            if not self._references[reference]:
                return False  # only the same text can equal it, and that was compared before
            return self._ask(reference, answer, deadline_s)

    def close(self) -> None:
        """End the worker, if one runs, and the one that is kept ready."""
        spare, self._spare = self._spare, None
        self._end()
        if spare is not None and self._pid == os.getpid():
            _kill(spare[0])

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._pid == os.getpid():
            _kill(process)

    def _ask(self, left: str, right: str, deadline_s: float) -> bool:
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps([left, right]).encode() + b"\n")
            process.stdin.flush()
            reply = self._replies.get(timeout=deadline_s)
        except queue.Empty:
            self._end()
            raise TimeoutError(f"no verdict within {deadline_s} s") from None
        except OSError as error:
            self._end()
            raise WorkerFailed(str(error), grader_fault=False) from None
        if not reply:
            self._end()
            raise WorkerFailed("the worker died", grader_fault=False)
        return json.loads(reply) is True

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        child = self._spare if self._spare and self._spare[0].poll() is None else _start()
        self._pid, self._spare = os.getpid(), None
        self._process, self._replies = child
        try:
            ready = self._replies.get(timeout=_START_S)
        except queue.Empty:
            ready = b""
        if not ready:
            self._end()
            raise WorkerFailed("the worker did not start", grader_fault=True)
        with contextlib.suppress(WorkerFailed):
            self._spare = _start()
        return self._process


_Child = tuple["subprocess.Popen[bytes]", "queue.Queue[bytes]"]
"""A process and the lines that it prints, the first of them when it is ready."""


def _start() -> _Child:
    command = [sys.executable, "-P", "-m", "rlvr_course.verifiers.symbolic_worker"]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )
    except OSError as error:
        raise WorkerFailed(str(error), grader_fault=True) from None
    replies: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_forward, args=(process.stdout, replies), daemon=True).start()
    return process, replies


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _forward(stream: Any, replies: queue.Queue[bytes]) -> None:
    """Put each line of a pipe on a queue, and an empty one at its end."""
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            replies.put(line)
    replies.put(b"")
