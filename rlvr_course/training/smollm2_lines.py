"""A line of one-digit arithmetic, as SmolLM2 continues it: is its number right, is it tidy?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rlvr_course.policies.protocol import Policy, Request
from rlvr_course.records import Problem
from rlvr_course.training.smollm2_run import LineScores

MAX_TOKENS = 6
"""Of a completion: a blank, two digits, the line break, and a little room to be untidy in."""


def score_line(text: str, answer: str, *, finish_reason: str = "stop") -> tuple[bool, bool]:
    """Whether a line's number is right, and whether the line is tidy.

    Args:
        text: what follows the equals sign; only its first line is read.
        answer: the right number.
        finish_reason: "length" for a line that did not end, which is never tidy.

    Returns:
        (right, tidy). The number is the one that the line begins with; tidy is a line of one
        number, with at most one blank before it.

    >>> score_line(" 54", "54"), score_line(" 54 and 1 +", "54"), score_line(" 45", "54")
    ((True, True), (True, False), (False, True))
    """
    line = text.split("\n")[0]
    number = re.match(r"\s{0,8}(-?[0-9]{1,9})(?![0-9])", line)
    right = number is not None and number[1] == answer
    tidy = finish_reason == "stop" and re.fullmatch(r" ?-?[0-9]{1,9}", line) is not None
    return right, tidy


def reward_line(right: bool, tidy: bool) -> float:
    """1 for a right number in a tidy line, a half for one in an untidy line, else 0."""
    return 0.5 * right + 0.5 * (right and tidy)


def measure_lines(policy: Policy, problems: Sequence[Problem], *, n_samples: int) -> LineScores:
    """Sample each problem and score the lines, at temperature 1.

    Args:
        policy: what answers; a ``LocalPolicy(chat=False, stop=STOP)``.
        problems: of ``few_shot_arithmetic``.
        n_samples: for each problem, at least 1.
    """
    requests = [Request(p.messages, n=n_samples, max_tokens=MAX_TOKENS) for p in problems]
    right, tidy = [], []
    for problem, group in zip(problems, policy.generate(requests), strict=True):
        scores = [score_line(c.text, problem.answer, finish_reason=c.finish_reason) for c in group]
        right.append(sum(r for r, _ in scores))
        tidy.append(sum(t for _, t in scores))
    return LineScores(tuple(right), tuple(tidy), n_samples)
