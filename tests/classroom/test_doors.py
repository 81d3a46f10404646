"""Doors that notebook 09 opens: what was recorded is what they pay, and what the reward says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest

from rlvr_course.adapters import VerifiedReward
from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.classroom.doors import RECORDED, pay_through, post_to_server
from rlvr_course.records import Problem
from rlvr_course.rewards import MathRewardFunction
from rlvr_course.verifiers.math_answers import MathVerifier

PACKAGES = {"OpenRLHF": "uvicorn", "verifiers.v1": "verifiers", "Inspect": "inspect_ai"}


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, str, str]]:
    """The completions of notebook 09, from its cell."""
    path = find_checkout(Path(__file__).parent).notebooks / "09_train_end_to_end.ipynb"
    notebook: Any = nbformat.read(path, as_version=4)
    source = next(c.source for c in notebook.cells if c.source.startswith("ROWS = ["))
    space: dict[str, Any] = {}
    exec(source[: source.index("problems =")], space)
    return space["ROWS"]


@pytest.fixture
def reward() -> VerifiedReward:
    """A fresh one for each test: it counts what it masked, and floors above its cap."""
    verifier = MathVerifier()
    prices = MathRewardFunction(1.0, -0.1, refusal_reward=0.0, verifier=verifier)
    return VerifiedReward(verifier, prices)


def asked(rows: list[tuple[str, str, str]]) -> tuple[list[Problem], list[str]]:
    return [Problem(question, answer) for question, answer, _ in rows], [row[2] for row in rows]


@pytest.mark.parametrize("door", RECORDED)
def test_what_was_recorded_is_what_the_reward_pays(
    door: str, rows: list[tuple[str, str, str]], reward: VerifiedReward
) -> None:
    problems, said = asked(rows)
    values = [one.value for one in reward.score(said, [p.answer for p in problems])]
    assert values[-1] is None and None not in values[:-1]
    assert RECORDED[door][:-1] == values[:-1]


@pytest.mark.parametrize(
    "door",
    ["OpenRLHF", *(pytest.param(d, marks=pytest.mark.nightly) for d in list(RECORDED)[1:])],
)
def test_a_door_pays_what_was_recorded(
    door: str, rows: list[tuple[str, str, str]], reward: VerifiedReward
) -> None:
    pytest.importorskip(PACKAGES[door])
    assert pay_through(door, reward, *asked(rows)) == RECORDED[door]


def test_a_framework_is_not_opened_unless_asked(reward: VerifiedReward) -> None:
    paid = pay_through("Inspect", reward, [Problem("6 * 7?", "42")], ["42"], live=False)
    assert paid == RECORDED["Inspect"]


def test_the_server_flags_what_it_could_not_judge(reward: VerifiedReward) -> None:
    pytest.importorskip("uvicorn")
    reply = post_to_server(reward, [Problem("what?", "see the figure")], ["7"])
    assert reply["rewards"] == [reward.floor]
    assert reply["extra_logs"]["ungraded"] == [1.0]


def test_an_unknown_door_is_refused(reward: VerifiedReward) -> None:
    with pytest.raises(ValueError, match="door 'back' is not one of OpenRLHF"):
        pay_through("back", reward, [], [])
