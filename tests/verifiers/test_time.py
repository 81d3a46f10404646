"""Time: hostile responses are judged within a deadline, and in time linear in their length."""

from __future__ import annotations

import gc
import math
import time

import pytest

from rlvr_course import MathVerifier, load_problems
from rlvr_course.verifiers.candidates import hostile
from rlvr_course.verifiers.extract import extract_answer

VERIFY = MathVerifier()
DEADLINE_S = 2.5
FLOOR_S = 0.02
"""Below this a ratio of two times says more about the machine than about the code."""

UNITS = {
    "open boxes": r"\boxed{",
    "boxes": r"\boxed{7} ",
    "joined boxes": r"\boxed{7}, ",
    "boxes and gaps": r"\boxed{7} and \boxed{  } ... $",
    "bare boxes": r"\boxed ",
    "open braces": "{",
    "closing braces": "}",
    "backslashes": "\\",
    "think tags": "<think>",
    "closing think tags": "</think>",
    "answer tags": "<answer>7</answer>",
    "open answer tags": "<answer>",
    "less-than signs": "<",
    "hashes": "#### ",
    "hash lines": "#### 7\n",
    "turns": "<|im_end",
    "fences": "```\n",
    "aligned": r"\begin{align} x &= 7 \\ ",
    "displays": r"\[ x = ",
    "dollars": "$$ ",
    "emphasis": "**7 ",
    "list items": "\n 1. ",
    "sentences": "The answer is 7. ",
    "phrases": "the answer is ",
    "commas": "so, the answer, ",
    "equalities": "x = 7, ",
    "equals signs": "= ",
    "spaces": " ",
    "digits": "7",
    "quotes": "Is it 7?' ",
    "words": "is ",
}
SHAPES = {
    "alone": "{}",
    "in a box": r"\boxed{{{}}}",
    "before an answer": "{} The answer is 8.",
}


def cost_s(text: str) -> float:
    """CPU time of one verdict, without the collector's pauses."""
    gc.disable()
    started = time.process_time()
    VERIFY(text, "7.25")
    cost = time.process_time() - started
    gc.enable()
    return cost


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_twice_the_length_costs_at_most_two_and_a_half_times_the_time(unit: str, shape: str):
    single, double = (shape.format(unit * (size // len(unit))) for size in (100_000, 200_000))
    least, most = math.inf, math.inf
    for attempt in range(12):  # the least of several, since noise only adds
        least, most = min(least, cost_s(single)), min(most, cost_s(double))
        if attempt >= 2 and most <= max(FLOOR_S, 2.5 * least):
            break
    assert most <= max(FLOOR_S, 2.5 * least)


CANDIDATES = list(hostile(load_problems("math")[0]))


@pytest.mark.parametrize("reply", [r for _, r in CANDIDATES], ids=[kind for kind, _ in CANDIDATES])
def test_a_hostile_candidate_is_judged_in_time(reply: str):
    started = time.perf_counter()
    verdict = VERIFY(reply, "156")
    assert time.perf_counter() - started <= DEADLINE_S
    assert verdict.score == 0.0


@pytest.mark.parametrize(
    "gold", [r"\sum_{k=1}^{n} k", r"\int_0^x t \, dt"], ids=["sum", "integral"]
)
@pytest.mark.parametrize(
    "answer",
    [r"\sum_{k=1}^{10^{8}} k^{k}", r"\prod_{k=1}^{100000}(x+k)", r"(x+1)^{10000} - (1+x)^{10000}"],
    ids=["long_sum", "long_product", "power"],
)
def test_a_symbolic_question_is_answered_within_the_deadline(answer: str, gold: str):
    VERIFY(rf"\boxed{{{gold} + 0}}", gold)  # the worker has started, which no deadline covers
    started = time.perf_counter()
    verdict = VERIFY(rf"\boxed{{{answer}}}", gold)
    assert time.perf_counter() - started <= DEADLINE_S
    assert verdict.score == 0.0


def test_extraction_of_a_long_response_takes_milliseconds():
    text = "So 3 + 4 = 7, and we go on. " * 7_000 + r"\boxed{7}"
    started = time.process_time()
    assert extract_answer(text).text == "7"
    assert time.process_time() - started <= 0.25
