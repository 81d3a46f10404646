"""Hidden checks: there for every function that is asked for, and in nothing that is handed out."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marking import CHECKOUT, NAMES

from rlvr_course.classroom.check import run_check
from rlvr_course.classroom.specs import SPECS
from rlvr_course.errors import NotebookError
from rlvr_course.grading.marking.hidden import hidden_checks, known

FOLDER = CHECKOUT.solutions / "hidden"
HIDDEN = {q: spec for name in NAMES for q, spec in hidden_checks(name, FOLDER).items()}


def test_every_exercise_that_takes_arguments_has_hidden_cases() -> None:
    functions = {q for q, spec in SPECS.items() if any(case.args for case in spec.cases)}
    assert set(HIDDEN) == functions


@pytest.mark.parametrize("question", HIDDEN)
def test_hidden_inputs_are_none_of_the_public_ones(question: str) -> None:
    public = {repr(case.args) for case in SPECS[question].cases}
    again = [case.name for case in HIDDEN[question].cases if repr(case.args) in public]
    # An empty text or list is one input that leaves no choice, NaN for NaN another.
    assert all(name.startswith("malformed") or "NaN" in name for name in again), again
    assert len(again) <= 1


@pytest.mark.parametrize("question", HIDDEN)
@pytest.mark.parametrize(
    "constant", [0, 1, -0.1, 0.5, True, False, "", "80", [], [0.0], (True, True)], ids=repr
)
def test_a_constant_fails_the_hidden_cases(question: str, constant: Any) -> None:
    assert run_check(question, HIDDEN[question], lambda *args: constant).kind == "failed"


HOSTILE = {
    "a huge exponent": "1e3000000",
    "two of them": ("1e3000000", "-1e3000000"),
    "many digits": "7" * 900_000,
    "a large integer": 7**17_000,
    "fractions without a common part": [Fraction(1, 3**31_000 + 2 * n) for n in range(20)],
    "a long list": [0.1] * 100_000,
    "long texts": ["p" * 9_000] * 100,
    "by name": {"precision": "1e3000000", "recall": 10**5_000},
    "deep": json.loads("[" * 19 + "]" * 19),
    "infinite": [float("inf"), float("nan")],
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_no_reply_keeps_the_grader_busy(reply: Any) -> None:
    for question, spec in [*SPECS.items(), *HIDDEN.items()]:
        began = time.process_time()
        assert run_check(question, spec, lambda *args: reply).kind == "failed"
        assert time.process_time() - began < 5, question


@pytest.mark.parametrize("question", HIDDEN)
def test_a_stub_is_open_to_the_hidden_cases(question: str) -> None:
    assert run_check(question, HIDDEN[question], lambda *args: None).kind == "open"


def test_no_hidden_text_is_handed_out() -> None:
    texts = "\n".join(
        path.read_text(encoding="utf-8")
        for folder, pattern in (("notebooks", "*.ipynb"), ("rlvr_course", "**/*.py"))
        for path in (CHECKOUT.root / folder).glob(pattern)
    )
    inputs = [a for spec in HIDDEN.values() for case in spec.cases for a in case.args]
    long = [a for a in inputs if isinstance(a, str) and len(a) > 12 and len(set(a)) > 1]
    long = [a for a in long if a not in {case.args[-1] for case in HIDDEN["q04b"].cases}]
    assert len(long) > 30
    assert [a for a in long if a in texts or a.replace("\\", "\\\\") in texts] == []


def test_a_file_of_hidden_checks_that_fails_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "checks_01.py").write_text("HIDEN = {}")
    with pytest.raises(NotebookError, match=r"checks_01\.py: AttributeError: .*define HIDDEN"):
        hidden_checks("01_verifiers", tmp_path)
    assert hidden_checks("02_asymmetric_rewards", tmp_path) == {}


@given(st.lists(st.fractions(-100, 100) | st.integers(-9, 9) | st.booleans() | st.none()))
def test_a_known_reply_is_met_by_itself_and_by_its_floats(reply: list[Any]) -> None:
    floats = [float(v) if isinstance(v, Fraction) else v for v in reply]
    holds = known("any", (), floats).property
    assert holds(reply)
    assert holds(tuple(floats))
    assert not holds([*reply, 1])
