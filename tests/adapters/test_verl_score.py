"""``compute_score`` as veRL calls it: keywords, a thread, finite numbers, always the same keys."""

from __future__ import annotations

import asyncio
import importlib
import math
import pickle

import pytest

from rlvr_course import FakeVerifier, Verdict
from rlvr_course.adapters import VerifiedReward
from rlvr_course.adapters.verl_score import VerlScore, compute_score

KEYS = ["score", "acc", "no_answer", "ungraded"]


def as_verl_calls(function, response, truth, **added):
    """From an executor's thread, all by keyword, with the extra information that veRL adds."""

    async def run():
        call = {"data_source": "d", "solution_str": response, "ground_truth": truth}
        extra = {"num_turns": 2, "rollout_reward_scores": {}}
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, lambda: function(**call, extra_info=extra, **added))

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("response", "truth", "values"),
    [
        ("It is 42.", "42", [1.0, 1.0, 0.0, 0.0]),
        ("It is 41.", "42", [-0.1, 0.0, 0.0, 0.0]),
        ("I refuse.", "42", [-0.1, 0.0, 1.0, 0.0]),
        ("It is 42.", "see figure", [-0.1, 0.0, 0.0, 1.0]),
    ],
    ids=["right", "wrong", "refused", "ungraded"],
)
def test_the_numbers_of_one_completion(response, truth, values):
    result = as_verl_calls(compute_score, response, truth)
    assert list(result) == KEYS
    assert list(result.values()) == values


def test_prices_come_from_the_configuration():
    priced = {"correct_reward": 2.0, "incorrect_penalty": -1.0, "refusal_reward": 0.0}
    answers = ("It is 42.", "It is 41.", "I refuse.")
    scores = [as_verl_calls(compute_score, a, "42", **priced)["score"] for a in answers]
    assert scores == [2.0, -1.0, 0.0]


def test_what_verl_adds_for_reward_models_is_ignored():
    added = {"reward_router_address": "x", "reward_model_tokenizer": None}
    assert as_verl_calls(compute_score, "It is 42.", "42", **added)["score"] == 1.0


def test_a_misspelt_price_is_named():
    with pytest.raises(ValueError, match="'incorrect_penality': it may have correct_reward"):
        compute_score("d", "x", "1", incorrect_penality=-1.0)


def test_verl_finds_it_by_its_package_path():
    path = "pkg://rlvr_course.adapters.verl_score".removeprefix("pkg://")
    assert getattr(importlib.import_module(path), "compute_score") is compute_score  # noqa: B009


def test_a_verifier_of_ones_own_goes_to_other_processes():
    own = VerlScore(VerifiedReward(FakeVerifier({"a": Verdict.correct("a", "scripted")})))
    copy = pickle.loads(pickle.dumps(own))
    assert (copy("d", "a", ""), copy.__name__) == (own("d", "a", ""), "compute_score")


def test_an_outage_is_finite():
    result = VerlScore(VerifiedReward(FakeVerifier(["outage"] * 3)))("d", "a", "")
    assert (result["score"], result["ungraded"]) == (-0.1, 1.0)
    assert all(math.isfinite(value) for value in result.values())
