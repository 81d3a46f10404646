"""An answer as something to grade with: its reference, the databases, and the rows that are right.

The reference has to give rows on every database, the same ones however rows are stored, and those
that the author states, if any. Where it doesn't, that is the grader's fault and no response's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rlvr_course.verifiers.sql.compare import Expected, Rules, difference, expect
from rlvr_course.verifiers.sql.database import Database, Fixture, read_database
from rlvr_course.verifiers.sql.reference import Reference, read_reference
from rlvr_course.verifiers.sql.running import Job, Result, Trouble
from rlvr_course.verifiers.sql.tokens import statements
from rlvr_course.verifiers.sql.variants import SHUFFLED, fixtures

Run = Callable[[Sequence[Job]], list[list[Result] | Trouble]]
_STATED = {"given": "expected", "given 2": "hidden_expected"}


@dataclass(frozen=True)
class Task:
    """A reference with the databases that it is run on, and what it gave there.

    Args:
        reference, database, fixtures: what to run, and where.
        stated: rows that the author's answer states, by the name of their database.
        expected: one for each of the fixtures.
        fault: why the reference can't grade, "" if it can.
    """

    reference: Reference
    database: Database
    fixtures: tuple[Fixture, ...]
    stated: Mapping[str, Any] = field(default_factory=dict)
    expected: tuple[Expected, ...] = ()
    fault: str = ""


def read_task(answer: Any, database: Database | None, *, seed: int) -> Task:
    """What an answer asks for; nothing is run yet.

    Args:
        answer: a query, or a mapping with ``reference_query``; see ``SQLVerifier``.
        database: None where the answer has its own.
        seed: of the generated databases.

    Raises:
        ValueError: a malformed answer.
    """
    query = answer.get("reference_query") if isinstance(answer, Mapping) else answer
    if not isinstance(query, str):
        raise ValueError(f"an answer is a query or has a reference_query, not {answer!r:.60}")
    parts = statements(query)
    if len(parts) != 1:
        raise ValueError(f"the reference has {len(parts)} statements: give one")
    stated: dict[str, Any] = {}
    if database is None:
        database = read_database(answer)
        if isinstance(answer, Mapping):
            stated = {name: answer[key] for name, key in _STATED.items() if key in answer}
    reference = read_reference(parts[0])
    if isinstance(answer, Mapping) and answer.get("ordered") is False:
        reference = replace(reference, ordered=False)
    return Task(reference, database, fixtures(database, query, seed=seed), stated)


def solve(task: Task, run: Run, rules: Rules) -> Task:
    """The task with the rows of its reference, or with the fault that it has none."""
    reference = task.reference
    queries = [reference.query, *([reference.keyed] if reference.keyed else [])]
    plain, *more = run([Job(query, task.database, task.fixtures) for query in queries])
    if isinstance(plain, Trouble):
        return replace(task, fault=f"sandbox_failed: {plain.why}")
    keyed = more[0] if more and isinstance(more[0], list) else []
    expected: list[Expected] = []
    for index, (fixture, result) in enumerate(zip(task.fixtures, plain, strict=False)):
        own = expect(reference, result, keyed[index] if index < len(keyed) else None, rules)
        why = result.failure or difference(own, result, rules)
        if not why and fixture.name == SHUFFLED and difference(expected[0], result, rules):
            why = "depends on the order of stored rows"
        if not why and _contradicts(task.stated.get(fixture.name), own, rules):
            why = "gives other rows than the answer states"
        if why:
            return replace(task, fault=f"reference_fails: {why} (database {fixture.name!r})")
        expected.append(own)
    return replace(task, expected=tuple(expected))


def _contradicts(stated: Any, expected: Expected, rules: Rules) -> bool:
    if stated is None:
        return False
    try:
        rows = tuple(tuple(row) for row in stated)
    except TypeError:
        return True
    columns = expected.columns if all(len(r) == len(expected.columns) for r in rows) else ()
    return bool(difference(expected, Result(columns, rows), rules))
