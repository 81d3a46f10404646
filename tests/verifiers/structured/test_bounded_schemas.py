"""Schemas: valid ones decide as jsonschema does; none fetches, loops or takes long."""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.structured.schemas import BoundedSchema, TooMuchWork

REFUSED = {
    "no mapping": ([], "give a mapping"),
    "no JSON": ({"const": {1, 2}}, "not JSON"),
    "not a number": ({"const": float("nan")}, "not JSON"),
    "unknown type": ({"type": "strin"}, "invalid schema at"),
    "wrong keyword value": ({"minimum": "three"}, r"invalid schema at \$.minimum"),
    "old draft": ({"$schema": "http://json-schema.org/draft-03/schema#"}, "is not one of"),
    "own dialect": ({"$schema": "https://example.org/mine"}, "is not one of"),
    "remote": ({"$ref": "https://example.org/s.json"}, "leaves the schema"),
    "a file": ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "leaves the schema"),
    "remote, deep": ({"allOf": [{"items": {"$ref": "other.json#/a"}}]}, "leaves the schema"),
    "nothing": ({"$ref": "#/$defs/a"}, "points to nothing"),
    "an anchor": ({"$ref": "#a"}, "refer by"),
    "dynamic": ({"$dynamicRef": "#a"}, "isn't supported"),
    "inner id": ({"properties": {"a": {"$id": "https://example.org/a"}}}, "only its root"),
    "inner draft": (
        {"items": {"$schema": "http://json-schema.org/draft-07/schema#"}},
        "only its root",
    ),
    "itself": ({"$ref": "#"}, "without end"),
    "itself, in turns": (
        {
            "$ref": "#/$defs/a",
            "$defs": {
                "a": {"allOf": [{"$ref": "#/$defs/b"}]},
                "b": {"anyOf": [{"$ref": "#/$defs/a"}]},
            },
        },
        "without end",
    ),
    "a look-ahead": ({"pattern": "^(?=a)"}, "linear time"),
    "a look-ahead on names": ({"patternProperties": {"^(?!a)": {}}}, "linear time"),
    "unevaluated": ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, "beside"),
    "too deep": (json.loads('{"items":' * 60 + "{}" + "}" * 60), "too large"),
    "too long": ({"const": "x" * 300_000}, "at most"),
}


@pytest.mark.parametrize(("schema", "message"), REFUSED.values(), ids=REFUSED)
def test_a_schema_that_cannot_be_used_is_refused_in_one_line(schema, message: str):
    with pytest.raises(ValueError, match=message) as caught:
        BoundedSchema(schema)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch):
    def no_network(*_):
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "http://example.org/s",
        "properties": {"a": {"$ref": "#/definitions/n"}},
        "definitions": {"n": {"type": "null"}},
    }
    assert BoundedSchema(schema).violation({"a": 1}) == "$.a: type"


LEAVES = st.sampled_from(
    [
        {"type": "integer"},
        {"type": ["string", "null"]},
        {"minimum": 2},
        {"maxLength": 1},
        True,
        False,
        {"enum": [1, "a", None]},
        {"const": [1]},
        {"pattern": "^a+$"},
        {"uniqueItems": True},
        {"minItems": 1},
    ]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: (
        st.fixed_dictionaries({"properties": st.fixed_dictionaries({"a": inner, "b": inner})})
        | st.fixed_dictionaries({"items": inner})
        | st.fixed_dictionaries({"not": inner})
        | st.fixed_dictionaries({"if": inner, "then": inner, "else": inner})
        | st.fixed_dictionaries({"additionalProperties": inner, "properties": st.just({"a": {}})})
        | st.fixed_dictionaries(
            {
                "patternProperties": st.fixed_dictionaries({"^a": inner}),
                "additionalProperties": inner,
            }
        )
        | st.sampled_from(["allOf", "anyOf", "oneOf"]).flatmap(
            lambda key: st.fixed_dictionaries({key: st.lists(inner, min_size=1, max_size=3)})
        )
    ),
    max_leaves=5,
)
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, "", "a", "aab"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "ab"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)), VALUES)
def test_it_decides_as_the_plain_library_does(schema, value):
    from jsonschema import Draft202012Validator

    theirs = Draft202012Validator(schema).is_valid(value)
    assert (BoundedSchema(schema).violation(value) == "") == theirs


@pytest.mark.parametrize(
    "draft",
    [
        "draft-04/schema#",
        "draft-06/schema#",
        "draft-07/schema#",
        "draft/2019-09/schema",
        "draft/2020-12/schema",
    ],
)
def test_each_draft_is_read_by_its_own_rules(draft: str):
    host = "https" if "20" in draft else "http"
    pair = {"items": [{"type": "integer"}, {"type": "string"}]}
    schema: dict[str, Any] = {"$schema": f"{host}://json-schema.org/{draft}"}
    schema.update(pair if "2020" not in draft else {"prefixItems": pair["items"]})
    checked = BoundedSchema(schema)
    assert (checked.violation([1, "a"]), checked.violation([1, 2])) == ("", "$[1]: type")


def test_a_reference_to_the_root_of_a_dated_schema_stays_bounded():
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "pattern": "^(a+)+$",
        "properties": {"next": {"$ref": "#"}},
    }
    started = time.process_time()
    assert BoundedSchema(schema).violation({"next": "a" * 5_000 + "b"}) == "$.next: pattern"
    assert time.process_time() - started < 2.0


def doubling(levels: int) -> dict:
    """Each level refers to the next one twice: 2 to the power of ``levels`` ways."""
    defs = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(levels)}
    return {
        "$ref": "#/$defs/d0",
        "$defs": {**defs, f"d{levels}": {"type": "object", "required": ["a"]}},
    }


HOSTILE = {
    "unique items": ({"uniqueItems": True}, [[i] for i in range(19_000)] + [{"a": 1}]),
    "many alternatives": ({"items": {"anyOf": [{"const": n} for n in range(300)]}}, [-1] * 5_000),
    "a pattern that counts": (
        {"items": {"pattern": "[ab]*a[ab]{500}$"}},
        [f"{n:b}".replace("0", "a").replace("1", "b") * 40 for n in range(900)],
    ),
    "a long text, matched": ({"pattern": "^(a|b|ab)*c$"}, "ab" * 49_000),
    "many names": (
        {"patternProperties": {"^(a+)+$": {}}},
        {"a" * 40 + str(n): 0 for n in range(2_000)},
    ),
}


@pytest.mark.parametrize(("schema", "value"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_value_is_decided_or_given_up_in_time(schema, value):
    checked, started = BoundedSchema(schema), time.process_time()
    with suppress(TooMuchWork):
        checked.violation(value)
    assert time.process_time() - started < 3.0


def test_branches_that_multiply_are_given_up():
    with pytest.raises(ValueError, match="without end"):
        BoundedSchema(doubling(30))


def test_branches_that_multiply_with_depth_are_given_up():
    inward = {"type": "array", "items": {"$ref": "#"}}
    schema = {"anyOf": [{"type": "integer"}, inward, {**inward, "minItems": 1}]}
    value = json.loads("[" * 40 + '"x"' + "]" * 40)
    with pytest.raises(TooMuchWork):
        BoundedSchema(schema).violation(value)


def test_a_later_change_of_the_caller_s_schema_changes_nothing():
    schema = {"properties": {"a": {"type": "integer"}}}
    checked = BoundedSchema(schema)
    schema["properties"]["a"]["type"] = "string"
    assert checked.violation({"a": 1}) == ""


def test_a_data_keyword_may_hold_what_looks_like_a_reference():
    data = {"$ref": "http://example.org"}
    schema = {"properties": {"$ref": {"type": "string"}, "b": {"const": data}}, "examples": [data]}
    assert BoundedSchema(schema).violation({"$ref": "x", "b": data}) == ""
