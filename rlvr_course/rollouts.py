"""The loop that every notebook and trainer shares: sample, verify, reward, record.

It takes the policy, the verifier and the reward as arguments and knows none of them by name.
A failing verifier never stops it: see ``verifiers.boundary``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from rlvr_course.errors import PolicyUnavailable
from rlvr_course.policies.protocol import Policy, Request
from rlvr_course.records import Completion, Problem, Reward, Sample, Verdict
from rlvr_course.verifiers.boundary import judge_many


class RewardFunction(Protocol):
    """Turns a verdict into a reward: any function of one verdict, such as your own."""

    def __call__(self, verdict: Verdict, /) -> Reward:
        """The reward of one verdict."""
        ...


@runtime_checkable
class GroupReward(Protocol):
    """Rewards a group at once, so that it can read the responses or cap the share of masks."""

    def reward_many(
        self, verdicts: Sequence[Verdict], policy_id: str = "", *, responses: Sequence[str]
    ) -> Sequence[Reward]:
        """One reward for each verdict, ``responses`` being what the verdicts are on."""
        ...


def rollout(
    problems: Sequence[Problem],
    policy: Policy,
    verifier: Callable[..., Any],
    reward: RewardFunction | GroupReward,
    *,
    n_samples: int = 4,
    temperature: float = 1.0,
    on_sample: Callable[[Sample], object] | None = None,
) -> list[list[Sample]]:
    """Sample a group of responses for each problem, verify and reward them.

    Args:
        problems: what to ask; the messages sent are ``problem.messages``.
        policy: answers all requests in one call.
        verifier: a verifier, or a function ``(response, answer)`` that returns True, False or a
            score in [0, 1]; it gets ``finish_reason`` if it takes such a keyword.
        reward: from verdict to reward. If it has a ``reward_many``, that one gets the group, with
            its responses: ``StackedReward`` pays for their format, and both it and
            ``MathRewardFunction`` cap the share of masked samples.
        n_samples: group size, at least 1.
        temperature: of sampling, 0 or more.
        on_sample: called with each sample as soon as its group is scored, such as
            ``audit_log.append``.

    Returns:
        One group of ``n_samples`` samples for each problem, in order. A sample that the verifier
        could not judge has ``verified_correct`` None and a ``reason`` that says why.

    Raises:
        ValueError: n_samples or temperature out of range.
        PolicyUnavailable: the policy fails, or returns another number of completions than asked.

    Limits: whatever ``policy``, ``reward`` or ``on_sample`` raise is passed on: without them there
        is nothing to train on, or no record of it.
    """
    requests = [Request(p.messages, n=n_samples, temperature=temperature) for p in problems]
    completions = policy.generate(requests) if requests else []
    _check_groups(policy, completions, requests)
    groups = []
    for problem, request, group in zip(problems, requests, completions, strict=True):
        samples = _score_group(problem, request, group, verifier, reward)
        if on_sample is not None:
            for sample in samples:
                on_sample(sample)
        groups.append(samples)
    return groups


def _check_groups(
    policy: Policy, groups: Sequence[Sequence[Completion]], requests: Sequence[Request]
) -> None:
    returned, asked = [len(group) for group in groups], [request.n for request in requests]
    if returned != asked:
        raise PolicyUnavailable(
            f"policy {policy.policy_id!r} was asked for groups of {asked[:5]} and returned "
            f"{returned[:5]}: its generate must give n completions for each request"
        )


def _score_group(
    problem: Problem,
    request: Request,
    group: Sequence[Completion],
    verifier: Callable[..., Any],
    reward: RewardFunction | GroupReward,
) -> list[Sample]:
    responses = [completion.text for completion in group]
    verdicts = judge_many(
        verifier,
        responses,
        [problem.answer] * len(group),
        [completion.finish_reason for completion in group],
    )
    if isinstance(reward, GroupReward):
        rewards = reward.reward_many(verdicts, group[0].policy_id, responses=responses)
    else:
        rewards = [reward(verdict) for verdict in verdicts]
    sent = [c if c.messages else replace(c, messages=request.messages) for c in group]
    scored = zip(sent, verdicts, rewards, strict=True)
    return [scored_sample(problem, *parts, index=index) for index, parts in enumerate(scored)]


def scored_sample(
    problem: Problem, completion: Completion, verdict: Verdict, reward: Reward, *, index: int
) -> Sample:
    """The record of one completion, judged and paid; ``index`` is its place in its group."""
    return Sample(
        problem=problem,
        response=completion.text,
        extracted=verdict.extracted,
        reward=reward.value,
        verified_correct=verdict.is_correct,
        status=verdict.status,
        reason=verdict.reason,
        fault=verdict.fault,
        finish_reason=completion.finish_reason,
        messages=completion.messages,
        policy_id=completion.policy_id,
        index=index,
        components=reward.components,
    )
