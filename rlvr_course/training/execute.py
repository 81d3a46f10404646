"""Train a recipe, once: a second call returns the finished run, a killed one goes on.

A run is keyed by its recipe, seed, start and the code that computes it, so that nothing is trained
twice and nothing stale is returned. On one machine, with the same versions, the same key gives the
same curves to the last digit, whether or not the run was interrupted.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlvr_course.audit import AuditLog
from rlvr_course.errors import TrainingError
from rlvr_course.training.checkpoints import load_checkpoint, read_manifest
from rlvr_course.training.folder_lock import held
from rlvr_course.training.measure import Evaluation, evaluate
from rlvr_course.training.pairing import offline_rows
from rlvr_course.training.recipes import Recipe, load_recipe
from rlvr_course.training.recorder import (
    CURVES,
    ROLLOUTS,
    Recorder,
    last_checkpoint,
    whole_rows,
    write_rows,
)
from rlvr_course.training.requirements import require_training
from rlvr_course.training.reward import TaskReward
from rlvr_course.training.run import MANIFEST, MODEL, Run, is_finished, read_run
from rlvr_course.training.tasks import load_task
from rlvr_course.training.versions import code_hash, package_versions

if TYPE_CHECKING:
    from rlvr_course.training.tiny import TinyPolicy

TEST_SAMPLES = 1_600
"""About how many test samples an evaluation draws, over all problems."""


def train(
    recipe: str | Recipe,
    *,
    out: str | Path = "artifacts",
    seed: int = 0,
    on_step: Callable[[int, int], object] = lambda step, steps: None,
) -> Run:
    """Train a recipe and write the run into ``out``; return it at once if it is there already.

    Args:
        recipe: a name of ``RECIPES``, or one of your own.
        out: the folder that holds the folders of runs.
        seed: of sampling and the order of the data.
        on_step: called with the steps done and all steps, for a progress bar.

    Returns:
        The finished run.

    Raises:
        ValueError: an unknown recipe.
        TrainingUnavailable: the extra ``train`` is missing.
        TrainingError: another process trains this run, or its folder can't be written.
        DataError: the start is damaged.

    Limits: the curves repeat to the last digit with the same versions on the same kind of
        processor; elsewhere they end within the same band.
    """
    recipe = load_recipe(recipe)
    folder = Path(out) / run_id(recipe, seed)
    if is_finished(folder):
        return read_run(folder)
    require_training()
    start = train(recipe.start, out=out, seed=seed, on_step=on_step) if recipe.start else None
    try:
        with held(folder):
            if not is_finished(folder):  # another process may have finished it meanwhile
                _train_into(folder, recipe, seed, start, on_step)
    except OSError as error:
        raise TrainingError(
            f"can't write the run {folder} ({error.strerror}): give another folder with out"
        ) from None
    return read_run(folder)


def run_id(recipe: Recipe, seed: int) -> str:
    """The folder's name: recipe, seed and eight hex digits of everything that decides the run."""
    start = run_id(load_recipe(recipe.start), seed) if recipe.start else ""
    key = {
        "recipe": recipe.to_dict(),
        "code": code_hash(),
        "checkpoint": read_manifest().get(recipe.task, {}).get("sha256"),
        "start": start,
    }
    text = json.dumps(key, sort_keys=True)
    return f"{recipe.name}-s{seed}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _train_into(
    folder: Path,
    recipe: Recipe,
    seed: int,
    start: Run | None,
    on_step: Callable[[int, int], object],
) -> None:
    from rlvr_course.training.tiny import load_model, save_model
    from rlvr_course.training.torch_state import generators_restored, one_thread, quiet_libraries

    progress = folder / "progress"
    resume_at, checkpoint = last_checkpoint(progress)
    clock = _Clock(progress, resume_at)
    steps = recipe.method.steps
    recorder = Recorder(progress, steps=steps, resume_at=resume_at)
    told = _Told(recorder, clock, lambda step: on_step(step, steps))
    with generators_restored(), one_thread(), quiet_libraries():
        if start is None:
            model = load_checkpoint(recipe.task)
        else:
            assert start.folder is not None  # train() makes live runs only
            model = load_model(start.folder / MODEL)
        before = _evaluate(recipe, model, seed)
        _optimise(recipe, model, seed, progress, told, checkpoint)
        after = _evaluate(recipe, model, seed)
        save_model(model, folder / MODEL)
    write_rows(folder / CURVES, whole_rows(progress / CURVES))
    _log_rollouts(folder, whole_rows(progress / ROLLOUTS))
    manifest = _manifest(recipe, seed, before, after) | {
        "run_id": folder.name,
        "cpu_s": round(clock.cpu_s(), 1),
        "resumed_at": clock.resumed_at,
    }
    fresh = folder / f"{MANIFEST}.new"
    fresh.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    fresh.replace(folder / MANIFEST)
    shutil.rmtree(progress)


def _optimise(
    recipe: Recipe,
    model: Any,
    seed: int,
    progress: Path,
    told: _Told,
    checkpoint: Path | None,
) -> None:
    from rlvr_course.training.trl_trainers import build_trainer, is_online

    if is_online(recipe):
        data: Any = TaskReward(
            load_task(recipe.task).train,
            recipe.reward(),
            group_size=recipe.method.group_size,
            policy_id=f"{recipe.name} seed {seed}",
            on_groups=told.on_groups,
        )
    else:
        data = offline_rows(recipe, _policy(recipe, model, seed))
    trainer = build_trainer(recipe, model, data, seed=seed, folder=progress, listener=told)
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))


def _policy(recipe: Recipe, model: Any, seed: int) -> TinyPolicy:
    from rlvr_course.training.tiny import TinyPolicy

    max_tokens = load_task(recipe.task).max_tokens
    return TinyPolicy(model, f"{recipe.name} seed {seed}", max_tokens=max_tokens, seed=seed)


def _evaluate(recipe: Recipe, model: Any, seed: int) -> Evaluation:
    reward, problems = recipe.reward(), load_task(recipe.task).test
    return evaluate(
        _policy(recipe, model, seed),
        problems,
        verifier=reward.verifier,
        reward=reward,
        n_samples=max(1, TEST_SAMPLES // len(problems)),
    )


def _manifest(recipe: Recipe, seed: int, before: Evaluation, after: Evaluation) -> dict[str, Any]:
    return {
        "recipe": recipe.to_dict(),
        "seed": seed,
        "model": "tiny policy, 50,400 parameters",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "command": f"rlvr-course train {recipe.name} --seed {seed}",
        "code": code_hash(),
        "versions": package_versions(),
        "before": before.to_dict(),
        "after": after.to_dict(),
    }


def _log_rollouts(folder: Path, rows: list[dict[str, Any]]) -> None:
    """The samples as an audit log; what a killed process left of one is begun afresh."""
    for path in folder.glob(f"{ROLLOUTS}*"):
        path.unlink()
    with AuditLog(folder / ROLLOUTS, run_id=folder.name, anchor_every=max(1, len(rows))) as log:
        for row in rows:
            log.append(row)


class _Clock:
    """CPU-seconds of a run over all processes that worked on it, interruptions left out."""

    def __init__(self, progress: Path, resume_at: int) -> None:
        self._path = progress / "clock.json"
        past = json.loads(self._path.read_text()) if resume_at and self._path.exists() else {}
        self._before_s = past.get(str(resume_at), 0.0)
        self._resumed = past.get("resumed_at", [])
        self.resumed_at = [*self._resumed, resume_at] if resume_at else []
        self._times: dict[str, Any] = {"resumed_at": self.resumed_at}
        self._started_s = time.process_time()

    def cpu_s(self) -> float:
        """So far."""
        return self._before_s + time.process_time() - self._started_s

    def on_save(self, step: int) -> None:
        """Note the time at a checkpoint."""
        self._times[str(step)] = self.cpu_s()
        self._path.write_text(json.dumps(self._times))


class _Told:
    """Passes on what happens to the recorder, the clock and the progress bar."""

    def __init__(self, recorder: Recorder, clock: _Clock, on_step: Callable[[int], object]) -> None:
        self._recorder, self._clock, self._on_step = recorder, clock, on_step
        self.on_groups = recorder.on_groups

    def on_log(self, step: int, logs: dict[str, Any]) -> None:
        self._recorder.on_log(step, logs)
        self._on_step(step)

    def on_save(self, step: int) -> None:
        self._clock.on_save(step)
        self._recorder.on_save(step)
