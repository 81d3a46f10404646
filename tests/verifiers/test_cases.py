"""Labelled rows, one file from public reports and one of further cases of the same kinds.

A contested row (competent graders disagree) is only held to be judged at all: the default that
decides it is the verifier's documented policy.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import MathVerifier

CASES = Path(__file__).parent.parent / "cases"
FILES = (
    "math_answers.jsonl",
    "math_more.jsonl",
    "math_hostile.jsonl",
    "math_statements.jsonl",
    "math_everyday.jsonl",
)
DEADLINE_S = 2.5
STATUSES = {
    "equal": {"correct"},
    "not_equal": {"incorrect", "no_answer"},
    "ungraded": {"ungraded"},
}
VERIFIER = MathVerifier()

PIECES = (
    "\\boxed{",
    "}",
    "{",
    "\\frac",
    "7",
    "-",
    ",",
    "(",
    "]",
    "^",
    "_",
    "\\sqrt",
    " or ",
    "$",
    "The answer is ",
    "\\text{",
    "%",
    "\\left",
    "\\begin{pmatrix}",
    "&",
    "\\\\",
    "e",
    "!",
    "x",
    "<think>",
    "</think>",
    "<answer>",
    "</answer>",
    "\n",
    "\x00",
    "\ud800",
    "\u202e",
    "÷",
    "°",
)


def rows() -> Iterator[dict[str, Any]]:
    for name in FILES:
        with (CASES / name).open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


ROWS = list(rows())
SETTLED = [row for row in ROWS if not row["contested"]]
CONTESTED = [row for row in ROWS if row["contested"]]
GRADED_GOLDS = sorted({row["gold"] for row in SETTLED if row["expected"] != "ungraded"})


@pytest.fixture(scope="module", autouse=True)
def symbolic_worker_runs() -> None:
    """Start the symbolic worker first: importing SymPy is no part of any case's deadline."""
    assert VERIFIER(r"\boxed{1}", r"\sum_{k=1}^{1} k").status == "correct"


def explain(row: dict[str, Any], verdict: Any) -> str:
    """One line, ASCII and cut, so that hostile text can't garble a terminal."""
    reply = ascii(row["completion"])[:300]
    return f"{row['why']}: {row['gold']!a:.80} <- {reply}: got {verdict.status} ({verdict.reason})"


@pytest.mark.parametrize("row", SETTLED, ids=lambda row: row["id"])
def test_settled_row_gets_its_label_in_time(row: dict[str, Any]):
    started = time.perf_counter()
    verdict = VERIFIER(row["completion"], row["gold"])
    elapsed = time.perf_counter() - started
    assert verdict.status in STATUSES[row["expected"]], explain(row, verdict)
    assert elapsed <= DEADLINE_S


@pytest.mark.parametrize("row", CONTESTED, ids=lambda row: row["id"])
def test_contested_row_is_judged(row: dict[str, Any]):
    verdict = VERIFIER(row["completion"], row["gold"])
    if row["expected"] != "ungraded":
        assert verdict.status in STATUSES["equal"] | STATUSES["not_equal"], explain(row, verdict)
    assert verdict.reason


@pytest.mark.parametrize("gold", GRADED_GOLDS, ids=lambda gold: ascii(gold)[:40])
def test_gold_accepts_itself_in_a_box(gold: str):
    verdict = VERIFIER(f"\\boxed{{{gold}}}", gold)
    assert verdict.status == "correct", (gold, verdict)


def test_ids_are_unique_and_fields_complete():
    fields = {"id", "category", "gold", "completion", "expected", "why", "source", "contested"}
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert all(set(row) == fields and row["expected"] in STATUSES for row in ROWS)


FLOODS = {
    "open braces": "{" * 100_000,
    "closed braces": "}" * 100_000,
    "backslashes": "\\" * 100_000,
    "dollar signs": "$" * 100_001,
    "digits": "1" * 100_000,
    "digits in a box": "\\boxed{" + "1" * 100_000 + "}",
    "decimals in a box": "\\boxed{7." + "0" * 99_999 + "1}",
    "open boxes": "\\boxed{" * 15_000,
    "nested boxes of a wrong value": "\\boxed{" * 12_000 + "8" + "}" * 12_000,
    "empty boxes": "\\boxed{}" * 12_000,
    "comma-joined boxes": "\\boxed{8}," * 10_000,
    "nested fractions": "\\boxed{" + "\\frac{1}{" * 10_000 + "2" + "}" * 10_001,
    "nested roots": "\\boxed{" + "\\sqrt{" * 10_000 + "2" + "}" * 10_001,
    "nested brackets": "\\boxed{" + "(" * 50_000 + "8" + ")" * 50_000 + "}",
    "stacked exponents": "\\boxed{" + "9^" * 30_000 + "9}",
    "a long sum": "\\boxed{" + "1+" * 50_000 + "1}",
    "a long list": "\\boxed{" + "7," * 50_000 + "7}",
    "a long word": "\\boxed{" + "a" * 100_000 + "}",
    "a matrix of one column": "\\boxed{\\begin{pmatrix}" + "1\\\\" * 25_000 + "\\end{pmatrix}}",
    "answer phrases": "The answer is " * 7_000,
    "answer phrases with values": "The answer is 8. " * 6_000,
    "open thinking": "<think>" * 14_000,
    "closed thinking": "</think>" * 12_000,
    "hashes": "#### " * 20_000,
    "minus signs": "-" * 100_000,
    "spaces then a value": " " * 100_000 + "8",
    "newlines": "\n" * 100_000,
    "slashes": "1/" * 50_000,
    "thousands groups": "The answer is 1" + ",000" * 25_000,
    "combining marks": "\\boxed{8" + "\u0301" * 100_000 + "}",
    "surrogates": "\ud800" * 100_000,
    "hedges": "7 or " * 20_000,
}


@pytest.mark.parametrize("reply", FLOODS.values(), ids=FLOODS.keys())
def test_flood_is_unpaid_and_judged_in_time(reply: str):
    started = time.perf_counter()
    verdict = VERIFIER(reply, "7")
    elapsed = time.perf_counter() - started
    assert verdict.status in STATUSES["not_equal"], verdict.reason
    assert elapsed <= DEADLINE_S


REPEATED = (
    "8 m ",
    "8m",
    "5 hours 8 minutes ",
    "8 ft 8 in ",
    "1 1/2 ",
    "8 and ",
    "8 or ",
    "8,",
    "8:",
)
REPEATED += ("8-", "8^", "8(", "8!", "8/", "8=", "8<", "8_", "8e", "8%", "8°", "8'", "|8|", "(8)")
REPEATED += (
    "x",
    "x^",
    "x_8",
    "x<",
    "x=",
    "\\pm ",
    "\\sin ",
    "\\sqrt",
    "\\frac8",
    "\\log_8 ",
    "\\$8 ",
)
REPEATED += (
    "\\{8\\}\\cup ",
    "[8,9)\\cup ",
    "\\left(",
    "\\text{m}",
    "\\text{ and }8",
    "8\\\\",
    "8&",
    "8 \\over ",
)


@pytest.mark.parametrize("around", ["\\boxed{{{}}}", "The answer is {}.", "So x = {}"])
@pytest.mark.parametrize("piece", REPEATED)
def test_repeated_piece_is_judged_in_time(piece: str, around: str):
    for count in (10, 15, 300):
        started = time.perf_counter()
        verdict = VERIFIER(around.format(piece * count), "7.25")
        assert time.perf_counter() - started <= DEADLINE_S / 5
        assert verdict.status in STATUSES["not_equal"], verdict.reason


@pytest.mark.parametrize("gold", ["", "  ", "\n", "$$", "\\boxed{}", "\\frac{1}{", "see part (b)"])
@pytest.mark.parametrize("reply", ["\\boxed{7}", "", "I cannot solve this.", "<think>", "{" * 9])
def test_unusable_gold_is_ungraded_whatever_the_reply(gold: str, reply: str):
    assert VERIFIER(reply, gold).status == "ungraded"


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_is_judged_against_a_good_gold(reply: str):
    assert VERIFIER(reply, "-37.25").status in STATUSES["equal"] | STATUSES["not_equal"]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_heap_of_latex_is_judged_against_a_good_gold(reply: str):
    assert VERIFIER(reply, "-37.25").status in STATUSES["not_equal"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.sampled_from(["7", "\\pi"]))
def test_a_heap_as_gold_gives_some_verdict(gold: str, inside: str):
    verdict = VERIFIER(f"\\boxed{{{inside}}}", gold)
    assert (verdict.score is None) == (verdict.status == "ungraded")
