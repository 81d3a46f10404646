"""Replay: what was recorded, in order, and an error with the ways on for anything else."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.errors import DataError, NotRecorded
from rlvr_course.policies.protocol import Request
from rlvr_course.policies.replay import ReplayPolicy
from rlvr_course.problems.recorded import load_problems, load_rollouts
from rlvr_course.problems.rows import RecordedRollout
from rlvr_course.records import Completion

ROW = {
    "problem_id": "p",
    "messages": [{"role": "user", "content": "What is 2 + 2?"}],
    "temperature": 0.5,
    "index": 0,
    "response": "4",
    "model": "m",
}
ASK = Request(ROW["messages"], temperature=0.5)


@pytest.fixture
def rollouts_file(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(ROW | {"index": 1, "response": "5"}) + "\n" + json.dumps(ROW))
    return path


@given(st.integers(0, 73), st.integers(1, 8))
def test_the_first_n_recorded_completions_come_back_in_order(place, n):
    problem = load_problems()[place]
    [group] = ReplayPolicy().generate([Request(problem.messages, n=n)])
    recorded = [r.completion for r in load_rollouts() if r.problem_id == problem.id]
    assert group == recorded[:n]


def test_groups_come_back_in_the_order_asked():
    problems = load_problems()[:3]
    groups = ReplayPolicy().generate([Request(p.messages) for p in reversed(problems)])
    assert [group[0].messages for group in groups] == [p.messages for p in reversed(problems)]


def test_the_policy_says_that_it_is_recorded():
    assert ReplayPolicy().policy_id == "recorded (Qwen2.5-Coder-1.5B-Instruct, Q4_K_M)"


def test_more_than_recorded_says_how_many_there_are():
    with pytest.raises(NotRecorded, match="n=9: only 8 completions of 'Find the product"):
        ReplayPolicy().generate([Request(load_problems("math")[0].messages, n=9)])


def test_an_unknown_prompt_is_shortened_and_the_ways_on_named():
    with pytest.raises(NotRecorded) as caught:
        ReplayPolicy().generate([Request([{"role": "user", "content": "why? " * 200}])])
    said = str(caught.value)
    assert said.startswith("'why? why?")
    for way in ("'local'", "'api'", "SimulatedPolicy", "rlvr-course record"):
        assert way in said
    assert len(said) < 300 and "\n" not in said


def test_another_temperature_is_named():
    problem = load_problems("math")[0]
    with pytest.raises(NotRecorded, match=r"recorded with temperature 1, not 0\.2"):
        ReplayPolicy().generate([Request(problem.messages, temperature=0.2)])


def test_another_system_prompt_is_named():
    messages = [{"role": "user", "content": load_problems("math")[0].question}]
    with pytest.raises(NotRecorded, match="recorded with another system prompt"):
        ReplayPolicy().generate([Request(messages)])


def test_an_earlier_chat_is_named():
    system, user = load_problems("math")[0].messages
    chat = [system, user, {"role": "assistant", "content": "156"}, user]
    with pytest.raises(NotRecorded, match="recorded with another chat before it"):
        ReplayPolicy().generate([Request(chat)])


def test_a_file_is_replayed_in_index_order(rollouts_file):
    policy = ReplayPolicy.from_file(rollouts_file)
    [group] = policy.generate([Request(ASK.messages, n=2, temperature=0.5)])
    assert [completion.text for completion in group] == ["4", "5"]
    assert policy.policy_id == "recorded (m)"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.jsonl can't be read"):
        ReplayPolicy.from_file(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one rollout"),
        (json.dumps(ROW) + "\n" + json.dumps(ROW), "same request and index 0"),
        (json.dumps(ROW) + "\n{", "line 2: not JSON"),
        (json.dumps(ROW | {"temperature": -1}), "temperature=-1.0"),
        (json.dumps(ROW | {"messages": []}), "at least one message"),
    ],
    ids=["empty", "twice", "cut", "temperature", "no messages"],
)
def test_a_bad_file_is_one_line_with_the_remedy(tmp_path, text, said):
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=rf"bad\.jsonl.*{said}") as caught:
        ReplayPolicy.from_file(path)
    assert "\n" not in str(caught.value)


def test_a_file_changed_since_its_manifest_is_refused(rollouts_file):
    digest = hashlib.sha256(rollouts_file.read_bytes()).hexdigest()
    about = rollouts_file.with_name("mine.manifest.json")
    about.write_text(json.dumps({"files": {"mine.jsonl": digest}}))
    assert ReplayPolicy.from_file(rollouts_file).generate([ASK])[0][0].text == "4"
    rollouts_file.write_text(rollouts_file.read_text().replace('"4"', '"6"'))
    with pytest.raises(DataError, match="was changed since it was recorded"):
        ReplayPolicy.from_file(rollouts_file)


@pytest.mark.parametrize("text", ["{", "[]", '{"files": {}}'])
def test_a_manifest_that_says_nothing_is_named(rollouts_file, text):
    rollouts_file.with_name("mine.manifest.json").write_text(text)
    with pytest.raises(DataError, match="can't be read as a manifest"):
        ReplayPolicy.from_file(rollouts_file)


def test_rollouts_of_several_policies_are_counted():
    messages = ({"role": "user", "content": "q"},)
    rollouts = [
        RecordedRollout("p", Completion("t", messages, policy_id=f"m{i}", index=i))
        for i in range(3)
    ]
    assert ReplayPolicy(rollouts).policy_id == "recorded (3 policies)"


def test_another_recorded_policy_can_be_chosen():
    smollm2 = ReplayPolicy(policy="smollm2")
    assert smollm2.policy_id == "recorded (SmolLM2-135M-Instruct, Q4_1)"
    request = Request(load_problems("json", policy="smollm2")[0].messages, n=8)
    assert len(smollm2.generate([request])[0]) == 8
    with pytest.raises(NotRecorded):
        ReplayPolicy().generate([request])
