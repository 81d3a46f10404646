"""TRL's own trainers train with the reward: a random tiny model, two steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlvr_course import FakeVerifier, Problem, Verdict
from rlvr_course.adapters import VerifiedReward
from rlvr_course.adapters.chat import response_text
from rlvr_course.adapters.trl_reward import MaskedSum, TRLReward, trl_rows

pytest.importorskip("trl")
# TRL and transformers deprecate each other's arguments; that is not about our reward.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

TEMPLATE = (
    "{% for m in messages %}{{ m.content }}<end>{% endfor %}"
    "{% if add_generation_prompt %}:{% endif %}"
)


def digit_tokenizer() -> Any:
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = ["<pad>", "<end>", "<unk>", *"0123456789+=:"]
    vocabulary = {name: number for number, name in enumerate(names)}
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    plain.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="<end>", chat_template=TEMPLATE
    )


class Recorder:
    """A reward function that pays nothing and keeps what TRL hands over."""

    __name__ = "recorder"

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def __call__(self, completions: Any, **columns: Any) -> list[float]:
        self.calls.append({"completions": completions, **columns})
        return [0.0] * len(completions)


def train(kind: str, functions: Any, folder: Path, *, chat: bool = True) -> Any:
    """Two steps of a trainer; its log."""
    import trl
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = digit_tokenizer()
    rows = trl_rows([Problem(f"{a}+{a}=", str(2 * a)) for a in range(8)])
    if not chat:
        rows = [{**row, "prompt": row["prompt"][0]["content"]} for row in rows]
    sizes = {"vocab_size": len(tokenizer), "hidden_size": 16, "intermediate_size": 16}
    heads = {"num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2}
    config = getattr(trl, f"{kind}Config")(
        output_dir=str(folder),
        max_steps=2,
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=4,
        beta=0.0,
        use_cpu=True,
        bf16=False,
        report_to=[],
        save_strategy="no",
        disable_tqdm=True,
        logging_steps=1,
    )
    trainer = getattr(trl, f"{kind}Trainer")(
        model=LlamaForCausalLM(LlamaConfig(**sizes, **heads, pad_token_id=0, eos_token_id=1)),
        reward_funcs=functions,
        args=config,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.train()
    return trainer


def logged(trainer: Any, name: str) -> list[float | None]:
    return [entry[name] for entry in trainer.state.log_history if name in entry]


@pytest.mark.parametrize("chat", [True, False], ids=["chat", "plain"])
@pytest.mark.parametrize("kind", ["GRPO", "RLOO"])
def test_it_trains_beside_a_second_function(kind: str, chat: bool, tmp_path: Path) -> None:
    recorder = Recorder()
    reward = TRLReward(name="digits")
    trainer = train(kind, [reward, recorder], tmp_path, chat=chat)
    paid = []
    for call in recorder.calls:
        paid += reward(call["completions"], call["completions"], answer=call["answer"])
    means = logged(trainer, "rewards/digits/mean")
    assert len(means) == 2
    assert sum(means) / 2 == pytest.approx(sum(paid) / len(paid), abs=1e-6)
    assert len(logged(trainer, "verdicts/digits/ungraded")) == 2


@pytest.mark.parametrize("kind", ["GRPO", "RLOO"])
def test_what_nobody_can_judge_is_masked_whole(kind: str, tmp_path: Path) -> None:
    def shortness(completions: Any, **_: Any) -> list[float]:
        return [1.0 / (1 + len(response_text(c))) for c in completions]

    masked = TRLReward(VerifiedReward(FakeVerifier(default=Verdict.ungraded("outage"))))
    masked.reward.reward.mask_cap.cap = 1.0
    trainer = train(kind, MaskedSum([masked, shortness]), tmp_path)
    assert logged(trainer, "reward") == [None, None]
    assert logged(trainer, "verdicts/verified_reward/ungraded") == [1.0, 1.0]
    assert logged(trainer, "grad_norm") == [0.0, 0.0]
