"""An honest notebook is left alone, whichever editor it went through; a strange one is survived."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from handed import (
    CHECKOUT,
    NAMES,
    Notebook,
    after,
    check_cell,
    codes,
    evidence,
    given,
    kinds,
    log_of,
    solved,
)
from hypothesis import given as given_by
from hypothesis import settings
from hypothesis import strategies as st

from rlvr_course.classroom.run import run_notebooks
from rlvr_course.grading.evidence import find_evidence
from rlvr_course.grading.handin.seen import MAX_TOTAL_SOURCE_CHARS, seen_cells
from rlvr_course.grading.records import Submission


def as_vscode(notebook: Notebook) -> None:
    notebook["metadata"]["vscode"] = {"interpreter": {"hash": "31f2"}}
    notebook["metadata"]["kernelspec"] = {"display_name": ".venv", "name": "python3"}
    for n, c in enumerate(notebook["cells"]):
        c["metadata"] = {k: v for k, v in c["metadata"].items() if k in {"nbgrader", "tags"}}
        c["metadata"]["vscode"] = {"languageId": "python"}
        c["source"] = ["".join(c["source"]).rstrip("\n") + "\n" * (n % 2)]


def as_colab(notebook: Notebook) -> None:
    notebook["nbformat_minor"] = 0
    notebook["metadata"]["colab"] = {"provenance": []}
    for n, c in enumerate(notebook["cells"]):
        c["metadata"] = {"id": f"uOWd{n:04}", "colab": {"base_uri": "https://localhost:8080/"}}
        c["metadata"] |= {"outputId": f"5f1b-{n}", "cellView": "form"}
        del c["id"]


def as_windows(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["source"] = "".join(c["source"]).replace("\n", "\r\n")


def as_formatted(notebook: Notebook) -> None:
    """Code laid out anew, as a strict formatter would, comments lost; text with spaces at ends."""
    for c in notebook["cells"]:
        source, is_code = "".join(c["source"]), c["cell_type"] == "code"
        c["source"] = ast.unparse(ast.parse(source)) if is_code else source + "  \n"


def as_jupyterlab(notebook: Notebook) -> None:
    """Run All with recorded times."""
    clock = 0
    for c in (c for c in notebook["cells"] if c["cell_type"] == "code"):
        clock += 2
        stamps = {
            "iopub.execute_input": f"2026-03-01T10:{clock // 60:02}:{clock % 60:02}.100Z",
            "shell.execute_reply": f"2026-03-01T10:{clock // 60:02}:{clock % 60:02}.900Z",
        }
        c["metadata"] |= {"execution": stamps, "trusted": True, "scrolled": True}


def as_rebuilt(notebook: Notebook) -> None:
    """Other ids altogether, and no metadata."""
    for n, c in enumerate(notebook["cells"]):
        c["id"], c["metadata"] = f"cell-{n}", {}


EDITORS = [as_vscode, as_colab, as_windows, as_formatted, as_jupyterlab, as_rebuilt]


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_as_it_is_stored_has_notes_at_most(name: str) -> None:
    assert codes(evidence(solved(name), name)) <= {"no_log"}


@pytest.mark.parametrize("edit", EDITORS, ids=lambda edit: edit.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_an_editor_leaves_nothing_to_find(name: str, edit: Callable[[Notebook], None]) -> None:
    assert codes(after(edit, name)) <= {"no_log"}


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_that_was_never_run_says_so_once(name: str) -> None:
    fresh = json.loads((CHECKOUT.notebooks / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert codes(evidence(fresh, name)) == {"not_executed"}


@pytest.mark.nightly
@pytest.mark.parametrize("copies", [CHECKOUT.notebooks, CHECKOUT.solutions], ids=["open", "solved"])
def test_an_honest_run_with_its_log_has_notes_at_most(copies: Path, tmp_path: Path) -> None:
    paths = [copies / f"{name}.ipynb" for name in NAMES]
    for done in run_notebooks(paths, tmp_path):
        log, head = log_of(done)
        notebook = json.loads(done.output.read_text(encoding="utf-8"))
        found = evidence(notebook, done.name, log=log, head=head)
        assert codes(found) <= {"rewards_not_recomputed"}, (done.name, found)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda some: (
        st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=8), some, max_size=3)
    ),
    max_leaves=8,
)
ODD_SOURCES = [
    "check('q01c', f)", "print(f'{x} of 3')", "%%bash\nls", "x = !ls", "f(", "\x00", "x = '\ud800'",
    "get_ipython().x = 1", "(" * 500, "-" * 5000 + "1", "a" + ".b" * 3000, "'\\d'", "[" * 90,
    "exec('exec(\"exec(1)\")')", "for check in (1, 2):\n    pass", "[" * 90 + "]" * 90,
]  # fmt: skip
SOURCES = JSON | st.lists(st.text(max_size=30), max_size=4) | st.sampled_from(ODD_SOURCES)
OUTPUTS = st.fixed_dictionaries(
    {},
    optional={
        "output_type": st.sampled_from(["stream", "execute_result", "error"]) | JSON,
        "text": SOURCES,
        "name": JSON,
        "data": st.dictionaries(st.sampled_from(["text/plain", "text/html"]), SOURCES) | JSON,
        "traceback": JSON,
        "execution_count": JSON,
    },
)
CELLS = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw"]) | JSON,
        "id": st.sampled_from(["5bcac2badc3e", "cf2ca0165338"]) | JSON,
        "source": SOURCES,
        "metadata": st.fixed_dictionaries(
            {}, optional={"nbgrader": JSON, "execution": JSON, "tags": JSON}
        ) | JSON,
        "outputs": st.lists(OUTPUTS | JSON, max_size=3) | JSON,
        "execution_count": st.integers(-1, 9) | JSON,
    },
)  # fmt: skip
NOTEBOOKS = st.fixed_dictionaries({}, optional={"cells": st.lists(CELLS | JSON, max_size=6) | JSON})


@given_by(NOTEBOOKS | JSON, st.booleans(), st.none() | st.lists(st.binary(max_size=60), max_size=4))
@settings(max_examples=200)
def test_no_notebook_makes_it_raise(notebook: Any, is_ours: bool, log: Any) -> None:
    submission = Submission("eve", Path("eve.ipynb"), "", notebook, log)
    found = find_evidence(submission, given("01_verifiers") if is_ours else None)
    assert is_ours or "not_ours" in codes(found)
    assert json.dumps([finding.message for finding in found])


def test_an_unreadable_notebook_has_no_missing_cells() -> None:
    assert evidence(None) == []


def test_a_foreign_notebook_is_read_all_the_same() -> None:
    trick = {"cell_type": "code", "source": "get_ipython().showtraceback = f", "execution_count": 4}
    check = {"cell_type": "code", "source": "def check(x): return x", "execution_count": 2}
    notebook = {"nbformat": 4, "cells": [trick, check]}
    found = find_evidence(Submission("eve", Path("eve.ipynb"), "", notebook), None)
    assert codes(found, "integrity") == {"kernel_hook"}
    assert {"not_ours", "counts_not_in_order"} <= codes(found)


def test_a_large_notebook_takes_time_in_proportion() -> None:
    def seconds(megabytes: int) -> float:
        notebook = solved()
        big = check_cell(notebook, "q01c")
        line = "0123456789abcdef " * 58 + "a@b\n"
        big["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [line] * 1000}]
        big["outputs"] *= megabytes
        began = time.process_time()
        assert "not_read_whole" in codes(evidence(notebook))
        return time.process_time() - began

    assert seconds(50) < 5.0


def test_sources_are_read_up_to_a_limit_and_that_is_said() -> None:
    source = "x = 1\n" * 50_000
    cells = [{"cell_type": "code", "source": source, "metadata": {}} for _ in range(20)]
    seen = seen_cells({"cells": cells})
    assert sum(len(c.source) for c in seen) == MAX_TOTAL_SOURCE_CHARS
    assert all(c.is_cut for c in seen)


def test_a_large_log_is_read_in_part() -> None:
    line = b'{"prev":"","seq":0,"run":"","at":"","record":{"x":"' + b"y" * 1000 + b'"}}\n'
    began = time.process_time()
    found = evidence(solved(), log=[line] * 20_000)
    assert "log_broken" in codes(found) and time.process_time() - began < 10.0


def test_findings_come_in_the_order_of_cells() -> None:
    def spoil(notebook: Notebook) -> None:
        for c in notebook["cells"][::-1]:
            c["execution_count"] = 7

    places = [finding.cell or 0 for finding in after(spoil)]
    assert places == sorted(places) and "reproducibility" in kinds(after(spoil))
