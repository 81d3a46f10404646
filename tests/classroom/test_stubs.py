"""A stub runs, answers None and tells nothing of the solution."""

from __future__ import annotations

import textwrap

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.classroom.source import learner_copy
from rlvr_course.classroom.stubs import regions
from rlvr_course.errors import NotebookError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def stubbed(source: str, kind: str = "code") -> str:
    new = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}[kind]
    notebook = nbformat.v4.new_notebook(cells=[new(source)])
    return learner_copy(notebook, "00_test").cells[0].source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(f"{BEGIN}\nx = 1\n{END}", "# YOUR CODE HERE\nx = None", id="binds a name"),
        pytest.param(
            f"{BEGIN}\nx, y = 1, 2\n{END}", "# YOUR CODE HERE\nx = None\ny = None", id="binds two"
        ),
        pytest.param(
            f"x = {{}}\n{BEGIN}\nx = 1\n{END}", "x = {}\n# YOUR CODE HERE\n...", id="bound before"
        ),
        pytest.param(f"{BEGIN}\nprint(1)\n{END}", "# YOUR CODE HERE\n...", id="binds nothing"),
        pytest.param(
            f"{BEGIN}\ndef f(x):\n    y = x\n    return y\n{END}",
            "# YOUR CODE HERE\nf = None",
            id="a whole function",
        ),
        pytest.param(
            f"def f(x):\n    {BEGIN}\n    return x\n    {END}\n\nf(1)",
            "def f(x):\n    # YOUR CODE HERE\n    return None\n\nf(1)",
            id="a function's body",
        ),
        pytest.param(
            f"class A:\n    def f(self):\n        {BEGIN}\n        return 1\n        {END}",
            "class A:\n    def f(self):\n        # YOUR CODE HERE\n        return None",
            id="a method's body",
        ),
        pytest.param(
            f"class A:\n    {BEGIN}\n    x = 1\n    {END}",
            "class A:\n    # YOUR CODE HERE\n    ...",
            id="a class's body",
        ),
        pytest.param(
            f"def f():\n    return 1\n\n{BEGIN}\ny = f()\n{END}",
            "def f():\n    return 1\n\n# YOUR CODE HERE\ny = None",
            id="below a function",
        ),
        pytest.param(
            f"if True:\n    {BEGIN}\n    z: int = 3\n    {END}",
            "if True:\n    # YOUR CODE HERE\n    z = None",
            id="inside a block",
        ),
        pytest.param(
            f"{BEGIN}\na = 1\n{END}\nb = 2\n{BEGIN}\nc = 3\n{END}",
            "# YOUR CODE HERE\na = None\nb = 2\n# YOUR CODE HERE\nc = None",
            id="two regions",
        ),
    ],
)
def test_a_region_becomes_a_stub(source: str, expected: str) -> None:
    assert stubbed(source) == expected


def test_a_region_of_text_becomes_an_invitation() -> None:
    text = f"Why?\n\n{BEGIN}\nBecause.\n{END}"
    assert stubbed(text, "markdown") == "Why?\n\n*Write your answer here.*"


STATEMENTS = st.recursive(
    st.sampled_from(["return x", "y = x + 1", "raise ValueError(x)", "for i in x:\n    y = i"]),
    lambda inner: inner.map(lambda body: "if x:\n" + textwrap.indent(body, "    ")),
)


@given(
    body=st.lists(STATEMENTS, min_size=1, max_size=4), doc=st.booleans(), depth=st.integers(0, 2)
)
def test_a_stubbed_function_answers_none(body: list[str], doc: bool, depth: int) -> None:
    lines = ['"""Doc."""'] * doc + [BEGIN, *body, END]
    source = "def f(x):\n" + textwrap.indent("\n".join(lines), "    ")
    for _ in range(depth):
        source = "if True:\n" + textwrap.indent(source, "    ")
    names: dict = {}
    exec(stubbed(source), names)
    assert names["f"](1) is None


@pytest.mark.parametrize(
    "source",
    [f"{BEGIN}\nx = 1", f"x = 1\n{END}", f"{BEGIN}\n{BEGIN}\n{END}", f"{END}\n{BEGIN}"],
    ids=["no end", "no begin", "nested", "reversed"],
)
def test_markers_that_do_not_pair_up_are_refused(source: str) -> None:
    with pytest.raises(NotebookError, match="without its partner"):
        list(regions(nbformat.v4.new_code_cell(source), "00_test"))


def test_a_solution_that_is_not_python_is_refused_with_its_line() -> None:
    with pytest.raises(NotebookError, match=r"line 2 .* is not Python"):
        stubbed(f"{BEGIN}\nx = = 1\n{END}")
