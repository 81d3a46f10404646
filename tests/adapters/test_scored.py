"""A verifier with its prices: what each completion earns, in threads and after pickling."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import FakeVerifier, MathRewardFunction, Reward, StackedReward, Verdict
from rlvr_course.adapters import Scored, VerifiedReward
from rlvr_course.adapters.domains import verified_reward

verdicts = st.one_of(
    st.floats(0.0, 1.0).map(
        lambda s: Verdict({0.0: "incorrect", 1.0: "correct"}.get(s, "partial"), s)
    ),
    st.just(Verdict.no_answer("refusal")),
    st.just(Verdict.ungraded("outage")),
)


@given(given_verdicts=st.lists(verdicts, max_size=12))
def test_what_a_door_pays_is_a_number_between_floor_and_top(given_verdicts):
    reward = VerifiedReward(FakeVerifier(given_verdicts), MathRewardFunction(2.0, -0.5))
    n = len(given_verdicts)
    scored = reward.score([""] * n, [""] * n)
    assert [one.verdict for one in scored] == given_verdicts
    assert all(-0.5 <= one.finite <= 2.0 for one in scored)
    assert all(one.finite == -0.5 for one in scored if one.is_ungraded)


def test_a_mask_is_none_and_the_floor_where_numbers_are_needed():
    masked = VerifiedReward(FakeVerifier([Verdict.ungraded("outage")])).score(["x"], ["y"])[0]
    assert (masked.value, masked.finite, masked.is_ungraded) == (None, -0.1, True)


def test_masks_above_the_cap_are_floored_for_each_policy():
    reward = VerifiedReward(FakeVerifier(default=Verdict.ungraded("outage")))
    assert [s.value for s in reward.score(["x"], ["y"], policy_id="a")] == [None]
    assert [s.value for s in reward.score(["x"], ["y"], policy_id="b")] == [None]
    floored = reward.score(["x"], ["y"], policy_id="a")[0]
    assert (floored.value, floored.is_ungraded) == (-0.1, True)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_reward_that_is_not_finite_is_the_graders_fault(value):
    odd = VerifiedReward(lambda r, a: True, lambda v: Reward(value if v.score else -1.0))
    scored = odd.score(["x"], ["y"])[0]
    assert scored.value is None
    assert scored.finite == -1.0
    assert scored.verdict.reason == f"reward_not_finite: {value}"


@pytest.mark.parametrize(
    ("reward", "floor"),
    [
        (MathRewardFunction(incorrect_penalty=-0.25), -0.25),
        (StackedReward(MathRewardFunction(incorrect_penalty=-0.5)), -0.5),
        (lambda verdict: Reward(3.0 if verdict.score else -2.0), -2.0),
    ],
    ids=["math", "stacked", "a function"],
)
def test_the_floor_is_what_no_answer_earns(reward, floor):
    assert VerifiedReward(reward=reward).floor == floor


def test_a_reward_that_pays_none_for_no_answer_is_refused():
    with pytest.raises(ValueError, match="pays None for no answer"):
        VerifiedReward(reward=lambda verdict: Reward(None))


def test_the_verifier_of_the_prices_is_used():
    fake = FakeVerifier({"x": Verdict.correct("x", "scripted")})
    assert VerifiedReward(reward=MathRewardFunction(verifier=fake)).score(["x"], [""])[0].value == 1
    stacked = StackedReward(MathRewardFunction(verifier=fake))
    assert VerifiedReward(reward=stacked).verifier is fake


def test_a_verifier_that_raises_does_not_stop_the_batch():
    def crash(response, answer):
        return 1 / len(response) == 1

    reasons = [s.verdict.fault for s in VerifiedReward(crash).score(["a", "", "b"], ["z"] * 3)]
    assert reasons == [None, "policy", None]


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="2 responses, 1 answers and 2 finish reasons"):
        VerifiedReward().score(["a", "b"], ["1"])


def test_a_group_reward_of_another_length_is_refused():
    class Short(MathRewardFunction):
        def reward_many(self, verdicts, policy_id="", *, responses=()):
            return []

    with pytest.raises(ValueError, match="gave 0 rewards for 1"):
        VerifiedReward(reward=Short()).score(["a"], ["1"])


def test_a_copy_by_pickle_pays_the_same():
    reward = verified_reward("math", incorrect_penalty=-0.5, format_reward=0.25)
    copy = pickle.loads(pickle.dumps(reward))
    responses = [r"\boxed{4}", "It is 4.", r"\boxed{5}"]
    assert copy.score(responses, ["4"] * 3) == reward.score(responses, ["4"] * 3)
    assert [s.value for s in copy.score(responses, ["4"] * 3)] == [1.25, 1.0, -0.25]


def test_threads_lose_no_count_of_masks():
    prices = MathRewardFunction()
    reward = VerifiedReward(FakeVerifier(default=Verdict.ungraded("outage")), prices)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: reward.score(["x"] * 5, ["y"] * 5), range(80)))
    share = prices.mask_cap.masked_shares()[""]
    assert (share.successes, share.n) == (400, 400)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domain": "poetry"}, "'poetry' is not one of math, code"),
        ({"incorrect_penalty": 1.0}, "would pay for a wrong answer"),
        ({"domain": "code", "format_reward": 0.05}, "a box is the format of math"),
        ({"format_reward": 0.5}, "give 0 to 0.1"),
    ],
    ids=["domain", "price", "format of code", "format above the limit"],
)
def test_a_mistake_in_a_domains_reward_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        verified_reward(**arguments)


def test_a_completion_lost_at_the_door_is_ungraded():
    lost = VerifiedReward().ungraded("prompt_not_in_query")
    assert lost == Scored(Verdict.ungraded("prompt_not_in_query"), Reward(None), -0.1)
