"""The API policy when things go wrong: what is tried again, and what is said at once."""

import socket

import pytest
from chat_server import cut, hang, raw, send, status

from rlvr_course.errors import PolicyUnavailable
from rlvr_course.policies.api import ApiPolicy
from rlvr_course.policies.failures import Limits, retry_after_s
from rlvr_course.policies.protocol import Request


def ask(n=1, **options):
    return Request([{"role": "user", "content": "What is 12 * 13?"}], n=n, **options)


def retrying(server, waits, **limits):
    limits = Limits(max_concurrency=1, sleep=waits.append, **limits)
    return ApiPolicy("m", base_url=server.url, limits=limits, progress=False)


def texts(groups):
    return [[completion.text for completion in group] for group in groups]


@pytest.mark.parametrize(
    "passing",
    [status(429), status(500), status(503), status(408), cut, raw(b"{"), raw(b"{}"), raw(b"[]")],
    ids=["429", "500", "503", "408", "cut", "torn json", "no choices", "list"],
)
def test_a_failure_that_may_pass_is_tried_again(server, passing):
    server.script.extend([passing, passing])
    waits = []
    assert texts(retrying(server, waits).generate([ask()])) == [["reply 3"]]
    assert 0.25 <= waits[0] <= 0.5 <= waits[1] <= 1.0


def test_what_fastapi_calls_detail_is_passed_on_too(server):
    server.otherwise = lambda chat, handler, number: send(handler, 400, b'{"detail": "not so"}')
    with pytest.raises(PolicyUnavailable, match=r"rejected the request \(400\): not so$"):
        retrying(server, []).generate([ask()])


def test_a_slow_reply_is_given_up_and_tried_again(server):
    server.script.append(hang)
    assert texts(retrying(server, [], timeout_s=0.3).generate([ask()])) == [["reply 2"]]


def test_retry_after_is_honoured_up_to_the_cap(server):
    server.script.extend([status(429, Retry_After="7"), status(503, Retry_After="9999")])
    waits = []
    retrying(server, waits, longest_wait_s=20).generate([ask()])
    assert waits == [7, 20]


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (status(429), "limits the rate"),
        (status(500), r"failed \(500\)"),
        (cut, "cut the connection"),
        (raw(b"<html>", "text/html"), "not a chat completion"),
    ],
    ids=["429", "500", "cut", "html"],
)
def test_a_failure_that_stays_is_given_up_after_the_retries(server, failure, said):
    server.otherwise = failure
    waits = []
    with pytest.raises(PolicyUnavailable, match=said):
        retrying(server, waits, max_retries=2).generate([ask()])
    assert len(server.bodies) == 3 == len(waits) + 1


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (status(401), r"refused the API key \(401\): wrong key\?"),
        (status(403), r"forbids this \(403\): wrong key"),
        (status(404), "no model 'm' or no API at this path"),
        (status(400, "temperature\nis too high"), "rejected .*400.*temperature is too high"),
        (status(429, "insufficient_quota"), "no credit left"),
    ],
    ids=["401", "403", "404", "400", "quota"],
)
def test_a_failure_that_cannot_pass_is_said_at_once(server, failure, said):
    server.script.append(failure)
    with pytest.raises(PolicyUnavailable, match=said) as caught:
        retrying(server, []).generate([ask()])
    assert len(server.bodies) == 1
    assert "\n" not in str(caught.value)


def test_a_model_that_wants_the_other_limit_gets_it(server):
    server.script.append(status(400, "use 'max_completion_tokens' instead of 'max_tokens'"))
    policy = retrying(server, [])
    assert texts(policy.generate([ask(2, max_tokens=9)])) == [["reply 2", "reply 3"]]
    assert [body.get("max_completion_tokens") for body in server.bodies] == [None, 9, 9]
    assert "max_tokens" not in server.bodies[2]


def test_a_dead_port_is_one_line_with_the_remedy():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    policy = ApiPolicy("m", base_url=f"http://127.0.0.1:{port}/v1", progress=False)
    with pytest.raises(PolicyUnavailable, match=rf"nothing answers at 127\.0\.0\.1:{port}: start"):
        policy.generate([ask(3)])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3", 3), ("0.25", 0.25), ("-1", 0), ("nan", None), ("soon", None), ("", None)],
)
def test_retry_after_in_seconds_or_not_at_all(text, seconds):
    assert retry_after_s({"retry-after": text}) == seconds


def test_retry_after_as_a_date():
    headers = {"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}
    assert retry_after_s(headers, now_s=70.0) == 30
    assert retry_after_s(headers, now_s=200.0) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_concurrency": 0}, "max_concurrency=0"),
        ({"max_retries": -1}, "max_retries=-1"),
        ({"timeout_s": 0}, "timeout_s=0"),
        ({"first_wait_s": 9, "longest_wait_s": 1}, "first_wait_s=9 must lie in"),
    ],
    ids=["concurrency", "retries", "timeout", "waits"],
)
def test_limits_out_of_range_are_named(options, said):
    with pytest.raises(ValueError, match=said):
        Limits(**options)
