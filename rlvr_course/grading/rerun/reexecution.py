"""Run a submission anew from top to bottom, and say how that went.

The run happens in the kernel jail (``jail.py``), in fake mode. Where a machine offers no jail it
doesn't happen, unless it is asked for by name with ``jail="none"``; the result says which it was.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from rlvr_course.errors import NotebookError, SandboxUnavailable
from rlvr_course.grading.handin.notebook_json import parse_notebook
from rlvr_course.grading.records import Submission
from rlvr_course.grading.released import Released
from rlvr_course.grading.rerun.comparison import compare
from rlvr_course.grading.rerun.composition import PlannedCell, composed, mode_of, plan
from rlvr_course.grading.rerun.jail import TIER, JailRun, shared_jail
from rlvr_course.grading.rerun.rerun import Reexecution, Status
from rlvr_course.grading.rerun.transcript import Transcript
from rlvr_course.grading.rerun.warden import Bounds
from rlvr_course.problems.fixtures import VARIABLE as FIXTURE_VARIABLE

__all__ = ["Bounds", "Reexecution", "compare", "reexecute"]

JailChoice = Literal["auto", "kernel-jail", "none"]
_STOPPED: Mapping[str, Status] = {
    "timeout": "timeout",
    "memory": "memory",
    "processes": "processes",
    "output_limit": "output_limit",
    "no_jail": "no_jail",
}


def reexecute(
    submission: Submission,
    released: Released | None,
    *,
    timeout_s: float = 120.0,
    seed: str = "",
    jail: JailChoice = "auto",
    bounds: Bounds | None = None,
) -> Reexecution:
    """Run a submission's cells from top to bottom in a fresh kernel, in fake mode.

    Given cells come from the released notebook and the learner's from the submission; the kernel
    is this Python. Every cell runs, whether or not one before it failed.

    Args:
        submission: what was handed in.
        released: what was handed out; None runs the submission just as it was handed in.
        timeout_s: wall time, above 0, for the whole notebook.
        seed: other fixtures for the recorded data, such as "7:redrawn"; "" has those of this
            process (``problems.fixtures``).
        jail: "auto" and "kernel-jail" run in the jail or not at all; "none" runs the learner's
            code with the rights of this user, which is no protection.
        bounds: of memory, processes and output; ``timeout_s`` holds in any case.

    Returns:
        The outcome; nothing is raised for what a submission does.

    Raises:
        ValueError: a time limit that is not above 0, or an unknown jail.
    """
    if not timeout_s > 0:
        raise ValueError(f"a timeout of {timeout_s} s: it must be above 0")
    if jail not in ("auto", TIER, "none"):
        raise ValueError(f"jail {jail!r} is not one of auto, {TIER}, none")
    if submission.notebook is None:
        return Reexecution("unreadable", reason=submission.problem or "there is no notebook")
    if (mode := mode_of(submission)) not in ("", "fake"):
        return Reexecution(
            "other_mode", reason=f"made in mode {mode!r}, which a rerun can't repeat"
        )
    cells = plan(submission, released)
    limits = replace(bounds or Bounds(), timeout_s=timeout_s)
    if jail == "none":
        return run_unprotected(cells, timeout_s, seed)
    return run_cells(cells, limits, seed)


def run_cells(cells: list[PlannedCell], bounds: Bounds, seed: str = "") -> Reexecution:
    """Run planned cells in the kernel jail."""
    try:
        jail = shared_jail()
    except SandboxUnavailable as error:
        return Reexecution("no_jail", reason=f"not run anew: {error}")
    transcript = Transcript([cell.place for cell in cells])
    began = time.monotonic()
    order = [{"place": cell.place, "source": cell.source} for cell in cells]
    run = jail.run(order, _fixtures(seed), bounds, transcript.take)
    found = Reexecution(
        "ok",
        seconds=time.monotonic() - began,
        jail=TIER,
        left_running=run.left_running,
        memory_bytes=run.memory_bytes,
    )
    return _judged(found, run, transcript, cells, bounds)


def _fixtures(seed: str) -> dict[str, str]:
    """What a run's environment says of fixtures: the seed, or else what this process is told."""
    usual = os.environ.get(FIXTURE_VARIABLE)
    return {FIXTURE_VARIABLE: seed or usual or ""} if seed or usual is not None else {}


def _judged(
    found: Reexecution,
    run: JailRun,
    transcript: Transcript,
    cells: list[PlannedCell],
    bounds: Bounds,
) -> Reexecution:
    """The outcome with its notebook, and if it is not "ok" the cell and the reason."""
    notebook = composed(cells, transcript.finished(), transcript.counts)
    try:
        notebook = parse_notebook(json.dumps(notebook).encode())
    except (NotebookError, ValueError, RecursionError) as error:
        return replace(found, status="failed", reason=f"its outputs can't be read: {error}")
    found = replace(found, notebook=notebook)
    shown = {cell.place: cell.shown_place for cell in cells}
    here = shown.get(transcript.cell) if transcript.cell else None
    if run.status in _STOPPED:
        reason = _why_stopped(run, bounds)
        return replace(found, status=_STOPPED[run.status], cell=here, reason=reason)
    if not transcript.done:
        reason = f"the kernel ended ({_ending(run)})"
        return replace(found, status="failed", cell=here, reason=reason)
    for place, name in sorted(transcript.errors.items()):
        status: Status = "memory" if name == "MemoryError" else "failed"
        reason = _error_line(transcript.outputs[place]) or name
        return replace(found, status=status, cell=shown[place], reason=reason)
    return found


def _why_stopped(run: JailRun, bounds: Bounds) -> str:
    usual = {
        "timeout": f"stopped after {bounds.timeout_s:g} s",
        "memory": f"stopped: more than {bounds.memory_bytes >> 20} MB of memory",
        "processes": f"stopped: more than {bounds.processes} processes",
        "output_limit": f"stopped: more than {bounds.output_bytes >> 20} MB of output",
        "no_jail": "not run anew: the kernel jail failed",
    }[run.status]
    return f"{usual} ({run.detail})" if run.detail and run.status != "output_limit" else usual


def _ending(run: JailRun) -> str:
    import signal

    if run.exit is None:
        return run.detail
    if run.exit >= 0:
        return f"exit code {run.exit}"
    names = {number.value: number.name for number in signal.Signals}
    return names.get(-run.exit, f"signal {-run.exit}")


def _error_line(outputs: list[dict[str, Any]]) -> str:
    for output in outputs:
        if output["output_type"] == "error":
            text = " ".join(output["evalue"].split())[:200]
            return f"{output['ename'][:80]}: {text}" if text else output["ename"][:80]
    return ""


def run_unprotected(cells: list[PlannedCell], timeout_s: float, seed: str = "") -> Reexecution:
    """Run planned cells as any notebook is run here: with the rights of this user.

    Limits: time is held; memory, processes, output and files are not.
    """
    from rlvr_course.classroom.execution import execute

    notebook = composed(cells, {}, {})
    for cell in notebook["cells"]:  # one that fails must not keep the others from running
        cell["metadata"] = {"tags": ["raises-exception"]}
    first = f"import os\nos.environ.update({_fixtures(seed)!r})"
    notebook["cells"].insert(0, {**notebook["cells"][0], "id": "seed", "source": first})
    with tempfile.TemporaryDirectory(prefix="rlvr-rerun-", ignore_cleanup_errors=True) as folder:
        given, output = Path(folder, "given.ipynb"), Path(folder, "executed.ipynb")
        given.write_text(json.dumps(notebook), encoding="utf-8")
        done = execute(given, output, cwd=Path(folder, "work"), timeout_s=timeout_s)
        executed = parse_notebook(output.read_bytes())["cells"] if output.exists() else []
    transcript = _transcript_of(cells, executed)
    stopped = done.error.startswith("stopped after")
    run = JailRun("timeout" if stopped else "ended", done.error)
    found = Reexecution("ok", seconds=done.seconds, jail="none")
    return _judged(found, run, transcript, cells, Bounds(timeout_s=timeout_s))


def _transcript_of(cells: list[PlannedCell], executed: Sequence[Mapping[str, Any]]) -> Transcript:
    """As if events had told it; the kernel counts one cell more, the first."""
    by_id = {cell["id"]: cell for cell in executed}  # cells may have been put between them
    transcript = Transcript([cell.place for cell in cells])
    for cell in cells:
        done = by_id.get(f"cell-{cell.place}")
        if done is None or done["execution_count"] is None:
            return transcript
        transcript.cell = cell.place
        transcript.outputs[cell.place] = done["outputs"]
        transcript.counts[cell.place] = done["execution_count"] - 1
        for output in done["outputs"]:
            if output["output_type"] == "error":
                transcript.errors[cell.place] = output["ename"]
    transcript.done = True
    return transcript
