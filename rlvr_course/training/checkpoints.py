"""The shipped starting points: one small file for each task, and a manifest that vouches for it.

Made by ``rlvr-course train --warm-start TASK``; the manifest says with which seed and versions,
and how often each was right and refused when it was made.
"""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlvr_course.errors import DataError
from rlvr_course.training.measure import evaluate
from rlvr_course.training.requirements import require_training
from rlvr_course.training.tasks import load_task
from rlvr_course.training.tiny import TinyPolicy, load_model, save_model
from rlvr_course.training.versions import package_versions
from rlvr_course.training.warm_start import warm_start

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

FOLDER = Path(__file__).parent.parent / "data" / "checkpoints"
MANIFEST = "manifest.json"
WEIGHTS = "model.safetensors"
_SAMPLES = 8


def load_checkpoint(task: str, *, folder: Path = FOLDER) -> LlamaForCausalLM:
    """The warm-started model of a task.

    Raises:
        ValueError: an unknown task.
        TrainingUnavailable: the extra ``train`` is missing.
        DataError: the file is missing or not the one that the manifest describes.
    """
    load_task(task)
    require_training()
    expected = read_manifest(folder).get(task, {}).get("sha256")
    if expected is None or file_hash(folder / task / WEIGHTS) != expected:
        raise DataError(
            f"{folder / task / WEIGHTS} is not the file that {MANIFEST} describes: reinstall "
            f"rlvr-course, or make it again with rlvr-course train --warm-start {task}"
        )
    return load_model(folder / task)


def make_checkpoint(
    task: str,
    *,
    folder: Path = FOLDER,
    seed: int = 0,
    report: Callable[[int, float], object] = lambda step, loss: None,
) -> dict[str, Any]:
    """Warm-start a model, write it into ``folder`` and enter it in the manifest there.

    Returns:
        The manifest's entry.

    Raises:
        ValueError: an unknown task.
        TrainingUnavailable: the extra ``train`` is missing.
    """
    definition = load_task(task)
    require_training()
    started = time.process_time()
    model = warm_start(definition, seed=seed, report=report)
    cpu_s = time.process_time() - started
    save_model(model, folder / task)
    (folder / task / "generation_config.json").unlink(missing_ok=True)
    (folder / task / WEIGHTS).chmod(0o644)  # safetensors writes for the owner alone
    policy = TinyPolicy(model, f"{task} warm start", max_tokens=definition.max_tokens)
    start = evaluate(policy, definition.test, n_samples=_SAMPLES)
    entry = {
        "sha256": file_hash(folder / task / WEIGHTS),
        "seed": seed,
        "steps": definition.warm_steps,
        "command": f"rlvr-course train --warm-start {task} --seed {seed}",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "cpu_s": round(cpu_s, 1),
        "versions": package_versions(),
        "platform": f"{platform.system()} {platform.machine()}",
        "start": start.to_dict(),
    }
    manifest = {**read_manifest(folder), task: entry}
    text = json.dumps(manifest, indent=1, sort_keys=True)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return entry


def read_manifest(folder: Path = FOLDER) -> dict[str, Any]:
    """The manifest's entries by task; empty where none has been made yet.

    Raises:
        DataError: the manifest can't be read.
    """
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} can't be read ({error}): reinstall rlvr-course") from None


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hex; "" where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
