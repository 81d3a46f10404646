"""The API policy on a real server: groups, resuming, concurrency, secrecy of the key."""

import asyncio
import json
import logging
import os
import pickle
import signal
import threading
import time
import traceback

import pytest
from chat_server import KEY, reply, status, then

from rlvr_course.errors import DataError, PolicyUnavailable
from rlvr_course.policies.api import ApiPolicy
from rlvr_course.policies.failures import Limits
from rlvr_course.policies.protocol import Request

ONE_AT_A_TIME = Limits(max_concurrency=1, max_retries=0)


def ask(n=1, text="What is 12 * 13?", **options):
    return Request([{"role": "user", "content": text}], n=n, **options)


def policy_at(server, **options):
    options = {"limits": ONE_AT_A_TIME, "progress": False} | options
    return ApiPolicy("m", base_url=server.url, **options)


def interrupt():
    """What Ctrl-C does, from a server thread to the main one."""
    os.kill(os.getpid(), signal.SIGINT)


def texts(groups):
    return [[completion.text for completion in group] for group in groups]


def test_one_call_for_each_completion(server):
    groups = policy_at(server).generate([ask(2), ask(1, "Why?")])
    assert texts(groups) == [["reply 1", "reply 2"], ["reply 3"]]
    assert [c.index for group in groups for c in group] == [0, 1, 0]
    assert all("n" not in body for body in server.bodies)


def test_the_request_is_sent_as_asked(server):
    request = ask(2, temperature=0.3, max_tokens=50, seed=10)
    [group] = policy_at(server).generate([request])
    assert [body["seed"] for body in server.bodies] == [10, 11] == [c.seed for c in group]
    for body in server.bodies:
        assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.3, 50)
        assert body["messages"] == [{"role": "user", "content": "What is 12 * 13?"}]


def test_a_completion_says_what_was_sent_and_who_answered(server):
    server.script.append(reply("15", finish_reason="length"))
    [[completion]] = policy_at(server).generate([ask()])
    assert completion.finish_reason == "length"
    assert completion.messages == ask().messages
    assert completion.policy_id == f"api (m at {server.url[7:-3]})"


@pytest.mark.parametrize(
    ("message", "text"),
    [({"content": None}, ""), ({"content": None, "refusal": "No."}, "No.")],
    ids=["nothing", "refusal"],
)
def test_a_reply_without_content_is_a_text_all_the_same(server, message, text):
    server.script.append(reply(message={"role": "assistant"} | message))
    assert texts(policy_at(server).generate([ask()])) == [[text]]


def test_nothing_asked_is_nothing_sent(server):
    assert policy_at(server).generate([]) == []
    assert server.bodies == []


def test_equal_requests_in_one_call_get_completions_of_their_own(server, tmp_path):
    policy = policy_at(server, cache_path=tmp_path / "c.jsonl")
    groups = policy.generate([ask(1), ask(2)])
    assert texts(groups) == [["reply 1"], ["reply 2", "reply 3"]]
    assert [c.index for c in groups[1]] == [0, 1]
    assert texts(policy.generate([ask(1), ask(2)])) == texts(groups)


def test_without_a_cache_each_call_samples_anew(server):
    policy = policy_at(server)
    assert texts(policy.generate([ask()])) != texts(policy.generate([ask()]))


def test_concurrency_reaches_its_bound_and_never_exceeds_it(server):
    # The barrier opens only when three requests are under way together.
    server.otherwise = reply(before=threading.Barrier(3).wait)
    policy_at(server, limits=Limits(max_concurrency=3)).generate([ask(9)])
    assert len(server.bodies) == 9
    assert server.most_at_once == 3


def test_it_works_inside_a_running_event_loop(server):
    async def cell():
        return policy_at(server).generate([ask(2)])

    assert texts(asyncio.run(cell())) == [["reply 1", "reply 2"]]


@pytest.mark.parametrize("cached", [True, False], ids=["file", "memory"])
def test_a_failed_group_is_resumed_and_nothing_is_paid_twice(server, tmp_path, cached):
    server.script.extend([reply(), reply(), status(401)])
    path = tmp_path / "c.jsonl" if cached else None
    policy = policy_at(server, cache_path=path)
    with pytest.raises(PolicyUnavailable, match="2 of 5 completions are kept"):
        policy.generate([ask(5)])
    again = policy_at(server, cache_path=path) if cached else policy
    assert texts(again.generate([ask(5)])) == [[f"reply {k}" for k in (1, 2, 4, 5, 6)]]
    assert len(server.bodies) == 6


def test_an_interrupt_keeps_what_arrived_and_what_was_under_way(server, tmp_path):
    server.script.append(reply())
    server.script.append(reply(before=interrupt))
    policy = policy_at(server, cache_path=tmp_path / "c.jsonl")
    with pytest.raises(KeyboardInterrupt):
        policy.generate([ask(6)])
    assert len(server.bodies) < 6
    assert len(policy.generate([ask(6)])[0]) == 6
    assert len(server.bodies) == 6


def test_an_interrupt_ends_a_wait_at_once(server):
    server.script.append(then(status(429, Retry_After="60"), interrupt))
    policy = policy_at(server, limits=Limits(first_wait_s=60))
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        policy.generate([ask()])
    assert time.monotonic() - start < 20
    assert len(server.bodies) == 1


def test_other_limits_models_and_seeds_are_kept_apart(server, tmp_path):
    policy = policy_at(server, cache_path=tmp_path / "c.jsonl")
    asks = [ask(), ask(max_tokens=5), ask(seed=1), ask(temperature=0.0)]
    first = [policy.generate([request]) for request in asks]
    assert len(server.bodies) == 4
    assert [policy.generate([request]) for request in asks] == first
    ApiPolicy("n", base_url=server.url, cache_path=tmp_path / "c.jsonl", progress=False).generate(
        [ask()]
    )
    assert len(server.bodies) == 5


def test_a_full_disk_is_one_line_and_nothing_more_is_sampled(server):
    policy = policy_at(server, cache_path="/dev/full/c.jsonl")
    with pytest.raises(DataError, match=r"can't hold the completions .*another cache_path"):
        policy.generate([ask(5)])
    assert len(server.bodies) <= 2


def everything_said(policy, server, capfd, caplog, path):
    """All that the policy shows anywhere while it succeeds and while it fails."""
    server.script.extend([reply(), status(400, f"bad key {KEY}"), status(401, f"key {KEY}")])
    said = [repr(policy), str(vars(policy)), policy.policy_id, str(policy.estimate([ask(30)]))]
    for _ in range(2):
        with pytest.raises(PolicyUnavailable) as caught:
            policy.generate([ask(3)])
        assert caught.value.__context__ is None
        said += [str(caught.value), *traceback.format_exception(caught.value)]
    return [*said, caplog.text, *capfd.readouterr(), path.read_text()]


def test_the_key_is_sent_and_shown_nowhere(server, capfd, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "c.jsonl"
    policy = policy_at(server, api_key=KEY, cache_path=path, progress=True)
    said = everything_said(policy, server, capfd, caplog, path)
    assert KEY in server.keys[0]
    assert not [text for text in said if KEY in text or KEY[:12] in text]


def test_a_policy_refuses_to_be_pickled(server):
    with pytest.raises(TypeError, match="can't be pickled") as caught:
        pickle.dumps(policy_at(server, api_key=KEY))
    assert KEY not in str(caught.value)


def test_progress_and_estimate_are_shown_on_request_only(server, capfd):
    policy_at(server, progress=True).generate([ask(20, max_tokens=10)])
    out, err = capfd.readouterr()
    assert out.startswith("20 completions by m: about 240 tokens in, at most 200 out")
    assert "20/20" in err
    policy_at(server).generate([ask(20)])
    assert capfd.readouterr() == ("", "")


def test_an_estimate_leaves_out_what_is_kept(server, tmp_path):
    policy = policy_at(server, cache_path=tmp_path / "c.jsonl")
    policy.generate([ask(3)])
    assert policy.estimate([ask(5)]).completions == 2


def test_a_kept_line_names_its_request_and_holds_its_text(server, tmp_path):
    path = tmp_path / "c.jsonl"
    policy_at(server, cache_path=path).generate([ask()])
    row = json.loads(path.read_text())
    assert (row["key"], row["index"], row["model"]) == (ask().key, 0, "m")
    assert (row["text"], row["prompt_tokens"], row["completion_tokens"]) == ("reply 1", 7, 3)
