"""Any mapping becomes JSON values; what JSON can't hold becomes a marker; nothing raises."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.audit import AuditLog, read_audit, verify_audit
from rlvr_course.audit.payload import MAX_DEPTH, json_payload

texts = st.text(st.characters(exclude_categories=[]), max_size=20).filter(
    lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
finite = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers(-(10**500), 10**500) | finite | texts
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20
)
anything = st.recursive(
    scalars
    | st.floats()
    | st.binary()
    | st.complex_numbers()
    | st.text(st.characters())
    | st.integers()
    | st.sets(st.integers())
    | st.datetimes(),
    lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner),
    max_leaves=20,
)


class Hostile:
    """Raises wherever it is touched."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def keys(self) -> list[str]:
        raise RuntimeError("no keys")

    def __getitem__(self, name: str) -> Any:
        raise RuntimeError("no items")


class Shy:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@dataclass
class Point:
    x: int
    label: Any


@given(payload=st.dictionaries(texts, json_values))
def test_json_values_come_back_equal(tmp_path_factory, payload):
    path = tmp_path_factory.mktemp("log") / "a.jsonl"
    with AuditLog(path) as log:
        log.append(payload)
    (entry,) = read_audit(path)
    assert entry["record"] == payload
    assert path.read_bytes().isascii()


@given(payload=st.dictionaries(st.text() | st.integers() | st.none(), anything))
def test_any_payload_becomes_strict_json_and_stays_as_it_is(payload):
    logged = json_payload(payload)
    assert json.loads(json.dumps(logged, allow_nan=False)) == logged
    assert len(logged) == len(payload)
    assert json_payload(logged) == logged


@pytest.mark.parametrize(
    ("value", "logged"),
    [
        (math.nan, {"$float": "nan"}),
        (-math.inf, {"$float": "-inf"}),
        (1 << 2000, {"$int": "0x1" + "0" * 500}),
        ((1, 2), [1, 2]),
        (Point(1, (2,)), {"x": 1, "label": [2]}),
        ({3}, {"$type": "builtins.set", "$repr": "{3}"}),
        (b"\xff", {"$type": "builtins.bytes", "$repr": "b'\\xff'"}),
        (int, {"$type": "builtins.type", "$repr": "<class 'int'>"}),
        ({1: "a", "1": "b"}, {"1": "a", "1'": "b"}),
        ("\ud800", "\ud800"),
    ],
    ids=["nan", "inf", "int", "tuple", "dataclass", "set", "bytes", "class", "keys", "surrogate"],
)
def test_a_value_is_logged_as(value, logged):
    assert json_payload({"value": value}) == {"value": logged}


@pytest.mark.parametrize("value", [Hostile(), Shy()], ids=["mapping", "repr"])
def test_a_value_that_raises_is_left_out_and_its_neighbours_stay(value):
    logged = json_payload({"before": 1, "value": value, "after": 2})
    assert logged["value"]["$left_out"] == "raised RuntimeError"
    assert (logged["before"], logged["after"]) == (1, 2)


def test_numpy_scalars_and_arrays_become_numbers_and_lists():
    import numpy as np

    logged = json_payload({"a": np.int64(3), "b": np.array([[1.5, np.nan]]), "c": np.bool_(True)})
    assert logged == {"a": 3, "b": [[1.5, {"$float": "nan"}]], "c": True}


def test_a_value_that_holds_itself_is_cut_there_and_a_shared_one_is_not():
    ring: list[Any] = [1]
    ring.append(ring)
    shared = [2]
    logged = json_payload({"ring": ring, "first": shared, "second": shared})
    assert logged["ring"] == [1, {"$type": "builtins.list", "$left_out": "it holds itself"}]
    assert logged["first"] == logged["second"] == [2]


def test_deep_nesting_is_cut_and_stays_readable(tmp_path: Path):
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with AuditLog(tmp_path / "a.jsonl") as log:
        log.append({"deep": deep})
    text = (tmp_path / "a.jsonl").read_text()
    assert f"nested deeper than {MAX_DEPTH}" in text
    assert verify_audit(tmp_path / "a.jsonl").ok


def test_a_small_value_that_unfolds_without_end_is_bounded():
    wide: list[Any] = []
    for _ in range(60):
        wide = [wide, wide]
    assert "more than 1000000 values" in json.dumps(json_payload({"wide": wide}))
