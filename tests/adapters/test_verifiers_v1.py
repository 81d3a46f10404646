"""The taskset of ``verifiers.v1``: what a trace holds after scoring, and how masks raise."""

from __future__ import annotations

import asyncio
import sys
from types import ModuleType

import pytest
from doors import trace_of

from rlvr_course import Problem
from rlvr_course.adapters.verifiers_v1 import make_taskset, taskset_class

vf = pytest.importorskip("verifiers.v1")

PROBLEMS = [
    Problem("6 * 7?", "42", id="a", metadata={"system": "Be brief."}),
    Problem("What is shown?", "see figure"),
]


def scored(place: int, response: str):
    """The trace of one task after scoring."""
    task = list(make_taskset(PROBLEMS))[place]
    trace = trace_of(task, response)
    asyncio.run(task.score(trace))
    return trace


@pytest.mark.parametrize(("response", "value"), [("It is 42.", 1.0), ("It is 41.", -0.1)])
def test_a_trace_earns_its_reward(response, value):
    trace = scored(0, response)
    assert trace.reward == value
    assert trace.rewards["verified_reward"].score == value
    assert trace.metrics == {"ungraded": 0.0, "score": float(value == 1.0)}


def test_the_verdict_is_on_the_trace():
    assert scored(0, "It is 42.").info["verdict"]["extracted"] == "42"


def test_a_masked_completion_raises():
    with pytest.raises(vf.TaskError, match=r"could not judge this completion \(gold_unparseable\)"):
        scored(1, "It is 7.")


def test_tasks_carry_prompt_system_prompt_and_id():
    tasks = list(make_taskset(PROBLEMS))
    assert [task.data.prompt for task in tasks] == ["6 * 7?", "What is shown?"]
    assert [task.data.system_prompt for task in tasks] == ["Be brief.", None]
    assert [(task.data.idx, task.data.id) for task in tasks] == [(0, "a"), (1, None)]


def test_views_of_the_taskset_keep_the_reward():
    task = next(iter(make_taskset(PROBLEMS).shuffle(seed=1).include(ids=["a"]).take(1)))
    trace = trace_of(task, "It is 42.")
    asyncio.run(task.score(trace))
    assert trace.reward == 1.0


def test_it_is_found_by_the_name_of_a_module(monkeypatch):
    from verifiers.v1.utils.loaders import load_taskset

    module = ModuleType("maths_for_a_test")
    module.Maths, module.__all__ = taskset_class(PROBLEMS), ["Maths"]
    monkeypatch.setitem(sys.modules, "maths_for_a_test", module)
    monkeypatch.setattr(module, "__spec__", ModuleType("spec"), raising=False)
    taskset = load_taskset(vf.TasksetConfig(id="maths-for-a-test"))
    assert len(list(taskset)) == 2
