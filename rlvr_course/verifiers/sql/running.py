"""Queries to sandboxed runs, and runs to rows: one run for all databases of a query."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.resources import files
from typing import Any

from rlvr_course.sandbox.records import Limits, Program, RunResult
from rlvr_course.verifiers.programs.scoring import Pool
from rlvr_course.verifiers.sql.database import Database, Fixture
from rlvr_course.verifiers.sql.gate import MAX_QUERY, SQLITE_FUNCTIONS, SQLITE_TABLE_FUNCTIONS
from rlvr_course.verifiers.sql.schema import Rows, insert_script, quoted

MAX_ROWS = 2_000
"""Rows that a query may return from one database."""

MAX_BYTES = 100_000
"""And bytes, about."""

SPARE_S = {"sqlite": 1.0, "duckdb": 3.0}
"""What the sandbox waits beyond the engine's own clock: to fill databases, and for instructions
that no clock interrupts."""

MEMORY_BYTES = {"sqlite": 192 << 20, "duckdb": 512 << 20}
OUTPUT_BYTES = 8 << 20
_PREFIXES = {"timeout": "too_slow", "memory": "too_much_memory", "output_limit": "too_many_bytes"}


@dataclass(frozen=True)
class Result:
    """What a query gave on one database: columns and rows, or the code of a failure."""

    columns: tuple[str, ...] = ()
    rows: Rows = ()
    failure: str = ""


@dataclass(frozen=True)
class Job:
    """A query and the databases that it is run on."""

    query: str
    database: Database
    fixtures: tuple[Fixture, ...]


@dataclass(frozen=True)
class Trouble:
    """The sandbox failed, which says nothing about a query."""

    why: str


def run_queries(
    pool: Pool, jobs: Sequence[Job], *, engine: str, timeout_s: float
) -> list[list[Result] | Trouble]:
    """Run every query on all its databases.

    Args:
        pool: where they run.
        jobs: queries with their databases.
        engine: "sqlite" or "duckdb".
        timeout_s: seconds for all databases of one query together.

    Returns:
        For each job its results in the order of its databases, up to and with the first failure.
    """
    wall_s = timeout_s + SPARE_S[engine]
    limits = Limits(
        wall_s=wall_s,
        cpu_s=math.ceil(wall_s),
        memory_bytes=MEMORY_BYTES[engine],
        output_bytes=OUTPUT_BYTES,
    )
    programs = [_program(job, engine, timeout_s) for job in jobs]
    results = pool.run_many(programs, limits)
    return [_read(job, result) for job, result in zip(jobs, results, strict=True)]


def _program(job: Job, engine: str, timeout_s: float) -> Program:
    database = job.database
    names = [table.name for table in database.tables]
    request = {
        "engine": engine,
        "schema": database.schema,
        "inserts": [insert_script(fixture.tables) for fixture in job.fixtures],
        "backwards": [fixture.backwards for fixture in job.fixtures],
        "query": job.query,
        "left_s": timeout_s,
        "max_rows": MAX_ROWS,
        "max_bytes": MAX_BYTES,
        "max_query": 2 * MAX_QUERY,
        "tables": [*map(str.lower, (*names, *database.views)), *SQLITE_TABLE_FUNCTIONS],
        "functions": sorted(SQLITE_FUNCTIONS),
        "drop": [
            *(f"VIEW IF EXISTS {quoted(name)}" for name in reversed(database.views)),
            *(f"TABLE IF EXISTS {quoted(name)}" for name in reversed(names)),
        ],
    }
    return Program(_inside(), json.dumps(request))


def _read(job: Job, result: RunResult) -> list[Result] | Trouble:
    if result.reason == "infra":
        return Trouble(result.detail)
    found: list[Result] = []
    for line in result.stdout.split("\n")[: len(job.fixtures)]:
        try:
            found.append(_result(json.loads(line)))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            break  # the run was ended in the middle of a line
    if len(found) < len(job.fixtures) and not (found and found[-1].failure):
        found.append(Result(failure=_PREFIXES.get(result.reason, f"crashed: {_last(result)}")))
    return found


def _last(result: RunResult) -> str:
    return (result.detail or result.stderr.strip().rpartition("\n")[2] or result.reason)[:120]


def _result(line: Any) -> Result:
    if "code" in line:
        about = " ".join(str(line["about"]).split())[:160]
        return Result(failure=f"{line['code']}: {about}" if about else str(line["code"]))
    rows = tuple(tuple(map(_value, row)) for row in line["rows"])
    return Result(tuple(map(str, line["columns"])), rows)


def _value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    ((kind, text),) = value.items()
    if kind == "bytes":
        return bytes.fromhex(text)
    if kind == "decimal":
        return _decimal(text)
    return (kind, json.dumps(text))


def _decimal(text: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"no decimal: {text!r:.40}") from None
    if not number.is_finite():
        raise ValueError(f"no finite decimal: {text!r:.40}")
    return number


@cache
def _inside() -> str:
    file = files("rlvr_course") / "verifiers" / "sql" / "inside.py"
    return f"{file.read_text(encoding='utf-8')}\n\nmain()\n"
