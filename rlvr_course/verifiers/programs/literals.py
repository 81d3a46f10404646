"""Literal values in a syntax tree, as the words that a test would show of them."""

from __future__ import annotations

import ast
from typing import Any

from rlvr_course.verifiers.programs.cases import CallCase, Case

MAX_ITEMS = 200
MAX_DEPTH = 20


def words(value: Any) -> str:
    """A value as text in which only the words count: ``[3, 4]``, ``(3, 4)``, ``"3 4\\n"`` agree.

    A text of brackets and quotes alone is its own word.
    """
    try:
        text = value if isinstance(value, str) else str(value)
    except ValueError:  # an integer with more digits than Python will write
        return ""
    bare = text
    for mark in "[](){},'\"":
        bare = bare.replace(mark, " ")
    return " ".join(bare.split()) or " ".join(text.split())


def literal(node: ast.AST | None, depth: int = 0) -> str | None:
    """The words of a literal; None for what is computed, or nested deeper than in any test."""
    if depth > MAX_DEPTH:
        return None
    if isinstance(node, ast.Constant):
        return words(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = literal(node.operand, depth + 1)
        return None if inner is None else f"-{inner}"
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) <= MAX_ITEMS:
        parts = [literal(item, depth + 1) for item in node.elts]
        known = [part for part in parts if part is not None]
        return " ".join(known) if len(known) == len(parts) else None
    return None


def case_words(case: Case) -> tuple[str, str]:
    """A test's (given, expected) in words. Brackets in a stdio test are taken for text, too."""
    if isinstance(case, CallCase):
        return words(list(case.args)), words(case.expected)
    return words(case.input), words(case.expected)


def printed_or_returned(statements: list[ast.stmt]) -> list[ast.expr]:
    """What the statements print, return or assign, themselves and not in blocks under them."""
    found: list[ast.expr] = []
    for statement in statements:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Return | ast.Assign) and value is not None:
            found.append(value)
        elif isinstance(statement, ast.Expr) and isinstance(value, ast.Call):
            found.extend(value.args[:1])
    return found
