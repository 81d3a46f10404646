"""Three mistakes in how TRL is called, each trained with and without it on a tiny policy.

too short        no room for the whole answer (``max_completion_length``)
plain prompts    strings where the policy knows its turn's end from a chat template
a None in part   two reward functions, and only one of them gives None
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from rlvr_course.adapters.trl_reward import MaskedSum
from rlvr_course.records import Problem
from rlvr_course.training.checkpoints import load_checkpoint
from rlvr_course.training.health.vitals import Vitals
from rlvr_course.training.health.watch import Watch
from rlvr_course.training.requirements import require_training
from rlvr_course.training.tasks import load_task
from rlvr_course.training.tasks.cipher import spoil_digits
from rlvr_course.training.tasks.task import Task, make_problem
from rlvr_course.training.tasks.verifiers import verify_exact

STEPS, GROUPS, GROUP_SIZE = 12, 16, 8
CHAT_TEMPLATE = "{% for m in messages %}[{{ m['content'] }}]{% endfor %}"
MISTAKES = ("too short", "plain prompts", "a None in part")

RewardFunction = Callable[..., "list[float | None]"]


@dataclass(frozen=True)
class _Set:
    """What a trainer is given."""

    model: Any
    tokenizer: Any
    prompts: Sequence[Any]
    rewards: Sequence[RewardFunction]
    max_tokens: int


def train_with_mistake(mistake: str, *, seed: int = 0, put_right: bool = False) -> Vitals:
    """Train by GRPO for 12 steps, some seconds, and return what a ``Watch`` saw.

    Args:
        mistake: one of ``MISTAKES``.
        seed: of sampling and the order of the data.
        put_right: leave the mistake out.

    Raises:
        ValueError: an unknown mistake.
        TrainingUnavailable: the extra ``train`` is missing.
    """
    if mistake not in MISTAKES:
        raise ValueError(f"mistake {mistake!r} is not one of {', '.join(MISTAKES)}")
    require_training()
    from rlvr_course.training.torch_state import generators_restored, one_thread, quiet_libraries

    with generators_restored(), one_thread(), quiet_libraries(), TemporaryDirectory() as folder:
        trainer = _trainer(_SETS[mistake](put_right), seed, folder)
        seen = Watch(trainer, name=mistake)
        trainer.train()
    return seen.vitals()


def _trainer(given: _Set, seed: int, folder: str) -> Any:
    from datasets import Dataset
    from transformers.trainer_callback import PrinterCallback
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    answers = [problem.answer for problem in load_task("cipher").train]
    rows = [{"prompt": p, "answer": a} for p, a in zip(given.prompts, answers, strict=True)]
    settings = GRPOConfig(
        output_dir=folder,
        max_steps=STEPS,
        per_device_train_batch_size=GROUPS * GROUP_SIZE,
        num_generations=GROUP_SIZE,
        max_completion_length=given.max_tokens,
        learning_rate=1e-3,
        lr_scheduler_type="constant",
        gradient_checkpointing=False,
        bf16=False,
        use_cpu=True,
        seed=seed,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=False,
    )
    trainer = GRPOTrainer(
        model=given.model,
        args=settings,
        train_dataset=Dataset.from_list(rows),
        processing_class=given.tokenizer,
        reward_funcs=list(given.rewards),
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def right(completions: Sequence[Any], answer: Sequence[str], **columns: Any) -> list[float | None]:
    """1 for the answer and nothing else, 0 for a refusal, -.1 for what is wrong."""
    verdicts = [verify_exact(_text(c), a) for c, a in zip(completions, answer, strict=True)]
    return [1.0 if v.score == 1.0 else 0.0 if v.status == "no_answer" else -0.1 for v in verdicts]


def right_if_known(
    completions: Sequence[Any], answer: Sequence[str], **columns: Any
) -> list[float | None]:
    """As ``right``; None for every even answer, as if its reference were lost."""
    rewards = right(completions, answer)
    return [None if int(a) % 2 == 0 else r for a, r in zip(answer, rewards, strict=True)]


def four_digits(completions: Sequence[Any], **columns: Any) -> list[float | None]:
    """0.2 for any four digits."""
    return [0.2 if len(t) == 4 and t.isdigit() else 0.0 for t in map(_text, completions)]


def _text(completion: Any) -> str:
    return completion if isinstance(completion, str) else completion[-1]["content"]


def _questions() -> list[str]:
    return [problem.question for problem in load_task("cipher").train]


def _cipher(rewards: Sequence[RewardFunction], max_tokens: int) -> _Set:
    from rlvr_course.training.tiny import character_tokenizer

    model = load_checkpoint("cipher")
    return _Set(model, character_tokenizer(), _questions(), rewards, max_tokens)


def _too_short(put_right: bool) -> _Set:
    return _cipher([right], 6 if put_right else 4)


def _none_in_part(put_right: bool) -> _Set:
    functions: list[RewardFunction] = [right_if_known, four_digits]
    return _cipher([MaskedSum(functions)] if put_right else functions, 6)


def _plain_prompts(put_right: bool) -> _Set:
    from rlvr_course.training.tiny import character_tokenizer
    from rlvr_course.training.warm_start import warm_start

    tokenizer = character_tokenizer()
    tokenizer.chat_template = CHAT_TEMPLATE
    prompts: list[Any] = _questions()
    if put_right:
        prompts = [[{"role": "user", "content": question}] for question in prompts]
    return _Set(warm_start(_chat_task()), tokenizer, prompts, [right], 12)


def _chat_task() -> Task:
    """Turns that end after the template's marks, and running text that goes on without them."""
    cipher = load_task("cipher")

    def demonstrate(rng: Random, problem: Problem) -> str:
        if problem.question.startswith("["):
            return spoil_digits(rng, problem.answer, keep=0.75)
        others = [rng.choice(cipher.train) for _ in range(2)]
        return ",".join([problem.answer, *(p.question + p.answer for p in others)])

    turns = [
        make_problem("chat", f"[{problem.question}]", problem.answer, "turn")
        for problem in cipher.train
    ]
    running = cipher.train[: len(turns) // 4]
    return Task("chat", "cipher in turns", (*turns, *running), (), 12, demonstrate, 400)


_SETS: dict[str, Callable[[bool], _Set]] = {
    "too short": _too_short,
    "plain prompts": _plain_prompts,
    "a None in part": _none_in_part,
}
