"""More labelled programs, by kind: wrappings, ways to read and print, values, forged replies."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from rlvr_course import CodeVerifier
from rlvr_course.sandbox.records import RunResult
from rlvr_course.verifiers.programs.calls import read_reply
from rlvr_course.verifiers.programs.fences import strip_fences

CASES = Path(__file__).parents[2] / "cases" / "code_more.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
TEST = [{"call": "f", "args": [], "expected": [1]}]
PRIME = 2**61 - 1  # Python's integers are hashed by their remainder


def test_every_labelled_program_gets_its_score_in_one_batch(verifier) -> None:
    found = verifier.report_many([r["completion"] for r in ROWS], [r["tests"] for r in ROWS])
    wrong = {
        (row["id"], row["why"]): (report.score, [outcome.reason for outcome in report.outcomes])
        for row, report in zip(ROWS, found, strict=True)
        if report.score != row["expected_score"]
    }
    assert wrong == {}


def test_the_rows_hold_right_programs_false_pays_and_documented_limits() -> None:
    kinds = [row["why"].partition(":")[0] for row in ROWS]
    assert {kind: kinds.count(kind) >= 20 for kind in set(kinds)} == dict.fromkeys(
        ("right", "false pay", "limit"), True
    )
    assert all(row["contested"] is row["why"].startswith("limit:") for row in ROWS)


@pytest.mark.parametrize(("tag", "pairs"), [("s", False), ("z", False), ("d", True)])
def test_members_that_share_a_hash_cost_no_time(tag: str, pairs: bool) -> None:
    members = [f'["i","{hex(PRIME * k)}"]' + (",null" if pairs else "") for k in range(20_000)]
    start = time.perf_counter()
    reply = read_reply(f'n0v["{tag}",[{",".join(members)}]]', "n0")
    # Quadratic took about eight seconds.
    assert reply.failure == "forged_reply" and time.perf_counter() - start < 2


class Counting:
    """A pool that counts the programs it is given, and answers none of them."""

    seen = 0

    def run_many(self, programs, limits):
        self.seen += len(programs)
        return [RunResult("", "", 0, "exit", "linux-ns") for _ in programs]


def test_a_group_of_responses_shares_the_reading_of_its_tests() -> None:
    pool, reads = Counting(), []

    class Listed(list):
        def __getitem__(self, index):
            return super().__getitem__(index)

        def __iter__(self):
            reads.append(1)
            return super().__iter__()

    answer = Listed(TEST)
    CodeVerifier(pool).verify_many(["def f(): return [1]"] * 8, [answer] * 8)
    assert (pool.seen, len(reads)) == (8, 1)


def test_a_score_does_not_depend_on_what_else_is_in_the_batch(verifier) -> None:
    chatty = "import sys\nsys.stderr.write('x' * 600_000)\nprint(1)"
    small, large = ([{"input": "", "expected": text}] for text in ("1", "1\n" * 300_000))
    (alone,) = verifier.verify_many([chatty], [small])
    beside, _ = verifier.verify_many([chatty, chatty], [small, large])
    assert alone == beside and "output_limit" in alone.reason


def test_a_block_that_only_uses_the_function_is_passed_over() -> None:
    solution, usage = "def f():\n    return 1", "assert f() == 1"
    reply = f"```python\n{solution}\n```\nTry it:\n```python\n{usage}\n```"
    assert strip_fences(reply, call="f") == solution
    assert strip_fences(reply, call="g") == strip_fences(reply) == usage
    second = reply.replace("return 1", "return 2")
    assert strip_fences(f"{reply}\n{second}", call="f") == solution.replace("1", "2")


@pytest.mark.parametrize(
    "solution",
    ["f: object = lambda: 1", "f, g = (lambda: 1), 2", "class Solution:\n    def f(self): pass",
     "from math import factorial as f", "if True:\n    async def f(): pass"],
)  # fmt: skip
def test_any_way_to_define_the_function_is_seen(solution: str) -> None:
    reply = f"```python\n{solution}\n```\nTry it:\n```python\nprint(f())\n```"
    assert strip_fences(reply, call="f") == solution


@pytest.mark.parametrize("last", ["print(31337)", "def g():\n    return 1", "def f(:"])
def test_a_block_that_does_not_use_the_function_withdraws_what_went_before(last: str) -> None:
    reply = f"```python\ndef f():\n    return 1\n```\nNo:\n```python\n{last}\n```"
    assert strip_fences(reply, call="f") == last


def test_a_keyword_is_no_function_s_name(verifier) -> None:
    verdict = verifier("def f(): pass", [{"call": "class", "args": [], "expected": 1}])
    assert verdict.status == "ungraded" and verdict.reason.startswith("malformed_tests")
