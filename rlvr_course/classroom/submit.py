"""Pack a notebook for handing in, with the log of the run that made its outputs.

    01_verifiers.zip
        notebook.ipynb         as it was saved
        verifier.jsonl         the run's audit log
        verifier.jsonl.head    the log's anchor
        manifest.json          who, which run, which fixtures, hashes of the files, versions

Which run made the outputs is told by the run id that they print. Where none is printed, it is the
notebook's latest run.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rlvr_course.audit.chain import GENESIS, Anchor, head_path, line_hash
from rlvr_course.classroom.past_runs import PastRun, find_runs
from rlvr_course.errors import NotebookError
from rlvr_course.problems.fixtures import in_force

FORMAT = "rlvr-course submission 1"
SAVE_LAG_S = 30.0
"""A log this much newer than the saved notebook: the notebook was not saved after its run."""

_PRINTED_RUN = re.compile(r"\brun (\d{8}-\d{6}-[0-9a-f]{6})\b")


@dataclass(frozen=True)
class HandIn:
    """What is to be packed.

    Args:
        name: the notebook's, such as "01_verifiers".
        files: the archive's content by name.
        manifest: as it is in ``manifest.json``.
        notes: a sentence for each thing that the learner should know first.
    """

    name: str
    files: Mapping[str, bytes]
    manifest: Mapping[str, Any]
    notes: Sequence[str] = field(default_factory=tuple)


def pack(
    notebook: Path,
    *,
    artifacts: Sequence[Path],
    out: Path,
    name: str = "",
    learner: str = "",
) -> Path:
    """Write the file that is handed in.

    Args:
        notebook: the executed notebook, as saved.
        artifacts: folders in which its run is looked for.
        out: the .zip to write, or the folder that ``NAME.zip`` is written to. An older one is
            replaced.
        name: the course's name of the notebook; that of its file if "".
        learner: written into the manifest.

    Returns:
        The file.

    Raises:
        NotebookError: the notebook can't be read, or the file can't be written.
    """
    return write(gather(notebook, artifacts=artifacts, name=name, learner=learner), out)


def gather(
    notebook: Path, *, artifacts: Sequence[Path], name: str = "", learner: str = ""
) -> HandIn:
    """Read what ``pack`` would write, and note what is missing; arguments as there.

    Raises:
        NotebookError: the notebook can't be read.
    """
    name = name or notebook.stem
    data, saved_at = _read(notebook)
    printed = printed_run_ids(_parsed(data, notebook))
    run, notes = choose_run(name, printed, find_runs(artifacts))
    files = {"notebook.ipynb": data}
    anchor = ""
    if run is not None:
        files |= _log_files(run.log)
        anchor = str(_anchor(files["verifier.jsonl"]))
        notes += _save_notes(run.log, saved_at)
    manifest = {
        "format": FORMAT,
        "notebook": name,
        "learner": learner,
        "run_id": run.run_id if run else "",
        "mode": run.mode if run else "",
        "fixture_seed": _fixture_seed(run),
        "head": anchor,
        "version": version("rlvr-course"),
        "python": platform.python_version(),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": {part: hashlib.sha256(content).hexdigest() for part, content in files.items()},
    }
    files["manifest.json"] = json.dumps(manifest, indent=2).encode()
    return HandIn(name, files, manifest, notes)


def write(hand_in: HandIn, out: Path) -> Path:
    """Write a hand-in as a zip: whole, or not at all; arguments and errors as of ``pack``."""
    target = out if out.suffix.lower() == ".zip" else out / f"{hand_in.name}.zip"
    fresh = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with zipfile.ZipFile(fresh, "x", zipfile.ZIP_DEFLATED) as archive:
                for name, content in hand_in.files.items():
                    archive.writestr(name, content)
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise NotebookError(
            f"can't write {target} ({error.strerror}): choose another place with --out"
        ) from None
    return target


def printed_run_ids(notebook: Mapping[str, Any]) -> list[str]:
    """The run ids in a notebook's outputs, in order, each once."""
    outputs = [
        output
        for cell in notebook["cells"]
        if isinstance(cell, dict) and isinstance(cell.get("outputs"), list)
        for output in cell["outputs"]
        if isinstance(output, dict)
    ]
    texts = "\n".join(_text(output.get("text")) for output in outputs)
    return list(dict.fromkeys(_PRINTED_RUN.findall(texts)))


def _text(lines: Any) -> str:
    """A stream's text, which may be kept as a list of lines; "" for anything else."""
    kept = lines if isinstance(lines, list) else [lines]
    return "".join(line for line in kept if isinstance(line, str))


def choose_run(
    name: str, printed: Sequence[str], runs: Sequence[PastRun]
) -> tuple[PastRun | None, list[str]]:
    """The run whose log belongs to a notebook's outputs.

    Args:
        name: the notebook's.
        printed: run ids in its outputs; the last one counts.
        runs: all that were found, the oldest first.

    Returns:
        The run, or None if there is none that could be; and what the learner should know of it.
    """
    own = [run for run in runs if run.notebook == name]
    latest = own[-1] if own else None
    again = f"run all cells (rlvr-course lab {name[:2]}), save, and submit again"
    if not printed:
        if latest is None:
            return None, [f"no run of {name} was found, so there is no log to hand in: {again}"]
        said = f"its outputs name no run, so the log is that of the latest, {latest.run_id}"
        copy = executed_copy(latest)
        hand_in = f"; or submit that run's own copy, {copy}" if copy is not None else ""
        return latest, [f"{said}: {again}{hand_in}"]
    match = next((run for run in own if run.run_id == printed[-1]), None)
    if match is None:
        gone = f"its outputs are of run {printed[-1]}, whose log is not in artifacts/"
        return None, [f"{gone}: {again}"]
    notes = []
    if len(printed) > 1:
        notes.append(f"its outputs are of {len(printed)} runs ({', '.join(printed)}): {again}")
    if latest is not None and latest.run_id != match.run_id:
        notes.append(
            f"its outputs are of run {match.run_id}, but {latest.run_id} is later: save the "
            "notebook and submit again if you meant that one"
        )
    return match, notes


def executed_copy(run: PastRun) -> Path | None:
    """The notebook that ``rlvr-course run`` wrote beside a run's folder; None for another run."""
    folder = run.log.parent.parent.parent  # .../NN_name/artifacts/RUN_ID/verifier.jsonl
    copy = folder.parent / f"{run.notebook}.ipynb"
    return copy if folder.name == run.notebook and copy.is_file() else None


def _read(notebook: Path) -> tuple[bytes, float]:
    try:
        return notebook.read_bytes(), notebook.stat().st_mtime
    except OSError as error:
        raise NotebookError(
            f"{notebook} can't be read ({error.strerror}): check the path"
        ) from None


def _parsed(data: bytes, path: Path) -> Mapping[str, Any]:
    remedy = "open it in JupyterLab and save it, or restore it from your copy of the course"
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NotebookError(
            f"{path} is not a notebook ({type(error).__name__}): {remedy}"
        ) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise NotebookError(f"{path} is not a notebook (it has no cells): {remedy}")
    return notebook


def _log_files(log: Path) -> dict[str, bytes]:
    """The log and its head file. The head comes first: a live writer only moves it forward."""
    files: dict[str, bytes] = {}
    try:
        head = head_path(log)
        held = head.read_bytes() if head.is_file() else None
        files["verifier.jsonl"] = log.read_bytes()
    except OSError as error:
        raise NotebookError(
            f"the log {log} can't be read ({error.strerror}): check its permissions"
        ) from None
    return files if held is None else {**files, "verifier.jsonl.head": held}


def _anchor(log: bytes) -> Anchor:
    """The anchor of the log's whole lines."""
    whole = log[: log.rfind(b"\n") + 1]
    if not whole:
        return Anchor(0, GENESIS)
    last = whole[whole.rfind(b"\n", 0, -1) + 1 :]
    return Anchor(whole.count(b"\n"), line_hash(last))


def _fixture_seed(run: PastRun | None) -> str:
    """How the recorded samples were dealt in the run; how they are here, where it doesn't say."""
    return in_force() if run is None or run.fixture_seed is None else run.fixture_seed


def _save_notes(log: Path, saved_at: float) -> list[str]:
    late_s = log.stat().st_mtime - saved_at
    if late_s < SAVE_LAG_S:
        return []
    return [
        f"the run went on for {late_s / 60:.0f} min after the notebook was saved: save it in "
        "JupyterLab and submit again"
    ]
