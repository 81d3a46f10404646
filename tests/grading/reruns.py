"""Submissions for the tests of re-execution: a few cells of one's own, or a solved notebook."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.errors import SandboxUnavailable
from rlvr_course.grading.handin.notebook_json import parse_notebook
from rlvr_course.grading.records import Finding, Submission
from rlvr_course.grading.released import released
from rlvr_course.grading.rerun.jail import shared_jail
from rlvr_course.grading.rerun.reexecution import Bounds, Reexecution, compare, reexecute

CHECKOUT = find_checkout(Path(__file__).parent)


def needs_jail() -> None:
    """Skip the test where this machine can make no jail."""
    if sys.platform != "linux":
        pytest.skip("made of Linux namespaces")
    try:
        shared_jail()
    except SandboxUnavailable as error:
        pytest.skip(str(error))


def of_cells(*sources: str) -> Submission:
    """A notebook of one's own, not run."""
    cells = [
        {"cell_type": "code", "id": f"c{n}", "source": source, "metadata": {}, "outputs": []}
        for n, source in enumerate(sources)
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    return Submission("anna", Path("anna.ipynb"), "", parse_notebook(json.dumps(notebook).encode()))


def ran(*sources: str, timeout_s: float = 60.0, bounds: Bounds | None = None) -> Reexecution:
    """Cells of one's own, run in the jail."""
    return reexecute(of_cells(*sources), None, timeout_s=timeout_s, bounds=bounds)


def printed(run: Reexecution, number: int = 1) -> str:
    """What a cell, from 1, wrote to standard output."""
    assert run.notebook is not None, run
    outputs = run.notebook["cells"][number - 1]["outputs"]
    return "".join(o["text"] for o in outputs if o.get("name") == "stdout")


def solved(name: str) -> Submission:
    """The course's own solution as if a learner had handed it in."""
    data = (CHECKOUT.solutions / f"{name}.ipynb").read_bytes()
    return Submission("anna", Path("anna.ipynb"), name, parse_notebook(data))


def changed(submission: Submission, change: Callable[[list[dict[str, Any]]], object]) -> Submission:
    """The same submission after a change to its cells."""
    notebook: Any = copy.deepcopy(submission.notebook)
    change(notebook["cells"])
    return Submission("anna", submission.path, submission.notebook_name, notebook)


def stored(*cells: tuple[str, str, int | None]) -> Submission:
    """Cells of one's own with what each is said to print, and its execution count."""
    submission = of_cells(*[source for source, _, _ in cells])
    assert submission.notebook is not None
    for cell, (_, text, count) in zip(submission.notebook["cells"], cells, strict=True):
        cell["execution_count"] = count
        if text:
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]
    return submission


def findings(submission: Submission) -> list[Finding]:
    """What a rerun of a submission as it was handed in shows."""
    return compare(submission, reexecute(submission, None))


def codes(found: Sequence[Finding]) -> list[tuple[str, str, int | None]]:
    return [(finding.code, finding.kind, finding.cell) for finding in found]


def rerun(submission: Submission, seed: str = "") -> Reexecution:
    """A rerun beside the released notebook."""
    given = released(submission.notebook_name, CHECKOUT.notebooks)
    return reexecute(submission, given, seed=seed)
