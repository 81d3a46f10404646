"""The same rows through every door, each as its own trainer or framework calls it."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from reward_server import serving

from rlvr_course.adapters import VerifiedReward
from rlvr_course.adapters.answer_text import answer_to_text
from rlvr_course.records import Problem


@dataclass(frozen=True)
class Row:
    """A completion of a problem. Questions are unique among the rows of one call."""

    problem: Problem
    response: str


Values = list[float | None]
Door = Callable[[VerifiedReward, Sequence[Row], Path], Values]


def through_trl(reward: VerifiedReward, rows: Sequence[Row], _: Path) -> Values:
    """Chat completions, with the columns as a data set returns them."""
    datasets = pytest.importorskip("datasets")
    from rlvr_course.adapters.trl_reward import TRLReward, trl_rows

    table = datasets.Dataset.from_list(trl_rows([row.problem for row in rows]))
    completions = [[{"role": "assistant", "content": row.response}] for row in rows]
    columns = {"answer": list(table["answer"]), "trainer_state": None}
    return TRLReward(reward)(prompts=list(table["prompt"]), completions=completions, **columns)


def through_openrlhf(reward: VerifiedReward, rows: Sequence[Row], _: Path) -> Values:
    """Over HTTP; the ungraded are told by their flag."""
    pytest.importorskip("uvicorn")
    from rlvr_course.adapters.openrlhf_server import create_app

    prompts = [f"<|im_start|>user\n{row.problem.question}<|im_end|>\n" for row in rows]
    body = {
        "query": [f"{p}{row.response}<|im_end|>" for p, row in zip(prompts, rows, strict=True)],
        "prompts": prompts,
        "labels": [answer_to_text(row.problem.answer) for row in rows],
    }
    with serving(create_app(reward)) as client:
        status, reply = client.post(body)
    assert status == 200
    return unfloored(reward, reply["rewards"], reply["extra_logs"]["ungraded"])


def through_verl(reward: VerifiedReward, rows: Sequence[Row], _: Path) -> Values:
    """One call for each completion, from the threads of an executor."""
    from rlvr_course.adapters.verl_score import VerlScore

    score = VerlScore(reward)
    with ThreadPoolExecutor(4) as threads:
        calls = [
            threads.submit(
                score,
                data_source="course",
                solution_str=row.response,
                ground_truth=answer_to_text(row.problem.answer),
                extra_info={"num_turns": None},
            )
            for row in rows
        ]
    results = [call.result() for call in calls]
    return unfloored(reward, [r["score"] for r in results], [r["ungraded"] for r in results])


def unfloored(reward: VerifiedReward, values: Sequence[float], ungraded: Sequence[float]) -> Values:
    """None in place of the floor that a door without a mask pays."""
    pairs = list(zip(values, ungraded, strict=True))
    assert all(value == reward.floor for value, flag in pairs if flag)
    return [None if flag else value for value, flag in pairs]


def trace_of(task: Any, response: str) -> Any:
    """A trace of ``verifiers.v1`` in which the model said this."""
    import verifiers.v1 as vf
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask

    return Trace(
        task=TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash),
        agent=AgentInfo(config=vf.AgentConfig()),
        nodes=[MessageNode(message=vf.AssistantMessage(content=response), sampled=True)],
    )


def through_verifiers(reward: VerifiedReward, rows: Sequence[Row], _: Path) -> Values:
    """``Task.score`` on traces; an error there is a mask."""
    vf = pytest.importorskip("verifiers.v1")
    from rlvr_course.adapters.verifiers_v1 import make_taskset

    async def scored(task: Any, response: str) -> float | None:
        trace = trace_of(task, response)
        try:
            await task.score(trace)
        except vf.TaskError:
            return None
        return trace.reward

    async def all_scored() -> Values:
        tasks = list(make_taskset([row.problem for row in rows], reward))
        pairs = zip(tasks, rows, strict=True)
        return await asyncio.gather(*(scored(task, row.response) for task, row in pairs))

    return asyncio.run(all_scored())


def through_inspect(reward: VerifiedReward, rows: Sequence[Row], folder: Path) -> Values:
    """An evaluation on Inspect's mock model; NaN is its unscored."""
    pytest.importorskip("inspect_ai")
    log = evaluated(reward, rows, folder)
    assert log.status == "success", log.error.message
    by_id = {s.id: s.scores["verified_reward"].value for s in log.samples}
    values = [by_id[place] for place in range(1, len(rows) + 1)]
    return [None if value != value else value for value in values]


def evaluated(reward: VerifiedReward, rows: Sequence[Row], folder: Path) -> Any:
    """The log of such an evaluation; samples are numbered from 1."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from rlvr_course.adapters.inspect_task import inspect_task

    said = {row.problem.question: row.response for row in rows}

    def reply(messages: Any, *_: object) -> Any:
        output = ModelOutput.from_content("mockllm", said[messages[-1].text])
        output.usage = ModelUsage()  # or it would fetch a tokenizer to count with
        return output

    problems = [
        Problem(row.problem.question, row.problem.answer, metadata=row.problem.metadata)
        for row in rows
    ]
    model = get_model("mockllm/model", custom_outputs=reply)
    task = inspect_task(problems, reward)
    quietly = {"display": "none", "log_dir": str(folder), "log_format": "json"}
    with warnings.catch_warnings():
        # Inspect leaves streams to the collector, and calls its retry library by a deprecated name.
        warnings.simplefilter("ignore")
        log = evaluate(task, model=model, **quietly)[0]
        gc.collect()
    return log


DOORS: dict[str, Door] = {
    "trl": through_trl,
    "openrlhf": through_openrlhf,
    "verl": through_verl,
    "verifiers": through_verifiers,
    "inspect": through_inspect,
}
