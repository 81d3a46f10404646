"""Outputs that are not those of one run from top to bottom are told as such, never as cheating."""

from __future__ import annotations

import pytest
from handed import Change, Notebook, after, cell, check_cell, codes, kinds, text
from hypothesis import assume, given, settings
from hypothesis import strategies as st


def code_cells(notebook: Notebook) -> list[dict]:
    return [c for c in notebook["cells"] if c["cell_type"] == "code"]


def run_again(notebook: Notebook) -> None:
    check_cell(notebook, "q01c")["execution_count"] = 40
    for output in check_cell(notebook, "q01c")["outputs"]:
        output["execution_count"] = 40


def out_of_order(notebook: Notebook) -> None:
    first, second = code_cells(notebook)[3:5]
    first["execution_count"], second["execution_count"] = 5, 4
    for c in (first, second):
        c["outputs"] = [o for o in c["outputs"] if o["output_type"] != "execute_result"]


def unrun(notebook: Notebook) -> None:
    code_cells(notebook)[-1].update(execution_count=None, outputs=[])


def other_session(notebook: Notebook) -> None:
    for n, c in enumerate(code_cells(notebook)):
        c["metadata"]["execution"] = {"iopub.execute_input": f"2026-03-01T10:{n:02}:00Z"}
    code_cells(notebook)[5]["metadata"]["execution"] = {"iopub.execute_input": "2026-02-01T10:00Z"}


def edited_after(notebook: Notebook) -> None:
    printing = next(c for c in code_cells(notebook) if text(c).startswith("key = {"))
    printing["source"] = text(printing).replace("letters for", "signs for")


def output_of_another(notebook: Notebook) -> None:
    check_cell(notebook, "q01d")["outputs"][0]["execution_count"] = 3


def value_of_nothing(notebook: Notebook) -> None:
    shown = {"output_type": "execute_result", "data": {"text/plain": ["42"]}}
    cell(notebook, "q01c")["outputs"] = [shown]


def output_removed(notebook: Notebook) -> None:
    check_cell(notebook, "q01c")["outputs"] = []


def failed_elsewhere(notebook: Notebook) -> None:
    trace = ["\x1b[31mNameError\x1b[39m  Traceback", "\x1b[32m----> 1\x1b[39m other_line(3)"]
    cell(notebook, "q01c")["outputs"] = [
        {"output_type": "error", "ename": "NameError", "evalue": "x", "traceback": trace}
    ]


PLANTED: dict[Change, str] = {
    run_again: "counts_not_in_order",
    out_of_order: "counts_not_in_order",
    unrun: "cells_not_run",
    other_session: "stamps_out_of_order",
    edited_after: "output_not_of_source",
    output_of_another: "output_not_of_source",
    value_of_nothing: "output_not_of_source",
    output_removed: "output_not_of_source",
    failed_elsewhere: "output_not_of_source",
}


@pytest.mark.parametrize("change", PLANTED, ids=lambda change: change.__name__)
def test_it_is_found(change: Change) -> None:
    assert PLANTED[change] in codes(after(change), "reproducibility")


@pytest.mark.parametrize("change", PLANTED, ids=lambda change: change.__name__)
def test_it_is_no_cheating(change: Change) -> None:
    assert "integrity" not in kinds(after(change))


@given(st.integers(0, 33), st.integers(0, 33))
@settings(max_examples=40)
def test_any_other_order_of_execution_is_found(one: int, other: int) -> None:
    assume(one != other)

    def shuffle(notebook: Notebook) -> None:
        cells = code_cells(notebook)
        counts = [cells[place]["execution_count"] for place in (other, one)]
        cells[one]["execution_count"], cells[other]["execution_count"] = counts

    assert "counts_not_in_order" in codes(after(shuffle))


@given(st.integers(1, 30), st.integers(0, 5))
@settings(max_examples=30)
def test_gaps_and_repeats_are_found(place: int, jump: int) -> None:
    def renumber(notebook: Notebook) -> None:
        shift = jump or -1
        for c in code_cells(notebook)[place:]:
            c["execution_count"] += shift

    found = [f for f in after(renumber) if f.code == "counts_not_in_order"]
    assert ("repeated" if not jump else "gaps") in found[0].message


def test_an_empty_cell_and_one_of_comments_need_not_be_run() -> None:
    def add(notebook: Notebook) -> None:
        for source in ("", "  \n", "# later"):
            notebook["cells"].append({"cell_type": "code", "source": source, "metadata": {},
                                      "outputs": [], "execution_count": None})  # fmt: skip

    assert codes(after(add)) <= {"no_log", "cells_added"}


def test_what_went_to_a_file_or_was_captured_is_not_missed() -> None:
    def add(notebook: Notebook) -> None:
        for n, source in enumerate(("%%capture\nprint('a b')", "print('a b', file=log)")):
            notebook["cells"].append({"cell_type": "code", "source": source, "metadata": {},
                                      "outputs": [], "execution_count": 35 + n})  # fmt: skip

    assert codes(after(add)) <= {"no_log", "cells_added"}
