"""Small slips in a piece of code, each made once: what a check that is any good has to notice."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

_COMPARED = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}


def mutants(source: str) -> dict[str, str]:
    """Every slip by its name, which says the line and what it became.

    A comparison is turned or made strict, a whole number is one off, ``and`` is ``or``, a ``not``
    is dropped, a branch is taken always or never, a filter left out, an operation undone.

    >>> sorted(mutants("def f(a):\\n    return a < 1"))
    ['2: 0 for 1 (column 15)', '2: 2 for 1 (column 15)', '2: a <= 1', '2: a >= 1']
    """
    found: dict[str, str] = {}
    count = len(list(ast.walk(ast.parse(source))))
    for place in range(count):
        tree = ast.parse(source)
        node = list(ast.walk(tree))[place]
        for change in _changes(node):
            changed = copy.deepcopy(node)
            change(changed)
            mutated = ast.unparse(_with(tree, place, changed))
            line = getattr(node, "lineno", None)
            if line is not None and mutated != ast.unparse(tree):
                found.setdefault(f"{line}: {_short(_shown(node, changed))}", mutated)
    return found


def _with(tree: ast.Module, place: int, changed: ast.AST) -> ast.Module:
    """The tree with another node in one place."""
    whole = copy.deepcopy(tree)
    old = list(ast.walk(whole))[place]
    old.__class__ = changed.__class__
    old.__dict__.clear()
    old.__dict__.update(changed.__dict__)
    return whole


def _shown(node: ast.AST, changed: ast.AST) -> str:
    if isinstance(node, ast.If):
        return f"if {ast.unparse(changed.test)} for {ast.unparse(node.test)}"
    if isinstance(changed, ast.Constant):
        return f"{ast.unparse(changed)} for {ast.unparse(node)} (column {node.col_offset})"
    return ast.unparse(changed)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 90 else line[:89] + "…"


def _changes(node: ast.AST) -> Iterator[Callable[[Any], object]]:
    match node:
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                for other in _COMPARED[type(op)]:
                    yield lambda n, at=at, other=other: n.ops.__setitem__(at, other())
        case ast.BoolOp(op=op):
            other = ast.Or if isinstance(op, ast.And) else ast.And
            yield lambda n, other=other: setattr(n, "op", other())
        case ast.UnaryOp(op=ast.Not()):
            yield lambda n: _become(n, n.operand)
        case ast.BinOp(op=op) if type(op) in _COMPUTED:
            yield lambda n: setattr(n, "op", _COMPUTED[type(op)]())
        case ast.Constant(value=int(value)) if type(value) is int:
            yield lambda n: setattr(n, "value", value + 1)
            yield lambda n: setattr(n, "value", value - 1)
        case ast.If():
            yield lambda n: setattr(n, "test", ast.Constant(True))
            yield lambda n: setattr(n, "test", ast.Constant(False))
        case ast.IfExp():
            yield lambda n: _become(n, n.body)
            yield lambda n: _become(n, n.orelse)
        case (
            ast.ListComp(generators=[ast.comprehension(ifs=[_, *_])])
            | ast.GeneratorExp(generators=[ast.comprehension(ifs=[_, *_])])
        ):
            yield lambda n: setattr(n.generators[0], "ifs", [])


def _become(node: ast.AST, other: ast.AST) -> None:
    node.__class__ = other.__class__
    node.__dict__.update(other.__dict__)
