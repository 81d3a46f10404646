"""Hostile queries: nothing is paid, none gets away ungraded, and all end in time."""

from __future__ import annotations

import time

import pytest

from rlvr_course import SQLVerifier, attack, load_problems
from rlvr_course.sandbox.records import Limits
from rlvr_course.verifiers.sql.candidates import HONEST, HOSTILE
from rlvr_course.verifiers.sql.running import MEMORY_BYTES, SPARE_S, Job, _program

PROBLEMS = load_problems("sql")
GOLD = PROBLEMS[0].answer["reference_query"]
TIMEOUT_S = 0.4
ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)"
BOMBS = {
    "sqlite": [
        f"{ENDLESS} SELECT COUNT(*) FROM r",
        f"{ENDLESS} SELECT group_concat(x) FROM r",
        f"{ENDLESS} SELECT x, hex(zeroblob(400000)) AS y FROM r ORDER BY y",
        "SELECT COUNT(*) FROM " + ", ".join(f"member m{i}" for i in range(40)),
        "SELECT instr(printf('%.*c', 900000, 'a'), printf('%.*c', 450000, 'a') || 'b')",
        "SELECT " + " || ".join(["hex(zeroblob(400000))"] * 100),
        "SELECT COUNT(DISTINCT a.id + b.id * 9.1 + c.id) FROM loan a, loan b, loan c, loan d, "
        "loan e, loan f, loan g, loan h",
    ],
    "duckdb": [
        f"{ENDLESS} SELECT COUNT(*) FROM r",
        "SELECT repeat('x', 2000000000)",
        "SELECT COUNT(*) FROM range(10000000), range(10000000)",
        "SELECT list(range) FROM range(1000000000)",
        "SELECT string_agg(repeat('x', 100000), '') FROM range(100000)",
    ],
}


@pytest.mark.parametrize(
    "problems",
    [PROBLEMS[4:5], pytest.param(PROBLEMS, marks=pytest.mark.nightly)],
    ids=["one", "all recorded"],
)
def test_the_attack_suite_finds_nothing(make, problems) -> None:
    report = attack(make(None, timeout_s=TIMEOUT_S), problems)
    assert report.passed, str(report)
    assert {row.kind for row in report.rows} >= {*HOSTILE, *HONEST}


def test_a_naive_check_on_the_rows_shown_pays_constants() -> None:
    def naive(response, answer):
        return all(str(row[0]) in response for row in answer["expected"])

    paid = attack(naive, PROBLEMS[:1]).false_pays
    assert {"hard-coded rows", "VALUES", "rows in prose"} <= {row.kind for row in paid}


@pytest.mark.parametrize(
    ("engine", "query"), [(engine, query) for engine in BOMBS for query in BOMBS[engine]]
)
def test_a_bomb_ends_in_time_within_its_memory(pools, databases, engine, query) -> None:
    library = databases["library"]
    job = Job(query, library, library.given)
    wall_s = TIMEOUT_S + SPARE_S[engine]
    limits = Limits(wall_s=wall_s, cpu_s=5, memory_bytes=MEMORY_BYTES[engine])
    result = pools[engine].run(_program(job, engine, TIMEOUT_S), limits)
    assert result.reason in ("exit", "timeout", "memory") and result.wall_s < wall_s + 1
    assert result.max_rss_bytes < MEMORY_BYTES[engine] + (80 << 20)
    assert '"rows"' not in result.stdout


def test_a_bomb_is_the_policy_s_fault_and_costs_the_others_nothing(make) -> None:
    began = time.monotonic()
    responses = [GOLD, *(query for query in BOMBS["sqlite"][:3]), GOLD]
    verdicts = make(timeout_s=TIMEOUT_S).verify_many(responses, [GOLD] * 5)
    assert [v.status for v in verdicts] == ["correct", *["incorrect"] * 3, "correct"]
    assert {v.fault for v in verdicts[1:4]} == {"policy"}
    assert time.monotonic() - began < 20


def test_a_query_that_is_slow_on_one_database_says_which(make) -> None:
    slow = (
        f"SELECT name FROM member WHERE city = 'Porto' AND ((SELECT COUNT(*) FROM loan) < 8 OR "
        f"({ENDLESS} SELECT COUNT(*) FROM r) > 0) ORDER BY name"
    )
    report = make(timeout_s=TIMEOUT_S).report(slow, GOLD)
    assert report.passed == ("given",)
    assert report.verdict.reason == "too_slow (database 'given 2')"


class Recording:
    """An open pool that keeps what is run in it."""

    def __init__(self, pool):
        self.pool, self.programs = pool, []

    def run_many(self, programs, limits):
        self.programs += programs
        return self.pool.run_many(programs, limits)


def test_neither_the_reference_nor_its_rows_are_there_where_a_response_runs(pools) -> None:
    recording = Recording(pools["sqlite"])
    verify = SQLVerifier("CREATE TABLE t (n INTEGER)", sandbox=recording)
    assert verify("SELECT total(n) FROM t", "SELECT 71717 + 1 FROM t").status == "incorrect"
    own = [p for p in recording.programs if "total(n)" in p.stdin]
    assert len(own) == 1 and len(recording.programs) == 2
    assert "71717" not in own[0].stdin and "71718" not in own[0].stdin


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_a_query_can_t_change_what_later_databases_see(make, engine) -> None:
    write = "INSERT INTO member VALUES (99, 'Zoe', 'Porto', 2020)"
    verify = make(engine=engine)
    assert verify(write, GOLD).reason == "not_read_only: INSERT"
    assert verify(GOLD, GOLD).status == "correct"
