"""The tiny model: its size, its tokenizer, its shipped starting points."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_runs import WHY_NOT, needs_training

from rlvr_course.errors import DataError
from rlvr_course.policies.protocol import Request
from rlvr_course.records import Problem
from rlvr_course.training import Evaluation, can_train, evaluate, load_task
from rlvr_course.training.checkpoints import (
    FOLDER,
    WEIGHTS,
    file_hash,
    load_checkpoint,
    read_manifest,
)
from rlvr_course.training.tasks import TASKS
from rlvr_course.training.tiny import (
    ALPHABET,
    N_PARAMETERS,
    TinyPolicy,
    character_tokenizer,
    load_model,
    new_model,
    save_model,
)
from rlvr_course.training.torch_state import quiet_libraries

MOST_BYTES = 210_000


@pytest.fixture(scope="module")
def tokenizer():
    if not can_train():
        pytest.skip(WHY_NOT)
    with quiet_libraries():
        return character_tokenizer()


@needs_training
def test_the_model_has_the_size_that_it_is_said_to_have() -> None:
    assert sum(p.numel() for p in new_model().parameters()) == N_PARAMETERS


@needs_training
def test_a_seed_decides_the_weights() -> None:
    first, again, other = (
        next(new_model(seed).parameters()).detach().numpy().tobytes() for seed in (0, 0, 1)
    )
    assert first == again != other


@given(text=st.text(ALPHABET, max_size=40))
def test_text_of_the_alphabet_survives_the_tokenizer(tokenizer, text: str) -> None:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert len(ids) == len(text)
    assert tokenizer.decode(ids) == text


def test_chat_messages_become_the_prompt_as_it_stands(tokenizer) -> None:
    question = {"role": "user", "content": "12="}
    answer = {"role": "assistant", "content": "23"}
    assert tokenizer.apply_chat_template([question], tokenize=False) == "12="
    assert tokenizer.apply_chat_template([question, answer], tokenize=False) == "12=23<eos>"


@needs_training
def test_a_saved_model_answers_as_before(tmp_path: Path) -> None:
    model = load_checkpoint("cipher")
    save_model(model, tmp_path)
    requests = [Request(p.messages, n=4) for p in load_task("cipher").test[:5]]
    before, after = (
        TinyPolicy(m, "tiny").generate(requests) for m in (model, load_model(tmp_path))
    )
    assert before == after


@needs_training
def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no readable model"):
        load_model(tmp_path)


@needs_training
def test_a_policy_answers_each_request_by_its_own_terms() -> None:
    policy = TinyPolicy(load_checkpoint("cipher"), "tiny", max_tokens=6)
    messages = Problem("1234=", "2345").messages
    requests = [Request(messages, n=3, temperature=0), Request(messages, n=2, max_tokens=2)]
    greedy, cut = policy.generate(requests)
    assert [c.index for c in greedy] == [0, 1, 2] and len({c.text for c in greedy}) == 1
    assert all(c.finish_reason == "stop" and c.token_ids for c in greedy)
    assert all(len(c.token_ids or ()) <= 2 for c in cut)


@pytest.mark.parametrize("task", TASKS)
def test_a_shipped_start_is_small_and_the_one_in_the_manifest(task: str) -> None:
    path = FOLDER / task / WEIGHTS
    assert path.stat().st_size <= MOST_BYTES
    assert read_manifest()[task]["sha256"] == file_hash(path)


@needs_training
@pytest.mark.parametrize("task", TASKS)
def test_a_shipped_start_does_what_the_manifest_says(task: str) -> None:
    policy = TinyPolicy(load_checkpoint(task), task, max_tokens=load_task(task).max_tokens)
    noted = Evaluation.from_dict(read_manifest()[task]["start"])
    seen = evaluate(policy, load_task(task).test, n_samples=4)
    for name in ("accuracy", "refusal", "listing"):
        assert abs(getattr(seen, name).value - getattr(noted, name).value) < 0.08


@needs_training
def test_a_changed_start_is_refused(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "copy")
    path = tmp_path / "copy" / "cipher" / WEIGHTS
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="--warm-start cipher"):
        load_checkpoint("cipher", folder=tmp_path / "copy")


def test_the_manifest_says_how_each_start_was_made() -> None:
    for task, entry in read_manifest().items():
        assert entry["command"] == f"rlvr-course train --warm-start {task} --seed {entry['seed']}"
        assert {"torch", "transformers", "trl", "python"} <= set(entry["versions"])


def test_an_evaluation_survives_json() -> None:
    entry = read_manifest()["dice"]["start"]
    evaluation = Evaluation.from_dict(entry)
    assert json.loads(json.dumps(evaluation.to_dict())) == entry
    assert set(evaluation.by_kind) == {f"d{sides}" for sides in range(2, 10)}
