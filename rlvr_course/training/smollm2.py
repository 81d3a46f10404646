"""Twelve steps of GRPO on SmolLM2-135M-Instruct, with LoRA, on a CPU.

The task is one-digit arithmetic after three worked lines (``problems.few_shot``). A line has two
properties, and they are measured apart: is its number right, and is it nothing but a number that
ends where the line ends? The reward pays 1 for both and a half for a right number in an untidy
line. Questions to train on and to test on are disjoint, with operands swapped too.

    LIVE: bool = False
    run = train_smollm2() if LIVE else load_smollm2_run()
    print(run)

Live it takes about four CPU-minutes, and writes to artifacts/; a run that was killed goes on from
its last checkpoint. The recorded run needs no extra. In it the form is learned within five steps,
.84 to 1.00 of all lines, while right numbers rise from .66 to .73, by .07 with an interval of
[.01, .13]. A score that asks for both at once shows one gain, and can't tell which of the two it
is. At the command line the run is the recipe ``smollm2-lora``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rlvr_course.errors import PolicyUnavailable, TrainingError, TrainingUnavailable
from rlvr_course.problems.few_shot import STOP, few_shot_arithmetic
from rlvr_course.progress import step_bar
from rlvr_course.training.clock import RunClock
from rlvr_course.training.folder_lock import held
from rlvr_course.training.recorder import last_checkpoint
from rlvr_course.training.requirements import require_training
from rlvr_course.training.smollm2_lines import (
    MAX_TOKENS,
    measure_lines,
    reward_line,
    score_line,
)
from rlvr_course.training.smollm2_lora import N_TRAIN, LoraSettings, optimise
from rlvr_course.training.smollm2_run import (
    LineScores,
    SmolRun,
    load_smollm2_run,
    read_smollm2_run,
    write_smollm2_run,
)
from rlvr_course.training.versions import package_versions

__all__ = [
    "MAX_TOKENS",
    "NAME",
    "N_TEST",
    "N_TRAIN",
    "SHOWS",
    "LoraSettings",
    "describe_smollm2",
    "measure_lines",
    "require_smollm2",
    "reward_line",
    "run_folder",
    "score_line",
    "train_smollm2",
]

NAME = "smollm2-lora"
"""Of the recipe, beside those of ``RECIPES``, which are of tiny policies."""

SHOWS = "what does a real language model learn first, right answers or their form?"

N_TEST = 113
"""Questions to test on: all that the part has."""

LORA_PACKAGE = "peft"
RECORDED_SETTINGS = LoraSettings()

MEMORY_BYTES = 3_000_000_000
"""Of the process at its peak, about: the libraries, 135 million floats, a batch of 32."""


def train_smollm2(
    settings: LoraSettings = RECORDED_SETTINGS,
    *,
    out: str | Path = "artifacts",
    on_step: Callable[[int, int], object] | None = None,
) -> SmolRun:
    """Train, measure before and after, and write the run to ``out``.

    Args:
        settings: the recorded run's unless told otherwise.
        out: the folder that holds the folders of runs; a finished run of the same settings
            there is returned at once, one that was killed goes on.
        on_step: called with the steps done and all steps; None shows a bar.

    Returns:
        The run, with its folder, in which ``adapter/`` holds the LoRA weights.

    Raises:
        TrainingUnavailable: an extra is missing.
        PolicyUnavailable: the weights of SmolLM2 are missing.
        TrainingError: another process trains this run, or its folder can't be written.
        DataError: the weights can't be read, or the cache not be written.
    """
    folder = run_folder(settings, out)
    if (found := read_smollm2_run(folder)) is not None:
        return found
    require_smollm2()
    try:
        with held(folder):
            if (found := read_smollm2_run(folder)) is not None:  # finished by another meanwhile
                return found
            if on_step is not None:
                return _train_into(folder, settings, on_step)
            with step_bar(NAME) as told:
                return _train_into(folder, settings, told)
    except OSError as error:
        raise TrainingError(
            f"can't write the run {folder} ({error.strerror}): give another folder with out"
        ) from None


def require_smollm2() -> None:
    """Return if this installation can train SmolLM2.

    Raises:
        TrainingUnavailable: a package of the extra ``train`` is missing.
        PolicyUnavailable: a package of the extra ``local`` or the weights are missing.
    """
    from rlvr_course.policies import smollm2

    require_training()
    if find_spec(LORA_PACKAGE) is None:
        raise TrainingUnavailable(f"{LORA_PACKAGE} is not installed: uv sync --extra train")
    if (reason := smollm2.missing()) is not None:
        raise PolicyUnavailable(f"{NAME}: {reason}")


def describe_smollm2(
    settings: LoraSettings = RECORDED_SETTINGS, *, out: str | Path = "artifacts"
) -> str:
    """What ``train_smollm2`` with the same arguments would do, and whether it can here.

    Nothing is written, and nothing heavy is imported.
    """
    problem = few_shot_arithmetic(1, seed=settings.seed, part="train")[0]
    folder = run_folder(settings, out)
    recorded = load_smollm2_run().manifest
    per_step = settings.prompts_per_step * settings.group_size
    samples = settings.steps * per_step + 2 * N_TEST * settings.test_samples
    state = "" if read_smollm2_run(folder) is None else " (finished already)"
    rows = [
        ("recipe", f"{NAME}, seed {settings.seed}: {SHOWS}"),
        ("model", recorded["model"]),
        ("task", recorded["task"]),
        ("example", f"{problem.question.splitlines()[-1]} -> {problem.answer}, after three others"),
        ("prices", "right and tidy 1, right alone 0.5, else 0"),
        ("method", str(settings)),
        ("steps", f"{settings.steps} of {per_step} lines x up to {MAX_TOKENS} tokens"),
        ("samples", f"{samples:,} lines, evaluations included"),
        ("memory", f"about {MEMORY_BYTES / 1e9:.0f} GB"),
        ("time", f"{recorded['cpu_s']:.0f} s of CPU (the recorded run, 12 steps)"),
        ("needs", f"the extras train and local: {_available()}"),
        ("folder", f"{folder.name}{state}"),
    ]
    return "\n".join(f"{name:<10}{value}" for name, value in rows)


def run_folder(settings: LoraSettings, out: str | Path = "artifacts") -> Path:
    """Where a run of these settings lies, or would."""
    own = [f"{v:g}" if isinstance(v, float) else str(v) for v in asdict(settings).values()]
    return Path(out) / f"{NAME}-{'-'.join(own)}"


def _available() -> str:
    try:
        require_smollm2()
    except (TrainingUnavailable, PolicyUnavailable) as error:
        return str(error)
    return "both are here"


def _train_into(
    folder: Path, settings: LoraSettings, on_step: Callable[[int, int], object]
) -> SmolRun:
    from rlvr_course.policies.smollm2 import load
    from rlvr_course.training.torch_state import generators_restored, one_thread, quiet_libraries

    progress = folder / "progress"
    progress.mkdir(exist_ok=True)
    clock = RunClock(progress, last_checkpoint(progress)[0])
    with generators_restored(), one_thread(), quiet_libraries():
        loaded = load()
        test = few_shot_arithmetic(N_TEST, part="test")
        before = _measured_once(progress / "before.json", loaded, test, settings)
        model, curves = optimise(loaded, settings, progress, on_step=on_step, on_save=clock.on_save)
        after = _measure(loaded._replace(model=model.eval()), test, settings)
        model.save_pretrained(folder / "adapter")
    manifest = _manifest(settings, clock)
    run = write_smollm2_run(folder, SmolRun(manifest, curves, before, after))
    shutil.rmtree(progress)
    return run


def _measured_once(path: Path, loaded: Any, problems: Any, settings: LoraSettings) -> LineScores:
    """What a killed run had measured before its first step is not measured again."""
    if not path.exists():
        fresh = path.with_name(f"{path.name}.new")
        fresh.write_text(json.dumps(asdict(_measure(loaded, problems, settings))))
        fresh.replace(path)
    kept = json.loads(path.read_text())
    return LineScores(tuple(kept["right"]), tuple(kept["tidy"]), kept["n_samples"])


def _measure(loaded: Any, problems: Any, settings: LoraSettings) -> LineScores:
    from rlvr_course.policies.local import LocalPolicy

    policy = LocalPolicy(loaded, chat=False, stop=STOP, seed=settings.seed)
    return measure_lines(policy, problems, n_samples=settings.test_samples)


def _manifest(settings: LoraSettings, clock: RunClock) -> dict[str, Any]:
    from importlib.metadata import version

    default = asdict(RECORDED_SETTINGS)
    changed = {name: v for name, v in asdict(settings).items() if v != default[name]}
    if set(changed) <= {"seed"}:
        command = f"rlvr-course train {NAME} --seed {settings.seed}"
    else:
        arguments = ", ".join(f"{name}={value!r}" for name, value in changed.items())
        command = f"train_smollm2(LoraSettings({arguments}))"
    return {
        "model": "SmolLM2-135M-Instruct (Q4_1, as float32), LoRA on every linear layer",
        "task": f"few_shot_arithmetic: {N_TRAIN} questions to train on, {N_TEST} others to test on",
        "settings": asdict(settings),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "command": command,
        "versions": {**package_versions(), LORA_PACKAGE: version(LORA_PACKAGE)},
        "cpu_s": round(clock.cpu_s(), 1),
        "resumed_at": clock.resumed_at,
    }
