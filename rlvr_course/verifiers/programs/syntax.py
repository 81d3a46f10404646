"""Reading Python without running it, for texts that may be hostile."""

from __future__ import annotations

import ast
import threading
import warnings

MAX_PARSED = 400_000
"""Characters: a longer text is not parsed, since no model writes one in a reply."""

_ONE_AT_A_TIME = threading.Lock()


def parse_python(text: str) -> ast.Module | None:
    """The syntax tree of a program; None if it has none or is too long or too deeply nested.

    >>> parse_python("print(1)") is None, parse_python("print(1") is None
    (False, True)
    """
    if len(text) > MAX_PARSED:
        return None
    try:
        # Python reports doubtful escapes as warnings, and warning filters belong to the process.
        with _ONE_AT_A_TIME, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def source_of(node: ast.AST, limit: int = 60) -> str:
    """A part of a program as text, cut at ``limit`` characters."""
    try:
        return ast.unparse(node)[:limit]
    except (RecursionError, ValueError):  # too deep, or an integer too long to write
        return "..."


def does_something(tree: ast.Module) -> bool:
    """Whether a tree is more than bare values: ``14`` and ``a, b`` are Python, but no programs."""
    return any(not isinstance(node, ast.Expr) for node in tree.body) or any(
        isinstance(node, ast.Call | ast.Await | ast.Yield) for node in ast.walk(tree)
    )
