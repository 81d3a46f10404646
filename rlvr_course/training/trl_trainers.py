"""From a recipe to TRL's trainer of it: the one place that knows TRL's names.

Settings that a recipe does not name stay as TRL has them. Those below make a run repeatable,
resumable and quiet: a constant learning rate, one process on the CPU in full precision, a log
line and a callback for every step, a checkpoint now and then, no reports to anyone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rlvr_course.training.pairing import Row
from rlvr_course.training.recipes import DPO, GRPO, SFT, Recipe
from rlvr_course.training.tasks import load_task
from rlvr_course.training.tiny import CONTEXT_TOKENS, character_tokenizer

if TYPE_CHECKING:
    from transformers import Trainer


class StepListener(Protocol):
    """What is told of a run as it goes on."""

    def on_log(self, step: int, logs: dict[str, Any]) -> None:
        """A step's figures, as TRL logs them."""
        ...

    def on_save(self, step: int) -> None:
        """A checkpoint of this step is complete on the disk."""
        ...


def build_trainer(
    recipe: Recipe,
    model: Any,
    data: Callable[..., Any] | Sequence[Row],
    *,
    seed: int,
    folder: Path,
    listener: StepListener,
) -> Trainer:
    """TRL's trainer of a recipe, ready to ``train()``.

    Args:
        recipe: what to train.
        model: the start; it is trained in place.
        data: the reward for ``RLOO`` and ``GRPO``, the rows of ``pairing`` for the others.
        seed: of sampling and the order of the data.
        folder: where TRL writes its checkpoints.
        listener: told of every step and checkpoint.
    """
    import trl
    from datasets import Dataset
    from transformers.trainer_callback import PrinterCallback

    method, kind = recipe.method, type(recipe.method).__name__
    settings = {**_common_settings(method.steps, seed, folder), **_own_settings(recipe)}
    parts: dict[str, Any] = {}
    if callable(data):
        questions = [{"prompt": problem.question} for problem in load_task(recipe.task).train]
        parts = {"reward_funcs": data, "train_dataset": Dataset.from_list(questions)}
    else:
        parts = {"train_dataset": Dataset.from_list([dict(row) for row in data])}
    if isinstance(method, DPO):
        parts["ref_model"] = copy.deepcopy(model)
    trainer = getattr(trl, f"{kind}Trainer")(
        model=model,
        args=getattr(trl, f"{kind}Config")(**settings),
        processing_class=character_tokenizer(),
        callbacks=[_callback(listener)],
        **parts,
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _common_settings(steps: int, seed: int, folder: Path) -> dict[str, Any]:
    return {
        "output_dir": str(folder),
        "max_steps": steps,
        "lr_scheduler_type": "constant",
        "gradient_accumulation_steps": 1,
        "gradient_checkpointing": False,
        "bf16": False,
        "fp16": False,
        "use_cpu": True,
        "seed": seed,
        "logging_steps": 1,
        "save_strategy": "steps",
        "save_steps": save_every(steps),
        "save_total_limit": 2,
        "report_to": "none",
        "disable_tqdm": True,
        "dataloader_pin_memory": False,
    }


def save_every(steps: int) -> int:
    """Steps between checkpoints: four to a run."""
    return max(1, steps // 4)


def _own_settings(recipe: Recipe) -> dict[str, Any]:
    method = recipe.method
    own: dict[str, Any] = {"learning_rate": method.learning_rate}
    if isinstance(method, (SFT, DPO)):
        own |= {"per_device_train_batch_size": method.batch_size, "max_length": CONTEXT_TOKENS}
        return own | ({"beta": method.beta} if isinstance(method, DPO) else {})
    own |= {
        "per_device_train_batch_size": method.prompts_per_step * method.group_size,
        "num_generations": method.group_size,
        "max_completion_length": load_task(recipe.task).max_tokens,
        "beta": method.beta,
        "temperature": 1.0,
    }
    if isinstance(method, GRPO):
        own |= {"scale_rewards": method.scale_rewards, "loss_type": method.loss_type}
    return own


def _callback(listener: StepListener) -> Any:
    from transformers import TrainerCallback

    class Forward(TrainerCallback):
        def on_log(
            self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any
        ) -> None:
            if logs and "train_runtime" not in logs:  # the last line sums up, and is no step
                listener.on_log(state.global_step, dict(logs))

        def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            listener.on_save(state.global_step)

    return Forward()
