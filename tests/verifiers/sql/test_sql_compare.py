"""Rows against rows: multisets, order as far as it is decided, tolerance."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.sql.compare import Rules, contained, difference, expect, same_value
from rlvr_course.verifiers.sql.reference import read_reference
from rlvr_course.verifiers.sql.running import Result

VALUES = st.one_of(
    st.none(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0, -2.25, 1e300]),
    st.sampled_from(["", "a", "A", "1", "NULL"]),
    st.binary(max_size=2),
)
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=8)
RULES = Rules()


def result(rows, columns=("a", "b")):
    return Result(tuple(columns), tuple(map(tuple, rows)))


def wrong(query, plain, got, keyed=None) -> str:
    reference = read_reference(query)
    own = expect(reference, result(plain), None if keyed is None else result(keyed), RULES)
    return difference(own, result(got), RULES)


@given(ROWS, st.randoms(use_true_random=False))
def test_without_an_order_any_order_is_right(rows, rng) -> None:
    assert wrong("SELECT a, b FROM t", rows, rng.sample(rows, len(rows))) == ""


@given(ROWS, st.tuples(VALUES, VALUES))
def test_a_row_more_or_less_is_wrong(rows, row) -> None:
    assert wrong("SELECT a, b FROM t", rows, [*rows, row]).startswith("wrong_rows")
    assert wrong("SELECT a, b FROM t", [*rows, row], rows).startswith("wrong_rows")


@given(ROWS, st.data())
def test_another_value_is_wrong(rows, data) -> None:
    rows = [*rows, (7, "z")]
    place = data.draw(st.integers(0, len(rows) - 1))
    changed = [(*row[:1], "other") if i == place else row for i, row in enumerate(rows)]
    assert wrong("SELECT a, b FROM t", rows, changed) == "wrong_rows: other values"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=9), st.integers(0, 99))
def test_with_an_order_ties_alone_are_free(rows, seed) -> None:
    query = "SELECT a, b FROM t ORDER BY a"
    plain = sorted(rows, key=lambda row: row[0])
    mixed = random.Random(seed).sample(rows, len(rows))
    tied = sorted(mixed, key=lambda row: row[0])
    assert wrong(query, plain, tied, keyed=plain) == ""
    is_sorted = [row[0] for row in mixed] == [row[0] for row in plain]
    assert (wrong(query, plain, mixed, keyed=plain) == "") is is_sorted


def test_a_cut_tie_may_give_any_of_its_rows() -> None:
    query = "SELECT a, b FROM t ORDER BY a LIMIT 2"
    keyed = [(1, "x"), (2, "y"), (2, "z"), (3, "w")]
    assert wrong(query, keyed[:2], [(1, "x"), (2, "z")], keyed) == ""
    assert wrong(query, keyed[:2], [(1, "x"), (3, "w")], keyed) == "wrong_rows: other values"
    assert wrong(query, keyed[:2], [(2, "y"), (1, "x")], keyed) == "wrong_rows: other values"


def test_keys_that_are_not_shown_decide_and_are_not_compared() -> None:
    query = "SELECT a FROM t ORDER BY b"
    own = expect(
        read_reference(query),
        result([["x"], ["y"], ["z"]], "a"),
        result([["x", 1], ["y", 1], ["z", 2]]),
        RULES,
    )
    assert difference(own, result([["y"], ["x"], ["z"]], "a"), RULES) == ""
    assert difference(own, result([["x"], ["z"], ["y"]], "a"), RULES) == "wrong_order"


def test_keyed_rows_that_contradict_the_plain_ones_are_not_believed() -> None:
    query = "SELECT a, b FROM t ORDER BY a"
    assert wrong(query, [(1, 2), (1, 3)], [(1, 3), (1, 2)], keyed=[(5, 5)]) == "wrong_order"


@pytest.mark.parametrize(
    ("wanted", "got", "is_same"),
    [
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        (3, 3.0, True),
        (3, 3.0000000001, False),
        (3, "3", False),
        (3, True, False),
        (True, True, True),
        (0.3, 0.1 + 0.2, True),
        (0.3, 0.3001, False),
        (0.0, 1e-15, True),
        (0.0, 1e-3, False),
        (1e300, 1.0000000001e300, True),
        (float("inf"), float("inf"), True),
        (float("inf"), 1e308, False),
        (float("nan"), float("nan"), False),
        (2**63 - 1, 2**63 - 2, False),
        (2**53 + 1, float(2**53), False),
        (Decimal("1.10"), Decimal("1.1"), True),
        (Decimal("1.1"), 1.1, True),
        (Decimal("1.1"), Decimal("1.1000000000001"), False),
        (1.5, 10**400, False),
        ("a", "A", False),
        (b"a", "a", False),
    ],
)
def test_values_are_compared_by_type_and_value(wanted, got, is_same) -> None:
    assert same_value(wanted, got, 1e-9) is is_same


@given(st.lists(st.floats(0.5, 2), min_size=1, max_size=30), st.integers(0, 9))
def test_rounding_errors_never_make_a_multiset_another(numbers, seed) -> None:
    rng = random.Random(seed)
    rows = [(n, n * 2) for n in numbers]
    noisy = [(n * (1 + rng.uniform(-1, 1) * 1e-13), n * 2) for n in numbers]
    assert contained(rng.sample(noisy, len(noisy)), rows, 1e-9)


def test_rows_are_matched_even_where_sorting_pairs_them_wrongly() -> None:
    wanted = [(1.0, 5.0), (1.0 + 4e-10, 1.0)]
    got = [(1.0 + 5e-10, 5.0), (1.0, 1.0)]
    assert contained(got, wanted, 1e-9)
    assert not contained([(1.0, 5.0), (1.0, 5.0)], wanted, 1e-9)


def test_names_count_where_they_are_asked_for() -> None:
    own = expect(read_reference("SELECT 1 AS n"), result([[1]], "n"), None, RULES)
    assert difference(own, result([[1]], "m"), RULES) == ""
    assert difference(own, result([[1]], "N"), Rules(column_names=True)) == ""
    assert difference(own, result([[1]], "m"), Rules(column_names=True)) == "wrong_column_names"


@pytest.mark.parametrize("tolerance", [-0.1, 1.0, float("nan")])
def test_a_tolerance_out_of_range_is_refused(tolerance) -> None:
    with pytest.raises(ValueError, match="tolerance="):
        Rules(tolerance=tolerance)
