"""What a schema says of its tables, read by SQLite from the author's own ``CREATE TABLE``s."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal

Kind = Literal["whole", "decimal", "text", "other"]
Rows = tuple[tuple[Any, ...], ...]
Tables = Mapping[str, Rows]
"""The rows of each table, by its name."""


@dataclass(frozen=True)
class Column:
    """One column; ``parent`` is the (table, column) that a foreign key points to."""

    name: str
    kind: Kind
    nullable: bool
    key: bool
    parent: tuple[str, str] | None = None


@dataclass(frozen=True)
class Table:
    """One table."""

    name: str
    columns: tuple[Column, ...]


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A value as SQL writes it, in SQLite and in DuckDB.

    Raises:
        ValueError: a type that is neither None, bool, int, float, str nor bytes.
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float):
        return f"{value!r}".replace("inf", "9e999")
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    raise ValueError(f"a fixture can't hold {value!r}")


def open_schema(schema: str, rows: str = "") -> sqlite3.Connection:
    """A database in memory with a trusted schema and rows.

    Raises:
        ValueError: SQLite can't read them.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for what, script in (("schema", schema), ("rows", rows)):
        try:
            connection.executescript(script)
        except (sqlite3.Error, sqlite3.Warning) as error:
            connection.close()
            raise ValueError(f"the {what} of the database: {error}") from None
    return connection


def read_tables(schema: str) -> tuple[Table, ...]:
    """The tables of a schema, each after those that its foreign keys point to.

    Raises:
        ValueError: SQLite can't read it, it has no table, or its foreign keys form a cycle.
    """
    connection = open_schema(schema)
    try:
        found = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        tables = {name: _table(connection, name) for (name,) in found.fetchall()}
    finally:
        connection.close()
    if not tables:
        raise ValueError("the schema of the database has no CREATE TABLE")
    needs = {name: _parents(table) - {name} for name, table in tables.items()}
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError:
        raise ValueError("foreign keys of the schema form a cycle") from None
    return tuple(tables[name] for name in order if name in tables)


def read_views(schema: str) -> tuple[str, ...]:
    """The names of a schema's views, in the order of their making."""
    connection = open_schema(schema)
    try:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'")
        return tuple(name for (name,) in found.fetchall())
    finally:
        connection.close()


def _parents(table: Table) -> set[str]:
    return {column.parent[0] for column in table.columns if column.parent}


def _table(connection: sqlite3.Connection, name: str) -> Table:
    parents = {
        child: (table, to)
        for _, _, table, child, to, *_ in connection.execute(
            f"PRAGMA foreign_key_list({quoted(name)})"
        )
    }
    infos = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
    keys = _primary_keys(infos)
    columns = []
    for _, column, declared, not_null, _, key in infos:
        parent = parents.get(column)
        if parent is not None and parent[1] is None:  # REFERENCES t: its primary key
            known = _primary_keys(connection.execute(f"PRAGMA table_info({quoted(parent[0])})"))
            parent = (parent[0], known[0]) if known else None
        is_key = bool(key) and len(keys) == 1
        columns.append(Column(column, _kind(declared), not (not_null or key), is_key, parent))
    return Table(name, tuple(columns))


def _primary_keys(infos: Iterable[tuple[Any, ...]]) -> list[str]:
    return [info[1] for info in infos if info[5]]


def _kind(declared: str) -> Kind:
    """By SQLite's rules for the affinity of a declared type, and "other" for times."""
    name = declared.upper()
    if "DATE" in name or "TIME" in name or "BLOB" in name:
        return "other"
    if "INT" in name or "BOOL" in name:
        return "whole"
    if any(part in name for part in ("CHAR", "CLOB", "TEXT", "STRING", "UUID")):
        return "text"
    if any(part in name for part in ("REAL", "FLOA", "DOUB", "DEC", "NUM")):
        return "decimal"
    return "other"


def dump(connection: sqlite3.Connection, tables: Iterable[Table]) -> dict[str, Rows]:
    """All rows of the tables, in the order of insertion."""
    return {
        table.name: tuple(connection.execute(f"SELECT * FROM {quoted(table.name)}").fetchall())
        for table in tables
    }


def insert_script(tables: Tables) -> str:
    """The statements that insert rows, tables in the order given."""
    return "\n".join(
        f"INSERT INTO {quoted(name)} VALUES "
        + ", ".join("(" + ", ".join(map(literal, row)) + ")" for row in rows)
        + ";"
        for name, rows in tables.items()
        if rows
    )
