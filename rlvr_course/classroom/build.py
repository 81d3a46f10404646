"""Build the learner notebooks and the executed solutions from their sources, or check them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlvr_course.classroom.checkout import Checkout, select
from rlvr_course.classroom.source import (
    NOTEBOOK_METADATA,
    learner_copy,
    read_source,
    refuse_leaks,
    solution_copy,
    solution_lines,
)
from rlvr_course.errors import NotebookError


@dataclass(frozen=True)
class Built:
    """The two notebooks of one source: ``learner`` as text, ``solution`` filled, not executed."""

    name: str
    learner: str
    solution: Any


def make(checkout: Checkout, numbers: Sequence[str] = ()) -> list[Built]:
    """Both notebooks of each source, in memory; no file is written.

    Args:
        checkout: where the sources are.
        numbers: which ones (``1``, ``01`` or a name); all of them if empty.

    Raises:
        NotebookError: a source is missing or malformed, or a solution shows in a learner's copy.
    """
    sources = [(path.stem, read_source(path)) for path in select(checkout.sources, "*.py", numbers)]
    secret: set[str] = set()
    for name, notebook in sources:
        secret |= solution_lines(notebook, name)
    built = []
    for name, notebook in sources:
        learner = learner_copy(notebook, name)
        refuse_leaks(learner, secret, name)
        built.append(Built(name, as_text(learner), solution_copy(notebook, name)))
    return built


def build(
    checkout: Checkout,
    numbers: Sequence[str] = (),
    *,
    execute: bool = True,
    timeout_s: float = 600.0,
    report: Callable[[str], None] = print,
) -> None:
    """Write the learner notebooks and the solutions.

    Args:
        checkout: where to read and write.
        numbers: which ones; all of them if empty.
        execute: run the solutions, so that they hold their outputs.
        timeout_s: wall time for each solution.
        report: gets one line for each file written.

    Raises:
        NotebookError: a source is wrong or a solution fails; files that were written before it
            stay, each of them whole.
    """
    for one in make(checkout, numbers):
        learner = checkout.notebooks / f"{one.name}.ipynb"
        write_whole(learner, one.learner)
        report(f"wrote {learner.relative_to(checkout.root)}")
        solution = executed(one, timeout_s) if execute else one.solution
        path = checkout.solutions / f"{one.name}.ipynb"
        write_whole(path, as_text(solution))
        report(f"wrote {path.relative_to(checkout.root)}{'' if execute else ' (not executed)'}")


def executed(one: Built, timeout_s: float) -> Any:
    """The solution with its outputs, run in fake mode in a kernel and directory of its own.

    Raises:
        NotebookError: a cell fails or the time is up.
    """
    import nbformat

    from rlvr_course.classroom.execution import execute

    with tempfile.TemporaryDirectory(prefix="rlvr-build-") as scratch:
        source, output = Path(scratch, f"{one.name}.ipynb"), Path(scratch, "executed.ipynb")
        source.write_text(as_text(one.solution), encoding="utf-8")
        result = execute(source, output, cwd=Path(scratch, one.name), timeout_s=timeout_s)
        if not result.ok:
            raise NotebookError(f"{one.name}: {result.failure}")
        return settled(nbformat.read(output, as_version=4), one.solution)


def settled(notebook: Any, source: Any) -> Any:
    """An executed notebook with its source's metadata, so that only outputs are its own."""
    notebook.metadata.clear()
    notebook.metadata.update(NOTEBOOK_METADATA)
    for cell, original in zip(notebook.cells, source.cells, strict=True):
        cell.metadata = original.metadata
    return notebook


def as_text(notebook: Any) -> str:
    """The notebook as JSON text with a fixed layout.

    Raises:
        NotebookError: it breaks the notebook format.
    """
    import nbformat

    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise NotebookError(f"not a valid notebook: {error.args[0].splitlines()[0]}") from None
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, never a part.

    Raises:
        NotebookError: it can't be written; what was there is unchanged.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise NotebookError(
            f"can't write {path} ({error.strerror}): free some space or write elsewhere; "
            "what was there is unchanged"
        ) from None
