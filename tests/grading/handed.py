"""Submissions for the tests of evidence: honest ones, and the same with something planted."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rlvr_course.audit.chain import GENESIS, encode_entry, line_hash
from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.classroom.execution import Execution
from rlvr_course.grading.evidence import find_evidence
from rlvr_course.grading.records import Finding, Submission
from rlvr_course.grading.released import Released, released, released_names

CHECKOUT = find_checkout(Path(__file__).parent)
NAMES = released_names(CHECKOUT.notebooks)

Notebook = dict[str, Any]
Change = Callable[[Notebook], object]


@cache
def given(name: str) -> Released:
    return released(name, CHECKOUT.notebooks)


@cache
def _stored(name: str) -> str:
    return (CHECKOUT.solutions / f"{name}.ipynb").read_text(encoding="utf-8")


def solved(name: str = "01_verifiers") -> Notebook:
    """An executed notebook with every exercise done."""
    return json.loads(_stored(name))


def evidence(
    notebook: Any,
    name: str = "01_verifiers",
    *,
    log: Sequence[bytes] | None = None,
    head: str = "",
) -> list[Finding]:
    manifest = {"head": head} if head else {}
    submission = Submission("anna", Path("anna.zip"), name, notebook, log, manifest, head_file=head)
    return find_evidence(submission, given(name))


def after(change: Change, name: str = "01_verifiers") -> list[Finding]:
    """The evidence of a solved notebook after a change to it."""
    notebook = copy.deepcopy(solved(name))
    change(notebook)
    return evidence(notebook, name)


def cell(notebook: Notebook, grade_id: str) -> dict[str, Any]:
    """The cell of an exercise."""
    return next(
        c
        for c in notebook["cells"]
        if c["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )


def check_cell(notebook: Notebook, name: str) -> dict[str, Any]:
    """The cell that checks an exercise."""
    return next(c for c in notebook["cells"] if text(c).startswith(f'check("{name}"'))


def text(c: dict[str, Any]) -> str:
    return "".join(c["source"])


def kinds(findings: Sequence[Finding]) -> set[str]:
    return {finding.kind for finding in findings}


def codes(findings: Sequence[Finding], kind: str | None = None) -> set[str]:
    return {finding.code for finding in findings if kind in (None, finding.kind)}


def records_of(log: Sequence[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line)["record"] for line in log]


def rechained(
    log: Sequence[bytes], change: Callable[[list[dict[str, Any]]], object]
) -> tuple[list[bytes], str]:
    """A log with changed records and all hashes made anew, and the head that fits."""
    entries = [json.loads(line) for line in log]
    change([entry["record"] for entry in entries])
    head, lines = GENESIS, []
    for number, entry in enumerate(entries):
        line = encode_entry({**entry, "prev": head, "seq": number})
        lines.append(line)
        head = line_hash(line)
    return lines, f"{len(lines)}:{head}"


def log_of(execution: Execution) -> tuple[list[bytes], str]:
    """The audit log that a run left, and its head."""
    folder = execution.output.with_suffix("") / "artifacts"
    log = next(folder.glob("*/verifier.jsonl"))
    head = log.with_name("verifier.jsonl.head").read_text(encoding="ascii").strip()
    return log.read_bytes().splitlines(keepends=True), head
