"""The same completions earn the same rewards through every trainer's door."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from doors import DOORS, Row

from rlvr_course import (
    CodeVerifier,
    MathRewardFunction,
    MathVerifier,
    Problem,
    StackedReward,
    load_problems,
    load_rollouts,
)
from rlvr_course.adapters import VerifiedReward
from rlvr_course.errors import SandboxUnavailable

# Recorded replies end in no end token and no blank: doors may take those off.
UNREADABLE = Row(Problem("What does the figure show?", "see the figure"), "It is 7.")


def recorded_rows(domain: str, index: int = 0) -> list[Row]:
    """One recorded completion of each problem: the first of them, or the one after, in turn."""
    said = {(r.problem_id, r.completion.index): r.completion.text for r in load_rollouts(domain)}
    problems = load_problems(domain)
    return [Row(p, said[p.id, (place + index) % 8]) for place, p in enumerate(problems)]


@pytest.fixture(scope="module")
def math_rows() -> list[Row]:
    rows = [*recorded_rows("math"), UNREADABLE]
    assert len({row.problem.question for row in rows}) == 41
    return rows


@pytest.mark.parametrize("door", DOORS)
def test_a_door_pays_what_the_reward_says(door: str, math_rows: list[Row], tmp_path: Path) -> None:
    verify, prices = MathVerifier(), MathRewardFunction(1.0, -0.5, refusal_reward=-0.25)
    expected = [prices.reward(verify(r.response, r.problem.answer)).value for r in math_rows]
    assert expected[-1] is None
    assert {1.0, -0.5} <= set(expected)
    assert DOORS[door](VerifiedReward(verify, prices), math_rows, tmp_path) == expected


@pytest.mark.parametrize("door", DOORS)
def test_format_beside_correctness_goes_through(
    door: str, math_rows: list[Row], tmp_path: Path
) -> None:
    stacked = StackedReward(format_reward=0.0625)
    verify = MathVerifier()
    expected = [
        stacked.reward(r.response, verify(r.response, r.problem.answer)).value for r in math_rows
    ]
    assert {1.0, 1.0625} <= set(expected)
    assert DOORS[door](VerifiedReward(verify, stacked), math_rows, tmp_path) == expected


@pytest.mark.parametrize("door", DOORS)
def test_programs_are_paid_by_their_tests(door: str, tmp_path: Path) -> None:
    verify = CodeVerifier(workers=2)
    rows = recorded_rows("code")
    try:
        scores = [verify.verify(r.response, r.problem.answer) for r in rows]
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    expected = [1.0 if score == 1.0 else -0.1 + 1.1 * score for score in scores]
    reward = VerifiedReward(verify, MathRewardFunction(1.0, -0.1, verifier=verify))
    assert Counter(scores)[1.0] > 0
    assert DOORS[door](reward, rows, tmp_path) == pytest.approx(expected)
