"""The door of ``verifiers`` 0.4: a taskset whose tasks pay a verified reward.

    taskset = make_taskset(problems, VerifiedReward())
    for task in taskset:
        await task.score(trace)

There is no reward of None there: a completion that nobody could judge raises, which makes its
trace an error, kept out of training and out of the means.

To run it by name (``--env.taskset.id my_taskset``), put a module of that name on the path:

    from rlvr_course.adapters.verifiers_v1 import taskset_class
    MathTaskset = taskset_class(load_problems("math"), verified_reward("math"))
    __all__ = ["MathTaskset"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from rlvr_course.adapters.answer_text import answer_from_text, answer_to_text
from rlvr_course.adapters.scored import Scored, VerifiedReward
from rlvr_course.errors import Ungraded
from rlvr_course.records import Problem

if TYPE_CHECKING:
    from verifiers.v1 import Taskset


def make_taskset(problems: Sequence[Problem], reward: VerifiedReward | None = None) -> Taskset:
    """A taskset of these problems.

    Args:
        problems: what to ask: their question is the prompt, their system prompt the system prompt.
        reward: the verifier and its prices; ``VerifiedReward()`` if None.

    Raises:
        ValueError: an answer that is not JSON.
        ModuleNotFoundError: the extra ``bridges`` is missing.
    """
    from verifiers.v1 import TasksetConfig

    return taskset_class(problems, reward)(TasksetConfig())


def taskset_class(
    problems: Sequence[Problem], reward: VerifiedReward | None = None
) -> type[Taskset]:
    """The class of such a taskset, for a module that ``verifiers`` finds by its name.

    Args:
        problems, reward: as for ``make_taskset``.

    Raises:
        ValueError: an answer that is not JSON.
        ModuleNotFoundError: the extra ``bridges`` is missing.
    """
    import verifiers.v1 as vf

    task_class = _task_class()
    rows = [(problem, answer_to_text(problem.answer)) for problem in problems]
    paid = VerifiedReward() if reward is None else reward

    class VerifiedTaskset(vf.Taskset[task_class, vf.TasksetConfig]):
        def load(self) -> Iterator[Any]:
            for problem, answer in rows:
                data = task_class.data_type()(
                    id=problem.id or None,
                    prompt=problem.question,
                    system_prompt=problem.metadata.get("system"),
                    answer=answer,
                )
                task = task_class(data, self.config.task)
                task.paid = paid
                yield task

    return VerifiedTaskset


@cache
def _task_class() -> Any:
    """Made at its first use, since its bases are those of an optional package."""
    import verifiers.v1 as vf

    class VerifiedData(vf.TaskData):
        answer: str

    class VerifiedTask(vf.Task[VerifiedData, vf.State, vf.TaskConfig]):
        paid: VerifiedReward

        @vf.reward
        async def verified_reward(self, trace: Any) -> float:
            return await _reward_of(self.paid, trace, self.data.answer)

    return VerifiedTask


async def _reward_of(reward: VerifiedReward, trace: Any, answer: str) -> float:
    """The reward of a trace's last reply; the verdict goes on the trace.

    Raises:
        Ungraded: it is masked.
    """
    from anyio import to_thread

    def judged() -> Scored:
        return reward.score([trace.last_reply], [answer_from_text(answer)], policy_id="verifiers")[
            0
        ]

    scored = await to_thread.run_sync(judged)
    trace.info["verdict"] = scored.verdict.to_dict()
    trace.record_metric("ungraded", float(scored.is_ungraded))
    if scored.verdict.score is not None:
        trace.record_metric("score", scored.verdict.score)
    if scored.value is None:
        raise Ungraded(
            f"the grader could not judge this completion ({scored.verdict.reason}): mend the "
            "reference or the grader, or price it with on_grader_error='floor'"
        )
    return scored.value
