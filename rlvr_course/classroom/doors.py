"""Doors that a notebook can't open by calling a function: a server's, and two frameworks'.

``post_to_server`` starts the reward server on the loopback interface, posts one batch as
OpenRLHF's client does, and stops it. The frameworks take seconds to import, so the notebook shows
what was recorded of them (``RECORDED``) unless it is told to open their doors here.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import Any

from rlvr_course.adapters.answer_text import answer_to_text
from rlvr_course.adapters.scored import VerifiedReward
from rlvr_course.records import Problem

RECORDED: dict[str, list[float | str]] = {
    "OpenRLHF": [1.0, 1.0, -0.1, 0.0, -0.1, -0.1, 1.0, -0.1],
    "verifiers.v1": [1.0, 1.0, -0.1, 0.0, -0.1, -0.1, 1.0, "error"],
    "Inspect": [1.0, 1.0, -0.1, 0.0, -0.1, -0.1, 1.0, "unscored"],
}
"""What was paid at each door for the eight completions of notebook 09, in its order, on 2026-11-30,
by ``verifiers`` 0.4.0 and ``inspect_ai`` 0.3.285."""

_START_S = 20.0


def pay_through(
    door: str,
    reward: VerifiedReward,
    problems: Sequence[Problem],
    responses: Sequence[str],
    *,
    live: bool = True,
) -> list[float | str]:
    """What a door pays: the server opened here, a framework only if ``live``, else as recorded.

    Args:
        door: a key of ``RECORDED``.
        reward: what is paid by.
        problems, responses: equally many; questions must be different.
        live: whether to import the frameworks, which takes seconds.

    Returns:
        One for each response. Without the door's package: what was recorded, which is of the
        notebook's own completions.

    Raises:
        ValueError: an unknown door.
    """
    if door not in RECORDED:
        raise ValueError(f"door {door!r} is not one of {', '.join(RECORDED)}")
    if door == "OpenRLHF":
        if not _installed("starlette", "uvicorn"):
            return RECORDED[door]
        return post_to_server(reward, problems, responses)["rewards"]
    if not live or not _installed("verifiers" if door == "verifiers.v1" else "inspect_ai"):
        return RECORDED[door]
    through = through_verifiers if door == "verifiers.v1" else through_inspect
    return through(reward, problems, responses)


def _installed(*names: str) -> bool:
    return all(find_spec(name) is not None for name in names)


def post_to_server(
    reward: VerifiedReward, problems: Sequence[Problem], responses: Sequence[str]
) -> dict[str, Any]:
    """The reply of OpenRLHF's reward server to one batch.

    Args:
        reward: what the server pays by.
        problems, responses: equally many.

    Returns:
        ``rewards``, ``scores`` and ``extra_logs``, as the server sent them over HTTP.

    Raises:
        ModuleNotFoundError: the extra ``serve`` is missing.
        RuntimeError: the server didn't start, or refused the batch.
    """
    from rlvr_course.adapters.openrlhf_server import create_app

    prompts = [f"<|im_start|>user\n{p.question}<|im_end|>\n" for p in problems]
    turns = zip(prompts, responses, strict=True)
    body = {
        "query": [f"{prompt}{response}<|im_end|>" for prompt, response in turns],
        "prompts": prompts,
        "labels": [answer_to_text(problem.answer) for problem in problems],
    }
    with _served(create_app(reward)) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            headers = {"content-type": "application/json"}
            connection.request("POST", "/get_reward", json.dumps(body), headers)
            reply = connection.getresponse()
            text = reply.read().decode()
        finally:
            connection.close()
    if reply.status != 200:
        raise RuntimeError(f"the reward server answered {reply.status}: {text}")
    return json.loads(text)


@contextmanager
def _served(app: Any) -> Iterator[int]:
    """The application in a thread, on a free port of the loopback interface."""
    import uvicorn

    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + _START_S
    try:
        while not server.started:
            if not thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError(
                    "the reward server didn't start: run rlvr-course serve to see why"
                )
            time.sleep(0.005)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(_START_S)


def through_verifiers(
    reward: VerifiedReward, problems: Sequence[Problem], responses: Sequence[str]
) -> list[float | str]:
    """What a ``verifiers.v1`` taskset pays; "error" where a trace ends in one.

    Args:
        reward, problems, responses: as for ``post_to_server``.

    Raises:
        ModuleNotFoundError: the extra ``bridges`` is missing.
    """
    import verifiers.v1 as vf

    from rlvr_course.adapters.verifiers_v1 import make_taskset

    async def paid(task: Any, response: str) -> float | str:
        trace = _trace(task, response)
        try:
            await task.score(trace)
        except vf.TaskError:
            return "error"
        return trace.reward

    async def all_paid() -> list[float | str]:
        pairs = zip(make_taskset(problems, reward), responses, strict=True)
        return await asyncio.gather(*(paid(task, response) for task, response in pairs))

    return _in_thread(lambda: asyncio.run(all_paid()))


def _in_thread(work: Callable[[], Any]) -> Any:
    """A notebook's own thread has a running event loop already, and can't have a second."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result()


def _trace(task: Any, response: str) -> Any:
    """A trace in which the model said this."""
    import verifiers.v1 as vf
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask

    return Trace(
        task=TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash),
        agent=AgentInfo(config=vf.AgentConfig()),
        nodes=[MessageNode(message=vf.AssistantMessage(content=response), sampled=True)],
    )


def through_inspect(
    reward: VerifiedReward, problems: Sequence[Problem], responses: Sequence[str]
) -> list[float | str]:
    """What Inspect's scorer pays in an evaluation of its mock model; "unscored" where it is so.

    Args:
        reward, problems, responses: as for ``post_to_server``; questions must be different.

    Raises:
        ModuleNotFoundError: the extra ``bridges`` is missing.
        RuntimeError: the evaluation failed.
    """
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from rlvr_course.adapters.inspect_task import inspect_task

    said = {p.question: response for p, response in zip(problems, responses, strict=True)}

    def reply(messages: Any, *_: object) -> Any:
        output = ModelOutput.from_content("mockllm", said[messages[-1].text])
        output.usage = ModelUsage()  # or it would fetch a tokenizer to count with
        return output

    unnamed = [Problem(p.question, p.answer) for p in problems]  # so that samples are numbered
    model = get_model("mockllm/model", custom_outputs=reply)
    task = inspect_task(unnamed, reward)

    def values(folder: str) -> dict[Any, Any]:
        # "none" would leave a widget in a notebook; this prints its messages, all below an error.
        log = evaluate(
            task, model=model, display="log", log_level="error", log_dir=folder, log_format="json"
        )[0]
        if log.status != "success" or log.samples is None:
            raise RuntimeError(f"the evaluation ended as {log.status!r}: {log.error}")
        return {s.id: (s.scores or {})["verified_reward"].value for s in log.samples}

    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it calls its retry library by a deprecated name
        by_number = _in_thread(lambda: values(folder))
    paid = [by_number[place] for place in range(1, len(problems) + 1)]
    return ["unscored" if value != value else value for value in paid]
