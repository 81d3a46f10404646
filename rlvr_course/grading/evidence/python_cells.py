"""Read a cell's Python without running it: magics and shell lines are set apart first."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

MAX_LINE = 10_000
"""Characters; a longer line is no magic."""

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
    text, magics = python_text(source)
    if text is None:
        return PythonCell(None, magics, source.lstrip().partition("\n")[2])
    return PythonCell(parsed(text), magics)


def python_text(source: str) -> tuple[str | None, tuple[str, ...]]:
    """A cell's Python, line for line, and its magics and shell lines.

    Whoever runs a cell, and whoever searches it, reads it by this: nothing runs unseen.

    Args:
        source: as IPython would get it.

    Returns:
        The text with ``pass`` or ``None`` in the place of what is not Python, None for a cell of
        another language; and what was taken out, each line stripped.

    >>> python_text("%matplotlib inline\\nfiles = !ls")
    ('pass\\nfiles = None', ('%matplotlib inline', '!ls'))
    """
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    first = text.lstrip().partition("\n")[0].strip()
    if first.startswith("%%") and first.split()[0] not in _PYTHON_MAGICS:
        return None, (first,)
    if parsed(text) is not None:  # then no line begins a statement with % or !
        return text, ()
    lines, magics = [], []
    for line in text.split("\n"):
        found = _LINE.match(line) if len(line) <= MAX_LINE else None
        if found is not None:
            magics.append(found["line"].strip())
            target = found["target"]
            lines.append(f"{found['indent']}{f'{target}None' if target else 'pass'}")
        else:
            is_help = len(line) <= MAX_LINE and _HELP.match(line)
            lines.append(line[: len(line) - len(line.lstrip())] + "pass" if is_help else line)
    return "\n".join(lines), tuple(magics)


def parsed(source: str) -> ast.Module | None:
    """The syntax tree, or None where there is none, whatever the reason."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a value written down: numbers, texts, and lists of such."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


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
