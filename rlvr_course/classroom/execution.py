"""Execute one notebook in a fresh kernel, in a worker process that can be given up on.

The worker (``python -m rlvr_course.classroom.worker``) is told what to do in one JSON object on
its standard input and answers with objects, one a line, on its standard output: first what keeps
it off the network, then how the run went. It runs in an environment made by
``offline.py``: in fake mode without API keys and without a way out to the network.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlvr_course.classroom.offline import kernel_environment

GRACE_S = 10.0
"""How long a worker whose time is up has to end its kernel before it is killed."""


@dataclass(frozen=True)
class Execution:
    """How one notebook's run went.

    Args:
        name: the notebook's name without its suffix.
        output: the executed copy; it may be missing if the run failed before the first cell.
        seconds: wall time, kernel start included.
        error: one line, "" if every cell ran.
        cell: the failed cell's place in the notebook as written, from 1; None if no cell is to
            blame.
        guard: what kept the run off the network: "namespace", "hook" or "none".
        cpu_seconds: of the kernel and all its processes; None where the run was stopped, or the
            system doesn't count them (Windows).
    """

    name: str
    output: Path
    seconds: float
    error: str = ""
    cell: int | None = None
    guard: str = "none"
    cpu_seconds: float | None = None

    @property
    def ok(self) -> bool:
        """Whether every cell ran."""
        return not self.error

    @property
    def failure(self) -> str:
        """The error with the cell that it happened in, "" if every cell ran."""
        return self.error if self.cell is None else f"cell {self.cell}: {self.error}"


def execute(
    notebook: Path,
    output: Path,
    *,
    cwd: Path,
    mode: str = "fake",
    parameters: Mapping[str, Any] | None = None,
    timeout_s: float = 300.0,
) -> Execution:
    """Run a notebook from top to bottom and write the executed copy.

    Args:
        notebook: what to run.
        output: where the copy goes; after a failure it holds the cells that ran.
        cwd: working directory of the kernel, made if it is missing.
        mode: "fake" cuts the network off and removes API keys; other modes leave both alone.
        parameters: values for the cell tagged ``parameters``; a name that it does not have is
            an error.
        timeout_s: wall time, above 0, after which the run is stopped.

    Returns:
        The outcome. A notebook that is malformed, fails or takes too long is an outcome too, with
        its ``error``; nothing is raised for it.

    Raises:
        ValueError: ``timeout_s`` is not above 0.
        OSError: ``cwd`` can't be made, or an old copy at ``output`` can't be removed.
    """
    if not timeout_s > 0:
        raise ValueError(f"a timeout of {timeout_s} s: it must be above 0")
    cwd.mkdir(parents=True, exist_ok=True)
    # A copy left by an earlier run must not pass for this one's.
    output.unlink(missing_ok=True)
    order = {
        "notebook": str(notebook.resolve()),
        "output": str(output.resolve()),
        "cwd": str(cwd.resolve()),
        "parameters": dict(parameters or {}),
        "isolate": mode == "fake",
    }
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rlvr-kernel-", ignore_cleanup_errors=True) as scratch:
        environment = kernel_environment(os.environ, mode, Path(scratch))
        # Until the worker says that it has a namespace, it is the environment's hook that holds.
        guard: dict[str, Any] = {"guard": "hook" if order["isolate"] else "none"}
        reply = guard | _ask_worker(order, environment, timeout_s)
    return Execution(notebook.stem, output, time.monotonic() - started, **reply)


def _ask_worker(
    order: Mapping[str, Any], environment: Mapping[str, str], timeout_s: float
) -> dict[str, Any]:
    """Send the order and wait for the reply, for as long as the time allows."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "rlvr_course.classroom.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=dict(environment),
    )
    with worker:
        try:
            answer, noise = worker.communicate(json.dumps(order), timeout=timeout_s)
        except subprocess.TimeoutExpired:
            stopped = {"error": f"stopped after its {timeout_s:g} s (more with --timeout)"}
            return {**_parsed(_stop(worker)), "cell": None, **stopped}
        except BaseException:
            _stop(worker)
            raise
    reply = _parsed(answer)
    if "error" not in reply:
        last = (noise.strip().splitlines() or ["it said nothing"])[-1]
        reply["error"] = f"the worker ended with status {worker.returncode}: {last}"
    return reply


def _parsed(answer: str) -> dict[str, Any]:
    """What a worker said, as far as it got: an object a line, later ones add to earlier ones."""
    reply: dict[str, Any] = {}
    for line in answer.splitlines():
        try:
            reply |= json.loads(line)
        except json.JSONDecodeError:
            break
    return reply


def _stop(worker: subprocess.Popen[str]) -> str:
    """Ask the worker to end its kernel; kill both after the grace time.

    A kernel whose worker was killed notices within a second or two and ends too.

    Returns:
        What the worker had said.
    """
    worker.send_signal(signal.SIGTERM)
    try:
        return worker.communicate(timeout=GRACE_S)[0]
    except subprocess.TimeoutExpired:
        worker.kill()
        return worker.communicate()[0]
