"""A learned reward model: what it learns, how it stands in for a verifier, where it goes wrong."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import MathRewardFunction, Problem
from rlvr_course.adapters import VerifiedReward
from rlvr_course.training.reward_model import (
    Labelled,
    RewardModel,
    features,
    fit_reward_model,
    judged_problems,
    ranking_quality,
)
from rlvr_course.training.tasks import load_task
from rlvr_course.training.tasks.verifiers import verify_exact


def demonstrations(n: int, seed: int) -> list[Labelled]:
    """A beginner's answers, labelled by the truth."""
    rng, task = Random(seed), load_task("clerk")
    problems = [rng.choice(task.train) for _ in range(n)]
    said = [(problem, task.demonstrate(rng, problem)) for problem in problems]
    return [
        Labelled(p.question, text, verify_exact(text, p.answer).score or 0.0) for p, text in said
    ]


@pytest.fixture(scope="module")
def model() -> RewardModel:
    return fit_reward_model(demonstrations(600, seed=0))


@given(question=st.text(max_size=8), response=st.text(max_size=20))
def test_a_score_is_a_share_whatever_is_judged(question, response):
    model = RewardModel({"always": 0.5, "0:0": 9.0, "length 1": -9.0})
    assert 0.0 <= model(response, question) <= 1.0


@given(question=st.from_regex(r"[0-9][+*][0-9]=", fullmatch=True), response=st.text(max_size=8))
def test_no_feature_counts_twice(question, response):
    names = list(features(question, response))
    assert len(names) == len(set(names))


def test_it_ranks_new_answers_better_than_chance(model):
    assert ranking_quality(model, demonstrations(600, seed=1)) > 0.6


def test_it_knows_no_arithmetic(model):
    pairs = [("4+4=", "8", "9"), ("5+4=", "9", "8")]
    gaps = [model(right, question) - model(wrong, question) for question, right, wrong in pairs]
    assert min(gaps) < 0.1


def test_it_stands_where_a_verifier_stands(model):
    problem = judged_problems([Problem("0*7=", "0")])[0]
    scored = VerifiedReward(model, MathRewardFunction(1.0, 0.0)).score(["0"], [problem.answer])[0]
    assert scored.value == pytest.approx(model("0", "0*7="))
    assert 0.0 < scored.value < 1.0


def test_ridge_pulls_weights_towards_nothing():
    labelled = demonstrations(200, seed=0)
    sizes = [
        sum(w * w for w in fit_reward_model(labelled, ridge=ridge).weights.values())
        for ridge in (0.1, 10.0, 1e6)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 1e-3


def test_labels_that_are_all_right_are_learned():
    labelled = [Labelled("1+1=", "2", 1.0), Labelled("1+1=", "3", 0.0)] * 50
    model = fit_reward_model(labelled, ridge=1e-6)
    assert model("2", "1+1=") == pytest.approx(1.0, abs=1e-3)
    assert model("3", "1+1=") == pytest.approx(0.0, abs=1e-3)
    assert ranking_quality(model, labelled) == 1.0


def test_a_model_that_says_one_thing_ranks_by_chance():
    assert ranking_quality(RewardModel({"always": 0.5}), demonstrations(50, seed=0)) == 0.5


def test_it_can_be_pickled(model):
    assert pickle.loads(pickle.dumps(model))("0", "0*7=") == model("0", "0*7=")


@pytest.mark.parametrize("ridge", [0.0, -1.0, float("nan"), float("inf")])
def test_a_ridge_that_is_no_penalty_is_refused(ridge):
    with pytest.raises(ValueError, match="give a number above 0"):
        fit_reward_model(demonstrations(5, seed=0), ridge=ridge)


def test_nothing_labelled_is_refused():
    with pytest.raises(ValueError, match="give at least one"):
        fit_reward_model([])


def test_ranking_needs_both_kinds(model):
    with pytest.raises(ValueError, match="1 right and 0 wrong"):
        ranking_quality(model, [Labelled("1+1=", "2", 1.0)])
