"""Feedback in a notebook: open, passed or failed, and no trick or accident gets past it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlvr_course import modes
from rlvr_course.classroom.check import Case, Check, CheckResult, CheckSpec, Property, run_check
from rlvr_course.records import Verdict

DOUBLE = CheckSpec(
    cases=[
        Case("positive", (3,), lambda r: r == 6, "twice the number"),
        Case("negative", (-2,), lambda r: r == -4, "twice the number, with its sign"),
        Case("zero", (0,), lambda r: r == 0, "zero stays zero"),
    ],
    properties=[
        Property("monotone", lambda ask: ask(1) < ask(2) < ask(5), "more gives more"),
    ],
    hints=["What is a number added to itself?", "Add n to n.", "return n + n"],
    limit_s=0.25,
)
CHECK = Check({"q01": DOUBLE, "q02": DOUBLE})


class EqualToAll:
    """The trick: equal to, and on the right side of, everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


class TrickyInt(int):
    """The trick in the shape of a number."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class Unprintable:
    """Its repr raises."""

    def __repr__(self) -> str:
        raise RuntimeError


class FalseNumpy:
    """Says that it comes from numpy, and then never returns."""

    def tolist(self) -> None:
        while True:
            pass


FalseNumpy.__module__ = "numpy"


def right(n: int) -> int:
    return 2 * n


def loops(n: int) -> int:
    while True:
        n += 1


def raises(n: int) -> int:
    raise KeyError("no such number")


def wrong(result: CheckResult) -> list[str]:
    return [case.name for case in result.cases if case.kind == "failed"]


def test_a_right_solution_passes_the_public_checks_and_claims_no_more() -> None:
    result = CHECK("q01", right)
    assert result.kind == "passed"
    assert result.summary == "q01: public checks passed (4 of 4)"
    assert "all passed" not in str(result)


@pytest.mark.parametrize(
    "stub",
    [None, lambda n: None, lambda n: {"a": None}],
    ids=["none", "returns_none", "blank_form"],
)
def test_an_exercise_not_yet_done_is_open(stub: Any) -> None:
    result = CHECK("q01", stub)
    assert (result.kind, result.cases) == ("open", ())
    assert "open" in result._repr_html_()


@pytest.mark.parametrize(
    "solution",
    [
        lambda n: 1.0,
        lambda n: True,
        lambda n: ...,
        lambda n: 0,
        lambda n: "",
        lambda n: n,
        lambda n: n * n,
        lambda n: abs(2 * n),
        lambda n: str(2 * n),
        lambda n: 2 * n if n > 0 else None,
        lambda n: EqualToAll(),
        lambda n: TrickyInt(n),
        lambda n: float("nan"),
        lambda n: Unprintable(),
        lambda n: FalseNumpy(),
        lambda n: Verdict.__new__(Verdict),
        EqualToAll(),
        TrickyInt(6),
        raises,
        loops,
        lambda: 6,
        "6",
    ],
    ids=[
        *(
            "one",
            "true",
            "ellipsis",
            "zero",
            "empty",
            "identity",
            "square",
            "sign_lost",
            "text",
            "partly_done",
        ),
        *(
            "equal_to_all",
            "tricky_int",
            "nan",
            "unprintable",
            "false_numpy",
            "hollow",
            "trick_value",
            "tricky_value",
        ),
        *("raises", "loops", "takes_no_argument", "a_value"),
    ],
)
def test_every_wrong_solution_fails(solution: Any) -> None:
    assert CHECK("q01", solution).kind == "failed"


@pytest.mark.parametrize(
    ("solution", "observed"),
    [
        (lambda n: n, "3"),
        (lambda n: EqualToAll(), "not a plain value: it is of type EqualToAll"),
        (raises, "raised KeyError: 'no such number'"),
        (loops, "took longer than 0.25 s"),
    ],
    ids=["wrong_number", "trick", "raises", "loops"],
)
def test_a_failure_shows_what_was_observed(solution: Callable[..., Any], observed: str) -> None:
    case = CHECK("q01", solution).cases[0]
    assert (case.given, case.expected, case.observed) == ("3", "twice the number", observed)


def test_a_failure_comes_with_the_first_hint() -> None:
    assert CHECK("q01", lambda n: n).hint == DOUBLE.hints[0]
    assert CHECK("q01", right).hint == ""


def test_a_failed_property_shows_its_calls() -> None:
    result = CHECK("q01", lambda n: 2 * n if n < 2 else 4 if n == 2 else 6 if n == 3 else 0)
    assert wrong(result) == ["monotone"]
    assert result.cases[-1].observed == "(1) → 2; (2) → 4; (5) → 0"


def test_an_endless_loop_costs_one_time_limit_and_its_thread_ends() -> None:
    started = time.monotonic()
    result = CHECK("q01", loops)
    assert time.monotonic() - started < 4 * DOUBLE.limit_s
    assert result.cases[1].observed == "not run, since an earlier call took too long"
    for thread in threading.enumerate():
        if thread.name == "check":
            thread.join(10)
    assert "check" not in [thread.name for thread in threading.enumerate()]


def test_a_solution_cannot_change_the_cases_of_the_next_one() -> None:
    case = Case("length", ([1, 2, 3],), lambda r: r == 3, "the length")
    spec = CheckSpec([case], hints=["count"])

    def destroys(items: list[int]) -> int:
        n = len(items)
        items.clear()
        return n

    assert [run_check("q", spec, destroys).kind for _ in range(2)] == ["passed", "passed"]


def test_a_value_is_checked_as_its_own_reply() -> None:
    spec = CheckSpec([Case("all", (), lambda r: set(r) == {"a", "b"}, "a and b")], hints=["two"])
    assert run_check("q", spec, {"a": True, "b": False}).kind == "passed"
    assert run_check("q", spec, {"a": True}).kind == "failed"
    assert run_check("q", spec, {"a": None, "b": None}).kind == "open"


def test_html_escapes_what_a_learner_returns() -> None:
    html = CHECK("q01", lambda n: "<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_text_shows_the_failing_case_only() -> None:
    text = str(CHECK("q01", lambda n: abs(2 * n)))
    assert "observed 4" in text
    assert "observed 6" not in text
    assert text.splitlines()[0] == "q01: 1 of 4 public checks failed"


def test_hints_say_more_level_by_level() -> None:
    assert str(CHECK.hint("q01", 3)) == "q01, hint 3 of 3: return n + n"
    assert CHECK.hint("q01").text == DOUBLE.hints[0]


@pytest.mark.parametrize("level", [0, 4, -1])
def test_a_hint_level_that_does_not_exist_is_answered_in_a_line(level: int) -> None:
    hint = CHECK.hint("q01", level)
    assert str(hint) == f"q01, hint {level} of 3: there is none; the levels are 1 to 3"


def test_an_unknown_check_suggests_the_nearest() -> None:
    with pytest.raises(ValueError, match="'q1'; did you mean 'q01'"):
        CHECK("q1", right)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hints": ["h"]}, "at least one case"),
        ({"cases": DOUBLE.cases}, "at least one hint"),
        ({"cases": [*DOUBLE.cases, DOUBLE.cases[0]], "hints": ["h"]}, "named 'positive'"),
    ],
    ids=["nothing", "no_hint", "doubled"],
)
def test_a_spec_that_checks_nothing_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CheckSpec(**arguments)


@pytest.fixture
def run(tmp_path: Path) -> Any:
    yield modes.start("01_verifiers", artifacts=tmp_path)
    modes.stop()


def test_results_go_to_the_runs_log(run: modes.Run) -> None:
    CHECK("q01", lambda n: abs(2 * n))
    CHECK("q02", None)
    lines = (run.dir / "verifier.jsonl").read_text().splitlines()
    records = [json.loads(line)["record"] for line in lines]
    checks = [(r["check"], r["case"], r["result"]) for r in records if r["event"] == "check"]
    assert checks == [
        ("q01", "positive", "passed"),
        ("q01", "negative", "failed"),
        ("q01", "zero", "passed"),
        ("q01", "monotone", "passed"),
        ("q02", "", "open"),
    ]
    assert len(records[1]["source_sha256"]) == 64
