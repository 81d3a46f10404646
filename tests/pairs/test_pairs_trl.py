"""TRL takes the rows as conversational preferences and trains on them."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from pairs_samples import group

from rlvr_course.pairs import build_preferences

TEMPLATE = (
    "{% for m in messages %}{{ m.role + ':' + m.content + '<end>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant:' }}{% endif %}"
)
# TRL and transformers deprecate each other's arguments; that is not about our rows.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


def byte_tokenizer() -> Any:
    """A tokenizer of single bytes, with a chat template: nothing is downloaded."""
    tokenizers = pytest.importorskip("tokenizers")
    from transformers import PreTrainedTokenizerFast

    byte_level = tokenizers.pre_tokenizers.ByteLevel
    names = ["<pad>", "<end>", *sorted(byte_level.alphabet())]
    vocabulary = {name: number for number, name in enumerate(names)}
    plain = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    plain.pre_tokenizer = byte_level(add_prefix_space=False)
    plain.decoder = tokenizers.decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="<end>", chat_template=TEMPLATE
    )


def dpo_trainer(rows: list[dict[str, Any]], folder: Path) -> Any:
    """A DPO trainer of a random one-layer model on the CPU."""
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM
    from trl import DPOConfig, DPOTrainer

    tokenizer = byte_tokenizer()
    sizes = {"vocab_size": len(tokenizer), "hidden_size": 16, "intermediate_size": 16}
    heads = {"num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(**sizes, **heads, pad_token_id=0, eos_token_id=1))
    quiet = {"report_to": [], "save_strategy": "no", "disable_tqdm": True, "logging_steps": 1}
    steps = {"max_steps": 20, "learning_rate": 0.05, "per_device_train_batch_size": 4}
    return DPOTrainer(
        model=model,
        ref_model=copy.deepcopy(model),
        args=DPOConfig(output_dir=str(folder), use_cpu=True, bf16=False, **quiet, **steps),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )


def test_every_row_is_conversational_to_trl():
    data_utils = pytest.importorskip("trl.data_utils")
    rows = build_preferences([group("rrww")], path=None)
    assert [data_utils.is_conversational(row) for row in rows] == [True] * 4
    assert [data_utils.maybe_extract_prompt(row) for row in rows] == rows


@pytest.mark.nightly
def test_dpo_tokenizes_the_sampled_prompt_and_learns_the_preference(tmp_path: Path):
    pytest.importorskip("trl")
    trainer = dpo_trainer(build_preferences([group("rrww")], path=None), tmp_path)
    row, decode = trainer.train_dataset[0], trainer.processing_class.decode
    assert decode(row["prompt_ids"]) == "system:Be brief.<end>user:What is p?<end>assistant:"
    assert (decode(row["chosen_ids"]), decode(row["rejected_ids"])) == ("r0<end>", "w2<end>")
    trainer.train()
    margins = [entry["rewards/margins"] for entry in trainer.state.log_history[:-1]]
    assert margins[0] == 0.0 < 0.1 < margins[-1]
