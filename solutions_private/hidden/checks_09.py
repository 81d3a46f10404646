"""Hidden cases of notebook 09: of the public ones' kinds, with other texts and numbers."""

from __future__ import annotations

from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec
from rlvr_course.grading.marking.hidden import HINTS, known


def _chat(*texts: str) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts, start=1)]


def _rewards(
    name: str, completions: list[Any], answers: list[str], rewards: list[float | None]
) -> Case:
    return known(name, (["…"] * len(answers), completions, answers), rewards)


def _rows(*shares: float | None, first: int = 1) -> list[dict[str, float]]:
    rows = [{"step": float(step), "loss": 0.1} for step in range(first, first + len(shares))]
    for row, share in zip(rows, shares, strict=True):
        if share is not None:
            row["frac_reward_zero_std"] = share
    return rows


HIDDEN = {
    "q09a": CheckSpec(
        cases=[
            _rewards("right, wrong", [_chat("7"), _chat("8")], ["7", "7"], [1.0, -0.1]),
            _rewards("a refusal", [_chat("3"), _chat("?")], ["3", "4"], [1.0, 0.0]),
            _rewards("blanks around it", [_chat("\t12 "), _chat(" ? ")], ["12"] * 2, [1.0, 0.0]),
            _rewards("mask: no reference", [_chat("?"), _chat("9")], ["", "9"], [None, 1.0]),
            _rewards("the last message counts", [_chat("5", "6", "7")], ["7"], [1.0]),
            _rewards("the answer is in it", [_chat("70"), _chat("7.")], ["7", "7"], [-0.1, -0.1]),
            _rewards("plain strings", ["44", "?", "45"], ["44", "44", ""], [1.0, 0.0, None]),
        ],
        hints=HINTS,
    ),
    "q09b": CheckSpec(
        cases=[
            known("round numbers", (0.0, 0.5, 0.25, 8), 0.25, 1e-5),
            known("a start that earns", (0.4, 0.7, 0.05, 3), 2.0, 1e-5),
            known("a start below 0", (-0.5, 0.5, 0.2, 10), 0.5, 1e-5),
            known("no gain", (0.3, 0.3, 0.1, 2), 0.0, 1e-5),
            known("a loss", (0.9, 0.1, 0.1, 2), 0.0, 1e-5),
        ],
        hints=HINTS,
    ),
    "q09c": CheckSpec(
        cases=[
            known("stops at once", (_rows(0.75, 1.0),), 1),
            known("stops and goes on", (_rows(1.0, 0.9, 1.0, 0.5, 1.0),), 4),
            known("never stops", (_rows(0.5, 0.25),), 2),
            known("never began", (_rows(1.0, 1.0),), 0),
            known("numbered from 20", (_rows(0.1, 0.2, 1.0, first=20),), 21),
            known("rows without the figure", (_rows(None, 0.5, None, 1.0),), 2),
        ],
        hints=HINTS,
    ),
    "q09e": CheckSpec(
        cases=[
            known("right and tidy", (" 17", "17"), [True, True]),
            known("right, untidy", (" 17, I think", "17"), [True, False]),
            known("wrong, tidy", (" 71", "17"), [False, True]),
            known("a further line", ("17\nso", "17"), [True, True]),
            known("a longer number", (" 170", "17"), [False, True]),
            known("in words", (" seventeen", "17"), [False, False]),
            known("three blanks", ("   17", "17"), [True, False]),
            known("a negative number", (" -8", "-8"), [True, True]),
            known("the wrong sign", (" 8", "-8"), [False, True]),
        ],
        hints=HINTS,
    ),
}
