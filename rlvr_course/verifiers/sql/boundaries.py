"""Values at which a query's conditions turn: from its literals, for generated databases.

``pages > 300`` is told from ``pages >= 300`` by a row with 300 alone, and ``city = 'Porto'`` from
``city LIKE 'Porto%'`` by a longer name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rlvr_course.verifiers.sql.tokens import tokenize

_NOT_OF_A_COLUMN = {"limit", "offset"}
_ENDS = {"select", "from", "group", "order", "having", "when", "then", "else"}
MOST_ROWS = 60


@dataclass(frozen=True)
class Boundaries:
    """What a query compares with.

    Args:
        by_column: values worth having in a column, by its name in lower case.
        rows: how many rows a database needs for its LIMIT and OFFSET to leave some out.
    """

    by_column: Mapping[str, tuple[Any, ...]]
    rows: int = 0


def boundaries(query: str, columns: Iterable[str]) -> Boundaries:
    """The values next to a query's literals, each for the column that was named last before it.

    Args:
        query: the reference query.
        columns: the schema's column names.

    Limits: a literal before its column (``300 < pages``), or behind arithmetic, is not understood.

    >>> found = boundaries("SELECT t FROM b WHERE pages > 300 LIMIT 5", ["t", "pages"])
    >>> found.by_column, found.rows
    ({'pages': (299, 300, 301)}, 7)
    """
    known = {name.lower() for name in columns}
    found: dict[str, list[Any]] = {}
    column, previous, rows = "", "", 0
    for token in tokenize(query):
        if token.identifier in known:
            column = token.identifier
        elif token.word in _ENDS:
            column = ""
        if token.kind == "number":
            number = _number(token.text)
            if previous in _NOT_OF_A_COLUMN:
                rows += int(number) if 0 <= number < MOST_ROWS else 0
            elif column:
                found.setdefault(column, []).extend(_around(number))
        elif token.kind == "text" and column:
            text = token.text[1:-1].replace("''", "'")
            found.setdefault(column, []).extend(_near(text, is_pattern=previous == "like"))
        previous = token.word
    unique = {name: tuple(dict.fromkeys(values)) for name, values in found.items()}
    return Boundaries(unique, rows + 2 if rows else 0)


def _number(text: str) -> int | float:
    try:
        return int(text, 0) if text[:2].lower() == "0x" else int(text)
    except ValueError:
        return float(text)


def _around(number: int | float) -> tuple[int | float, ...]:
    return (number - 1, number, number + 1)


def _near(text: str, *, is_pattern: bool) -> tuple[str, ...]:
    if not is_pattern:
        return (text, f"{text}ville")
    core = text.replace("%", "").replace("_", "q")
    return (core, f"{core}mer", f"Bel{core}", f"Bel{core}mer")
