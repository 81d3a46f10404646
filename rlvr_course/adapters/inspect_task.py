"""Inspect's door: a task of problems, and a scorer that pays each completion its reward.

    from inspect_ai import eval
    eval(inspect_task(problems, VerifiedReward()), model="openai/gpt-4.1-nano")

A completion that nobody could judge is ``Score.unscored()``: kept in the log with its reason, and
left out of the means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rlvr_course.adapters.answer_text import answer_from_text, answer_to_text
from rlvr_course.adapters.scored import Scored, VerifiedReward
from rlvr_course.records import Problem

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import TaskState

_CUT_OFF = ("max_tokens", "model_length")


def inspect_task(
    problems: Sequence[Problem], reward: VerifiedReward | None = None, *, name: str = "verified"
) -> Task:
    """A task that asks each problem once and scores the answer.

    Args:
        problems: what to ask; the messages sent are ``problem.messages``.
        reward: the verifier and its prices; ``VerifiedReward()`` if None.
        name: of the task, in Inspect's logs.

    Raises:
        ValueError: no problem, or an answer that is not JSON.
        ModuleNotFoundError: the extra ``bridges`` is missing.
    """
    from inspect_ai import Task
    from inspect_ai.solver import generate

    if not problems:
        raise ValueError("an Inspect task needs at least one problem")
    return Task(
        dataset=[inspect_sample(problem) for problem in problems],
        solver=generate(),
        scorer=inspect_scorer(reward),
        name=name,
    )


def inspect_sample(problem: Problem) -> Sample:
    """One problem as a row of Inspect's data set, its answer as text.

    Raises:
        ValueError: the answer is not JSON.
        ModuleNotFoundError: the extra ``bridges`` is missing.
    """
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    return Sample(
        input=[kinds[message["role"]](content=message["content"]) for message in problem.messages],
        target=answer_to_text(problem.answer),
        id=problem.id or None,
        metadata={"domain": problem.domain},
    )


def inspect_scorer(reward: VerifiedReward | None = None) -> Scorer:
    """A scorer whose value is the reward, with the verdict beside it.

    Args:
        reward: the verifier and its prices; ``VerifiedReward()`` if None.

    Raises:
        ModuleNotFoundError: the extra ``bridges`` is missing.

    The means are of rewards; how many were right is in each score's metadata.
    """
    from inspect_ai.scorer import mean, scorer, stderr

    paid = VerifiedReward() if reward is None else reward

    @scorer(metrics=[mean(), stderr()], name="verified_reward")
    def verified() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return await _score(paid, state, target.text)

        return score

    return verified()


async def _score(reward: VerifiedReward, state: TaskState, target: str) -> Score:
    from anyio import to_thread

    ended = "length" if state.output.stop_reason in _CUT_OFF else "stop"

    def judged() -> Scored:
        return reward.score(
            [state.output.completion],
            [answer_from_text(target)],
            finish_reasons=[ended],
            policy_id=str(state.model),
        )[0]

    return _as_score(await to_thread.run_sync(judged))


def _as_score(scored: Scored) -> Score:
    from inspect_ai.scorer import Score

    verdict = scored.verdict
    rest: dict[str, Any] = {
        "answer": verdict.extracted,
        "explanation": verdict.reason,
        "metadata": {
            "status": verdict.status,
            "score": verdict.score,
            "fault": verdict.fault,
            "components": dict(scored.reward.components),
        },
    }
    if scored.value is None:
        return Score.unscored(reason=verdict.reason, **rest)
    return Score(value=scored.value, **rest)
