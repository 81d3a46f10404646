"""The databases that queries are judged on: the author's own, and generated ones.

A query that is right on one database may be so by luck. ``Database`` holds the author's schema and
rows; ``fixtures`` adds databases of the same schema that differ in what queries get wrong: nothing
in a table, a parent without children, ties, NULLs, negative numbers, repeated rows.

What the author's rows hold throughout, generated rows keep:

- a text column with different values in every row of every database, and with ``MANY`` of them in
  all, has different values everywhere (``distinct`` says so, or says otherwise);
- a column of 0 and 1 stays one (``flags``);
- a foreign key points to a row and is never NULL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rlvr_course.verifiers.sql.schema import (
    Table,
    Tables,
    dump,
    open_schema,
    read_tables,
    read_views,
)

MANY = 8
"""Rows that a text column needs, in all of the author's databases together, before values that
always differ are taken for a rule and not for chance."""


@dataclass(frozen=True)
class Fixture:
    """One database.

    Args:
        name: what it is called in reports.
        tables: its rows.
        backwards: whether SQLite is to read tables from their end where no order is asked for.
    """

    name: str
    tables: Tables = field(hash=False)
    backwards: bool = False


@dataclass(frozen=True)
class Database:
    """A schema with the author's rows.

    Args:
        schema: ``CREATE TABLE`` statements that SQLite can read.
        rows: scripts of ``INSERT`` statements, one for each database of the author's own, the
            first of them what a policy is shown.
        distinct: (table, column) pairs whose values differ in every row of a generated database;
            None takes what holds in all of ``rows``, () nothing.
        generated: whether databases are generated besides.

    Raises:
        ValueError: a schema or rows that SQLite can't read, or no database at all.

    >>> database = Database("CREATE TABLE t (n INTEGER)", ("INSERT INTO t VALUES (1), (2)",))
    >>> database.given[0].tables
    {'t': ((1,), (2,))}
    """

    schema: str
    rows: tuple[str, ...] = ()
    distinct: tuple[tuple[str, str], ...] | None = None
    generated: bool = True

    def __post_init__(self) -> None:
        rows = (self.rows,) if isinstance(self.rows, str) else tuple(self.rows)
        object.__setattr__(self, "rows", rows)
        if self.distinct is not None:
            object.__setattr__(self, "distinct", tuple(map(tuple, self.distinct)))
        if not rows and not self.generated:
            raise ValueError("Database without rows and without generated databases: give one")
        _ = self.tables, self.given

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The schema's tables, parents before children."""
        return read_tables(self.schema)

    @cached_property
    def views(self) -> tuple[str, ...]:
        """The names of the schema's views, in the order of their making."""
        return read_views(self.schema)

    @cached_property
    def given(self) -> tuple[Fixture, ...]:
        """The author's own databases, called "given" and "given 2", ..."""
        names = ["given", *(f"given {i}" for i in range(2, len(self.rows) + 1))]
        return tuple(
            Fixture(name, self._read(script))
            for name, script in zip(names, self.rows, strict=False)
        )

    def _read(self, script: str) -> Tables:
        connection = open_schema(self.schema, script)
        try:
            return dump(connection, self.tables)
        finally:
            connection.close()

    def values(self, table: Table, index: int) -> list[list[Any]]:
        """A column's values in each of the author's databases that has rows of the table."""
        columns = [[row[index] for row in own.tables[table.name]] for own in self.given]
        return [column for column in columns if column]

    @cached_property
    def distinct_columns(self) -> frozenset[tuple[str, str]]:
        """(table, column) pairs of text that is different in every row."""
        if self.distinct is not None:
            return frozenset(self.distinct)
        return frozenset(
            (table.name, column.name)
            for table in self.tables
            for index, column in enumerate(table.columns)
            if column.kind == "text" and _all_differ(self.values(table, index))
        )

    @cached_property
    def flags(self) -> frozenset[tuple[str, str]]:
        """(table, column) pairs that hold 0 and 1 alone."""
        return frozenset(
            (table.name, column.name)
            for table in self.tables
            for index, column in enumerate(table.columns)
            if column.kind == "whole"
            and not column.key
            and _zero_and_one(self.values(table, index))
        )


def _all_differ(columns: Sequence[Sequence[Any]]) -> bool:
    return sum(map(len, columns)) >= MANY and all(len(set(c)) == len(c) for c in columns)


def _zero_and_one(columns: Sequence[Sequence[Any]]) -> bool:
    return bool(columns) and set().union(*columns) == {0, 1}


def read_database(source: Any) -> Database:
    """A database from what an author has: a ``Database``, a script, or a problem's answer.

    Args:
        source: a script with the schema and rows; or a mapping with ``ddl``, ``rows`` and, if
            there is another one that the policy is not shown, ``hidden_rows``.

    Raises:
        ValueError: none of these, or one that SQLite can't read.
    """
    if isinstance(source, Database):
        return source
    if isinstance(source, str):
        return _from_script(source)
    if isinstance(source, Mapping) and isinstance(source.get("ddl"), str):
        rows = tuple(source[key] for key in ("rows", "hidden_rows") if source.get(key))
        if not all(isinstance(script, str) for script in rows):
            raise ValueError("rows and hidden_rows are scripts of INSERT statements: give text")
        return Database(source["ddl"], rows)
    raise ValueError(
        f"a database is a script, a Database or a mapping with ddl and rows, not {source!r:.60}"
    )


def _from_script(script: str) -> Database:
    from rlvr_course.verifiers.sql.tokens import statements, tokenize

    schema, rows = [], []
    for statement in statements(script):
        (rows if tokenize(statement)[0].word in ("insert", "replace") else schema).append(statement)
    own = (";\n".join(rows),) if rows else ()
    return Database(";\n".join(schema), own)
