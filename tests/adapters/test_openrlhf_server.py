"""The reward server over HTTP: what it answers, and what it says when it can't."""

from __future__ import annotations

import base64
import json
import threading

import pytest

pytest.importorskip("uvicorn")

from reward_server import serving

from rlvr_course import FakeVerifier
from rlvr_course.adapters import VerifiedReward
from rlvr_course.adapters.openrlhf_server import Limits, create_app

TOKEN = "correct horse"


@pytest.fixture(scope="module")
def client():
    with serving(create_app(VerifiedReward(), limits=Limits(body_bytes=20_000, items=8))) as open_:
        yield open_


@pytest.fixture(scope="module")
def guarded():
    with serving(create_app(VerifiedReward(), token=TOKEN)) as open_:
        yield open_


def batch(*rows: tuple[str, str, object]) -> dict[str, list]:
    """A request of rows (prompt, response, label)."""
    return {
        "query": [prompt + response for prompt, response, _ in rows],
        "prompts": [prompt for prompt, _, _ in rows],
        "labels": [label for _, _, label in rows],
    }


def test_each_completion_gets_a_reward_a_score_and_logs(client):
    rows = [("q1", "It is 42.</s>", "42"), ("q2", "It is 41.", "42"), ("q3", "No idea.", "42")]
    status, reply = client.post(batch(*rows))
    assert status == 200
    assert reply["rewards"] == [1.0, -0.1, -0.1]
    assert reply["scores"] == [1.0, 0.0, 0.0]
    assert reply["extra_logs"]["correct"] == [1.0, 0.0, 0.0]
    assert {len(values) for values in reply["extra_logs"].values()} == {3}


def test_the_ungraded_get_the_floor_and_a_flag(client):
    lost = {"query": ["something else"], "prompts": ["q"], "labels": ["42"]}
    for body in (batch(("q", "It is 42.", "see figure")), lost):
        _, reply = client.post(body)
        assert (reply["rewards"], reply["extra_logs"]["ungraded"]) == ([-0.1], [1.0])


def test_a_number_in_the_prompt_earns_nothing(client):
    _, reply = client.post(batch(("Is it 42 or 41? ", "I can't say.", "42")))
    assert reply["rewards"] == [-0.1]


def test_an_empty_batch_is_answered(client):
    assert client.post(batch())[1]["rewards"] == []


def test_labels_may_be_numbers(client):
    assert client.post(batch(("q", "It is 42.", 42)))[1]["rewards"] == [1.0]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "not JSON"),
        (b"[" * 15_000, 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        ([], 400, "the body is a list"),
        ({"queries": [], "prompts": [], "labels": []}, 400, "no 'query' (it has 'queries')"),
        ({"query": "x", "prompts": [], "labels": []}, 400, "'query' is a str"),
        ({"query": ["x"], "prompts": [], "labels": []}, 400, "1 in 'query', 0 in 'prompts'"),
        ({"query": [1], "prompts": ["x"], "labels": ["1"]}, 400, "'query' holds a int"),
        (batch(*[("q", "1", "1")] * 9), 413, "9 completions are above 8"),
        (batch(("q", "1" * 20_000, "1")), 413, "above 20000 bytes"),
    ],
    ids=[
        *("cut", "deep", "bytes", "list", "queries", "no list", "counts", "numbers", "many"),
        "large",
    ],
)
def test_a_bad_request_gets_one_line_that_says_why(client, body, status, message):
    got, reply = client.post(body)
    assert (got, list(reply)) == (status, ["error"])
    assert message in reply["error"]
    assert "\n" not in reply["error"]


def test_text_that_is_not_called_json_is_refused(client):
    status, reply = client.ask("POST", "/get_reward", b"{}", {"content-type": "text/plain"})
    assert (status, reply["error"]) == (415, "content type 'text/plain': send application/json")


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/get_reward", 405), ("GET", "/x", 404)]
)
def test_another_address_is_told_the_right_ones(client, method, path, status):
    got, reply = client.ask(method, path)
    assert got == status
    assert "POST /get_reward" in reply["error"]


def test_a_lone_surrogate_breaks_nothing(client):
    body = b'{"query": ["q\\ud800 42"], "prompts": ["q"], "labels": ["42"]}'
    assert client.post(body)[0] == 200


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("", 401),
        ("Bearer wrong", 401),
        (f"Bearer {TOKEN}", 200),
        (basic(f"reward:{TOKEN}"), 200),
        (basic(f"{TOKEN}:"), 401),
        ("Basic !!!", 401),
        (f"Digest {TOKEN}", 401),
    ],
    ids=["none", "wrong", "bearer", "in the URL", "as the user", "not base64", "other scheme"],
)
def test_the_token_opens_the_door(guarded, header, status):
    got, reply = guarded.post(batch(("q", "It is 42.", "42")), authorization=header)
    assert got == status
    assert TOKEN not in json.dumps(reply)


def test_health_counts_what_was_scored():
    with serving(create_app(VerifiedReward())) as client:
        client.post(batch(("q", "It is 42.", "42"), ("q", "It is 41.", "42")))
        assert client.ask("GET", "/health")[1]["scored"] == {"correct": 1, "incorrect": 1}


def test_requests_are_scored_at_the_same_time():
    both = threading.Barrier(2, timeout=30)

    def verify(response, answer):
        both.wait()
        return True

    replies = []
    with serving(create_app(VerifiedReward(verify))) as client:
        ask = lambda: replies.append(client.post(batch(("q", "a", "b")))[1])  # noqa: E731
        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [reply["rewards"] for reply in replies] == [[1.0], [1.0]]


def test_a_failing_reward_is_one_line_and_the_server_goes_on():
    calls = []

    def pay(verdict):
        calls.append(verdict)
        if len(calls) == 2:  # the first call asked for the floor
            raise RuntimeError("no\nprice")
        return VerifiedReward().reward(verdict)

    with serving(create_app(VerifiedReward(FakeVerifier(), pay))) as client:
        status, reply = client.post(batch(("q", "a", "b")))
        assert (status, reply["error"]) == (500, "the reward failed: RuntimeError: no price")
        assert client.post(batch(("q", "a", "b")))[0] == 200


@pytest.mark.parametrize("name", ["body_bytes", "items", "workers"])
def test_limits_below_one_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}=0"):
        Limits(**{name: 0})
