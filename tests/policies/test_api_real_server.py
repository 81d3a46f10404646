"""The API policy against ``transformers serve`` with SmolLM2, directly and with faults between.

The faults are those of ``chat_server``; where it has none to play it passes the request on.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import pytest
from chat_server import KEY, ChatServer, cut, send, status

from rlvr_course.errors import PolicyUnavailable
from rlvr_course.policies import smollm2
from rlvr_course.policies.api import ApiPolicy
from rlvr_course.policies.failures import Limits
from rlvr_course.policies.protocol import Request

START_WITHIN_S = 400.0


def absent():
    """Why there is no server to test against, None if there is one."""
    if (reason := smollm2.missing()) is not None:
        return reason
    from transformers.utils.import_utils import is_serve_available

    return None if is_serve_available() else "fastapi or uvicorn is not installed"


pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(absent() is not None, reason=f"no transformers serve: {absent()}"),
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def healthy(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


@pytest.fixture(scope="module")
def upstream(tmp_path_factory):
    """The base URL of a server of the model; its output is shown if it does not come up."""
    port = free_port()
    log = tmp_path_factory.mktemp("serve") / "output"
    # The command ``transformers`` itself, but for its look for a newer version on the network.
    code = "from transformers.cli.transformers import app; app()"
    command = [sys.executable, "-c", code, "serve", str(smollm2.converted())]
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [*command, *options], stdout=output, stderr=output, env=environment
        ) as process,
    ):
        try:
            give_up_at = time.monotonic() + START_WITHIN_S
            while not healthy(port):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < give_up_at, log.read_text()
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def passed_on(upstream):
    """A behaviour that asks the real server; without the right key it refuses, as OpenAI does."""
    where = urlsplit(upstream)

    def behave(server, handler, number):
        if handler.headers.get("Authorization") != f"Bearer {KEY}":
            return status(401, f"wrong key {handler.headers.get('Authorization')}")(
                server, handler, number
            )
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=300)
        headers = {"Content-Type": "application/json"}
        body = json.dumps(server.bodies[number - 1])
        connection.request("POST", f"{where.path}/chat/completions", body, headers)
        reply = connection.getresponse()
        send(handler, reply.status, reply.read())
        connection.close()

    return behave


@pytest.fixture
def proxy(upstream):
    server = ChatServer()
    server.otherwise = passed_on(upstream)
    yield server
    server.close()


def ask(n=1, text="Say hello.", **options):
    return Request([{"role": "user", "content": text}], n=n, max_tokens=8, **options)


def policy(url, *, key=KEY, waits=None, **limits):
    limits = Limits(
        timeout_s=300, sleep=(lambda s: None) if waits is None else waits.append, **limits
    )
    # The server knows its one model by the folder that it was started with.
    name = str(smollm2.cache_folder())
    return ApiPolicy(name, base_url=url, api_key=key, limits=limits, progress=False)


def test_a_real_server_answers(upstream):
    [[completion]] = policy(upstream).generate([ask()])
    assert completion.text.strip()
    assert completion.finish_reason in ("stop", "length")
    assert completion.messages == ask().messages


def passed_on_together(behave, n):
    """Hold the first n requests until all of them are in."""
    gate = threading.Barrier(n)

    def together(server, handler, number):
        if number <= n:
            gate.wait(60)
        behave(server, handler, number)

    return together


def test_the_servers_own_word_on_an_unknown_model_is_passed_on(upstream):
    asked = ApiPolicy("another-model", base_url=upstream, api_key=KEY, progress=False)
    with pytest.raises(PolicyUnavailable, match=r"rejected the request \(400\): Server is pinned"):
        asked.generate([ask()])


def test_requests_are_under_way_together_and_each_answer_finds_its_place(proxy):
    proxy.otherwise = passed_on_together(proxy.otherwise, 4)
    requests = [ask(2, f"Repeat the number {n}.", temperature=0.0) for n in (1, 2, 3)]
    groups = policy(proxy.url, max_concurrency=4).generate(requests)
    assert [len(group) for group in groups] == [2, 2, 2]
    assert all(one.text == other.text for one, other in groups)  # greedy: the same question
    assert proxy.most_at_once == 4


@pytest.mark.parametrize(
    "fault",
    [status(429, Retry_After="3"), status(500), cut],
    ids=["429", "500", "a cut reply"],
)
def test_a_fault_on_the_way_is_tried_again_and_then_answered(proxy, fault):
    proxy.script.append(fault)
    waits = []
    [[completion]] = policy(proxy.url, waits=waits, max_concurrency=1).generate([ask()])
    assert completion.text.strip()
    assert len(proxy.bodies) == 2 == len(waits) + 1


def test_faults_among_many_requests_cost_no_completion(proxy):
    proxy.script.extend([status(429), cut, status(500)])
    [group] = policy(proxy.url, max_concurrency=3).generate([ask(5)])
    assert [completion.index for completion in group] == [0, 1, 2, 3, 4]
    assert len(proxy.bodies) == 5 + 3


def test_a_wrong_key_is_said_at_once_and_not_shown(proxy):
    wrong = "sk-wrong-987"
    with pytest.raises(PolicyUnavailable, match=r"refused the API key \(401\)") as caught:
        policy(proxy.url, key=wrong).generate([ask()])
    assert len(proxy.bodies) == 1
    assert wrong not in str(caught.value)


def test_a_server_that_is_gone_by_the_next_call_is_named(upstream):
    server = ChatServer()
    server.otherwise = passed_on(upstream)
    asked = policy(server.url)
    try:
        assert asked.generate([ask()])[0][0].text.strip()
    finally:
        server.close()
    with pytest.raises(PolicyUnavailable, match=r"nothing answers at 127\.0\.0\.1"):
        asked.generate([ask()])
