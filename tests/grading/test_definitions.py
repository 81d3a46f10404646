"""What is collected for an exercise: what it depends on, from the right version, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marking import filled, marks_of

from rlvr_course.grading.evidence.python_cells import python_cell
from rlvr_course.grading.handin.handed_in import HandedCell
from rlvr_course.grading.marking.definitions import (
    MAX_CODE,
    Definitions,
    definitions,
    readable,
    syntax_problem,
)
from rlvr_course.grading.released import ReleasedCell


def own(source: str) -> HandedCell:
    return HandedCell(1, "code", source)


def given_cell(released: str, submitted: str | None = None) -> HandedCell:
    cell = ReleasedCell("id", 1, "code", released)
    return HandedCell(1, "code", released if submitted is None else submitted, cell)


def taken(needed: Definitions) -> list[str]:
    """The statements that are to be run, as text; each stands on a line of its own here."""
    return [source.splitlines()[index] for _, source, indices in needed.pieces for index in indices]


def test_only_what_the_name_depends_on_is_taken() -> None:
    cells = [
        given_cell("import re\nimport json\nrun = start('x')\nlimit = 3\nother = limit + 1"),
        own("def mine(text): return re.sub('a', 'b', text)[:limit]\nprint(mine('a'))\nz = run"),
    ]
    needed = definitions(cells, "mine")
    assert taken(needed) == [
        "import re",
        "limit = 3",
        "def mine(text): return re.sub('a', 'b', text)[:limit]",
    ]
    assert needed.imports == {"re"}


@pytest.mark.parametrize(
    "change",
    [
        "x += 1",
        "x[0] = 1",
        "x.part = 1",
        "x.append(1)",
        "x[0].append(1)",
        "for i in range(3): x.append(i)",
        "fill(x)",
        "for x in range(3): pass",
        "if True: x = 3",
        "with open('f') as x: pass",
        "import y as x",
        "(x := 3)",
        "del x",
    ],
)
def test_a_statement_that_changes_it_is_taken(change: str) -> None:
    needed = definitions([own(f"x = []\n{change}\nprint(x)\nz = x")], "x")
    assert taken(needed) == ["x = []", change]


def test_a_call_of_an_own_function_that_fills_a_list_is_taken() -> None:
    source = "found = []\ndef add(n): found.append(n)\nadd(3)\nanswer = found"
    assert taken(definitions([own(source)], "answer")) == source.split("\n")


def test_names_of_a_function_are_its_own() -> None:
    cells = [own("text = 1 / 0\nfor row in range(10**9): pass"), own("def f(text): row = text")]
    assert taken(definitions(cells, "f")) == ["def f(text): row = text"]


def test_a_given_cell_is_taken_as_it_was_handed_out() -> None:
    cells = [given_cell("limit = 3", "limit = 99\nimport math"), own("f = math.sqrt(limit)")]
    assert taken(definitions(cells, "f")) == ["limit = 3", "import math", "f = math.sqrt(limit)"]


def test_a_star_import_is_taken() -> None:
    assert taken(definitions([own("from math import *"), own("x = sqrt(4)")], "x")) == [
        "from math import *",
        "x = sqrt(4)",
    ]


def test_what_nobody_defines_is_missing() -> None:
    assert definitions([given_cell("x = 1")], "y").is_missing
    assert not definitions([given_cell("x = 1"), own("y = 1")], "y").is_missing


@pytest.mark.parametrize(
    ("source", "amount"),
    [("#" * (MAX_CODE + 1), "200,000 characters"), ("x=1;" * 5_001, "5,000 statements")],
    ids=["characters", "statements"],
)
def test_too_much_code_is_not_read(source: str, amount: str) -> None:
    needed = definitions([own(source)], "x")
    assert needed.problem == f"the code cells up to here hold more than {amount}"
    assert needed.pieces == ()


def test_statements_on_one_line_are_told_apart() -> None:
    needed = definitions([own("é = 'é'; x = é; y = 1 / 0; z = 'é'\n@x\ndef f(): x")], "x")
    assert [indices for _, _, indices in needed.pieces] == [[0, 1]]
    assert needed.names == ("*", "x", "é")


def test_lines_of_ipython_are_left_out() -> None:
    text = "%%time\n%matplotlib inline\nif True:\n    !ls\nx = 'a % b'\nx?\ny = 1"
    assert readable(text) == "pass\npass\nif True:\n    pass\nx = 'a % b'\npass\ny = 1"
    assert readable("x = '''\n%d'''") == "x = '''\n%d'''"
    assert readable("%%html\nx = 1") == ""


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("x = 1", ""),
        ("%time x", ""),
        ("x = = 1", "SyntaxError: invalid syntax (line 1)"),
        ("x = 1\n  y = 2", "SyntaxError: unexpected indent (line 2)"),
        ("x = " + "-" * 50_000 + "1", "the cell is too long or too deeply nested to be read"),
    ],
    ids=["none", "magic", "invalid", "indent", "nested"],
)
def test_a_syntax_problem_is_one_line(source: str, problem: str) -> None:
    assert syntax_problem(source) == problem


PIECES = ["x = 1", "import os", "def f():", "  return x", "f.a[0] = x", "%time", "\x0c", "a; b = 1"]
PIECES += ["'''", "\\", "class C: x = 1", "for x in f(): x.y()", "x: int", "async def g(): await x"]


SHELL = ["%%html", "%%time", "  %%html", "!ls", "x?", "f(x)?", "?f", "y = %ls", "x = !ls", "%x(1)"]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=6).map("\n".join))
def test_whatever_a_cell_holds_statements_are_of_it(source: str) -> None:
    import ast

    for _, text, indices in definitions([own(source)], "x").pieces:
        assert indices == sorted(set(indices))
        assert max(indices) < len(ast.parse(text).body)


@given(st.lists(st.sampled_from(SHELL) | st.sampled_from(PIECES), max_size=6).map("\n".join))
def test_what_runs_here_is_what_a_search_for_tricks_reads(source: str) -> None:
    import ast

    body = ast.parse(readable(source)).body if not syntax_problem(source) else []
    seen = python_cell(source).tree
    assert not body or (seen and [*map(ast.dump, seen.body)] == [*map(ast.dump, body)])


LOO = "def leave_one_out(rewards):\n"
"""The start of q03b's answer."""


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("source", "before"),
    [
        (f"{LOO}    return loo(rewards)", "def loo(r):\n    return [n - (sum(r) - n) / max(1, "
         "len(r) - 1) if len(r) > 1 else 0.0 for n in r]"),
        (f"{LOO}    r = np.array(rewards)\n    return (r - (r.sum() - r) / max(1, r.size - 1)) "
         "* (r.size > 1)", "x = 1"),
        (f"%%time\n{LOO}    n = len(rewards)\n    return [Fraction((n * r - sum(rewards)) / "
         "max(1, n - 1)) for r in rewards]", "from fractions import Fraction"),
        (f"{LOO}    return pd.Series(known[0](rewards)).tolist()",
         "known = []\ndef keep(f): known.append(f)\n"
         "keep(lambda r: [n - (sum(r) - n) / (len(r) - 1 or 1) if r[1:] else 0.0 for n in r])"),
        ("from rlvr_course import leave_one_out_advantages as leave_one_out", "!pip list"),
    ],
    ids=["a helper cell", "numpy", "a magic and Fractions", "a filled list", "the package's own"],
)  # fmt: skip
def test_an_honest_way_to_write_it_has_all_points(source: str, before: str) -> None:
    name = "03_groups_and_advantages"
    notebook = filled(name, {"q03b": source}, before={"q03b": [("code", before)]})
    assert marks_of(notebook, name)["q03b"].points == 4.0


@pytest.mark.usefixtures("sandbox")
def test_an_import_that_was_added_to_a_given_cell_counts() -> None:
    name = "03_groups_and_advantages"
    source = "def pass_k(n, c, k):\n    return 1 - comb(n - c, k) / comb(n, k)"
    notebook = filled(name, {"q03d": source})
    setup = next(cell for cell in notebook["cells"] if "run = start(" in cell["source"])
    setup["source"] = f"from math import comb\n{setup['source']}"
    assert marks_of(notebook, name)["q03d"].points == 4.0


@pytest.mark.usefixtures("sandbox")
def test_an_answer_may_be_computed_from_what_the_notebook_gave() -> None:
    source = "my_labels = ''.join('v' for row in hand.itertuples())"
    mark = marks_of(filled("01_verifiers", {"q01a": source}))["q01a"]
    assert [held for name, held, _ in mark.cases] == [True, True, False, False]  # 21 times v
