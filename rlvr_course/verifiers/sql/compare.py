"""A query's rows against the reference's: as a multiset, or in the order that the reference gives.

Values: NULL equals NULL alone; text, bytes, booleans and times exactly; whole numbers and decimals
by value, exactly, so that 3.0 is 3; where either side is a float and the reference is not a whole
number, within a relative tolerance. NaN equals nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from rlvr_course.verifiers.programs.outputs import margin
from rlvr_course.verifiers.sql.reference import Reference
from rlvr_course.verifiers.sql.running import Result
from rlvr_course.verifiers.sql.schema import Rows

Row = tuple[Any, ...]

MOST_MATCHED = 200
"""Rows that are matched in every possible way where pairing them in order finds no match."""


@dataclass(frozen=True)
class Rules:
    """What counts as the same.

    Args:
        tolerance: relative, for floats, in [0, 1).
        column_names: whether the columns' names count, without regard to case.

    Raises:
        ValueError: a tolerance out of range.
    """

    tolerance: float = 1e-9
    column_names: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance={self.tolerance}: give a relative tolerance in [0, 1)")


@dataclass(frozen=True)
class Expected:
    """What the reference gave on one database.

    Args:
        columns: their names.
        groups: all rows before any LIMIT, in order, those that tie together.
        start, count: which of them, counted over all groups, the reference returns.
        ordered: whether the order of groups counts.
    """

    columns: tuple[str, ...]
    groups: tuple[Rows, ...]
    start: int
    count: int
    ordered: bool


def expect(reference: Reference, plain: Result, keyed: Result | None, rules: Rules) -> Expected:
    """What counts as right, from the reference's rows and, if there are any, those with its keys.

    Where the keyed rows don't contain the plain ones in their place, every row's place counts.
    """
    if not (reference.ordered or reference.limited):
        return Expected(plain.columns, (plain.rows,), 0, len(plain.rows), False)
    if keyed is not None and not keyed.failure:
        groups = _tied(keyed.rows, reference, rules) if reference.ordered else (keyed.rows,)
        width = len(plain.columns)
        shown = tuple(tuple(row[:width] for row in group) for group in groups)
        found = Expected(plain.columns, shown, reference.offset, len(plain.rows), reference.ordered)
        if not difference(found, plain, rules):
            return found
    alone = tuple((row,) for row in plain.rows) if reference.ordered else (plain.rows,)
    return Expected(plain.columns, alone, 0, len(plain.rows), reference.ordered)


def _tied(rows: Rows, reference: Reference, rules: Rules) -> tuple[Rows, ...]:
    groups: list[list[Row]] = []
    last: Row | None = None
    for row in rows:
        key = tuple(row[place] for place in reference.keys)
        if last is not None and _same_row(last, key, rules.tolerance):
            groups[-1].append(row)
        else:
            groups.append([row])
        last = key
    return tuple(map(tuple, groups))


def difference(expected: Expected, got: Result, rules: Rules) -> str:
    """What is wrong with a query's rows, as a reason code; "" if they are the reference's.

    Returns:
        "wrong_columns: 3, not 2", "wrong_column_names", "wrong_rows: 4, not 5", "wrong_rows: other
        values", or "wrong_order".
    """
    if len(got.columns) != len(expected.columns):
        return f"wrong_columns: {len(got.columns)}, not {len(expected.columns)}"
    if rules.column_names and _lower(got.columns) != _lower(expected.columns):
        return "wrong_column_names"
    if len(got.rows) != expected.count:
        return f"wrong_rows: {len(got.rows)}, not {expected.count}"
    if _in_place(expected, got.rows, rules.tolerance):
        return ""
    rows = [row for group in expected.groups for row in group]
    is_all = len(rows) == expected.count
    if expected.ordered and is_all and contained(got.rows, rows, rules.tolerance):
        return "wrong_order"
    return "wrong_rows: other values"


def _lower(names: Sequence[str]) -> list[str]:
    return [name.lower() for name in names]


def _in_place(expected: Expected, rows: Rows, tolerance: float) -> bool:
    """Whether each group's share of the rows is in its place; a cut group gives any of its own."""
    begin = 0
    for group in expected.groups:
        first = max(begin, expected.start) - expected.start
        end = min(begin + len(group), expected.start + expected.count) - expected.start
        if end > first and not contained(rows[first:end], group, tolerance):
            return False
        begin += len(group)
    return True


def contained(some: Sequence[Row], rows: Sequence[Row], tolerance: float) -> bool:
    """Whether rows can be matched, each with another one of ``rows``, in any order.

    >>> contained([(1, "a")], [(2, "b"), (1, "a")], 0.0), contained([(1,), (1,)], [(1,)], 0.0)
    (True, False)
    """
    left, right = Counter(map(_exactly, some)), Counter(map(_exactly, rows))
    same = left & right
    left, right = left - same, right - same
    if not left:
        return True
    back = {_exactly(row): row for row in (*some, *rows)}
    odd = sorted((back[key] for key in left.elements()), key=_sorting)
    wanted = sorted((back[key] for key in right.elements()), key=_sorting)
    if len(odd) > len(wanted):
        return False
    if len(odd) == len(wanted) and all(
        _same_row(w, o, tolerance) for w, o in zip(wanted, odd, strict=True)
    ):
        return True
    return len(wanted) <= MOST_MATCHED and _matched(odd, wanted, tolerance)


def _matched(odd: Sequence[Row], wanted: Sequence[Row], tolerance: float) -> bool:
    """Whether every odd row finds a wanted one of its own: augmenting paths."""
    fits = [[j for j, want in enumerate(wanted) if _same_row(want, row, tolerance)] for row in odd]
    owner: dict[int, int] = {}

    def seat(row: int, tried: set[int]) -> bool:
        for place in fits[row]:
            if place not in tried:
                tried.add(place)
                if place not in owner or seat(owner[place], tried):
                    owner[place] = row
                    return True
        return False

    return all(seat(row, set()) for row in range(len(odd)))


def _exactly(row: Row) -> Row:
    """A hashable stand-in: equal where rows are equal without any tolerance; NaN as itself."""
    return tuple(map(_stand_in, row))


def _stand_in(value: Any) -> tuple[str, Any]:
    if value is not None and not _is_number(value):
        return (type(value).__name__, value)
    return ("number", value) if value == value else ("nan", id(value))


def _sorting(row: Row) -> Row:
    return tuple((1, _as_float(v), "") if _is_number(v) else (0, 0.0, repr(v)) for v in row)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _same_row(wanted: Row, got: Row, tolerance: float) -> bool:
    return len(wanted) == len(got) and all(
        same_value(w, g, tolerance) for w, g in zip(wanted, got, strict=True)
    )


def same_value(wanted: Any, got: Any, tolerance: float) -> bool:
    """Whether a value is the reference's.

    >>> same_value(3, 3.0, 1e-9), same_value(0.1 + 0.2, 0.3, 1e-9), same_value(None, 0, 1e-9)
    (True, True, False)
    """
    if not (_is_number(wanted) and _is_number(got)):
        return type(wanted) is type(got) and wanted == got
    if wanted == got:
        return True
    if isinstance(wanted, int) or not (isinstance(wanted, float) or isinstance(got, float)):
        return False
    want, have = _as_float(wanted), _as_float(got)
    return math.isfinite(want) and abs(want - have) <= margin(want, tolerance)


def _as_float(number: int | float | Decimal) -> float:
    try:
        return float(number)
    except OverflowError:  # a whole number that no float can hold
        return math.inf
