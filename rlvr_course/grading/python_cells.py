"""Read a cell's Python without running it: magics and shell lines are set apart first."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

_PYTHON_MAGICS = {"%%time", "%%timeit", "%%capture", "%%prun"}
_LINE = re.compile(r"^(?P<indent>[ \t]*)(?P<target>[\w, \t]{0,200}=[ \t]*)?(?P<line>[%!][^=\s].*)$")
_HELP = re.compile(r"^[ \t]*(\?{1,2}[\w.]+|[\w.]+\?{1,2})[ \t]*$")


@dataclass(frozen=True)
class PythonCell:
    """A cell's parts.

    Args:
        tree: its Python; None if it doesn't parse, or is another language.
        lines: its magics and shell lines, each stripped.
        body: the text under a cell magic of another language, "" otherwise.
    """

    tree: ast.Module | None
    lines: tuple[str, ...] = ()
    body: str = ""


@lru_cache(maxsize=2048)
def python_cell(source: str) -> PythonCell:
    """Split a cell's source, as IPython would, and parse what is Python.

    >>> python_cell("%matplotlib inline\\nx = 1").lines
    ('%matplotlib inline',)
    >>> python_cell("%%bash\\nls").tree is None
    True
    """
    first, _, rest = source.lstrip().partition("\n")
    magics = []
    if first.startswith("%%"):
        magics.append(first.strip())
        if first.split()[0] not in _PYTHON_MAGICS:
            return PythonCell(None, tuple(magics), rest)
        source = rest
    lines = []
    for line in source.split("\n"):
        found = _LINE.match(line)
        if found is None or len(line) > 10_000:
            lines.append("" if len(line) < 300 and _HELP.match(line) else line)
            continue
        magics.append(found["line"].strip())
        lines.append(f"{found['indent']}{found['target'] or ''}{'None' if found['target'] else ''}")
        if not found["target"]:
            lines[-1] += "pass"
    tree = parsed("\n".join(lines))
    if tree is None and magics:  # a line that begins with % may belong to an expression
        tree = parsed(source)
    return PythonCell(tree, tuple(magics))


def parsed(source: str) -> ast.Module | None:
    """The syntax tree, or None where there is none, whatever the reason."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def tree_text(source: str) -> str | None:
    """A text that two cells share if they differ in layout and comments only."""
    cell = python_cell(source)
    if cell.tree is None:
        return None
    try:
        return "\n".join(cell.lines) + ast.dump(cell.tree)
    except RecursionError:
        return None


def source_of(node: ast.AST, limit: int = 200) -> str:
    """The node's code on one line, cut to a length."""
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return ""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
