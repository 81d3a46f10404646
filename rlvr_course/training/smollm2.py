"""Twelve steps of GRPO on SmolLM2-135M-Instruct, with LoRA, on a CPU.

The task is one-digit arithmetic after three worked lines (``problems.few_shot``). A line has two
properties, and they are measured apart: is its number right, and is it nothing but a number that
ends where the line ends? The reward pays 1 for both and a half for a right number in an untidy
line. Questions to train on and to test on are disjoint, with operands swapped too.

    LIVE: bool = False
    run = train_smollm2() if LIVE else load_smollm2_run()
    print(run)

Live it takes about four CPU-minutes, and writes to artifacts/; the recorded run needs no extra.
In it the form is learned within five steps, .84 to 1.00 of all lines, while right numbers rise
from .66 to .73, by .07 with an interval of [.01, .13]. A score that asks for both at once shows
one gain, and can't tell which of the two it is.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rlvr_course.errors import TrainingUnavailable
from rlvr_course.policies.protocol import Policy, Request
from rlvr_course.problems.few_shot import STOP, few_shot_arithmetic
from rlvr_course.records import Problem
from rlvr_course.training.requirements import require_training
from rlvr_course.training.smollm2_run import (
    LineScores,
    SmolRun,
    read_smollm2_run,
    write_smollm2_run,
)
from rlvr_course.training.versions import package_versions

MAX_TOKENS = 6
"""Of a completion: a blank, two digits, the line break, and a little room to be untidy in."""

N_TRAIN, N_TEST = 80, 113
"""Questions to train on and to test on: all that the two parts have."""

LORA_PACKAGE = "peft"


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


def score_line(text: str, answer: str, *, finish_reason: str = "stop") -> tuple[bool, bool]:
    """Whether a line's number is right, and whether the line is tidy.

    Args:
        text: what follows the equals sign; only its first line is read.
        answer: the right number.
        finish_reason: "length" for a line that did not end, which is never tidy.

    Returns:
        (right, tidy). The number is the one that the line begins with; tidy is a line of one
        number, with at most one blank before it.

    >>> score_line(" 54", "54"), score_line(" 54 and 1 +", "54"), score_line(" 45", "54")
    ((True, True), (True, False), (False, True))
    """
    line = text.split("\n")[0]
    number = re.match(r"\s{0,8}(-?[0-9]{1,9})(?![0-9])", line)
    right = number is not None and number[1] == answer
    tidy = finish_reason == "stop" and re.fullmatch(r" ?-?[0-9]{1,9}", line) is not None
    return right, tidy


def reward_line(right: bool, tidy: bool) -> float:
    """1 for a right number in a tidy line, a half for one in an untidy line, else 0."""
    return 0.5 * right + 0.5 * (right and tidy)


def measure_lines(policy: Policy, problems: Sequence[Problem], *, n_samples: int) -> LineScores:
    """Sample each problem and score the lines, at temperature 1.

    Args:
        policy: what answers; a ``LocalPolicy(chat=False, stop=STOP)``.
        problems: of ``few_shot_arithmetic``.
        n_samples: for each problem, at least 1.
    """
    requests = [Request(p.messages, n=n_samples, max_tokens=MAX_TOKENS) for p in problems]
    right, tidy = [], []
    for problem, group in zip(problems, policy.generate(requests), strict=True):
        scores = [score_line(c.text, problem.answer, finish_reason=c.finish_reason) for c in group]
        right.append(sum(r for r, _ in scores))
        tidy.append(sum(t for _, t in scores))
    return LineScores(tuple(right), tuple(tidy), n_samples)


def train_smollm2(
    settings: LoraSettings = LoraSettings(),
    *,
    out: str | Path = "artifacts",
    on_step: Callable[[int, int], object] = lambda step, steps: None,
) -> SmolRun:
    """Train, measure before and after, and write the run to ``out``.

    Args:
        settings: the recorded run's if None.
        out: the folder that holds the folders of runs; a finished run of the same settings
            there is returned at once.
        on_step: called with the steps done and all steps.

    Returns:
        The run, with its folder, in which ``adapter/`` holds the LoRA weights.

    Raises:
        TrainingUnavailable: an extra is missing.
        PolicyUnavailable: the weights of SmolLM2 are missing.
        DataError: they can't be read, or the cache not be written.
    """
    settings = settings or LoraSettings()
    folder = Path(out) / _run_name(settings)
    if (found := read_smollm2_run(folder)) is not None:
        return found
    _require()
    from rlvr_course.policies.smollm2 import load
    from rlvr_course.training.torch_state import generators_restored, one_thread, quiet_libraries

    started_s = time.process_time()
    with generators_restored(), one_thread(), quiet_libraries():
        loaded = load()
        test = few_shot_arithmetic(N_TEST, part="test")
        before = _measure(loaded, test, settings)
        model, curves = _optimise(loaded, settings, folder, on_step)
        after = _measure(loaded._replace(model=model.eval()), test, settings)
        model.save_pretrained(folder / "adapter")
    manifest = _manifest(settings, started_s)
    return write_smollm2_run(folder, SmolRun(manifest, curves, before, after))


def _require() -> None:
    from importlib.util import find_spec

    require_training()
    if find_spec(LORA_PACKAGE) is None:
        raise TrainingUnavailable(f"{LORA_PACKAGE} is not installed: uv sync --extra train")


def _run_name(settings: LoraSettings) -> str:
    own = [f"{v:g}" if isinstance(v, float) else str(v) for v in asdict(settings).values()]
    return f"smollm2-lora-{'-'.join(own)}"


def _measure(loaded: Any, problems: Sequence[Problem], settings: LoraSettings) -> LineScores:
    from rlvr_course.policies.local import LocalPolicy

    policy = LocalPolicy(loaded, chat=False, stop=STOP, seed=settings.seed)
    return measure_lines(policy, problems, n_samples=settings.test_samples)


def _optimise(
    loaded: Any,
    settings: LoraSettings,
    folder: Path,
    on_step: Callable[[int, int], object],
) -> tuple[Any, list[dict[str, float]]]:
    """Train; the model with its adapter, and a row for each step."""
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
        args=GRPOConfig(**_trl_settings(settings, folder)),
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
        callbacks=[_step_callback(on_step, settings.steps)],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    rows = [row for row in trainer.state.log_history if "reward" in row]
    return trainer.model, [_curve_row(row) for row in rows]


def _trl_settings(settings: LoraSettings, folder: Path) -> dict[str, Any]:
    return {
        "output_dir": str(folder / "progress"),
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
        "save_strategy": "no",
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
    "right": "right",
    "tidy": "tidy",
    "loss": "loss",
    "entropy": "entropy",
    "grad_norm": "grad_norm",
    "frac_reward_zero_std": "frac_reward_zero_std",
    "clipped_ratio": "completions/clipped_ratio",
    "mean_length": "completions/mean_length",
}


def _curve_row(row: Mapping[str, Any]) -> dict[str, float]:
    own = {name: float(row[theirs]) for name, theirs in _CURVES.items() if theirs in row}
    return {"step": row["step"], **own}


def _step_callback(on_step: Callable[[int, int], object], steps: int) -> Any:
    from transformers import TrainerCallback

    class Forward(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            on_step(state.global_step, steps)

    return Forward()


def _manifest(settings: LoraSettings, started_s: float) -> dict[str, Any]:
    from importlib.metadata import version

    changed = {
        name: value
        for name, value in asdict(settings).items()
        if value != getattr(LoraSettings(), name)
    }
    arguments = ", ".join(f"{name}={value!r}" for name, value in changed.items())
    call = f"LoraSettings({arguments})" if arguments else ""
    return {
        "model": "SmolLM2-135M-Instruct (Q4_1, as float32), LoRA on every linear layer",
        "task": f"few_shot_arithmetic: {N_TRAIN} questions to train on, {N_TEST} others to test on",
        "settings": asdict(settings),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "command": f"train_smollm2({call})",
        "versions": {**package_versions(), LORA_PACKAGE: version(LORA_PACKAGE)},
        "cpu_s": round(time.process_time() - started_s, 1),
    }
