"""Run numbered notebooks without opening them, each in a kernel and folder of its own."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlvr_course.classroom.execution import Execution, execute
from rlvr_course.errors import NotebookError, PolicyUnavailable

MODES = ("fake", "local", "api")


@dataclass(frozen=True)
class RunOptions:
    """How notebooks are run.

    Args:
        mode: the value of their ``MODE``: "fake", "local" or "api".
        live: set ``LIVE`` in those that have it: what they show as recorded is then trained.
        timeout_s: wall time for each, above 0.

    Raises:
        ValueError: an unknown mode.
    """

    mode: str = "fake"
    live: bool = False
    timeout_s: float = 300.0

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"mode {self.mode!r} is not one of {', '.join(MODES)}")


def run_notebooks(
    notebooks: Sequence[Path],
    out: Path,
    options: RunOptions = RunOptions(),
    *,
    jobs: int = 1,
    report: Callable[[Path, Execution | None], None] = lambda notebook, execution: None,
) -> list[Execution]:
    """Execute notebooks; one that fails does not keep the others from running.

    Args:
        notebooks: which, each with a parameter ``MODE``.
        out: where executed copies go (``NN_name.ipynb``); the folder ``NN_name`` beside each is
            its working directory and holds its ``artifacts``.
        options: mode, live and timeout.
        jobs: how many at the same time, at least 1.
        report: called twice for each notebook: when it begins, with None, and with its outcome.

    Returns:
        The outcomes, in the order of ``notebooks``.

    Raises:
        ValueError: fewer than one job.
        NotebookError: ``out`` can't be written to.
        PolicyUnavailable: mode "local", and the model can't be had here.
        TrainingUnavailable: ``live``, and the extra ``train`` is missing.
        DataError: mode "local", and the model can't be kept in the cache.
    """
    if jobs < 1:
        raise ValueError(f"{jobs} jobs: it must be at least 1")
    require_writable(out)
    _prepare(options)

    def one(notebook: Path) -> Execution:
        report(notebook, None)
        execution = execute(
            notebook,
            out / notebook.name,
            cwd=out / notebook.stem,
            mode=options.mode,
            parameters=_parameters(notebook, options),
            timeout_s=options.timeout_s,
        )
        report(notebook, execution)
        return execution

    if jobs == 1:
        return [one(notebook) for notebook in notebooks]
    with ThreadPoolExecutor(jobs) as pool:
        try:
            return list(pool.map(one, notebooks))
        except KeyboardInterrupt:
            # Workers get the terminal's interrupt too; those still waiting must not start.
            pool.shutdown(cancel_futures=True)
            raise


def _parameters(notebook: Path, options: RunOptions) -> dict[str, Any]:
    live = {"LIVE": True} if options.live and has_live(notebook) else {}
    return {"MODE": options.mode, **live}


def has_live(notebook: Path) -> bool:
    """Whether a notebook's parameters have ``LIVE``; False for what is no notebook."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        parameters = [c for c in cells if "parameters" in c["metadata"].get("tags", [])]
        return any(re.search(r"^LIVE\b", "".join(c["source"]), re.MULTILINE) for c in parameters)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _prepare(options: RunOptions) -> None:
    """Say now what each notebook would say, and convert the model before any clock runs."""
    from rlvr_course.policies import smollm2
    from rlvr_course.training.requirements import require_training

    if options.live:
        require_training()
    if options.mode != "local":
        return
    if (reason := smollm2.missing()) is not None:
        raise PolicyUnavailable(f"mode 'local': {reason}")
    smollm2.converted()


def require_writable(folder: Path) -> None:
    """Make the folder and see that a file can be written into it.

    Raises:
        NotebookError: it can't; the message says why and the way on.
    """
    probe = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_text("yes", encoding="utf-8")
        probe.unlink()
    except OSError as error:
        raise NotebookError(
            f"can't write into {folder} ({error.strerror}): choose another folder with --out"
        ) from None


def fresh_folder(artifacts: Path) -> Path:
    """A folder name in ``artifacts`` that is not taken, ``run-`` and the time; it is not made."""
    stem = time.strftime("run-%Y%m%d-%H%M%S")
    taken = sum(1 for _ in artifacts.glob(f"{stem}*"))
    return artifacts / (f"{stem}-{taken + 1}" if taken else stem)
