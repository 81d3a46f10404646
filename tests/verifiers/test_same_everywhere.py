"""One response gets one verdict: in threads, asyncio, a kernel and processes of other seeds."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rlvr_course import MathVerifier, load_problems
from rlvr_course.verifiers.candidates import honest, hostile

SUM = r"\sum_{k=1}^{n} k"
SYMBOLIC = [(rf"\boxed{{{answer}}}", SUM) for answer in (r"\frac{n(n+1)}{2}", r"\frac{n^2}{2}")]
MIXED = [
    (r"\boxed{11 5/6}", "71/6"),
    (r"\boxed{\sqrt{8}}", r"2\sqrt{2}"),
    (r"\boxed{x^2 - 1}", "(x - 1)*(x + 1)"),
    (r"\boxed{x^2 + 1}", "(x - 1)*(x + 1)"),
    (r"\boxed{(2, \infty)}", "x > 2"),
    ("I cannot solve this.", "80"),
    (r"\boxed{7}", "see the figure above"),
    (r"\boxed{9^{99999}}", "7"),
    ("So the speed is 80 km/h", "80"),
]
CASES = [(r, p.answer) for p in load_problems("math")[::8] for _, r in (*honest(p), *hostile(p))]
CASES += MIXED + SYMBOLIC


def verdict(case: tuple[str, str]) -> str:
    return MathVerifier()(*case).to_json()


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return [verdict(case) for case in CASES]


def test_the_mixed_cases_are_what_they_should_be():
    statuses = [MathVerifier()(*case).status for case in MIXED + SYMBOLIC]
    paid, wrong = "correct", "incorrect"
    assert statuses == [
        paid, paid, paid, wrong, paid, "no_answer", "ungraded", wrong, paid, paid, wrong,
    ]  # fmt: skip


def test_a_thread_pool_gives_the_same_verdicts(expected: list[str]):
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(verdict, CASES)) == expected


def test_asyncio_gives_the_same_verdicts_in_threads_and_on_the_loop(expected: list[str]):
    async def both() -> tuple[list[str], list[str]]:
        aside = await asyncio.gather(*(asyncio.to_thread(verdict, case) for case in CASES))
        return list(aside), [verdict(case) for case in CASES]

    assert asyncio.run(both()) == (expected, expected)


SCRIPT = """
import json, sys
from rlvr_course import MathVerifier
print(json.dumps([MathVerifier()(*case).to_json() for case in json.loads(sys.stdin.read())]))
"""


@pytest.mark.parametrize("seed", ["1", "20260101"])
def test_a_fresh_process_with_another_hash_seed_gives_the_same_verdicts(
    seed: str, expected: list[str]
):
    cases = CASES[: -len(SYMBOLIC)]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", SCRIPT]
    told = json.dumps(cases)
    found = subprocess.run(command, input=told, capture_output=True, text=True, env=environment)
    assert json.loads(found.stdout) == expected[: len(cases)]


CELL = """
import asyncio, json
from rlvr_course import MathVerifier
cases, verify = json.loads({told!r}), MathVerifier()
plain = [verify(*case).to_json() for case in cases]
aside = [(await asyncio.to_thread(verify, *case)).to_json() for case in cases]
print(json.dumps([plain, aside]))
"""


def test_a_notebook_kernel_gives_the_same_verdicts(expected: list[str]):
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    some = slice(-len(MIXED + SYMBOLIC), None)
    cell = new_code_cell(CELL.format(told=json.dumps(CASES[some])))
    notebook = NotebookClient(new_notebook(cells=[cell]), timeout=120).execute()
    printed = json.loads(notebook.cells[0].outputs[0].text)
    assert printed == [expected[some], expected[some]]
