"""SQLVerifier on the recorded problems, and where a verdict is the grader's fault."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import SQLVerifier, load_problems, load_rollouts
from rlvr_course.sandbox.records import RunResult
from rlvr_course.verifiers.sql.candidates import hard_coded
from rlvr_course.verifiers.sql.compare import Rules
from rlvr_course.verifiers.sql.database import Database

PROBLEMS = {problem.id: problem for problem in load_problems("sql")}
ROLLOUTS = load_rollouts("sql")
RIGHT_BY_LUCK = {("sql-03", 0), ("sql-03", 5)}


@pytest.fixture(scope="module")
def reports(make):
    """(problem, index) -> report of every recorded reply."""
    answers = [PROBLEMS[r.problem_id].answer for r in ROLLOUTS]
    found = make(None).report_many([r.completion.text for r in ROLLOUTS], answers)
    keys = [(r.problem_id, r.completion.index) for r in ROLLOUTS]
    return dict(zip(keys, found, strict=True))


@pytest.mark.parametrize("rollout", ROLLOUTS, ids=lambda r: r.problem_id)
def test_every_recorded_reply_gets_its_truth(reports, rollout) -> None:
    report = reports[rollout.problem_id, rollout.completion.index]
    assert report.verdict.is_correct is rollout.truth, str(report)


def test_two_recorded_queries_are_right_on_the_rows_shown_alone(reports) -> None:
    shown = {key for key, report in reports.items() if "given" in report.passed}
    right = {key for key, report in reports.items() if report.verdict.is_correct}
    assert (len(shown), len(right)) == (35, 33)
    assert shown - right == RIGHT_BY_LUCK
    assert all("DISTINCT" not in reports[key].query for key in RIGHT_BY_LUCK)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_another_seed_judges_the_recorded_replies_alike(make, reports, seed) -> None:
    verify = make(None, seed=seed)
    answers = [PROBLEMS[r.problem_id].answer for r in ROLLOUTS]
    again = verify.verify_many([r.completion.text for r in ROLLOUTS], answers)
    assert [v.is_correct for v in again] == [r.verdict.is_correct for r in reports.values()]


def test_eight_more_are_right_only_as_long_as_no_two_books_share_a_title(make, reports) -> None:
    answer = PROBLEMS["sql-01"].answer
    free = Database(answer["ddl"], (answer["rows"], answer["hidden_rows"]), distinct=())
    queries = [PROBLEMS[r.problem_id].answer["reference_query"] for r in ROLLOUTS]
    strict = make(free).verify_many([r.completion.text for r in ROLLOUTS], queries)
    pairs = zip(reports.items(), strict, strict=True)
    lost = [key for (key, own), other in pairs if own.verdict.is_correct and not other.is_correct]
    assert [problem for problem, _ in lost] == ["sql-03"] * 4 + ["sql-05"] * 4
    grouped = [reports[key].query.upper() for key in lost if key[0] == "sql-05"]
    assert all("GROUP BY B.TITLE" in query for query in grouped)


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=lambda p: p.id)
def test_the_reference_is_right_and_its_rows_as_constants_are_not(library, problem) -> None:
    answer = problem.answer
    constants = [hard_coded(answer["expected"]), hard_coded(answer["hidden_expected"]), "SELECT 3"]
    gold, *others = library.report_many([answer["reference_query"], *constants], [answer] * 4)
    assert gold.verdict.status == "correct" and len(gold.passed) == gold.databases == 16
    assert [report.verdict.status for report in others] == ["incorrect"] * 3
    assert "given" in others[0].passed or answer["ordered"]


def test_the_rows_of_every_database_of_the_author_s_don_t_save_a_constant(library) -> None:
    ask = "SELECT COUNT(*) FROM loan"
    known = "SELECT CASE (SELECT MIN(name) FROM member) WHEN 'Bram' THEN 7 ELSE 9 END"
    report = library.report(known, ask)
    assert {"given", "given 2"} <= set(report.passed)
    assert report.verdict.status == "incorrect"


@given(st.integers() | st.floats(allow_nan=False) | st.text(max_size=5))
def test_no_constant_is_right_where_the_rows_decide(library, value) -> None:
    query = f"SELECT {hard_coded([[value]]).removeprefix('SELECT ')}"
    assert library(query, "SELECT COUNT(*) FROM loan").status == "incorrect"


def test_a_verdict_is_the_same_again_and_in_any_batch(make) -> None:
    ask = "SELECT city, COUNT(*) FROM member GROUP BY city"
    tries = [ask, "SELECT city, 1 FROM member", "SELEC", "", "SELECT 1; SELECT 2"]
    first = make().verify_many(tries, [ask] * 5)
    assert make().verify_many(tries[::-1], [ask] * 5) == first[::-1]
    assert [make()(response, ask) for response in tries] == first


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (7, "malformed_answer: an answer is a query"),
        ({"query": "SELECT 1"}, "malformed_answer: an answer is a query"),
        ({"reference_query": {1}}, "malformed_answer"),
        ("SELECT 1; SELECT 2", "malformed_answer: the reference has 2 statements"),
        ("", "malformed_answer: the reference has 0 statements"),
        ("SELECT nobody FROM member", "reference_fails: query_error: no such column"),
        ("DELETE FROM member", "reference_fails: not_read_only: DELETE"),
        ("SELECT random()", "reference_fails: forbidden_function: random"),
        ("SELECT name FROM member LIMIT -1, 'x'", "reference_fails"),
        ("SELECT group_concat(name) FROM member", "reference_fails: depends on the order"),
        ("SELECT a.id FROM loan a, loan b, loan c", "reference_fails: too_many_rows"),
    ],
)
def test_a_reference_that_can_t_grade_is_the_grader_s_fault(library, answer, reason) -> None:
    for response in ("SELECT name FROM member", "", "SELEC", "SELECT 1; SELECT 2"):
        verdict = library(response, answer)
        assert (verdict.status, verdict.fault) == ("ungraded", "grader")
        assert verdict.reason.startswith(reason)


def test_without_a_database_every_answer_has_its_own(make) -> None:
    verify = make(None)
    own = {"ddl": "CREATE TABLE t (n INTEGER)", "rows": "INSERT INTO t VALUES (1), (2)"}
    own["reference_query"] = "SELECT SUM(n) FROM t"
    assert verify("SELECT SUM(n) FROM t", own).status == "correct"
    assert verify("SELECT 3", own).status == "incorrect"
    assert verify("SELECT 3", "SELECT SUM(n) FROM t").reason.startswith("malformed_answer")


@pytest.mark.parametrize("stated", [[[4]], [["3"]], [], [[3], [3]], [[3, 3]], 7, [3]])
def test_an_answer_that_contradicts_its_reference_can_t_grade(make, stated) -> None:
    answer = {"ddl": "CREATE TABLE t (n INTEGER)", "rows": "INSERT INTO t VALUES (1), (2)"}
    answer |= {"reference_query": "SELECT SUM(n) FROM t", "expected": stated}
    verdict = make(None)("SELECT SUM(n) FROM t", answer)
    assert verdict.reason == (
        "reference_fails: gives other rows than the answer states (database 'given')"
    )
    assert make(None)("SELECT SUM(n) FROM t", answer | {"expected": [[3]]}).status == "correct"


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_a_view_of_the_schema_s_can_be_read(make, engine) -> None:
    verify = make(
        "CREATE TABLE t (n INTEGER); CREATE VIEW twice AS SELECT 2 * n AS m FROM t; "
        "INSERT INTO t VALUES (1), (2)",
        engine,
    )
    ask = "SELECT SUM(m) FROM twice"
    assert verify("SELECT 2 * SUM(n) FROM t", ask).status == "correct"
    assert verify("SELECT SUM(n) FROM t", ask).reason.startswith("wrong_rows: other values")


def test_an_order_can_be_waived_by_the_answer(library) -> None:
    ask = {"reference_query": "SELECT name FROM member ORDER BY name", "ordered": False}
    assert library("SELECT name FROM member", ask).status == "correct"


def test_names_of_columns_count_where_they_are_asked_for(make) -> None:
    strict = make(rules=Rules(column_names=True))
    ask = "SELECT COUNT(*) AS members FROM member"
    assert strict("SELECT COUNT(*) AS Members FROM member", ask).status == "correct"
    assert strict("SELECT COUNT(*) FROM member", ask).reason.startswith("wrong_column_names")


def test_a_query_that_was_never_there_is_no_answer_and_a_wrong_one_no_fault(library) -> None:
    ask = "SELECT COUNT(*) FROM member"
    assert library("", ask).status == "no_answer"
    assert library("SELECT COUNT(*) + 1 FROM member", ask).fault is None
    assert library("SELECT COUNT( FROM member", ask).fault == "policy"
    assert library(None, ask).status == "no_answer"


class Broken:
    """A pool that fails, as a sandbox that is lost would."""

    def run_many(self, programs, limits):
        return [RunResult("", "", None, "infra", "none", detail="lost") for _ in programs]


def test_a_sandbox_that_fails_says_nothing_about_a_query(pools) -> None:
    verify = SQLVerifier("CREATE TABLE t (n INTEGER)", sandbox=Broken())
    verdict = verify("SELECT 1", "SELECT n FROM t")
    assert (verdict.status, verdict.reason) == ("ungraded", "sandbox_failed: lost")
    verify.sandbox = pools["sqlite"]  # the failure is not remembered
    assert verify("SELECT n FROM t", "SELECT n FROM t").status == "correct"


def test_a_verifier_can_be_pickled() -> None:
    verify = pickle.loads(pickle.dumps(SQLVerifier("CREATE TABLE t (n INTEGER)", seed=3)))
    assert (verify.seed, verify.database.tables[0].name) == (3, "t")


@pytest.mark.parametrize(
    "options",
    [
        {"engine": "mysql"},
        {"timeout_s": 0},
        {"timeout_s": float("nan")},
        {"database": 7},
        {"sandbox": "nss"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_an_argument_out_of_range_is_refused(options) -> None:
    with pytest.raises(ValueError):
        SQLVerifier(**options)


def test_a_report_shows_where_and_how_rows_differ(library) -> None:
    report = library.report("SELECT 6", "SELECT COUNT(*) FROM member")
    assert "given 2" in report.passed and "given" not in report.passed
    assert f"{len(report.passed)} of 16 databases" in str(report)
    assert "given: wrong_rows: other values\n    expected [(5,)], got [(6,)]" in str(report)
