"""Steps that tests put in: the submission's text says what is to happen to it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat

from rlvr_course.grading.records import Finding, Mark, Submission
from rlvr_course.grading.released import Released
from rlvr_course.grading.steps import Again, Steps

NOTEBOOK = "01_verifiers"
NEW = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1", id="one")])
nbformat.validate(NEW)  # the first time is slow, and would count for the first submission


def release(folder: Path) -> Path:
    """A folder of released notebooks with a single small one."""
    folder.mkdir()
    nbformat.write(NEW, folder / f"{NOTEBOOK}.ipynb")
    return folder


def read(path: Path, learner: str) -> Submission:
    text = path.read_text()
    note(path, "read")
    if "exit" in text:
        sys.exit(7)
    if "unreadable" in text:
        return Submission(learner, path, problem="its notebook can't be read: it is cut")
    learner = "ada" if "pretends" in text else learner
    name = "99_foreign" if "foreign" in text else NOTEBOOK
    return Submission(learner, path, name, {"cells": [], "text": text}, manifest={"mode": "fake"})


def note(path: Path, what: str) -> None:
    """Leave a line outside of the results, so that a test can count what was done."""
    with (path.parent.parent / "done.txt").open("a") as file:
        file.write(f"{what} {path.stem}\n")


def evidence(submission: Submission, release: Released | None) -> Sequence[Finding]:
    text = said(submission)
    if "bug" in text:
        raise ZeroDivisionError("a fault of ours")
    if "tampered" in text:
        return [Finding("log_changed", "integrity", "Line 3 of the log was changed.", 4)]
    return [Finding("counts", "reproducibility", "Cells were run out of order.", 2, "1, 3, 2")]


def answers(submission: Submission, release: Released) -> Sequence[Mark]:
    text = said(submission)
    if "loop" in text:
        while True:
            time.sleep(0.01)
    if "memory" in text:
        raise MemoryError
    if "killed" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    right = "wrong" not in text
    cases = (("keeps the sign", right, "'-5'"), ("hidden: long text", right, "SECRET INPUT"))
    exercise = Mark("q01a", "passed" if right else "failed", 4.0 * right, 4.0, cases)
    return [exercise, Mark("Q1", "manual", None, 10.0, answer=text)]


def rerun(submission: Submission, release: Released) -> Again:
    stopped = "stopped after 9 s" if "endless" in said(submission) else ""
    return Again(facts={"executed": "twice"}, stopped=stopped)


def said(submission: Submission) -> str:
    return (submission.notebook or {}).get("text", "")


STEPS = Steps(read, evidence, answers, rerun)
