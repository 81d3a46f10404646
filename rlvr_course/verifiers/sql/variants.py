"""Generated databases: the same schema, filled so that wrong queries can't be right by luck."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rlvr_course.verifiers.sql.boundaries import MOST_ROWS, Boundaries, boundaries
from rlvr_course.verifiers.sql.database import Database, Fixture
from rlvr_course.verifiers.sql.schema import Column, Rows, Table, Tables, dump, open_schema, quoted

WORDS = (
    *("Aldo", "Birke", "Cosima", "Dunja", "Elif", "Farid", "Gesa", "Hanno", "Iris", "Jorge"),
    *("Kaja", "Lorenz", "Mireille", "Nils", "Oona", "Piotr", "Quinn", "Ruta", "Sami", "Tove"),
    *("Umut", "Vera", "Wanda", "Xenia", "Yael", "Zoran"),
)


SHUFFLED = "shuffled"
"""The author's first database with its rows in another order: a reference gives the same there."""


@dataclass(frozen=True)
class Shape:
    """How a database is filled.

    Args:
        parents, children: rows of tables without and with foreign keys.
        values: how many different values a column has at most; 0 for no bound.
        nulls: share of NULLs where the schema allows them.
        negative: share of numbers whose sign is turned.
        linked: share of parents that children may point to.
    """

    parents: int = 9
    children: int = 22
    values: int = 0
    nulls: float = 0.0
    negative: float = 0.0
    linked: float = 0.7


SHAPES: dict[str, Shape] = {
    "empty": Shape(0, 0),
    "one row": Shape(1, 1, linked=1.0),
    "no children": Shape(6, 0),
    "ties": Shape(10, 24, values=2, linked=0.8),
    "NULLs": Shape(nulls=0.3, values=4),
    "negative numbers": Shape(negative=0.5),
    "below zero": Shape(negative=1.0),
    "one each": Shape(12, 8, linked=1.0),
    "pairs": Shape(14, 22, values=3, linked=0.9),
    "crowded": Shape(5, 40, values=3, linked=0.8),
    "spread": Shape(16, 30, linked=0.5),
}
"""What databases are generated, by name; on top come the author's first one with its rows in
another order ("shuffled"), with other numbers in its keys ("renumbered"), and with every row of
its child tables three times ("repeated")."""


def fixtures(database: Database, reference: str, *, seed: int = 0) -> tuple[Fixture, ...]:
    """All databases that a query is judged on.

    Args:
        database: the author's.
        reference: the query whose literals should stand in the rows.
        seed: another seed gives other rows.

    Returns:
        The author's own first, then the generated ones; the same ones for the same arguments.

    >>> database = Database("CREATE TABLE t (n INTEGER)", ("INSERT INTO t VALUES (1), (2)",))
    >>> [fixture.name for fixture in fixtures(database, "SELECT n FROM t")][:4]
    ['given', 'shuffled', 'renumbered', 'repeated']
    """
    if not database.generated:
        return database.given
    names = [column.name for table in database.tables for column in table.columns]
    around = boundaries(reference, names)
    changed = _changed(database, seed) if database.given else []
    filled = [
        Fixture(name, _Filling(database, shape, around, f"{seed}:{name}").tables())
        for name, shape in SHAPES.items()
    ]
    return (*database.given, *changed, *filled)


def _changed(database: Database, seed: int) -> list[Fixture]:
    tables = database.given[0].tables
    rng = random.Random(f"{seed}:changed")
    shuffled = {name: tuple(rng.sample(rows, len(rows))) for name, rows in tables.items()}
    return [
        Fixture(SHUFFLED, shuffled, backwards=True),
        Fixture("renumbered", _loaded(database, _renumbered(database, tables, rng))),
        Fixture("repeated", _loaded(database, _repeated(database, tables))),
    ]


def _renumbered(database: Database, tables: Tables, rng: random.Random) -> Tables:
    """The same rows under other whole-number keys, so that their order is another one."""
    new: dict[tuple[str, str], dict[Any, Any]] = {}
    for table in database.tables:
        for index, column in enumerate(table.columns):
            if column.key and column.kind == "whole" and column.parent is None:
                old = [row[index] for row in tables[table.name]]
                numbers = rng.sample(range(1, 3 * len(old) + 1), len(old))
                new[table.name, column.name] = dict(zip(old, numbers, strict=True))
    result = {}
    for table in database.tables:
        maps = [
            new.get((table.name, c.name), {}) if c.parent is None else new.get(c.parent, {})
            for c in table.columns
        ]
        rows = (
            tuple(known.get(value, value) for value, known in zip(row, maps, strict=True))
            for row in tables[table.name]
        )
        result[table.name] = tuple(rng.sample(list(rows), len(tables[table.name])))
    return result


def _repeated(database: Database, tables: Tables) -> Tables:
    """Rows of child tables three times, under keys of their own; nothing else refers to them."""
    referred = {c.parent[0] for t in database.tables for c in t.columns if c.parent}
    result = dict(tables)
    for table in database.tables:
        is_child = any(column.parent for column in table.columns)
        has_text_key = any(c.key and c.kind != "whole" for c in table.columns)
        rows = tables[table.name]
        if not is_child or table.name in referred or has_text_key or not rows:
            continue
        key = next((i for i, column in enumerate(table.columns) if column.key), None)
        if key is None:
            result[table.name] = rows * 3
            continue
        step = max(row[key] for row in rows)
        result[table.name] = tuple(
            (*row[:key], row[key] + time * step, *row[key + 1 :])
            for time in range(3)
            for row in rows
        )
    return result


def _loaded(database: Database, tables: Tables) -> Tables:
    """The rows that the schema's own constraints accept, in order."""
    connection = open_schema(database.schema)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        for table in database.tables:
            marks = ", ".join("?" * len(table.columns))
            for row in tables[table.name]:
                try:
                    connection.execute(f"INSERT INTO {quoted(table.name)} VALUES ({marks})", row)
                except sqlite3.IntegrityError:
                    continue  # a UNIQUE or CHECK that the generator doesn't know
        return dump(connection, database.tables)
    finally:
        connection.close()


@dataclass
class _Filling:
    """One generated database in the making."""

    database: Database
    shape: Shape
    around: Boundaries
    seed: str
    made: dict[str, Rows] = field(default_factory=dict)

    def tables(self) -> Tables:
        self.rng = random.Random(self.seed)
        for table in self.database.tables:
            is_child = any(column.parent for column in table.columns)
            rows = self._rows(table, self._size(is_child))
            self.made[table.name] = rows
        return _loaded(self.database, self.made)

    def _size(self, is_child: bool) -> int:
        size = self.shape.children if is_child else self.shape.parents
        return max(size, min(self.around.rows, MOST_ROWS)) if size > 1 else size

    def _rows(self, table: Table, size: int) -> Rows:
        columns = [self._values(table, i, column, size) for i, column in enumerate(table.columns)]
        return tuple(zip(*columns, strict=True)) if all(map(len, columns)) else ()

    def _values(self, table: Table, index: int, column: Column, size: int) -> Sequence[Any]:
        """``size`` values; none where a foreign key has nothing to point to."""
        if column.parent is not None:
            return self._links(column, size)
        if column.key and column.kind == "whole":
            return self.rng.sample(range(1, 2 * size + 2), size)
        pool = self._pool(table, index, column)
        if (table.name, column.name) in self.database.distinct_columns or column.key:
            return self._all_different(pool, size)
        if self.shape.values:
            pool = self.rng.sample(pool, min(self.shape.values, len(pool)))
        if (table.name, column.name) in self.database.flags:
            return [self.rng.choice((0, 1)) for _ in range(size)]
        chosen = [self._signed(self.rng.choice(pool)) for _ in range(size)]
        if column.nullable:
            return [None if self.rng.random() < self.shape.nulls else v for v in chosen]
        return chosen

    def _links(self, column: Column, size: int) -> Sequence[Any]:
        table, key = column.parent or ("", "")
        owner = next((t for t in self.database.tables if t.name == table), None)
        names = [c.name for c in owner.columns] if owner else []
        rows = self.made.get(table, ())
        if key not in names or not rows:
            return [] if not column.nullable or table in self.made else [None] * size
        there = [row[names.index(key)] for row in rows]
        linked = self.rng.sample(there, max(1, round(self.shape.linked * len(there))))
        return [self.rng.choice(linked) for _ in range(size)]

    def _pool(self, table: Table, index: int, column: Column) -> list[Any]:
        """The author's values, those at a boundary, and a few more."""
        own = sorted(
            {v for c in self.database.values(table, index) for v in c if v is not None}, key=repr
        )
        near = [v for v in self.around.by_column.get(column.name.lower(), ()) if _fits(v, column)]
        more: list[Any] = []
        if column.kind == "whole":
            more = [0, *(self.rng.randint(1, 60) for _ in range(4))]
        elif column.kind == "decimal":
            more = [0.0, *(self.rng.randint(1, 400) / 8 for _ in range(4))]
        elif column.kind == "text":
            more = self.rng.sample(WORDS, 4)
        elif not own:
            more = ["2024-02-29", "2025-01-01"]
        if self.shape.values and near:  # few values: those at which the query turns
            return near
        return list(dict.fromkeys([*near, *own, *more]))

    def _signed(self, value: Any) -> Any:
        is_number = isinstance(value, int | float)
        return -value if is_number and self.rng.random() < self.shape.negative else value

    def _all_different(self, pool: list[Any], size: int) -> list[Any]:
        text = [str(value) for value in pool] + [word for word in WORDS if word not in pool]
        while len(text) < size:
            text += [f"{word} {len(text)}" for word in WORDS]
        return self.rng.sample(text, size)


def _fits(value: Any, column: Column) -> bool:
    if column.kind in ("whole", "decimal"):
        return isinstance(value, int) or (column.kind == "decimal" and isinstance(value, float))
    return isinstance(value, str)
