"""Results that were typed in are found; numbers that belong in a solution are left alone."""

from __future__ import annotations

import pytest
from handed import NAMES, Notebook, after, cell, codes, given, text

from rlvr_course.grading.evidence.literals import MIN_INPUTS, check_inputs

FUNCTIONS = [
    (name, checking.check)
    for name in NAMES
    for checking in given(name).cells
    if len(check_inputs(checking.check)) >= MIN_INPUTS and checking.checked.isidentifier()
]
FORMS = {
    "dict": "TABLE = {table}\ndef {name}(x, *rest):\n    return TABLE.get(str(x), '')",
    "inside": "def {name}(x, *rest):\n    for key in {keys}:\n        if x == key: return 1\n",
    "helper": "def look(x):\n    return x in {keys}\ndef {name}(x, *rest):\n    return look(x)",
    "lambda": "KEYS = {keys}\n{name} = lambda x, *rest: KEYS.index(x)",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(("name", "check"), FUNCTIONS, ids=[check for _, check in FUNCTIONS])
def test_a_table_of_the_checks_inputs_is_found(name: str, check: str, form: str) -> None:
    keys = sorted(check_inputs(check))
    table = "{" + ", ".join(f"{key!r}: {n}" for n, key in enumerate(keys)) + "}"
    if form == FORMS["dict"]:
        table = "{" + ", ".join(f"str({key}): {key}" for key in keys) + "}"
    checking = next(c for c in given(name).cells if c.check == check)
    source = form.format(table=table, keys=f"[{', '.join(keys)}]", name=checking.checked)
    found = after(lambda notebook: cell(notebook, check).update(source=source), name)
    assert "table_of_inputs" in codes(found, "integrity")


@pytest.mark.parametrize(("name", "check"), FUNCTIONS, ids=[check for _, check in FUNCTIONS])
def test_tries_beside_a_solution_are_no_table(name: str, check: str) -> None:
    tries = f"\nfor some in [{', '.join(sorted(check_inputs(check)))}]:\n    print(some)"

    def change(notebook: Notebook) -> None:
        cell(notebook, check)["source"] = text(cell(notebook, check)) + tries

    assert "table_of_inputs" not in codes(after(change, name))


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [("01_verifiers", "accepted = rows.naive.sum()", "accepted = 311", "literal_for_expression"),
     ("01_verifiers", "accepted = rows.naive.sum()", "accepted = 9 + 2", "literal_for_expression"),
     ("01_verifiers", 'print(f"accepted: {accepted} of {len(rows)} = {accepted / len(rows):.0%}")',
      'print("accepted: 311 of 320 = 97%")', "typed_output"),
     ("00_start_here", 'print(f"right: {right} of {len(group)}   your guess: {my_guess}")',
      'print("right: 8 of 8   " + "your guess: 8")', "typed_output")],
    ids=["number", "sum", "text", "text in parts"],
)  # fmt: skip
def test_a_figure_that_was_typed_in_is_found(name: str, old: str, new: str, code: str) -> None:
    def change(notebook: Notebook) -> None:
        for c in notebook["cells"]:
            c["source"] = text(c).replace(old, new)

    assert code in codes(after(change, name), "integrity")


def test_a_typed_figure_in_a_cell_of_ones_own_is_found() -> None:
    own = {"cell_type": "code", "source": 'print("accepted: 311 of 320 = 97%")', "metadata": {}}
    found = after(lambda notebook: notebook["cells"].append(own))
    assert "typed_output" in codes(found, "integrity")


@pytest.mark.parametrize(
    "source",
    ["my_guess = 5", "print('the answer is 42')", "n = 8\nprint(n)", "print('see section 3')"],
)
def test_numbers_of_ones_own_are_left_alone(source: str) -> None:
    own = {"cell_type": "code", "source": source, "metadata": {}}
    assert "integrity" not in {f.kind for f in after(lambda nb: nb["cells"].append(own))}
