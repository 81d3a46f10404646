"""The end of a query's run that is in the sandbox: databases are filled, the query is run on each.

The file is read as text and run there as a program of its own, so it imports nothing of the
package. It gets a schema, rows and one query, never what is expected, and writes one line of JSON
for each database: columns and rows, or why there are none. A query is text to an engine and to
nothing else; the gates here are the second wall, the sandbox is the first.
"""

from __future__ import annotations

import datetime
import decimal
import json
import sys
import threading
import time
from collections.abc import Iterable
from typing import Any

Request = dict[str, Any]
Rows = tuple[list[str], list[list[Any]]]

MAX_TEXT = 1_000_000
MAX_HEAP = 64 << 20
OPCODES = 10_000


class Refused(Exception):
    """A query that is not run to its end: a reason code and what it is about."""

    def __init__(self, code: str, about: str = "") -> None:
        super().__init__(code, about)
        self.code, self.about = code, about


def plain(value: Any) -> Any:
    """A value as JSON, with its type where JSON has none."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, decimal.Decimal):
        return {"decimal": str(value)}
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return {"time": f"{type(value).__name__} {value}"}
    if isinstance(value, list | tuple):
        return {"list": [plain(part) for part in value]}
    if isinstance(value, dict):
        return {"list": [[plain(key), plain(part)] for key, part in value.items()]}
    return {"other": f"{type(value).__name__} {value}"}


def taken(rows: Iterable[tuple[Any, ...]], request: Request) -> list[list[Any]]:
    """All rows, unless there are too many or they are too long."""
    kept: list[list[Any]] = []
    size = 0
    for row in rows:
        kept.append([plain(value) for value in row])
        size += sum(len(value) if isinstance(value, str | bytes) else 8 for value in row)
        if len(kept) > request["max_rows"]:
            raise Refused("too_many_rows", f"more than {request['max_rows']}")
        if size > request["max_bytes"]:
            raise Refused("too_many_bytes", f"more than {request['max_bytes']}")
    return kept


class Sqlite:
    """SQLite: an authorizer that knows what is allowed, limits, a clock."""

    def __init__(self, request: Request) -> None:
        import sqlite3

        self.sqlite3 = sqlite3
        self.request = request
        self.functions = frozenset(request["functions"])
        self.tables = frozenset(request["tables"])
        self.denied: Refused | None = None
        self.until = 0.0

    def fill(self, inserts: str, backwards: bool) -> None:
        sqlite3 = self.sqlite3
        self.denied = None
        self.connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
        self.connection.executescript(self.request["schema"] + ";\n" + inserts)
        if backwards:
            self.connection.execute("PRAGMA reverse_unordered_selects = ON").close()

    def run(self) -> Rows:
        sqlite3 = self.sqlite3
        self._close_the_gates(self.connection)
        try:
            cursor = self.connection.execute(self.request["query"])
            columns = [column[0] for column in cursor.description or ()]
            return columns, taken(cursor, self.request)
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
            raise self.denied or self._said(str(error)) from None

    def _said(self, message: str) -> Refused:
        if "interrupted" in message or time.monotonic() > self.until:
            return Refused("too_slow")
        if "too big" in message or "out of memory" in message:
            return Refused("too_much_memory", message)
        is_syntax = any(
            part in message for part in ("syntax error", "incomplete input", "unrecognized token")
        )
        return Refused("syntax_error" if is_syntax else "query_error", message)

    def _close_the_gates(self, connection: Any) -> None:
        sqlite3 = self.sqlite3
        for pragma in ("temp_store = MEMORY", f"hard_heap_limit = {MAX_HEAP}", "query_only = ON"):
            connection.execute(f"PRAGMA {pragma}").close()
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        for name, most in (
            ("LENGTH", MAX_TEXT),
            ("SQL_LENGTH", self.request["max_query"]),
            ("EXPR_DEPTH", 200),
            ("COMPOUND_SELECT", 60),
            ("COLUMN", 200),
            ("VDBE_OP", 100_000),
            ("ATTACHED", 0),
            ("FUNCTION_ARG", 30),
            ("LIKE_PATTERN_LENGTH", 1_000),
            ("VARIABLE_NUMBER", 0),
            ("TRIGGER_DEPTH", 0),
            ("WORKER_THREADS", 0),
        ):
            connection.setlimit(getattr(sqlite3, f"SQLITE_LIMIT_{name}"), most)
        until = self.until = time.monotonic() + self.request["left_s"]
        connection.set_progress_handler(lambda: time.monotonic() > until, OPCODES)
        connection.set_authorizer(self._authorize)

    def _authorize(self, action: int, first: Any, second: Any, *_: Any) -> int:
        sqlite3 = self.sqlite3
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            if second == "" and not first.lower().startswith(("sqlite_", "pragma_")):
                return sqlite3.SQLITE_OK  # no column is read: COUNT(*) of a table, or of a WITH
            return self._unless("forbidden_table", first, self.tables)
        if action == sqlite3.SQLITE_FUNCTION:
            return self._unless("forbidden_function", second, self.functions)
        self.denied = self.denied or Refused("not_read_only")
        return sqlite3.SQLITE_DENY

    def _unless(self, code: str, name: str, allowed: frozenset[str]) -> int:
        if name.lower() in allowed:
            return self.sqlite3.SQLITE_OK
        self.denied = self.denied or Refused(code, name)
        return self.sqlite3.SQLITE_DENY


class Duckdb:
    """DuckDB: no files, no extensions, no settings; a transaction that only reads; a clock."""

    def __init__(self, request: Request) -> None:
        import duckdb

        self.duckdb = duckdb
        self.request = request
        self.connection = duckdb.connect(
            ":memory:",
            config={
                "threads": 1,
                "memory_limit": "128MB",
                "max_temp_directory_size": "0B",
                "enable_external_access": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "allow_community_extensions": False,
                "python_enable_replacements": False,
            },
        )
        self.connection.execute("SET max_expression_depth = 200")
        self.connection.execute("SET lock_configuration = true")

    def fill(self, inserts: str, backwards: bool) -> None:
        for what in self.request["drop"]:
            self.connection.execute(f"DROP {what}")
        self.connection.execute(self.request["schema"] + ";\n" + inserts)

    def run(self) -> Rows:
        clock = threading.Timer(self.request["left_s"], self.connection.interrupt)
        clock.daemon = True
        clock.start()
        self.connection.execute("BEGIN TRANSACTION READ ONLY")
        try:
            return self._rows()
        except (self.duckdb.Error, UnicodeError, RuntimeError) as error:
            raise self._said(error) from None
        finally:
            clock.cancel()
            self.connection.execute("ROLLBACK")

    def _rows(self) -> Rows:
        parsed = self.connection.extract_statements(self.request["query"])
        if len(parsed) != 1:
            raise Refused("several_queries", str(len(parsed)))
        if parsed[0].type != self.duckdb.StatementType.SELECT:
            raise Refused("not_read_only", parsed[0].type.name)
        cursor = self.connection.execute(parsed[0])
        columns = [column[0] for column in cursor.description or ()]
        return columns, taken(iter(cursor.fetchone, None), self.request)

    def _said(self, error: BaseException) -> Refused:
        duckdb, message = self.duckdb, str(error)
        if isinstance(error, duckdb.InterruptException):
            return Refused("too_slow")
        if isinstance(error, duckdb.OutOfMemoryException):
            return Refused("too_much_memory", message)
        if isinstance(error, duckdb.PermissionException) or "read-only" in message:
            return Refused("not_read_only", message)
        is_syntax = isinstance(error, duckdb.ParserException)
        return Refused("syntax_error" if is_syntax else "query_error", message)


def answer(
    engine: Sqlite | Duckdb, inserts: str, backwards: bool, request: Request
) -> dict[str, Any]:
    """What one database gives; filling it takes nothing of the query's time."""
    engine.fill(inserts, backwards)
    began = time.monotonic()
    try:
        columns, rows = engine.run()
        return {"columns": columns, "rows": rows}
    except Refused as why:
        return {"code": why.code, "about": why.about}
    except MemoryError:
        return {"code": "too_much_memory", "about": ""}
    finally:
        request["left_s"] = max(0.001, request["left_s"] - (time.monotonic() - began))


def main() -> None:
    """Read the request, write a line for each database, and stop at the first failure."""
    request = json.loads(sys.stdin.buffer.read())
    engine = Duckdb(request) if request["engine"] == "duckdb" else Sqlite(request)
    for inserts, backwards in zip(request["inserts"], request["backwards"], strict=True):
        line = answer(engine, inserts, backwards, request)
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        if "code" in line:
            break
