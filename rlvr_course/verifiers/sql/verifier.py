"""SQLVerifier: does a query return what the reference returns, on every database?

    find the query -> gate -> run it in a sandbox on all databases -> compare the rows outside

The reference's rows never enter the sandbox together with a response's query. A query is right or
wrong: there is no part of a score for some of the databases, since a query that is right on the
rows that were shown is what a policy learns to write if it is paid for that.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rlvr_course.errors import RlvrError
from rlvr_course.records import Verdict
from rlvr_course.sandbox.tiers import tier_named
from rlvr_course.verifiers.programs.scoring import Pool
from rlvr_course.verifiers.programs.values import clipped
from rlvr_course.verifiers.sql.compare import Expected, Rules, difference, expect
from rlvr_course.verifiers.sql.database import Database, Fixture, read_database
from rlvr_course.verifiers.sql.extract import Found, find_query
from rlvr_course.verifiers.sql.gate import refusal
from rlvr_course.verifiers.sql.reference import Reference, asks_for_order, read_reference
from rlvr_course.verifiers.sql.report import DatabaseOutcome, SQLReport
from rlvr_course.verifiers.sql.running import Job, Result, Trouble, run_queries
from rlvr_course.verifiers.sql.tokens import statements
from rlvr_course.verifiers.sql.variants import SHUFFLED, fixtures

ENGINES = ("sqlite", "duckdb")
MAX_REMEMBERED = 256


@dataclass(frozen=True)
class Task:
    """A reference with the databases that it is run on, and what it gave there.

    Args:
        reference, database, fixtures: what to run, and where.
        expected: one for each of the fixtures.
        fault: why the reference can't grade, "" if it can.
    """

    reference: Reference
    database: Database
    fixtures: tuple[Fixture, ...]
    expected: tuple[Expected, ...] = ()
    fault: str = ""


class SQLVerifier:
    """Judge queries by their rows, in a sandbox.

    Args:
        database: a script of CREATE TABLE and INSERT statements, a ``Database``, or a mapping with
            ``ddl``, ``rows`` and ``hidden_rows``; None where each answer is such a mapping.
        engine: "sqlite", or "duckdb", which needs the extra ``sql`` and the tier "linux-ns".
        sandbox: a tier's name, "auto" for the best that this machine can hold, or an open pool of
            your own, which for "duckdb" has to have that package.
        timeout_s: seconds that a query may take on all databases together, above 0.
        seed: of the generated databases: another seed, other rows.
        rules: tolerance for floats, and whether columns' names count.

    Raises:
        ValueError: an argument out of range, or a database that can't be read.

    Limits: what no database tells apart passes. Generated rows keep to what the author's rows
        hold throughout (see ``database``), and text comes in one case only. SQL that is right in
        another dialect than the engine's is wrong. A reference whose rows depend on the clock can't
        be compared; rounding is part of an answer.

        verify = SQLVerifier("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1), (2)")
        verify("SELECT SUM(n) FROM t", "SELECT sum(n) FROM t").status    # "correct"
        verify("SELECT 3", "SELECT sum(n) FROM t").status    # "incorrect"
    """

    def __init__(
        self,
        database: Any = None,
        *,
        engine: str = "sqlite",
        sandbox: str | Pool = "auto",
        timeout_s: float = 2.0,
        seed: int = 0,
        rules: Rules | None = None,
    ) -> None:
        if engine not in ENGINES:
            raise ValueError(f"engine={engine!r}: give one of {', '.join(ENGINES)}")
        if not (timeout_s > 0 and math.isfinite(timeout_s)):
            raise ValueError(f"timeout_s={timeout_s}: give seconds above 0")
        if isinstance(sandbox, str) and sandbox != "auto":
            tier_named(sandbox)
        self.database = None if database is None else read_database(database)
        self.engine = engine
        self.sandbox = sandbox
        self.timeout_s = timeout_s
        self.seed = seed
        self.rules = rules or Rules()
        self._tasks: dict[str, Task] = {}

    def __call__(self, response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
        """Judge one response.

        Args:
            response: a query, or a reply with one in a code block (see ``find_query``).
            answer: the reference query, or a mapping with ``reference_query`` and, if the verifier
                has no database of its own, ``ddl``, ``rows`` and ``hidden_rows``; with
                ``"ordered": False`` the order does not count in any case.
            finish_reason: not needed: a query that was cut off is judged as it stands.

        Returns:
            "correct" or "incorrect"; "no_answer" without a query; "ungraded" for a grader fault.
        """
        return self.verify_many([response], [answer])[0]

    def verify_many(
        self,
        responses: Sequence[str],
        answers: Sequence[Any],
        finish_reasons: Sequence[str] | None = None,
    ) -> list[Verdict]:
        """Judge responses against references, in order, all in one batch.

        Raises:
            ValueError: lengths differ.
        """
        try:
            return [report.verdict for report in self.report_many(responses, answers)]
        except (RlvrError, OSError) as error:
            return [Verdict.ungraded(f"sandbox_failed: {error}") for _ in responses]

    def report(self, response: str, answer: Any) -> SQLReport:
        """What each database showed, for one response.

        Raises:
            SandboxUnavailable: this machine can't hold the sandbox; the message says what to do.
        """
        return self.report_many([response], [answer])[0]

    def report_many(self, responses: Sequence[str], answers: Sequence[Any]) -> list[SQLReport]:
        """What each database showed, for each response, in one batch.

        Raises:
            SandboxUnavailable: as ``report``.
            ValueError: lengths differ.
        """
        if len(responses) != len(answers):
            raise ValueError(f"{len(responses)} responses but {len(answers)} answers")
        tasks = [self._task(answer) for answer in answers]
        found = [self._found(response) for response in responses]
        jobs = {
            (query.query, id(task)): Job(
                query.query, task.database.schema, task.database.tables, task.fixtures
            )
            for query, task in zip(found, tasks, strict=True)
            if isinstance(task, Task) and not task.fault and not query.reason
        }
        results = dict(zip(jobs, self._run(list(jobs.values())), strict=True))
        return [
            self._report(query, task, results.get((query.query, id(task))))
            for query, task in zip(found, tasks, strict=True)
        ]

    def fixtures(self, answer: Any) -> tuple[Fixture, ...]:
        """The databases that responses to a problem are run on.

        Raises:
            ValueError: a malformed answer.
        """
        return self._read(answer).fixtures

    def _found(self, response: Any) -> Found:
        if not isinstance(response, str):
            return Found("", "no_query")
        found = find_query(response)
        return found if found.reason else Found(found.query, refusal(found.query, self.engine))

    def _report(
        self, found: Found, task: Task | str, results: list[Result] | Trouble | None
    ) -> SQLReport:
        if isinstance(task, str):
            return SQLReport(found.query, fault=task)
        total = len(task.fixtures)
        if task.fault or isinstance(results, Trouble):
            fault = task.fault or f"sandbox_failed: {getattr(results, 'why', '')}"
            return SQLReport(found.query, fault=fault, databases=total)
        if results is None:
            return SQLReport(found.query, refused=found.reason, databases=total)
        sorts = asks_for_order(found.query)
        outcomes = tuple(
            self._outcome(fixture, expected, result, sorts)
            for fixture, expected, result in zip(
                task.fixtures, task.expected, results, strict=False
            )
        )
        return SQLReport(found.query, outcomes, databases=total)

    def _outcome(
        self, fixture: Fixture, expected: Expected, result: Result, sorts: bool
    ) -> DatabaseOutcome:
        reason = result.failure or difference(expected, result, self.rules)
        if not reason and expected.ordered and expected.count > 1 and not sorts:
            reason = "wrong_order: no ORDER BY"  # right by a habit of the engine
        if not reason:
            return DatabaseOutcome(fixture.name, True, "same_rows")
        rows = [row for group in expected.groups for row in group]
        wanted = rows[expected.start : expected.start + expected.count]
        got = "" if result.failure else clipped(repr(list(result.rows)))
        return DatabaseOutcome(fixture.name, False, reason, clipped(repr(wanted)), got)

    def _task(self, answer: Any) -> Task | str:
        """The reference with its rows; a text where the answer is malformed."""
        try:
            key = answer if isinstance(answer, str) else json.dumps(answer, sort_keys=True)
        except (TypeError, ValueError):
            return f"malformed_answer: {answer!r:.60} is no JSON"
        if key in self._tasks:
            return self._tasks[key]
        try:
            unsolved = self._read(answer)
        except ValueError as error:
            return f"malformed_answer: {error}"
        task = self._solved(unsolved)
        if len(self._tasks) >= MAX_REMEMBERED:
            self._tasks.pop(next(iter(self._tasks)))
        if not task.fault.startswith("sandbox_failed"):  # that says nothing about the reference
            self._tasks[key] = task
        return task

    def _read(self, answer: Any) -> Task:
        query = answer.get("reference_query") if isinstance(answer, Mapping) else answer
        if not isinstance(query, str):
            raise ValueError(f"an answer is a query or has a reference_query, not {answer!r:.60}")
        parts = statements(query)
        if len(parts) != 1:
            raise ValueError(f"the reference has {len(parts)} statements: give one")
        database = self.database or read_database(answer)
        reference = read_reference(parts[0])
        if isinstance(answer, Mapping) and answer.get("ordered") is False:
            reference = replace(reference, ordered=False)
        return Task(reference, database, fixtures(database, query, seed=self.seed))

    def _solved(self, task: Task) -> Task:
        """The task with the rows of its reference, which runs where responses' queries run."""
        reference = task.reference
        refused = refusal(reference.query, self.engine)
        if refused:
            return replace(task, fault=f"reference_fails: {refused}")
        queries = [reference.query, *([reference.keyed] if reference.keyed else [])]
        schema, tables = task.database.schema, task.database.tables
        plain, *more = self._run([Job(q, schema, tables, task.fixtures) for q in queries])
        if isinstance(plain, Trouble):
            return replace(task, fault=f"sandbox_failed: {plain.why}")
        keyed = more[0] if more and isinstance(more[0], list) else []
        expected = []
        for index, (fixture, result) in enumerate(zip(task.fixtures, plain, strict=False)):
            own = expect(
                reference, result, keyed[index] if index < len(keyed) else None, self.rules
            )
            why = result.failure or difference(own, result, self.rules)
            if why:
                name = f"(database {fixture.name!r})"
                return replace(task, fault=f"reference_fails: {why} {name}")
            if fixture.name == SHUFFLED and difference(expected[0], result, self.rules):
                return replace(task, fault="reference_fails: depends on the order of stored rows")
            expected.append(own)
        return replace(task, expected=tuple(expected))

    def _run(self, jobs: Sequence[Job]) -> list[list[Result] | Trouble]:
        if not jobs:
            return []
        return run_queries(self._pool(), jobs, engine=self.engine, timeout_s=self.timeout_s)

    def _pool(self) -> Pool:
        if not isinstance(self.sandbox, str):
            return self.sandbox
        from rlvr_course.verifiers.programs.pools import shared_pool

        packages = ("duckdb",) if self.engine == "duckdb" else ()
        return shared_pool(self.sandbox, None, packages)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_tasks": {}}
