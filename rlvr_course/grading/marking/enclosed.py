"""The end of a check that runs in the sandbox: define what an exercise needs, ask it once.

What comes back is a value and never a verdict: the comparison is the parent's. A learner's code
shares this process, so it can forge any reply, but only one that it knows to be right helps it.
``flatten`` and ``restore`` take Fractions and records through a codec of built-in types.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from rlvr_course.classroom.plain import RECORD_TYPES, NotPlain, as_plain
from rlvr_course.verifiers.boundary import describe_error

FRACTION = b"Fraction"
MAX_BITS, MAX_BITS_IN_ALL = 50_000, 1_000_000
"""Of an integer that comes back, and of all: the parent reduces and adds up Fractions, in quadratic
time."""

_RECORDS = {kind.__name__.encode(): kind for kind in RECORD_TYPES}


def answer(
    pieces: Sequence[tuple[str, str, list[int]]], names: list[str], checked: str, args: list[Any]
) -> tuple[str, Any]:
    """Run the definitions, then call what is checked, or take its value.

    Args:
        pieces: (the cell's name, its source, which of its statements); in order.
        names: all that are needed: of an import the others are left out.
        checked: the expression that is checked.
        args: to call it with, flattened.

    Returns:
        ("value", flattened), or ("failed", why) with what a learner should see.
    """
    main = types.ModuleType("__main__")
    main.__dict__["display"] = lambda *objects, **options: None
    sys.modules["__main__"] = main
    given, first_problem = restore(args), ""
    try:
        for name, source, statements in pieces:
            problem = _define(main, name, source, statements, set(names))
            first_problem = first_problem or problem
        solution = eval(compile(checked, "<check>", "eval"), main.__dict__)
        value = solution(*given) if callable(solution) else solution
    except BaseException as error:
        cause = f"; before that: {first_problem}" if first_problem else ""
        return "failed", f"raised {describe_error(error)}{cause}"
    try:
        return "value", flatten(as_plain(value))
    except NotPlain as error:
        return "failed", f"not a plain value: {error}"
    except BaseException as error:
        return "failed", f"not a plain value: {describe_error(error)}"


def _define(
    main: types.ModuleType, name: str, source: str, statements: list[int], names: set[str]
) -> str:
    """Run some of a cell's statements; the first problem, since a later one may do without."""
    problem = ""
    body = ast.parse(source).body
    for statement in (body[index] for index in statements):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            wanted = [a for a in statement.names if _bound(a) in names]
            statement.names = wanted or statement.names
        try:
            code = compile(ast.Module([statement], []), f"<{name}>", "exec", dont_inherit=True)
            exec(code, main.__dict__)
        except BaseException as error:
            problem = problem or f"{name}, line {statement.lineno}: {describe_error(error)}"
    return problem


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def flatten(value: Any) -> Any:
    """A plain value (see ``as_plain``) as one of built-in types alone; ``restore`` undoes it.

    >>> restore(flatten([Fraction(1, 3), float("inf")]))
    [Fraction(1, 3), inf]
    """
    kind = type(value)
    if kind in (list, tuple):
        return kind(flatten(item) for item in value)
    if kind is dict:
        return {key: flatten(item) for key, item in value.items()}
    if kind is Fraction:
        return (FRACTION, value.numerator, value.denominator)
    if kind in RECORD_TYPES:
        parts = {field.name: flatten(getattr(value, field.name)) for field in fields(value)}
        return (kind.__name__.encode(), parts)
    return value


def restore(value: Any) -> Any:
    """The inverse of ``flatten``, for values that may be forged.

    Raises:
        ValueError: it is not what ``flatten`` makes, or its integers are too large.
    """
    if _bits(value) > MAX_BITS_IN_ALL:
        raise ValueError("not a value of integers that are of a sensible size together")
    return _restored(value)


def _bits(value: Any) -> int:
    """Of all integers in a value; a dict's keys are compared only."""
    kind = type(value)
    if kind in (list, tuple):
        return sum(map(_bits, value))
    if kind is dict:
        return sum(map(_bits, value.values()))
    return value.bit_length() if kind is int else 0


def _restored(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (bool, float, str):
        return value
    if kind is int:
        return _int(value)
    if kind is tuple and value and type(value[0]) is bytes:
        return _rebuilt(value[0], value[1:])
    if kind in (list, tuple):
        return kind(_restored(item) for item in value)
    if kind is dict:
        return {key: _restored(item) for key, item in value.items()}
    raise ValueError(f"not a flattened value: {kind.__name__}")


def _rebuilt(tag: bytes, parts: tuple[Any, ...]) -> Any:
    """A Fraction or a record; each type's own checks hold for what is forged, too."""
    try:
        if tag == FRACTION:
            numerator, denominator = map(_int, parts)
            return Fraction(numerator, denominator)
        return _RECORDS[tag](**_restored(parts[0]))
    except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"not a flattened value: {type(error).__name__}") from None


def _int(value: Any) -> int:
    if type(value) is not int or value.bit_length() > MAX_BITS:
        raise ValueError("not an integer of a size that is sensible")
    return value
