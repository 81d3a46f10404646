"""Which cell of a submission is which."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from marking import CHECKOUT, course, own_cell, read

from rlvr_course.grading.handin.handed_in import handed_in
from rlvr_course.grading.handin.notebook_json import parse_notebook

NAME = "00_start_here"
COURSE = course(NAME)
NOTEBOOK = read(CHECKOUT.notebooks / f"{NAME}.ipynb")


def changed(edit: Any) -> dict[str, Any]:
    return {**NOTEBOOK, "cells": edit(json.loads(json.dumps(NOTEBOOK["cells"])))}


def without(cell: dict[str, Any], what: str) -> dict[str, Any]:
    return {**cell, what: {} if what == "metadata" else ""}


CELL = st.builds(own_cell, st.sampled_from(["code", "markdown", "raw"]), st.text(max_size=20))
EDIT = st.one_of(
    st.tuples(st.just("add"), st.integers(0, 60), CELL),
    st.tuples(st.just("drop"), st.integers(0, 60), st.none()),
    st.tuples(st.just("move"), st.integers(0, 60), st.integers(0, 60)),
    st.tuples(st.just("double"), st.integers(0, 60), st.none()),
    st.tuples(st.just("strip"), st.integers(0, 60), st.sampled_from(["id", "metadata", "source"])),
)


def apply(cells: list[dict[str, Any]], edits: list[Any]) -> list[dict[str, Any]]:
    for what, place, extra in edits:
        at = min(place, len(cells) - 1)
        if what == "add":
            cells.insert(at, extra)
        elif what == "strip":
            cells[at] = without(cells[at], extra)
        elif what == "double":
            cells.insert(at, dict(cells[at]))
        elif what == "drop":
            del cells[at]
        else:
            cells.insert(extra, cells.pop(at))
    return cells


@given(st.lists(EDIT, max_size=8))
def test_each_cell_is_there_once_and_what_was_given_is_in_order(edits: list[Any]) -> None:
    notebook = parse_notebook(json.dumps(changed(lambda cells: apply(cells, edits))).encode())
    found = handed_in(notebook, COURSE)
    assert [cell.released for cell in found if cell.released] == list(COURSE.cells)
    places = sorted(cell.place for cell in found if cell.place)
    assert places == list(range(1, len(notebook["cells"]) + 1))
    for cell in found:
        assert cell.place is None or cell.source == notebook["cells"][cell.place - 1]["source"]


def test_a_copy_of_an_exercise_stands_behind_it() -> None:
    at = next(c.place for c in COURSE.cells if c.grade_id == "q00a") - 1

    def pasted(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [*cells[: at + 1], {**cells[at], "id": "new", "source": "x = 1"}, *cells[at + 1 :]]

    found = handed_in(changed(pasted), COURSE)
    exercise, copy = (cell for cell in found if cell.place in (at + 1, at + 2))
    assert exercise.released is not None
    assert exercise.released.grade_id == "q00a"
    assert (copy.released, copy.source) == (None, "x = 1")


def test_without_ids_and_metadata_the_neighbours_tell() -> None:
    def written(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
        graded = [c["metadata"].get("nbgrader", {}).get("grade_id") for c in cells]
        return [
            own_cell(cell["cell_type"], f"# answer {name}" if name else cell["source"])
            for cell, name in zip(cells, graded, strict=True)
        ]

    for cell in handed_in(changed(written), COURSE):
        if cell.released and cell.released.grade_id:
            assert cell.source == f"# answer {cell.released.grade_id}"
