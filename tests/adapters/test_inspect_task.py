"""Inspect's task and scorer: what is logged beside the reward."""

from __future__ import annotations

import pytest
from doors import Row, evaluated

from rlvr_course import Problem
from rlvr_course.adapters import VerifiedReward
from rlvr_course.adapters.inspect_task import inspect_sample, inspect_task

pytest.importorskip("inspect_ai")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    rows = [
        Row(Problem("6 * 7?", "42", metadata={"system": "Be brief."}), "It is 42."),
        Row(Problem("6 * 8?", "48"), "It is 42."),
        Row(Problem("What is shown?", "see figure"), "It is 42."),
    ]
    return evaluated(VerifiedReward(), rows, tmp_path_factory.mktemp("logs"))


def test_the_mean_leaves_the_unscored_out(log):
    score = log.results.scores[0]
    assert score.metrics["mean"].value == pytest.approx((1.0 - 0.1) / 2)
    assert (score.scored_samples, score.unscored_samples) == (2, 1)


def test_the_verdict_stands_beside_the_reward(log):
    right, wrong, open_ = (sample.scores["verified_reward"] for sample in log.samples)
    assert (right.answer, right.explanation) == ("42", "equal_number")
    assert wrong.metadata["status"] == "incorrect"
    assert (open_.reason, open_.metadata["fault"]) == ("gold_unparseable", "grader")


def test_the_messages_are_the_problems(log):
    roles = [message.role for message in log.samples[0].messages]
    assert roles == ["system", "user", "assistant"]


def test_an_answer_that_is_no_text_becomes_a_target():
    assert inspect_sample(Problem("q", [1, 2])).target == "json:[1, 2]"


def test_no_problem_is_no_task():
    with pytest.raises(ValueError, match="at least one problem"):
        inspect_task([])
