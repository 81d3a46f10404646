"""Signatures as they stand in the source, read from its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

WIDTH = 92
Function = ast.FunctionDef | ast.AsyncFunctionDef


def function_signature(function: Function, *, name: str = "", bound: bool = False) -> str:
    """``name(a: int, *, b: str = "") -> bool``, one parameter a line where it is long.

    Args:
        function: its definition.
        name: what to call it; its own name if empty.
        bound: leave out the first parameter, ``self`` or ``cls``.
    """
    parameters = list(_parameters(function.args))[1 if bound else 0 :]
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return _wrapped(name or function.name, parameters, returns)


def class_signature(definition: ast.ClassDef) -> str:
    """How an instance is made: from ``__init__``, or from a dataclass's fields; else the bases."""
    init = next(
        (n for n in definition.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"),
        None,
    )
    if init is not None:
        return _wrapped(definition.name, list(_parameters(init.args))[1:], "")
    if any("dataclass" in ast.unparse(mark) for mark in definition.decorator_list):
        return _wrapped(definition.name, list(_fields(definition)), "")
    bases = ", ".join(map(ast.unparse, definition.bases))
    return f"class {definition.name}({bases})" if bases else f"class {definition.name}"


def constant_signature(name: str, definition: ast.Assign | ast.AnnAssign) -> str:
    """``NAME: type = value``, without the value where that is long."""
    annotated = isinstance(definition, ast.AnnAssign)
    head = f"{name}: {ast.unparse(definition.annotation)}" if annotated else name
    if definition.value is None:
        return head
    whole = f"{head} = {ast.unparse(definition.value)}"
    return whole if len(whole) <= WIDTH else head


def _parameters(args: ast.arguments) -> Iterator[str]:
    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + [*args.defaults]
    for index, (arg, default) in enumerate(zip(positional, defaults, strict=True), 1):
        yield _parameter(arg, default)
        if index == len(args.posonlyargs):
            yield "/"
    if args.vararg is not None:
        yield f"*{_parameter(args.vararg, None)}"
    elif args.kwonlyargs:
        yield "*"
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield _parameter(arg, default)
    if args.kwarg is not None:
        yield f"**{_parameter(args.kwarg, None)}"


def _parameter(arg: ast.arg, default: ast.expr | None) -> str:
    return _declared(arg.arg, arg.annotation, default)


def _fields(definition: ast.ClassDef) -> Iterator[str]:
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield _declared(node.target.id, node.annotation, _default(node.value))


def _default(value: ast.expr | None) -> ast.expr | None:
    """``field(default_factory=dict)`` is shown as what it makes, ``dict()``."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        for keyword in value.keywords:
            if keyword.arg == "default_factory":
                return ast.Call(keyword.value, [], [])
            if keyword.arg == "default":
                return keyword.value
    return value


def _declared(name: str, annotation: ast.expr | None, default: ast.expr | None) -> str:
    declared = f"{name}: {ast.unparse(annotation)}" if annotation else name
    if default is None:
        return declared
    return f"{declared} = {ast.unparse(default)}"


def _wrapped(name: str, parameters: list[str], returns: str) -> str:
    line = f"{name}({', '.join(parameters)}){returns}"
    if len(line) <= WIDTH:
        return line
    return "\n".join(
        [f"{name}(", *(f"    {parameter}," for parameter in parameters), f"){returns}"]
    )
