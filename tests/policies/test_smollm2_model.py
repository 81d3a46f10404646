"""SmolLM2 itself: found after an installation with the extra, and good enough to learn from."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rlvr_course.modes import simple_complete, start, stop
from rlvr_course.policies import smollm2
from rlvr_course.policies.local import LocalPolicy
from rlvr_course.policies.protocol import Request
from rlvr_course.policies.replay import ReplayPolicy
from rlvr_course.problems.few_shot import STOP, few_shot_arithmetic, few_shot_json
from rlvr_course.problems.recorded import load_problems
from rlvr_course.verifiers.json_text import verify_json

pytestmark = pytest.mark.skipif(
    smollm2.missing() is not None, reason=f"no SmolLM2 here: {smollm2.missing()}"
)


@pytest.fixture(scope="module")
def loaded():
    return smollm2.load()


def groups_of_8(loaded, problems):
    policy = LocalPolicy(loaded, chat=False, stop=STOP, progress=False)
    return policy.generate([Request(p.messages, n=8, max_tokens=40) for p in problems])


def test_few_shot_arithmetic_has_mixed_groups(loaded):
    problems = few_shot_arithmetic(4)
    groups = groups_of_8(loaded, problems)
    right = [
        sum(completion.text.strip() == problem.answer for completion in group)
        for problem, group in zip(problems, groups, strict=True)
    ]
    assert any(0 < count < 8 for count in right), right


def test_few_shot_json_has_mixed_groups(loaded):
    problems = few_shot_json(3)
    groups = groups_of_8(loaded, problems)
    right = [
        sum(verify_json(completion.text, problem.answer).score == 1.0 for completion in group)
        for problem, group in zip(problems, groups, strict=True)
    ]
    assert any(0 < count < 8 for count in right), right


def test_the_chat_template_adds_a_system_message_of_its_own(loaded):
    ids = LocalPolicy(loaded)._prompt_ids(
        Request([{"role": "user", "content": "Hello"}]), loaded.tokenizer
    )
    text = loaded.tokenizer.decode(ids)
    assert text.startswith("<|im_start|>system\nYou are a helpful AI assistant named SmolLM")
    assert text.endswith("<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n")
    assert loaded.tokenizer.pad_token_id == loaded.tokenizer.eos_token_id == 2


def test_mode_local_answers_and_names_the_model(tmp_path):
    run = start("00_start_here", "local", artifacts=tmp_path)
    try:
        assert "SmolLM2-135M-Instruct" in str(run)
        assert simple_complete("Say hello.", temperature=0.0).strip()
    finally:
        stop()


@pytest.mark.nightly
def test_the_recording_is_what_the_model_says(loaded):
    problems = load_problems("math", policy="smollm2")[:4]
    requests = [Request(p.messages, n=8, max_tokens=8, seed=0) for p in problems]
    fresh = LocalPolicy(loaded, chat=False, stop=STOP, progress=False).generate(requests)
    recorded = ReplayPolicy(policy="smollm2").generate(requests)
    pairs = [
        (one.text, other.text)
        for group, twin in zip(fresh, recorded, strict=True)
        for one, other in zip(group, twin, strict=True)
    ]
    # Rounding on another processor may move a draw across an edge now and then.
    assert sum(one == other for one, other in pairs) >= 0.9 * len(pairs)


@pytest.mark.nightly
def test_processes_that_convert_at_once_share_one_whole_folder(tmp_path):
    code = "from rlvr_course.policies.smollm2 import converted; print(converted())"
    environment = {**os.environ, "RLVR_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", code]
    started = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = {process.communicate(timeout=500)[0].strip() for process in started}
    [folder] = map(Path, said)
    assert smollm2.is_converted(folder)
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, f"{folder.name}.lock"}
