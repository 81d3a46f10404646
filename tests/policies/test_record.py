"""Recording: what was sampled replays as it was, and a stopped recording goes on."""

import argparse
import json

import pytest
from chat_server import KEY, reply, status

from rlvr_course.cli import record as command
from rlvr_course.errors import DataError, PolicyUnavailable
from rlvr_course.policies.protocol import Request
from rlvr_course.policies.record import read_problems, record, requests_for
from rlvr_course.policies.replay import ReplayPolicy
from rlvr_course.policies.simulated import SimulatedPolicy
from rlvr_course.problems.recorded import load_problems
from rlvr_course.records import Problem

PROBLEMS = load_problems("math")[:3]


def run(*arguments):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["record", *map(str, arguments)])
    return args.handler(args)


@pytest.fixture
def problems_file(tmp_path):
    path = tmp_path / "problems.jsonl"
    rows = [{"question": f"What is {k} + 1?", "answer": str(k + 1)} for k in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_recording_replays_what_was_sampled(tmp_path):
    policy = SimulatedPolicy(PROBLEMS)
    record(PROBLEMS, policy, tmp_path / "r.jsonl", n=3, temperature=0.7)
    requests = [Request(p.messages, n=3, temperature=0.7) for p in PROBLEMS]
    replayed = ReplayPolicy.from_file(tmp_path / "r.jsonl").generate(requests)
    sampled = policy.generate(requests)
    assert [[c.text for c in group] for group in replayed] == [
        [c.text for c in group] for group in sampled
    ]
    assert {c.policy_id for group in replayed for c in group} == {f"recorded ({policy.policy_id})"}


def test_the_manifest_says_what_and_how(tmp_path):
    about = record(PROBLEMS, SimulatedPolicy(PROBLEMS), tmp_path / "r.jsonl", n=2)
    assert json.loads((tmp_path / "r.manifest.json").read_text()) == about
    assert (about["rows"], about["problems"], about["samples_per_problem"]) == (6, 3, 2)
    assert about["model"]["name"].startswith("simulated")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.jsonl", "r.manifest.json"]


def test_a_problems_own_prompt_and_limit_are_asked_with():
    [request, *_] = requests_for(PROBLEMS, n=4)
    assert request.messages == PROBLEMS[0].messages
    assert (request.n, request.max_tokens) == (4, 220)


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        ([Problem("q", "1", id="a"), Problem("r", "1", id="a")], "two problems have the id 'a'"),
        ([Problem("q", "1", id="a"), Problem("q", "2", id="b")], "'a' and 'b' ask the same"),
        ([], "no problem to record"),
    ],
    ids=["id", "prompt", "none"],
)
def test_problems_that_a_replay_could_not_tell_apart_are_refused(tmp_path, problems, said):
    with pytest.raises(ValueError, match=said):
        record(problems, SimulatedPolicy(problems), tmp_path / "r.jsonl")


def test_a_place_that_cannot_be_written_is_found_before_sampling(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file" / "r.jsonl", tmp_path):
        with pytest.raises(DataError, match="can't be written"):
            record(PROBLEMS, SimulatedPolicy([]), out)


def test_problems_of_a_file_get_names(problems_file):
    assert [p.id for p in read_problems(problems_file)] == [f"problems-{k}" for k in (1, 2, 3)]


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "can't be read"), (b"\n", "holds no problem"), (b"\xff\n", "line 1: .*not UTF-8")],
    ids=["missing", "empty", "encoding"],
)
def test_a_bad_problems_file_is_named(tmp_path, content, said):
    path = tmp_path / "bad.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=rf"bad\.jsonl.*{said}"):
        read_problems(path)


def test_the_command_records_a_file_of_problems(server, tmp_path, problems_file, capsys):
    out = tmp_path / "r.jsonl"
    options = ("--problems", problems_file, "--n", 2, "--base-url", server.url, "--model", "m")
    assert run("--out", out, *options) == 0
    assert capsys.readouterr().out == f"6 completions of 3 problems in {out}\n"
    ask = Request([{"role": "user", "content": "What is 0 + 1?"}], n=2)
    [group] = ReplayPolicy.from_file(out).generate([ask])
    assert all(completion.text.startswith("reply ") for completion in group)


def test_a_recording_that_failed_goes_on_where_it_was(server, tmp_path, problems_file):
    options = ("--problems", problems_file, "--n", 2, "--base-url", server.url, "--model", "m")
    server.script.extend([reply(), reply(), status(401)])
    server.otherwise = status(401)
    with pytest.raises(PolicyUnavailable, match="of 6 completions are kept"):
        run("--out", tmp_path / "r.jsonl", *options)
    assert not (tmp_path / "r.jsonl").exists()
    server.otherwise, seen = reply(), len(server.bodies)
    run("--out", tmp_path / "r.jsonl", *options)
    assert len(server.bodies) - seen == 4


def test_a_dry_run_needs_no_key_and_sends_nothing(tmp_path, capsys):
    assert run("--out", tmp_path / "r.jsonl", "--domain", "math", "--n", 1, "--dry-run") == 0
    said = capsys.readouterr().out
    # 40 problems of 220 tokens each.
    assert said.startswith("40 completions by gpt-4.1-nano: ")
    assert "at most 8,800 out, about $0.00" in said
    assert list(tmp_path.iterdir()) == []


def test_no_file_of_a_recording_holds_the_key(server, tmp_path, problems_file, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    run("--out", tmp_path / "r.jsonl", "--problems", problems_file)
    assert server.keys == [f"Bearer {KEY}"] * 24
    written = [path.read_text() for path in tmp_path.iterdir()]
    assert len(written) == 4
    assert not any(KEY in text for text in written)


def test_help_teaches_with_examples(capsys):
    with pytest.raises(SystemExit):
        run("--help")
    said = capsys.readouterr().out
    assert "--dry-run" in said and "ReplayPolicy.from_file" in said
