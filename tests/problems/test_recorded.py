"""The recorded data: counts as documented, checked files, errors with their remedy."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib.resources import as_file, files

import pytest

from rlvr_course.errors import DataError
from rlvr_course.problems.few_shot import few_shot_arithmetic, few_shot_json
from rlvr_course.problems.recorded import (
    answer_key,
    load_problems,
    load_rollouts,
    manifest,
    read_recording,
)
from rlvr_course.verifiers.json_text import verify_json

COUNTS = {"math": (40, 148, 8), "code": (10, 35, 1), "json": (6, 24, 1), "sql": (6, 33, 0)}
COUNTS["policy"] = (12, 40, 2)


@pytest.fixture
def folder(tmp_path):
    with as_file(files("rlvr_course") / "data" / "recorded") as source:
        for name in ("manifest.json", "problems.jsonl", "rollouts.jsonl"):
            shutil.copyfile(source / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("domain", COUNTS)
def test_counts_are_as_documented(domain):
    problems, right, unsettled = COUNTS[domain]
    truths = Counter(rollout.truth for rollout in load_rollouts(domain))
    assert len(load_problems(domain)) == problems
    assert (truths[True], truths[None]) == (right, unsettled)
    assert sum(truths.values()) == 8 * problems


def test_every_rollout_answers_its_problem_as_sent():
    problems = {problem.id: problem for problem in load_problems()}
    assert len(problems) == 74
    for rollout in load_rollouts():
        assert rollout.completion.messages == problems[rollout.problem_id].messages


def test_indices_run_from_0_to_7_in_file_order():
    rollouts = load_rollouts()
    for start in range(0, len(rollouts), 8):
        group = rollouts[start : start + 8]
        assert len({rollout.problem_id for rollout in group}) == 1
        assert [rollout.completion.index for rollout in group] == list(range(8))


@pytest.mark.parametrize(
    ("domain", "parts"),
    [
        ("code", {"visible_tests", "hidden_tests"}),
        ("json", {"schema", "expected"}),
        ("policy", {"case", "expected_decision", "expected_facts"}),
        ("sql", {"ddl", "rows", "hidden_rows", "reference_query", "ordered"}),
    ],
    ids=["code", "json", "policy", "sql"],
)
def test_an_answer_has_what_its_verifier_needs(domain, parts):
    for problem in load_problems(domain):
        assert parts <= set(problem.answer)
        assert not set(problem.answer) & set(problem.metadata)


def test_maths_answers_are_texts_with_their_kind():
    for problem in load_problems("math"):
        assert isinstance(problem.answer, str)
        assert {"system", "level", "answer_kind", "max_tokens"} <= set(problem.metadata)


def test_the_answer_key_has_every_rollout():
    key = answer_key()
    assert len(key) == 592
    assert Counter(key.values())[True] == 280


def test_rollouts_say_that_they_are_recorded_and_of_what():
    names = {rollout.completion.policy_id for rollout in load_rollouts()}
    assert names == {"recorded (Qwen2.5-Coder-1.5B-Instruct, Q4_K_M)"}


def test_the_manifest_is_a_copy():
    manifest()["model"]["name"] = "another"
    assert manifest()["model"]["name"] == "Qwen2.5-Coder-1.5B-Instruct"


def test_a_loaded_list_is_the_callers_own():
    load_problems().clear()
    assert len(load_problems()) == 74


@pytest.mark.parametrize("load", [load_problems, load_rollouts], ids=["problems", "rollouts"])
def test_an_unknown_domain_is_named(load):
    with pytest.raises(ValueError, match="no recorded domain 'maths'; there are math, code"):
        load("maths")


@pytest.mark.parametrize("name", ["problems.jsonl", "rollouts.jsonl"])
def test_one_changed_byte_is_found(folder, name):
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[:-2] + b" " + data[-1:])
    with pytest.raises(DataError, match=rf"^{name} is not the file .* restore it"):
        read_recording(folder)


@pytest.mark.parametrize("name", ["manifest.json", "problems.jsonl", "rollouts.jsonl"])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(DataError, match=rf"^{name} can't be read"):
        read_recording(folder)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"files": {}, "model": {"name": "m"}, "decoding": {"temperature": 1}}'],
    ids=["empty", "list", "no files", "no rollouts"],
)
def test_a_malformed_manifest_is_named(folder, text):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(DataError, match=r"^manifest\.json .*restore it"):
        read_recording(folder)


def test_a_manifest_that_is_not_utf8_is_named(folder):
    (folder / "manifest.json").write_bytes(b"\xff{}")
    with pytest.raises(DataError, match=r"^manifest\.json is malformed"):
        read_recording(folder)


def test_loading_is_quick():
    timed = (
        "import time\n"
        "from rlvr_course.problems.recorded import load_rollouts\n"
        "start = time.process_time()\n"
        "load_rollouts()\n"
        "print(time.process_time() - start)\n"
    )
    runs = [subprocess.run([sys.executable, "-c", timed], capture_output=True) for _ in range(3)]
    assert min(float(run.stdout) for run in runs) < 0.15


SMOLLM2_COUNTS = {"math": 24, "json": 8}


@pytest.mark.parametrize("domain", SMOLLM2_COUNTS)
def test_smollm2_has_eight_rollouts_of_each_few_shot_problem_as_sent(domain):
    problems = {p.id: p for p in load_problems(domain, policy="smollm2")}
    rollouts = load_rollouts(domain, policy="smollm2")
    assert len(problems) == SMOLLM2_COUNTS[domain]
    assert Counter(r.problem_id for r in rollouts) == dict.fromkeys(problems, 8)
    for rollout in rollouts:
        assert rollout.completion.messages == problems[rollout.problem_id].messages
        assert rollout.completion.policy_id == "recorded (SmolLM2-135M-Instruct, Q4_1)"


def test_smollm2_answered_the_problems_that_the_generators_make_today():
    made = [*few_shot_arithmetic(24), *few_shot_json(8)]
    assert load_problems(policy="smollm2") == made


def test_the_truth_of_smollm2_is_what_the_verifiers_say():
    problems = {p.id: p for p in load_problems(policy="smollm2")}
    for rollout in load_rollouts(policy="smollm2"):
        problem, text = problems[rollout.problem_id], rollout.completion.text
        if problem.domain == "json":
            assert rollout.truth == verify_json(text, problem.answer).is_correct
        else:
            assert rollout.truth == bool(re.match(rf" {problem.answer}(?![0-9])", text)), text


def test_most_groups_of_smollm2_are_mixed():
    right = Counter(name for (name, _), truth in answer_key(policy="smollm2").items() if truth)
    mixed = [name for name, count in right.items() if count < 8]
    assert len(mixed) >= 16, right


def test_the_manifest_of_smollm2_says_how_to_repeat_it():
    about = manifest(policy="smollm2")
    assert about["rows"] == 256
    assert about["command"] == "python -m rlvr_course.classroom.record_smollm2"
    assert manifest()["model"]["name"] == "Qwen2.5-Coder-1.5B-Instruct"


def test_a_policy_that_was_not_recorded_names_those_that_were():
    with pytest.raises(ValueError, match="no recorded policy 'gpt'; there are qwen, smollm2"):
        load_rollouts(policy="gpt")
    with pytest.raises(ValueError, match="no recorded domain 'sql'; there are math, json"):
        load_problems("sql", policy="smollm2")
