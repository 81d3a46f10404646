"""What is read from a reference: its order, its ties, its limit."""

from __future__ import annotations

import pytest

from rlvr_course.verifiers.sql.boundaries import boundaries
from rlvr_course.verifiers.sql.reference import asks_for_order, read_reference


@pytest.mark.parametrize(
    ("query", "keys", "hidden"),
    [
        ("SELECT a, b FROM t ORDER BY b", (1,), 0),
        ("SELECT a, b FROM t ORDER BY 2 DESC, 1", (1, 0), 0),
        ("SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n DESC, a", (1, 0), 0),
        ("SELECT a, COUNT(*) n FROM t GROUP BY a ORDER BY COUNT(*)", (1,), 0),
        ("SELECT t.a, t.b FROM t ORDER BY b NULLS LAST", (1,), 0),
        ("SELECT t.a FROM t ORDER BY t.a ASC", (0,), 0),
        ("SELECT a FROM t ORDER BY b", (-1,), 1),
        ("SELECT a FROM t ORDER BY b + c DESC, a, d", (-2, 0, -1), 2),
        ("SELECT * FROM t ORDER BY b", (-1,), 1),
        ("SELECT a + b FROM t ORDER BY b", (-1,), 1),
        ("SELECT a FROM t ORDER BY a COLLATE NOCASE", (-1,), 1),
        ("SELECT DISTINCT a FROM t ORDER BY a", (0,), 0),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", (0,), 0),
        ("SELECT CASE WHEN a THEN 1 END FROM t ORDER BY a", (-1,), 1),
    ],
)
def test_the_keys_of_an_order_are_columns_of_the_result_or_added_to_it(query, keys, hidden) -> None:
    reference = read_reference(query)
    assert (reference.ordered, reference.keys, reference.hidden) == (True, keys, hidden)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM t",
        "SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3) AS x",
        "SELECT a, RANK() OVER (ORDER BY a) FROM t",
        "SELECT 'ORDER BY a' FROM t -- ORDER BY a",
        'SELECT a AS "order" FROM t',
    ],
)
def test_an_order_further_in_is_none_of_the_result_s(query) -> None:
    reference = read_reference(query)
    assert (reference.ordered, reference.limited, reference.keyed) == (False, False, "")


@pytest.mark.parametrize(
    ("query", "keyed", "offset"),
    [
        ("SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM t ORDER BY a", 0),
        ("SELECT a FROM t ORDER BY a LIMIT 3 OFFSET 2", "SELECT a FROM t ORDER BY a", 2),
        ("SELECT a FROM t ORDER BY a LIMIT 2, 3", "SELECT a FROM t ORDER BY a", 2),
        ("SELECT a FROM t LIMIT 3", "SELECT a FROM t", 0),
        ("SELECT a FROM t ORDER BY b LIMIT 1", "SELECT a, (b) FROM t ORDER BY b", 0),
    ],
)
def test_a_limit_is_taken_off(query, keyed, offset) -> None:
    reference = read_reference(query)
    assert (reference.keyed, reference.offset, reference.limited) == (keyed, offset, True)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM t ORDER BY a LIMIT (SELECT 2)",
        "SELECT DISTINCT a FROM t ORDER BY b",
        "VALUES (1), (2) ORDER BY b",
    ],
)
def test_what_is_not_understood_is_not_keyed(query) -> None:
    assert read_reference(query).keyed == ""


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("SELECT * FROM (SELECT a FROM t ORDER BY a) AS x", True),
        ("SELECT RANK() OVER (ORDER BY a) FROM t", False),
        ("SELECT RANK() OVER (PARTITION BY f(b) ORDER BY a) FROM t ORDER BY 1", True),
        ('SELECT "order" FROM t', False),
    ],
)
def test_an_order_in_a_window_asks_for_none(query, asks) -> None:
    assert asks_for_order(query) is asks


def test_boundaries_belong_to_the_column_before_them() -> None:
    query = "SELECT a FROM t WHERE a >= 5 AND b IN ('x', 'it''s') AND c LIKE 'P%' LIMIT 4 OFFSET 1"
    found = boundaries(query, ["a", "b", "c"])
    assert found.by_column["a"] == (4, 5, 6)
    assert {"x", "it's"} <= set(found.by_column["b"])
    assert found.by_column["c"] == ("P", "Pmer", "BelP", "BelPmer")
    assert found.rows == 7
