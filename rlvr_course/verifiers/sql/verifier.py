"""SQLVerifier: does a query return what the reference returns, on every database?

    find the query -> gate -> run it in a sandbox on all databases -> compare the rows outside

The reference's rows never enter the sandbox together with a response's query. A query is right or
wrong: there is no part of a score for some of the databases, since a query that is right on the
rows that were shown is what a policy learns to write if it is paid for that.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from rlvr_course.errors import RlvrError
from rlvr_course.records import Verdict
from rlvr_course.sandbox.tiers import tier_named
from rlvr_course.verifiers.programs.scoring import Pool
from rlvr_course.verifiers.programs.values import clipped
from rlvr_course.verifiers.sql.compare import Expected, Rules, difference
from rlvr_course.verifiers.sql.database import Fixture, read_database
from rlvr_course.verifiers.sql.extract import Found, find_query
from rlvr_course.verifiers.sql.gate import refusal
from rlvr_course.verifiers.sql.reference import asks_for_order
from rlvr_course.verifiers.sql.report import DatabaseOutcome, SQLReport
from rlvr_course.verifiers.sql.running import Job, Result, Trouble, run_queries
from rlvr_course.verifiers.sql.tasks import Task, read_task, solve

ENGINES = ("sqlite", "duckdb")
MAX_REMEMBERED = 256
AT_ONCE = 16
"""Queries whose rows are held in this process at a time."""


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

    Limits: what no database tells apart passes, and a policy that is trained for long against one
        ``seed`` can learn its databases: take another for what is held out. Generated rows keep
        to what the author's rows hold throughout (see ``database``), and text comes in one case
        of letters only. The engine and its version decide what is SQL. A reference whose rows
        depend on the clock can't be compared; rounding is part of an answer.

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
        reports: dict[tuple[str, int], SQLReport] = {}
        for keys in _portions(found, tasks):
            jobs = [Job(query, task.database, task.fixtures) for query, task in keys.values()]
            for (key, (query, task)), results in zip(keys.items(), self._run(jobs), strict=True):
                reports[key] = self._judged(query, task, results)
        return [
            reports.get((query.query, id(task))) or _unjudged(query, task)
            for query, task in zip(found, tasks, strict=True)
        ]

    def fixtures(self, answer: Any) -> tuple[Fixture, ...]:
        """The databases that responses to a problem are run on.

        Raises:
            ValueError: a malformed answer.
        """
        return read_task(answer, self.database, seed=self.seed).fixtures

    def _found(self, response: Any) -> Found:
        if not isinstance(response, str):
            return Found("", "no_query")
        found = find_query(response)
        return found if found.reason else Found(found.query, refusal(found.query, self.engine))

    def _judged(self, query: str, task: Task, results: list[Result] | Trouble) -> SQLReport:
        total = len(task.fixtures)
        if isinstance(results, Trouble):
            return SQLReport(query, fault=f"sandbox_failed: {results.why}", databases=total)
        sorts = asks_for_order(query)
        triples = zip(task.fixtures, task.expected, results, strict=False)
        outcomes = tuple(self._outcome(*triple, sorts) for triple in triples)
        return SQLReport(query, outcomes, databases=total)

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
            task = read_task(answer, self.database, seed=self.seed)
        except ValueError as error:
            return f"malformed_answer: {error}"
        refused = refusal(task.reference.query, self.engine)
        if refused:
            return f"reference_fails: {refused}"
        task = solve(task, self._run, self.rules)
        if len(self._tasks) >= MAX_REMEMBERED:
            self._tasks.pop(next(iter(self._tasks)))
        if not task.fault.startswith("sandbox_failed"):  # that says nothing about the reference
            self._tasks[key] = task
        return task

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


def _portions(
    found: Sequence[Found], tasks: Sequence[Task | str]
) -> Iterator[dict[tuple[str, int], tuple[str, Task]]]:
    """The distinct queries that can be run, a few at a time: rows are held only while compared."""
    chosen = {
        (query.query, id(task)): (query.query, task)
        for query, task in zip(found, tasks, strict=True)
        if isinstance(task, Task) and not task.fault and not query.reason
    }
    items = iter(chosen.items())
    while portion := dict(islice(items, AT_ONCE)):
        yield portion


def _unjudged(found: Found, task: Task | str) -> SQLReport:
    """A report on what was not run: the grader's fault first, then the response's."""
    if isinstance(task, str):
        return SQLReport(found.query, fault=task)
    total = len(task.fixtures)
    return SQLReport(found.query, refused=found.reason, fault=task.fault, databases=total)
