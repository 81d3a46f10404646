"""Work out texts that a program spells in parts, without running it.

    fold("'input_' + 'transformers'")      'input_transformers'

A cheat hides a name from a search; whoever writes it honestly writes it out. Only operations on
constants are followed, each bounded, so that no input makes this slow.
"""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
from collections.abc import Callable
from itertools import islice
from typing import Any

MAX_CHARS = 20_000
MAX_DEPTH = 40
MAX_PARTS = 500
"""Nodes of an expression that are looked through for fixed parts."""

_METHODS: dict[str, Callable[..., Any]] = {
    **{name: getattr(str, name) for name in ("lower", "upper", "title", "swapcase", "strip")},
    **{name: getattr(str, name) for name in ("replace", "removeprefix", "removesuffix")},
}


def fold(node: ast.AST | None, depth: int = MAX_DEPTH) -> Any:
    """The constant value (text, bytes, number, list of these) of an expression; else None."""
    if node is None or depth <= 0:
        return None
    try:
        value = _fold(node, depth - 1)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return None if isinstance(value, str | bytes | list) and len(value) > MAX_CHARS else value


def fold_text(node: ast.AST | None) -> str:
    """The text of an expression, "" where it isn't a constant text."""
    value = fold(node)
    return value if isinstance(value, str) else ""


def literal_part(node: ast.AST) -> str:
    """The fixed parts of an expression's text, in order: of an f-string, of a path in parts."""
    whole = fold(node)
    if isinstance(whole, str):
        return whole
    parts = []
    for part in islice(ast.walk(node), MAX_PARTS):
        value = fold(part) if isinstance(part, ast.Constant | ast.BinOp | ast.Call) else None
        if isinstance(value, str):
            parts.append(value)
    return "/".join(parts)[:MAX_CHARS]


def _fold(node: ast.AST, depth: int) -> Any:
    match node:
        case ast.Constant(value=str() | bytes() | int() | float() as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return _all([fold(item, depth) for item in items[:MAX_CHARS]])
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(op, fold(left, depth), fold(right, depth))
        case ast.JoinedStr(values=values):
            parts = [fold(_inner(value), depth) for value in values]
            return None if _all(parts) is None else "".join(map(str, parts))
        case ast.Subscript(value=value, slice=index):
            return _subscript(fold(value, depth), index, depth)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = fold(operand, depth)
            return -value if isinstance(value, int | float) else None
        case ast.Call():
            return _call(node, depth)
    return None


def _inner(node: ast.expr) -> ast.AST:
    plain = isinstance(node, ast.FormattedValue) and node.format_spec is None
    return node.value if plain and isinstance(node, ast.FormattedValue) else node


def _all(values: list[Any]) -> list[Any] | None:
    return None if any(value is None for value in values) else values


def _operation(op: ast.operator, left: Any, right: Any) -> Any:
    if left is None or right is None:
        return None
    if isinstance(op, ast.Add):
        return left + right
    if isinstance(op, ast.Mult):
        size = left * len(right) if isinstance(right, str | bytes | list) else len(left) * right
        return left * right if 0 <= size <= MAX_CHARS else None
    if isinstance(op, ast.Mod) and isinstance(left, str) and len(left) < 1000 and "*" not in left:
        digits = any(character.isdigit() for character in left)  # a width may be huge
        return None if digits else left % (tuple(right) if isinstance(right, list) else right)
    if isinstance(op, ast.BitXor | ast.Sub) and isinstance(left, int) and isinstance(right, int):
        return left ^ right if isinstance(op, ast.BitXor) else left - right
    return None


def _subscript(value: Any, index: ast.AST, depth: int) -> Any:
    if not isinstance(value, str | bytes | list):
        return None
    if isinstance(index, ast.Slice):
        ends = [fold(part, depth) for part in (index.lower, index.upper, index.step)]
        return value[slice(*ends)] if all(e is None or type(e) is int for e in ends) else None
    place = fold(index, depth)
    return value[place] if type(place) is int else None


def _call(node: ast.Call, depth: int) -> Any:
    args = _all([fold(arg, depth) for arg in node.args])
    if args is None:
        return None
    match node.func:
        case ast.Name("chr") if type(args[0]) is int and 0 <= args[0] < 0x110000:
            return chr(args[0])
        case ast.Name("str" | "bytes" | "list" | "reversed" as name):
            return _converted(name, args)
        case ast.Attribute(value=value, attr=method):
            return _method(value, method, args, depth)
    return None


def _converted(name: str, args: list[Any]) -> Any:
    value = args[0]
    if name == "str":
        return value if isinstance(value, str) else None
    if name == "bytes":
        return bytes(value) if isinstance(value, list | bytes) else None
    if not isinstance(value, str | list):
        return None
    return list(value) if name == "list" else list(value)[::-1]


def _method(value: ast.AST, method: str, args: list[Any], depth: int) -> Any:
    if method == "fromhex":
        return bytes.fromhex(args[0])
    if method in {"b64decode", "b32decode", "b16decode", "b85decode"}:
        try:
            return getattr(base64, method)(args[0])
        except binascii.Error:
            return None
    if isinstance(value, ast.Name) and value.id == "codecs" and method == "decode":
        return codecs.decode(args[0], "rot13") if args[1] in {"rot13", "rot_13"} else None
    owner = fold(value, depth)
    if method == "join" and isinstance(owner, str):
        parts = list(args[0])
        return owner.join(parts) if all(isinstance(part, str) for part in parts) else None
    if method == "decode" and isinstance(owner, bytes):
        return owner.decode("utf-8", "replace")
    if method in {"split"} and isinstance(owner, str):
        return owner.split(*args)
    if method in _METHODS and isinstance(owner, str):
        grows = len(owner) * max([1, *(len(a) for a in args if isinstance(a, str))])
        return _METHODS[method](owner, *args) if grows <= 50 * MAX_CHARS else None
    if method == "format" and isinstance(owner, str) and "!" not in owner and ":" not in owner:
        return owner.format(*args) if all(isinstance(a, str | int) for a in args) else None
    return None
