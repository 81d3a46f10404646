"""Solution regions of a cell and the stubs that stand in their place.

Between ``### BEGIN SOLUTION`` and ``### END SOLUTION`` stands what the learner is to write. In the
learner's copy a region becomes a stub that still runs:

- in a function's body, ``return None``, so that an exercise not yet done answers None;
- elsewhere, each name that the region binds is set to None, or ``...`` if it binds none;
- in a markdown cell, an invitation to write.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rlvr_course.errors import NotebookError

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
CODE_STUB = "# YOUR CODE HERE"
TEXT_STUB = "*Write your answer here.*"


@dataclass(frozen=True)
class Region:
    """Lines of a cell that hold a solution; ``first`` and ``last`` are its two markers, from 0."""

    first: int
    last: int
    indent: str


def regions(cell: Any, name: str) -> Iterator[Region]:
    """The solution regions of a cell, in order; markers that don't pair up are an error."""
    first: int | None = None
    for number, line in enumerate(cell.source.split("\n")):
        text = line.strip()
        if text not in (BEGIN, END):
            continue
        if (text == BEGIN) != (first is None):
            raise NotebookError(f"{name}: {text!r} without its partner in the cell {_title(cell)}")
        if first is None:
            first, indent = number, line[: len(line) - len(line.lstrip())]
        else:
            yield Region(first, number, indent)
            first = None
    if first is not None:
        raise NotebookError(f"{name}: {BEGIN!r} without its partner in the cell {_title(cell)}")


def _title(cell: Any) -> str:
    return repr(cell.source.lstrip().split("\n", 1)[0][:60])


def stub(cell: Any, region: Region, name: str) -> list[str]:
    """The lines that stand in the learner's copy for one region."""
    if cell.cell_type != "code":
        return [region.indent + TEXT_STUB]
    try:
        tree = ast.parse(cell.source)
    except SyntaxError as error:
        raise NotebookError(
            f"{name}: line {error.lineno} of the cell {_title(cell)} is not Python: {error.msg}"
        ) from None
    if _in_function(tree, region):
        body = ["return None"]
    else:
        body = [f"{bound} = None" for bound in _bound_names(tree, region)] or ["..."]
    return [region.indent + line for line in (CODE_STUB, *body)]


def _in_function(tree: ast.Module, region: Region) -> bool:
    """Whether the innermost function or class around the region is a function."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    around = [node for node in ast.walk(tree) if isinstance(node, kinds) and _holds(node, region)]
    innermost = max(around, key=lambda node: node.lineno, default=None)
    return innermost is not None and not isinstance(innermost, ast.ClassDef)


def _holds(node: ast.stmt, region: Region) -> bool:
    # The region's markers are comments, so a body that is all solution ends before its END line;
    # the indent tells such a function from one that merely stands above the region.
    last = node.end_lineno or node.lineno
    indented = len(region.indent) > node.col_offset
    return node.lineno <= region.first and last > region.first and indented


def _bound_names(tree: ast.Module, region: Region) -> list[str]:
    """Names that the region's own statements bind, in order, if nothing before bound them."""
    earlier: set[str] = set()
    bound: list[str] = []
    for node in _statements(tree.body):
        inside = region.first < node.lineno - 1 < region.last
        for name in _names(node):
            if not inside and node.lineno - 1 < region.first:
                earlier.add(name)
            elif inside and name not in earlier and name not in bound:
                bound.append(name)
    return bound


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a block and of the plain blocks in it; not of functions and classes."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for block in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, block, []))


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    parts = [part for target in targets for part in ast.walk(target)]
    return [p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)]
