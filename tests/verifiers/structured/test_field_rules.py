"""Rules of fields: each takes what it says and nothing near it."""

from __future__ import annotations

import datetime
import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.structured.fields import Comparison, declared_by, leaves
from rlvr_course.verifiers.structured.rules import Rules, checked_rule, day_of, folded
from rlvr_course.verifiers.structured.schemas import BoundedSchema

DAYS = st.dates(datetime.date(1000, 1, 1))
FORMS = ["%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y", "%d %b %Y", "%b. %d, %Y"]
NUMBERS = st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9)


def same(rule, value, wanted, **options) -> bool:
    return Rules({"f": rule}, **options).same(value, wanted, "f")


@given(DAYS, st.sampled_from(FORMS))
def test_a_day_is_read_in_every_form(day: datetime.date, form: str):
    assert day_of(day.strftime(form)) == day


@given(DAYS, DAYS, st.sampled_from(FORMS))
def test_two_days_are_the_same_only_if_they_are_one(one, other, form: str):
    assert same("date", one.strftime(form), other.isoformat()) == (one == other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5/3/2024",
        "2024-02-30",
        "2024-13-01",
        "March 2024",
        "2024-3/5",
        "2024-03-05 or 06",
        "5th of May",
        "٢٠٢٤-٠٣-٠٥",
        "0000-01-01",
    ],
)
def test_what_names_no_one_day_is_none(text: str):
    assert day_of(text) is None


@given(NUMBERS, st.floats(0, 100), st.floats(0, 2))
def test_an_absolute_tolerance_holds_inside_and_not_outside(wanted, size: float, share: float):
    from fractions import Fraction

    offset = Fraction(repr(size)) * Fraction(repr(share))
    value = float(Fraction(repr(wanted)) + offset)
    apart = abs(Fraction(repr(value)) - Fraction(repr(wanted)))
    assert same({"absolute": size}, value, wanted) == (apart <= Fraction(repr(size)))


def test_the_edge_of_a_tolerance_is_inside_as_it_is_written():
    assert same({"absolute": 0.01}, 0.31, 0.3)  # 0.31 - 0.3 > 0.01 in floating point
    assert not same({"absolute": 0.01}, 0.3100001, 0.3)
    assert same({"relative": 0.1}, 1.1, 1) and not same({"relative": 0.1}, 1.11, 1)


@pytest.mark.parametrize("value", [True, None, "7", [7], {}])
def test_only_a_number_is_near_a_number(value):
    assert not same({"absolute": 100}, value, 1)


@given(st.text(max_size=12))
def test_case_and_runs_of_space_are_folded(text: str):
    assert folded(folded(text)) == folded(text)
    assert same("caseless", f"  {text} \n", text)


def test_case_is_all_that_is_folded():
    assert same("caseless", "STRASSE", "straße") and not same("caseless", "resume", "résumé")


@given(st.lists(st.integers(0, 3) | st.none() | st.booleans(), max_size=5), st.randoms())
def test_items_in_any_order_are_the_same_items(items, rng):
    moved = rng.sample(items, len(items))
    assert same("unordered", moved, items)
    assert not same("unordered", [*moved, 9], items)
    assert not items or not same("unordered", ["x", *moved[1:]], items)


@given(st.lists(st.integers(0, 4), max_size=5), st.lists(st.integers(0, 4), max_size=5))
def test_items_with_a_tolerance_are_paired_if_any_pairing_fits(value, wanted):
    rules = Rules({"f": "unordered", "f[]": {"absolute": 1}})
    any_fits = len(value) == len(wanted) and any(
        all(abs(a - b) <= 1 for a, b in zip(order, wanted, strict=True))
        for order in itertools.permutations(value)
    )
    assert rules.same(value, wanted, "f") == any_fits


def test_pairing_two_hundred_items_takes_a_moment():
    rules, started = Rules({"f": "unordered", "f[]": {"absolute": 100}}), time.process_time()
    assert rules.same(list(range(200)), list(range(199, -1, -1)), "f")
    assert time.process_time() - started < 2.0


SOURCE = folded("The pump failed. The bearing had run dry, said Ann.")


@pytest.mark.parametrize(
    ("quote", "is_one"),
    [
        ("The bearing had run dry", True),
        ("the BEARING had\nrun dry, said Ann.", True),
        ("bearing had run dry", True),
        ("The bearing had run", False),
        ("earing had run dry", False),
        ("The bearing had run very dry", False),
        ("", False),
    ],
)
def test_a_quotation_is_in_the_source_and_holds_the_reference(quote: str, is_one: bool):
    assert same("quote", quote, "bearing had run dry", source=SOURCE) is is_one


def test_a_quotation_of_everything_is_none():
    source = folded("dry " + "word " * 100)
    assert same("quote", "dry word", "dry", source=source)
    assert not same("quote", source, "dry", source=source)


@pytest.mark.parametrize(
    "rule",
    [
        "fuzzy",
        "",
        7,
        None,
        {"absolute": -1},
        {"absolute": True},
        {"relative": float("nan")},
        {"relative": float("inf")},
        {"absolute": 1, "relative": 1},
        {"near": 1},
        {},
    ],
)
def test_what_is_no_rule_is_the_caller_s_mistake(rule):
    with pytest.raises(ValueError, match=r"rule .* of 'total' is not one of"):
        checked_rule(rule, "total")


# -- fields


def comparison(schema: dict, examples=()) -> Comparison:
    declared = declared_by(BoundedSchema(schema))
    return Comparison(declared, Rules(declared.rules), examples)


def test_fields_are_found_through_references_branches_and_lists():
    schema = {
        "$ref": "#/$defs/root",
        "$defs": {
            "root": {
                "properties": {"a": {"items": {"properties": {"b": {}}}}},
                "allOf": [
                    {"properties": {"c": {"x-compare": "date"}}},
                    {"if": {}, "then": {"properties": {"d": {}}}},
                ],
            }
        },
    }
    declared = declared_by(BoundedSchema(schema))
    assert declared.paths == {"a", "a[]", "a[].b", "c", "d"}
    assert declared.rules == {"c": "date"}


def test_a_schema_that_refers_to_itself_ends():
    schema = {"properties": {"next": {"$ref": "#"}, "v": {}}}
    assert {"next", "v"} <= declared_by(BoundedSchema(schema)).paths


def test_free_fields_are_what_can_be_filled_in_without_the_source():
    schema = {
        "properties": {
            "a": {"default": 7},
            "b": {"enum": ["only"]},
            "c": {"examples": ["x"]},
            "d": {"enum": ["one", "two"]},
        }
    }
    compare = comparison(schema, [{"e": "shown"}])
    wanted = {
        "a": 7,
        "b": "only",
        "c": "x",
        "d": "one",
        "e": "shown",
        "f": False,
        "g": 0,
        "h": None,
        "i": "real",
    }
    free = {r.path for r in compare.results({}, wanted) if r.is_free}
    assert free == set("abcefgh")


def test_null_and_absent_are_one():
    compare = comparison({})
    assert all(r.is_right for r in compare.results({"a": 1, "b": None}, {"a": 1}))
    assert all(r.is_right for r in compare.results({"a": 1}, {"a": 1, "b": None}))
    assert [r.path for r in compare.results({"a": 1, "b": 2}, {"a": 1}) if not r.is_right] == ["b"]


def test_leaves_of_a_value_that_is_no_object_are_itself():
    assert list(leaves([1])) == [("", [1])] and list(leaves({})) == [("", {})]
