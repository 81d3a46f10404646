"""One source gives both notebooks, the same each time, and the learner's shows no solution."""

from __future__ import annotations

import json

import nbformat
import pytest

from rlvr_course.classroom.build import build, make
from rlvr_course.classroom.outputs import normalised
from rlvr_course.classroom.rebuild import differences
from rlvr_course.errors import NotebookError

SOURCE = """\
# %% [markdown]
# # Doubling

# %% tags=["parameters"]
MODE: str = "fake"  # fake, local or api

# %% tags=["exercise"] nbgrader={"grade": true, "grade_id": "q1", "points": 2, "solution": true}
def double(x):
    ### BEGIN SOLUTION
    twice_the_value = x + x
    return twice_the_value
    ### END SOLUTION

# %%
import time
print(double(21), MODE, time.time_ns(), "ns")

# %% tags=["solution-only"]
assert double(4) == 8, "a hidden case"
"""


def learner(built) -> nbformat.NotebookNode:
    return nbformat.reads(built.learner, as_version=4)


def test_the_learner_copy_has_no_outputs_and_no_solution(checkout, source):
    source("00_double", SOURCE)
    notebook = learner(make(checkout)[0])
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert "twice_the_value" not in str(notebook) and "hidden case" not in str(notebook)


def test_both_copies_carry_grading_metadata(checkout, source):
    source("00_double", SOURCE)
    built = make(checkout)[0]
    for notebook in (learner(built), built.solution):
        grading = notebook.cells[2].metadata.nbgrader
        assert (grading.grade_id, grading.points, grading.locked) == ("q1", 2, False)
        assert notebook.cells[2].metadata.tags == ["exercise"]


def test_building_twice_gives_the_same_bytes(checkout, source):
    source("00_double", SOURCE)
    assert make(checkout)[0].learner == make(checkout)[0].learner


def test_ids_differ_between_cells_and_between_notebooks(checkout, source):
    source("00_double", SOURCE)
    source("01_double", SOURCE)
    ids = [cell.id for built in make(checkout) for cell in built.solution.cells]
    assert len(ids) == len(set(ids)) == 10


def test_a_built_notebook_says_nothing_of_the_machine(checkout, source):
    source("00_double", SOURCE)
    metadata = json.loads(make(checkout)[0].learner)["metadata"]
    assert metadata["kernelspec"]["name"] == "python3"
    assert "version" not in metadata["language_info"] and "jupytext" not in metadata


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("\n# %%\n# twice_the_value = x + x\n", "shows a solution's line"),
        ('\n# %%\n# assert double(4) == 8, "a hidden case"\n', "shows a solution's line"),
        ('\n# %% nbgrader={"grade_id": "q1"}\n1\n', "'q1' occurs twice"),
        ("\n# %%\n### BEGIN SOLUTION\n", "without its partner"),
    ],
    ids=["leaked line", "leaked hidden case", "grade id twice", "open region"],
)
def test_a_wrong_source_is_refused(checkout, source, extra, message):
    source("00_double", SOURCE + extra)
    with pytest.raises(NotebookError, match=message):
        make(checkout)


def test_a_solution_must_not_show_in_another_notebook_either(checkout, source):
    source("00_double", SOURCE)
    source("01_other", "# %%\ntwice_the_value = x + x\n")
    with pytest.raises(NotebookError, match="01_other: cell 1"):
        make(checkout)


def test_a_source_that_is_not_utf8_is_refused(checkout, source):
    source("00_double", "").write_bytes(b"# %%\n'\xff'\n")
    with pytest.raises(NotebookError, match="not UTF-8 at byte 6"):
        make(checkout)


def test_check_finds_what_is_missing_and_what_was_edited(checkout, source):
    source("00_double", SOURCE)
    assert [d.split(":")[0] for d in differences(checkout, execute=False)] == [
        "00_double.ipynb in notebooks/ is missing",
        "00_double.ipynb in solutions_private/ is missing",
    ]
    build(checkout, execute=False, report=lambda line: None)
    assert differences(checkout, execute=False) == []
    path = checkout.notebooks / "00_double.ipynb"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (found,) = differences(checkout, execute=False)
    assert "notebooks/ differs from its source" in found


def test_outputs_are_stored_and_compared_without_what_changes(checkout, source):
    source("00_double", SOURCE)
    build(checkout, report=lambda line: None)
    path = checkout.solutions / "00_double.ipynb"
    text = path.read_text("utf-8")
    assert "42 fake" in text and "papermill" not in text
    assert differences(checkout) == []
    path.write_text(text.replace("42 fake", "43 fake"), "utf-8")
    (found,) = differences(checkout)
    assert "43 fake" in found and "rlvr-course build 00" in found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<Axes at 0x7fd2c8a1b2d0>", "<Axes at <address>>"),
        ("2026-11-30 14:04:28.807", "<time>"),
        ("run 20261130-140428-ab12", "run <run>"),
        ("took 1.25 s", "took <duration>"),
        ("in /home/someone/course/artifacts", "in <path>"),
        ("0.71 [0.63, 0.78] (n=120)", "0.71 [0.63, 0.78] (n=120)"),
        ("12/12 correct, 3 samples", "12/12 correct, 3 samples"),
    ],
)
def test_normalising_takes_what_changes_and_nothing_else(text, expected):
    assert normalised(text) == expected
    assert normalised(expected) == expected
