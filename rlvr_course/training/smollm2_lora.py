"""SmolLM2 by TRL: GRPO on LoRA matrices, with checkpoints that a killed run goes on from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rlvr_course.policies.smollm2 import Loaded
from rlvr_course.problems.few_shot import few_shot_arithmetic
from rlvr_course.training.recorder import COMPLETE, last_checkpoint
from rlvr_course.training.smollm2_lines import MAX_TOKENS, reward_line, score_line
from rlvr_course.training.trl_trainers import save_every

N_TRAIN = 80
"""Questions to train on: all that the part has."""


@dataclass(frozen=True)
class LoraSettings:
    """Settings of the run.

    Args:
        steps: optimizer steps.
        prompts_per_step, group_size: groups in a step, completions in a group.
        learning_rate: constant.
        rank: of the LoRA matrices, on every linear layer; their scale is 2.
        test_samples: completions of each test question, before and after.
        seed: of sampling, of the order of the data and of the LoRA matrices.

    Raises:
        ValueError: a number below 1, or below 2 for group_size.
    """

    steps: int = 12
    prompts_per_step: int = 4
    group_size: int = 8
    learning_rate: float = 5e-4
    rank: int = 16
    test_samples: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("steps", "prompts_per_step", "rank", "test_samples"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: it must be at least 1")
        if self.group_size < 2:
            raise ValueError(f"group_size={self.group_size}: it must be at least 2")
        if not 0.0 < self.learning_rate < 1.0:
            raise ValueError(f"learning_rate={self.learning_rate}: give a small positive number")


class Trained(NamedTuple):
    """The model with its adapter, and a row for each step."""

    model: Any
    curves: list[dict[str, float]]


def optimise(
    loaded: Loaded,
    settings: LoraSettings,
    progress: Path,
    *,
    on_step: Callable[[int, int], object],
    on_save: Callable[[int], object],
) -> Trained:
    """Train, going on from the last whole checkpoint.

    Args:
        loaded: SmolLM2 as it is before any training.
        settings: of the run.
        progress: the folder of its checkpoints.
        on_step: called with the steps done and all steps.
        on_save: called with the step of a checkpoint once all of it is on the disk.
    """
    resume_at, checkpoint = last_checkpoint(progress)
    if checkpoint is not None and resume_at >= settings.steps:
        # All that was left was to measure; TRL would take one more step.
        return _read_checkpoint(loaded.model, checkpoint)

    def saved(step: int) -> None:
        on_save(step)
        (progress / f"checkpoint-{step}" / COMPLETE).touch()

    trainer = _trainer(loaded, settings, progress)
    trainer.add_callback(_callback(lambda step: on_step(step, settings.steps), saved))
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    return Trained(trainer.model, _curves(trainer.state.log_history))


def _read_checkpoint(model: Any, checkpoint: Path) -> Trained:
    from peft import PeftModel

    state = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    return Trained(PeftModel.from_pretrained(model, str(checkpoint)), _curves(state["log_history"]))


def _trainer(loaded: Loaded, settings: LoraSettings, progress: Path) -> Any:
    from datasets import Dataset
    from peft import LoraConfig
    from transformers.trainer_callback import PrinterCallback
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    model, tokenizer = loaded
    # The line break ends a completion: what comes after it is no part of the answer.
    line_break = tokenizer.encode("\n", add_special_tokens=False)
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, *line_break]
    problems = few_shot_arithmetic(N_TRAIN, seed=settings.seed, part="train")
    reward = _LineReward(model.generation_config.eos_token_id)
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward,
        args=GRPOConfig(**_trl_settings(settings, progress)),
        train_dataset=Dataset.from_list(
            [{"prompt": p.question, "answer": p.answer} for p in problems]
        ),
        processing_class=tokenizer,
        peft_config=LoraConfig(
            r=settings.rank,
            lora_alpha=2 * settings.rank,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        ),
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _trl_settings(settings: LoraSettings, progress: Path) -> dict[str, Any]:
    return {
        "output_dir": str(progress),
        "max_steps": settings.steps,
        "per_device_train_batch_size": settings.prompts_per_step * settings.group_size,
        "num_generations": settings.group_size,
        "max_completion_length": MAX_TOKENS,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": "constant",
        "beta": 0.0,
        "temperature": 1.0,
        "seed": settings.seed,
        "logging_steps": 1,
        "save_strategy": "steps",
        "save_steps": save_every(settings.steps),
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": True,
        "bf16": False,
        "fp16": False,
        "gradient_checkpointing": False,
        "dataloader_pin_memory": False,
    }


class _LineReward:
    """What TRL calls; shares of right and tidy lines go into its log."""

    __name__ = "line_reward"

    def __init__(self, ends: Sequence[int]) -> None:
        self._ends = set(ends)

    def __call__(
        self,
        completions: Sequence[str],
        completion_ids: Sequence[Sequence[int]],
        answer: Sequence[str],
        *,
        log_metric: Callable[[str, float], None],
        **columns: Any,
    ) -> list[float | None]:
        ended = ["stop" if self._ends & set(ids) else "length" for ids in completion_ids]
        scores = [
            score_line(text, gold, finish_reason=end)
            for text, gold, end in zip(completions, answer, ended, strict=True)
        ]
        log_metric("right", sum(right for right, _ in scores) / len(scores))
        log_metric("tidy", sum(tidy for _, tidy in scores) / len(scores))
        return [reward_line(*score) for score in scores]


_CURVES = {
    "reward": "reward",
    "reward_std": "reward_std",
    "right": "right",
    "tidy": "tidy",
    "loss": "loss",
    "entropy": "entropy",
    "grad_norm": "grad_norm",
    "frac_reward_zero_std": "frac_reward_zero_std",
    "clipped_ratio": "completions/clipped_ratio",
    "mean_length": "completions/mean_length",
}


def _curves(log: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    return [
        {"step": row["step"]}
        | {name: float(row[theirs]) for name, theirs in _CURVES.items() if theirs in row}
        for row in log
        if "reward" in row
    ]


def _callback(on_step: Callable[[int], object], on_save: Callable[[int], object]) -> Any:
    from transformers import TrainerCallback

    class Forward(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            on_step(state.global_step)

        def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            on_save(state.global_step)

    return Forward()
