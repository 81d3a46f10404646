"""A grader in a child process that can be given up: a deadline is a kill.

Some graders can hang on an answer, crash on one, or set process-wide alarms. In a process of
their own, over pipes, none of that reaches the comparison.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any, Self

START_S = 300.0
"""Seconds that a grader may take to import what it needs on a busy machine."""


DAY_S = 86_400


class CannotStart(Exception):
    """The grader can't be loaded; the message is the reason."""


@dataclass(frozen=True)
class Answer:
    """What a grader said of one case; ``failure`` is "" or why it said nothing."""

    paid: bool | None
    failure: str
    seconds: float


class GraderProcess:
    """One grader's child process, replaced after a deadline or a crash.

    Args:
        loader: "module:function", as in ``peers.Grader``.
        deadline_s: seconds for one case, above 0 and at most a day.

    Raises:
        ValueError: a deadline out of its range.
    """

    def __init__(self, loader: str, *, deadline_s: float) -> None:
        if not 0 < deadline_s <= DAY_S:
            raise ValueError(f"deadline_s={deadline_s}: give it seconds above 0, at most {DAY_S}")
        self._loader = loader
        self._deadline_s = deadline_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, completion: str, gold: str) -> Answer:
        """Let the grader judge one case.

        Returns:
            What it said; its start is not part of the seconds.

        Raises:
            CannotStart: it can't be loaded.
        """
        if self._process is None:
            self._start()
        order = json.dumps([completion, gold]).encode() + b"\n"
        started = time.perf_counter()
        reply = self._exchange(order, self._deadline_s)
        seconds = time.perf_counter() - started
        is_late = seconds >= self._deadline_s
        if reply is None or is_late:  # a reply at the last moment does not undo the kill
            self.close()
        if reply is not None:
            return Answer(reply.get("paid"), reply.get("error", ""), seconds)
        failure = f"no verdict within {self._deadline_s:g} s" if is_late else "its process died"
        return Answer(None, failure, seconds)

    def close(self) -> None:
        """End the child, if one runs."""
        process, self._process = self._process, None
        if process is None:
            return
        _kill(process)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "rlvr_course.graders.worker", self._loader],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            start_new_session=True,  # what a grader starts is killed with it
        )
        reply = self._exchange(b"", START_S)
        if reply is None or "error" in reply:
            self.close()
            raise CannotStart("its process died" if reply is None else reply["error"])

    def _exchange(self, order: bytes, limit_s: float) -> dict[str, Any] | None:
        """One line there and one line back; None if the child died or was killed at the limit."""
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        timer = threading.Timer(limit_s, _kill, [process])
        timer.start()
        try:
            process.stdin.write(order)
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:  # it died before it had read the order
            return None
        finally:
            timer.cancel()
        return json.loads(line) if line.endswith(b"\n") else None


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
