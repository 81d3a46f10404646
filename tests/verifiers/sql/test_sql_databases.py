"""The databases that queries are judged on: what they hold, and what they keep to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import load_problems
from rlvr_course.verifiers.sql.database import Database, read_database
from rlvr_course.verifiers.sql.schema import insert_script, literal, open_schema
from rlvr_course.verifiers.sql.variants import SHAPES, SHUFFLED, fixtures

PROBLEMS = load_problems("sql")
LIBRARY = read_database(PROBLEMS[0].answer)
QUERY = "SELECT title FROM book WHERE pages > 300"


def by_name(database=LIBRARY, query=QUERY, seed=0):
    return {fixture.name: fixture.tables for fixture in fixtures(database, query, seed=seed)}


def column(tables, table, place):
    return [row[place] for row in tables[table]]


def test_the_author_s_databases_come_first_and_every_shape_is_there() -> None:
    names = list(by_name())
    assert names[:2] == ["given", "given 2"]
    assert set(names[2:]) == {SHUFFLED, "renumbered", "repeated", *SHAPES}


def test_the_same_arguments_give_the_same_rows_and_another_seed_others() -> None:
    assert by_name() == by_name()
    assert by_name(seed=1)["spread"] != by_name()["spread"]
    assert by_name(seed=1)["given"] == by_name()["given"]


def test_each_shape_holds_what_its_name_says() -> None:
    found = by_name()
    assert not any(found["empty"].values())
    assert {len(rows) for rows in found["one row"].values()} == {1}
    assert found["no children"]["loan"] == () and len(found["no children"]["book"]) > 2
    assert None in column(found["NULLs"], "book", 3)
    assert max(column(found["below zero"], "book", 3)) <= 0
    assert len(set(column(found["ties"], "member", 3))) <= 2 < len(found["ties"]["member"])
    assert len(found["repeated"]["loan"]) == 3 * len(found["given"]["loan"])
    assert sorted(found[SHUFFLED]["loan"]) == list(found["given"]["loan"])


def test_a_value_at_the_boundary_stands_in_the_rows() -> None:
    pages = {page for tables in by_name().values() for page in column(tables, "book", 3)}
    assert {299, 300, 301} <= pages


@given(st.integers(0, 10_000))
def test_every_database_keeps_the_rules_of_the_author_s_rows(seed) -> None:
    for name, tables in by_name(seed=seed).items():
        for table in ("member", "book"):
            names = column(tables, table, 1)
            assert len(set(names)) == len(names), name
        keys = {t: set(column(tables, t, 0)) for t in ("member", "book", "loan")}
        assert all(len(keys[t]) == len(tables[t]) for t in keys)
        assert set(column(tables, "loan", 1)) <= keys["member"]
        assert set(column(tables, "loan", 2)) <= keys["book"]
        assert set(column(tables, "loan", 4)) <= {0, 1}


def test_what_is_distinct_can_be_said_otherwise() -> None:
    free = Database(LIBRARY.schema, LIBRARY.rows, distinct=())
    titles = column(by_name(free)["ties"], "book", 1)
    assert len(set(titles)) < len(titles)
    assert LIBRARY.distinct_columns == {("member", "name"), ("book", "title")}
    assert LIBRARY.flags == {("loan", "returned")}


def test_few_rows_make_no_rule() -> None:
    script = "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x'), ('y'), ('z')"
    assert read_database(script).distinct_columns == frozenset()


def test_constraints_of_the_schema_hold_in_generated_rows() -> None:
    database = Database(
        "CREATE TABLE t (k TEXT PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 3), u INTEGER UNIQUE);"
        "CREATE TABLE s (a INTEGER, b INTEGER, PRIMARY KEY (a, b))"
    )
    for tables in by_name(database, "SELECT k FROM t").values():
        assert all(n > 3 for n in column(tables, "t", 1))
        assert len(set(tables["s"])) == len(tables["s"])
    assert any(tables["t"] for tables in by_name(database).values())


def test_tables_come_after_those_that_they_refer_to() -> None:
    database = Database(
        "CREATE TABLE child (p INTEGER REFERENCES parent); CREATE TABLE parent (id INTEGER "
        "PRIMARY KEY)"
    )
    assert [table.name for table in database.tables] == ["parent", "child"]
    assert database.tables[1].columns[0].parent == ("parent", "id")


def test_a_row_may_refer_to_its_own_table() -> None:
    database = Database("CREATE TABLE t (id INTEGER PRIMARY KEY, up INTEGER REFERENCES t(id))")
    assert any(tables["t"] for tables in by_name(database, "SELECT id FROM t").values())


VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9),
    st.binary(max_size=5),
)


@given(st.lists(st.tuples(VALUES), min_size=1, max_size=5))
def test_rows_come_back_from_a_script_as_they_were(rows) -> None:
    connection = open_schema("CREATE TABLE t (v)", insert_script({"t": tuple(rows)}))
    assert connection.execute("SELECT v FROM t").fetchall() == rows
    connection.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Database("CREATE TABLE"), "the schema of the database"),
        (lambda: Database("SELECT 1"), "no CREATE TABLE"),
        (lambda: Database("CREATE TABLE t (a)", ("INSERT INTO u VALUES (1)",)), "no such table"),
        (lambda: Database("CREATE TABLE t (a)", (), generated=False), "without rows"),
        (lambda: read_database(7), "a database is"),
        (lambda: read_database({"rows": ""}), "a database is"),
        (lambda: read_database({"ddl": "CREATE TABLE t (a)", "rows": [1]}), "give text"),
        (lambda: literal(object()), "a fixture can't hold"),
        (
            lambda: Database(
                "CREATE TABLE a (x REFERENCES b(y)); CREATE TABLE b (y REFERENCES a(x))"
            ),
            "form a cycle",
        ),
    ],
)
def test_what_can_t_be_read_is_refused_by_name(make, message) -> None:
    with pytest.raises(ValueError, match=message):
        make()
