"""Docstrings and signatures as they come out in the API reference."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.classroom.docstrings import anchors, escape, to_markdown
from rlvr_course.classroom.signatures import (
    class_signature,
    constant_signature,
    function_signature,
)


def parsed(source: str):
    return ast.parse(source).body[0]


@pytest.mark.parametrize(
    "docstring, markdown",
    [
        pytest.param("One\nparagraph.", "One\nparagraph.", id="a paragraph stays"),
        pytest.param("A.\n\n>>> 1 + 1\n2", "A.\n\n```pycon\n>>> 1 + 1\n2\n```", id="an example"),
        pytest.param("A:\n\n    x  y", "A:\n\n```text\nx  y\n```", id="an indented block"),
        pytest.param("A::\n\n    x", "A:\n\n```text\nx\n```", id="a literal block's mark"),
        pytest.param("Law\n---\nText.", "**Law**\n\nText.", id="an underlined heading"),
        pytest.param("Limits: a\nb.", "**Limits**: a\nb.", id="a section of prose"),
        pytest.param(
            "Returns:\n    A <b>.", "**Returns**: A &lt;b>.", id="a section below its name"
        ),
    ],
)
def test_a_docstring_becomes_markdown(docstring: str, markdown: str) -> None:
    assert to_markdown(docstring) == markdown


def test_arguments_become_a_list_and_keep_their_continuation() -> None:
    docstring = "Do.\n\nArgs:\n    a, b: two\n        of them.\n    c: one.\n\nLimits: none."
    expected = "Do.\n\n**Args**\n\n- `a`, `b`: two\n  of them.\n- `c`: one.\n\n**Limits**: none."
    assert to_markdown(docstring) == expected


@given(st.text(alphabet="aA: \n>`<$-*\\", max_size=80))
def test_any_docstring_keeps_its_letters(docstring: str) -> None:
    shown = to_markdown(docstring).replace("```pycon", "").replace("```text", "")
    assert re.findall("[aA]", shown) == re.findall("[aA]", docstring)


@given(st.text(alphabet="a<$ `\n", max_size=60))
def test_no_html_and_no_formula_begins_outside_code(text: str) -> None:
    outside = escape(text.replace("`", ""))
    assert "<" not in outside
    assert outside.count("$") == outside.count("\\$")


def test_headings_of_one_name_get_anchors_of_their_own() -> None:
    page = "# A b\n\n```\n# not one\n```\n\n## A b\n\n### `x.Y_z`\n"
    assert [anchor for _, anchor in anchors(page)] == ["a-b", "a-b-1", "xy_z"]


@pytest.mark.parametrize(
    "signature",
    [
        "f()",
        "f(a, b: int = 2) -> bool",
        "f(a, /, b, *, c: str = 'x')",
        "f(*args: int, key: int, **rest: str) -> None",
    ],
)
def test_a_signature_comes_out_as_it_stands(signature: str) -> None:
    assert function_signature(parsed(f"def {signature}: ...")) == signature


def test_a_method_is_shown_without_self() -> None:
    method = parsed("def run(self, n: int) -> int: ...")
    assert function_signature(method, name="Loop.run", bound=True) == "Loop.run(n: int) -> int"


def test_a_long_signature_has_one_parameter_a_line() -> None:
    names = [f"parameter_number_{index}" for index in range(6)]
    shown = function_signature(parsed(f"def f({', '.join(names)}): ..."))
    assert shown.splitlines() == ["f(", *(f"    {name}," for name in names), ")"]


def test_a_dataclass_is_shown_by_its_fields() -> None:
    source = "@dataclass\nclass R:\n    n: int\n    parts: dict = field(default_factory=dict)"
    assert class_signature(parsed(source)) == "R(n: int, parts: dict = dict())"


def test_a_class_without_either_is_shown_by_its_bases() -> None:
    assert class_signature(parsed("class E(ValueError): ...")) == "class E(ValueError)"


def test_a_long_constant_is_shown_without_its_value() -> None:
    assert constant_signature("N", parsed("N = 20_000")) == "N = 20000"
    assert constant_signature("T", parsed(f"T: tuple = ({'1, ' * 60})")) == "T: tuple"
