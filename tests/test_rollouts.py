"""The loop: requests out, samples in, and no verifier stops it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.advantages import group_statistics
from rlvr_course.errors import PolicyUnavailable
from rlvr_course.policies.protocol import Request
from rlvr_course.policies.replay import ReplayPolicy
from rlvr_course.problems.recorded import load_problems
from rlvr_course.records import Completion, Problem, Reward, Sample, Verdict
from rlvr_course.rewards import MathRewardFunction, score_verdict
from rlvr_course.rollouts import rollout
from rlvr_course.stacked import StackedReward

PROBLEMS = [
    Problem("2 + 2?", "4", "p1", metadata={"system": "Be brief."}),
    Problem("3 + 3?", "6", "p2"),
]


class Scripted:
    """Answers every request with the given texts, cut to the group size that was asked."""

    policy_id = "scripted"

    def __init__(self, texts: Sequence[str], *, finish_reason: str = "stop") -> None:
        self.texts = texts
        self.finish_reason = finish_reason
        self.requests: list[Request] = []

    def generate(self, requests: Sequence[Request]) -> list[list[Completion]]:
        self.requests.extend(requests)
        return [
            [
                Completion(text, r.messages, self.finish_reason, policy_id=self.policy_id, index=i)
                for i, text in enumerate(self.texts[: r.n])
            ]
            for r in requests
        ]


def equal(response: str, answer: Any) -> bool:
    return response == answer


def reward_one(verdict: Verdict) -> Reward:
    return score_verdict(verdict)


def test_each_problem_gets_a_group_of_scored_samples() -> None:
    groups = rollout(PROBLEMS, Scripted(["4", "6"]), equal, reward_one, n_samples=2)
    assert [[s.reward for s in group] for group in groups] == [[1.0, -0.1], [-0.1, 1.0]]
    assert [[s.problem.id for s in group] for group in groups] == [["p1"] * 2, ["p2"] * 2]
    assert [s.index for s in groups[0]] == [0, 1]


def test_the_exact_messages_are_sent_and_kept() -> None:
    policy = Scripted(["4"])
    ((sample,),) = rollout(PROBLEMS[:1], policy, equal, reward_one, n_samples=1, temperature=0.5)
    assert policy.requests == [Request(PROBLEMS[0].messages, n=1, temperature=0.5)]
    assert sample.messages == PROBLEMS[0].messages
    assert sample.policy_id == "scripted"


def test_a_cut_response_reaches_the_verifier_as_cut() -> None:
    def verifier(response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
        return Verdict.no_answer("cut") if finish_reason == "length" else Verdict.correct("4", "eq")

    policy = Scripted(["4"], finish_reason="length")
    ((sample,),) = rollout(PROBLEMS[:1], policy, verifier, reward_one, n_samples=1)
    assert (sample.status, sample.reason, sample.finish_reason) == ("no_answer", "cut", "length")


def test_a_response_that_crashes_the_verifier_earns_the_floor_with_its_reason() -> None:
    def verifier(response: str, answer: Any) -> bool:
        return float(response) == float(answer)

    ((bad, good),) = rollout(PROBLEMS[:1], Scripted(["x", "4"]), verifier, reward_one, n_samples=2)
    assert bad.reason == "verifier_raised: ValueError: could not convert string to float: 'x'"
    assert (bad.reward, bad.verified_correct, bad.fault) == (-0.1, False, "policy")
    assert good.reward == 1.0


def test_a_verifier_that_is_down_leaves_its_samples_ungraded() -> None:
    def verifier(response: str, answer: Any) -> bool:
        raise ConnectionError("platform unreachable")

    ((sample,),) = rollout(PROBLEMS[:1], Scripted(["4"]), verifier, reward_one, n_samples=1)
    assert sample.reason == "verifier_raised: ConnectionError: platform unreachable"
    assert (sample.reward, sample.verified_correct, sample.fault) == (None, None, "grader")


def test_on_sample_sees_every_sample_in_order() -> None:
    seen: list[Sample] = []
    groups = rollout(
        PROBLEMS, Scripted(["4", "6"]), equal, reward_one, n_samples=2, on_sample=seen.append
    )
    assert seen == [sample for group in groups for sample in group]


def test_a_reward_with_a_mask_cap_is_asked_for_whole_groups() -> None:
    def stub(response: str, answer: Any) -> None:
        return None

    groups = rollout(PROBLEMS[:1], Scripted(["a", "b"]), stub, MathRewardFunction(), n_samples=2)
    assert [s.reward for s in groups[0]] == [-0.1, -0.1]
    assert [s.verified_correct for s in groups[0]] == [None, None]


def test_a_reward_for_format_reads_the_responses() -> None:
    policy = Scripted([r"\boxed{4}", "4", r"\boxed{5}", "5"])
    (group,) = rollout(
        PROBLEMS[:1], policy, lambda response, answer: answer in response, StackedReward()
    )
    assert [s.components for s in group] == [
        {"correctness": 1.0, "format": 0.05},
        {"correctness": 1.0, "format": 0.0},
        {"correctness": -0.1, "format": 0.05},
        {"correctness": -0.1, "format": 0.0},
    ]
    assert [s.reward for s in group] == [sum(s.components.values()) for s in group]


def test_no_problems_make_no_groups() -> None:
    assert rollout([], Scripted([]), equal, reward_one) == []


@pytest.mark.parametrize(
    "options", [{"n_samples": 0}, {"temperature": -1.0}], ids=["n", "temperature"]
)
def test_a_wrong_option_raises_before_anything_is_sampled(options: dict[str, Any]) -> None:
    policy = Scripted(["4"])
    with pytest.raises(ValueError):
        rollout(PROBLEMS, policy, equal, reward_one, **options)
    assert policy.requests == []


def test_a_policy_that_returns_too_few_is_named() -> None:
    with pytest.raises(PolicyUnavailable, match=r"'scripted'.*\[3, 3\].*\[1, 1\]"):
        rollout(PROBLEMS, Scripted(["4"]), equal, reward_one, n_samples=3)


@given(st.lists(st.sampled_from(["right", "wrong", "raise", "nan"]), min_size=1, max_size=8))
def test_verified_correct_is_none_exactly_where_the_reward_is(kinds: list[str]) -> None:
    def verifier(response: str, answer: Any) -> float:
        return {"right": 1.0, "wrong": 0.0, "nan": float("nan")}[response]

    groups = rollout(PROBLEMS[:1], Scripted(kinds), verifier, reward_one, n_samples=len(kinds))
    for kind, sample in zip(kinds, groups[0], strict=True):
        assert (sample.verified_correct is None) == (kind in ("raise", "nan"))
        assert (sample.reward is None) == (sample.verified_correct is None)


def test_the_recorded_maths_problems_go_through_the_loop() -> None:
    reward = MathRewardFunction()
    problems = load_problems("math")
    groups = rollout(problems, ReplayPolicy(), reward.verifier, reward, n_samples=8)
    statistics = group_statistics(groups)
    # By the recording's own answer key 33 of its 40 maths groups are mixed.
    assert (statistics.groups, statistics.samples, statistics.mixed) == (40, 320, 33)
    assert statistics.masked_samples == 0
