"""Labelled cases by kind, each in the engines that it is for."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "cases" / "sql.jsonl"
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
PAIRS = [(engine, number) for number, case in enumerate(CASES) for engine in case["engines"]]
# DuckDB takes some 0.3 s for a query on all databases: what is the same in both engines waits.
DAILY = {"order", "limit", "not read-only", "error", "bomb"}


def _param(engine, number):
    case = CASES[number]
    is_daily = engine == "sqlite" or case["kind"] in DAILY
    marks = () if is_daily else pytest.mark.nightly
    return pytest.param(engine, number, marks=marks, id=f"{engine}-{case['kind']}-{case['why']}")


@pytest.fixture(scope="module")
def verdicts(make, databases, request):
    """(engine, number of the case) -> verdict, one batch for each engine and database."""
    chosen = {
        (item.callspec.params["engine"], item.callspec.params["number"])
        for item in request.session.items
        if item.path == request.path and hasattr(item, "callspec")
    }
    found = {}
    ordered = sorted((engine, CASES[n]["database"], n) for engine, n in chosen)
    for (engine, name), group in groupby(ordered, key=lambda item: item[:2]):
        numbers = [number for _, _, number in group]
        verify = make(databases[name], engine)
        judged = verify.verify_many(
            [CASES[n]["response"] for n in numbers], [CASES[n]["reference"] for n in numbers]
        )
        found |= {(engine, n): verdict for n, verdict in zip(numbers, judged, strict=True)}
    return found


@pytest.mark.parametrize(("engine", "number"), [_param(*pair) for pair in PAIRS])
def test_a_labelled_case_gets_its_label(verdicts, engine, number) -> None:
    verdict, case = verdicts[engine, number], CASES[number]
    assert verdict.status == case["expected"], verdict
    assert verdict.reason.startswith(case["reason"])


def test_there_are_a_hundred_cases_and_more_of_every_kind() -> None:
    kinds = {case["kind"] for case in CASES}
    assert len(CASES) >= 100
    assert kinds == {
        *("equal query", "right by luck", "constant", "order", "limit", "values", "columns"),
        *("form", "not read-only", "error", "bomb"),
    }
    assert len({(c["reference"], c["response"]) for c in CASES}) == len(CASES)
