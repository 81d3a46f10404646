"""Changes to given cells are told as what they are: a check is not a plot, a slip not a trick."""

from __future__ import annotations

import copy

import pytest
from handed import (
    Change,
    Notebook,
    after,
    cell,
    check_cell,
    codes,
    evidence,
    given,
    kinds,
    solved,
    text,
)

from rlvr_course.grading.handin.matching import match_cells
from rlvr_course.grading.handin.seen import seen_cells

CHECKS = [c.check for c in given("01_verifiers").cells if c.check]


def at(notebook: Notebook, start: str) -> dict:
    return next(c for c in notebook["cells"] if text(c).startswith(start))


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    "source",
    ["", "'{0}: all good'", "check('{0}', model_answer)", "# check('{0}', x)", "if 0: check(0)"],
    ids=["emptied", "text instead", "of another name", "commented out", "other call"],
)
def test_a_check_that_was_taken_out_is_found(name: str, source: str) -> None:
    def change(notebook: Notebook) -> None:
        check_cell(notebook, name)["source"] = source.format(name)

    assert "given_cell_changed" in codes(after(change), "integrity")


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_that_was_deleted_is_found(name: str) -> None:
    found = after(lambda notebook: notebook["cells"].remove(check_cell(notebook, name)))
    assert "given_cell_missing" in codes(found, "integrity")


def test_another_start_of_the_run_is_found() -> None:
    def change(notebook: Notebook) -> None:
        first = at(notebook, "import re")
        first["source"] = text(first).replace('start("01_verifiers", MODE)', "Run('fake')")

    assert "given_cell_changed" in codes(after(change), "integrity")


def test_another_import_of_check_is_found() -> None:
    def change(notebook: Notebook) -> None:
        first = at(notebook, "import re")
        first["source"] = text(first).replace("attack, check,", "attack,")
        first["source"] += "\nfrom cheat import check"

    assert {"given_cell_changed", "course_patched"} <= codes(after(change), "integrity")


@pytest.mark.parametrize(
    ("grading", "is_found"),
    [({"points": 30}, True), ({"grade_id": "q01z"}, True), ({"schema_version": 4}, False)],
    ids=["points", "grade id", "schema"],
)
def test_changed_points_and_grade_ids_are_found(grading: dict, is_found: bool) -> None:
    found = after(lambda notebook: cell(notebook, "q01c")["metadata"]["nbgrader"].update(grading))
    assert ("grading_metadata_changed" in codes(found, "integrity")) == is_found


def own_imports(notebook: Notebook) -> None:
    at(notebook, "import re")["source"] = "import json\n" + text(at(notebook, "import re"))


def more_lines(notebook: Notebook) -> None:
    shown = at(notebook, "BY_HAND")
    shown["source"] = text(shown) + "\nprint(hand.response[0])"


def other_texts(notebook: Notebook) -> None:
    tries = at(notebook, "tries = [")
    tries["source"] = text(tries).replace("0.33", "0.34")


def copied_exercise(notebook: Notebook) -> None:
    twin = copy.deepcopy(cell(notebook, "q01c"))
    notebook["cells"].append({**twin, "id": "abcd", "execution_count": 35})


def copied_with_its_id(notebook: Notebook) -> None:
    twin = copy.deepcopy(check_cell(notebook, "q01c"))
    notebook["cells"].append({**twin, "execution_count": 35, "outputs": []})


def notes_of_ones_own(notebook: Notebook) -> None:
    notebook["cells"].insert(3, {"cell_type": "markdown", "source": "My note", "metadata": {}})


def text_mended(notebook: Notebook) -> None:
    first = notebook["cells"][0]
    first["source"] = text(first).replace("Verifiers", "My verifiers")


HONEST: dict[Change, str] = {
    own_imports: "given_cell_extended",
    more_lines: "given_cell_extended",
    other_texts: "given_values_changed",
    copied_exercise: "grade_id_twice",
    notes_of_ones_own: "cells_added",
    text_mended: "given_text_changed",
}


@pytest.mark.parametrize("change", HONEST, ids=lambda change: change.__name__)
def test_what_learners_do_to_cells_is_a_note(change: Change) -> None:
    found = after(change)
    assert HONEST[change] in codes(found, "note") and kinds(found) == {"note"}


def test_a_copy_with_its_id_is_a_note() -> None:
    found = [f for f in after(copied_with_its_id) if f.code == "cell_copied"]
    assert [f.kind for f in found] == ["note"]


def test_other_code_in_a_given_cell_is_told() -> None:
    def change(notebook: Notebook) -> None:
        at(notebook, "problems = {p.id")["source"] = "rows = pd.read_csv('mine.csv')"

    assert "given_cell_changed" in codes(after(change), "reproducibility")


def test_another_release_is_told_once_and_is_no_cheating() -> None:
    def change(notebook: Notebook) -> None:
        for c in notebook["cells"]:
            if "rows" in text(c) and c["cell_type"] == "code":
                c["source"] = text(c).replace("rows", "table")

    found = after(change)
    assert "another_version" in codes(found) and "integrity" not in kinds(found)


def test_cells_are_matched_without_ids_and_in_another_order() -> None:
    notebook = solved()
    for n, c in enumerate(notebook["cells"]):
        c["id"] = f"new-{n}"
    notebook["cells"].reverse()
    matching = match_cells(seen_cells(notebook), given("01_verifiers"))
    assert all(seen.source.split() or given.source for seen, given in matching.pairs.values())
    assert {given.grade_id for _, given in matching.pairs.values()} >= {*CHECKS, "Q1"}


def test_ids_that_were_dealt_out_anew_mislead_nobody() -> None:
    notebook = solved()
    ids = [c["id"] for c in notebook["cells"]]
    for c, new in zip(notebook["cells"], ids[1:] + ids[:1], strict=True):
        c["id"] = new
    assert codes(evidence(notebook)) <= {"no_log"}
