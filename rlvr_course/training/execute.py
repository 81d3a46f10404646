"""Train a recipe, once: a second call returns the finished run, a killed one goes on.

A run is keyed by its recipe, seed, start and the code that computes it, so that nothing is trained
twice and nothing stale is returned. On one machine, with the same versions, the same key gives the
same curves to the last digit, whether or not the run was interrupted.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rlvr_course.audit import AuditLog
from rlvr_course.errors import TrainingError
from rlvr_course.rewards import MathRewardFunction
from rlvr_course.training.checkpoints import load_checkpoint, read_manifest
from rlvr_course.training.clock import RunClock
from rlvr_course.training.folder_lock import held
from rlvr_course.training.measure import Evaluation, evaluate
from rlvr_course.training.pairing import offline_rows
from rlvr_course.training.recipes import GRPO, RECIPES, RLOO, Recipe, load_recipe
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
from rlvr_course.training.tiny import N_PARAMETERS
from rlvr_course.training.versions import code_hash, package_versions, verifier_identity
from rlvr_course.verifiers.protocol import Verifier

if TYPE_CHECKING:
    from rlvr_course.training.tiny import TinyPolicy

TEST_SAMPLES = 1_600
"""About how many test samples an evaluation draws, over all problems."""


def train(
    recipe: str | Recipe,
    *,
    out: str | Path = "artifacts",
    seed: int = 0,
    verifier: Verifier | None = None,
    on_step: Callable[[int, int], object] = lambda step, steps: None,
) -> Run:
    """Train a recipe and write the run into ``out``; return it at once if it is there already.

    Args:
        recipe: a name of ``RECIPES``, or one of your own.
        out: the folder that holds the folders of runs.
        seed: of sampling and the order of the data.
        verifier: trained by in place of the recipe's: any of the course's protocol. A function
            is known by its source, an object needs a text ``verifier_id``.
        on_step: called with the steps done and all steps, for a progress bar.

    Returns:
        The finished run.

    Raises:
        ValueError: an unknown recipe, or a verifier that can't be told from others.
        TrainingUnavailable: the extra ``train`` is missing.
        TrainingError: another process trains this run, or its folder can't be written.
        DataError: the start is damaged.

    Limits: the curves repeat to the last digit with the same versions on the same kind of
        processor; elsewhere they end within the same band.
    """
    recipe = load_recipe(recipe)
    own = "" if verifier is None else verifier_identity(verifier)
    job = _Job(recipe, seed, recipe.reward(verifier), own)
    folder = Path(out) / run_id(recipe, seed, verifier=own)
    if is_finished(folder):
        return read_run(folder)
    require_training()
    start = train(recipe.start, out=out, seed=seed, on_step=on_step) if recipe.start else None
    try:
        with held(folder):
            if not is_finished(folder):  # another process may have finished it meanwhile
                _train_into(folder, job, start, on_step)
    except OSError as error:
        raise TrainingError(
            f"can't write the run {folder} ({error.strerror}): give another folder with out"
        ) from None
    return read_run(folder)


def run_id(recipe: Recipe, seed: int, *, verifier: str = "") -> str:
    """The folder's name: recipe, seed and eight hex digits of everything that decides the run.

    Args:
        recipe, seed: of the run.
        verifier: ``verifier_identity`` of one that takes the place of the recipe's.
    """
    start = run_id(load_recipe(recipe.start), seed) if recipe.start else ""
    settings = {name: value for name, value in recipe.to_dict().items() if name != "shows"}
    key = {
        "recipe": settings,
        "code": code_hash(),
        "checkpoint": read_manifest().get(recipe.task, {}).get("sha256"),
        "start": start,
        "verifier": verifier,
    }
    text = json.dumps(key, sort_keys=True)
    return f"{recipe.name}-s{seed}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


class _Job(NamedTuple):
    """What is trained, with which seed, by which reward."""

    recipe: Recipe
    seed: int
    reward: MathRewardFunction
    own_verifier: str = ""

    def policy(self, model: Any) -> TinyPolicy:
        from rlvr_course.training.tiny import TinyPolicy

        max_tokens = load_task(self.recipe.task).max_tokens
        return TinyPolicy(model, self.policy_id, max_tokens=max_tokens, seed=self.seed)

    @property
    def policy_id(self) -> str:
        return f"{self.recipe.name} seed {self.seed}"

    @property
    def command(self) -> str:
        """What repeats the run: a command where the recipe is one of the table's."""
        if RECIPES.get(self.recipe.name) == self.recipe and not self.own_verifier:
            return f"rlvr-course train {self.recipe.name} --seed {self.seed}"
        return f"train(Recipe({self.recipe.name!r}, ...), seed={self.seed})"

    def evaluate(self, model: Any) -> Evaluation:
        problems = load_task(self.recipe.task).test
        return evaluate(
            self.policy(model),
            problems,
            verifier=self.reward.verifier,
            reward=self.recipe.reward(self.reward.verifier),  # with a count of masks of its own
            n_samples=max(1, TEST_SAMPLES // len(problems)),
        )


def _train_into(
    folder: Path, job: _Job, start: Run | None, on_step: Callable[[int, int], object]
) -> None:
    from rlvr_course.training.tiny import load_model, save_model
    from rlvr_course.training.torch_state import generators_restored, one_thread, quiet_libraries

    _import_libraries(job.recipe)
    progress, steps = folder / "progress", job.recipe.method.steps
    resume_at, checkpoint = last_checkpoint(progress)
    clock = RunClock(progress, resume_at)
    recorder = Recorder(progress, steps=steps, resume_at=resume_at)
    told = _Told(recorder, clock, lambda step: on_step(step, steps))
    with generators_restored(), one_thread(), quiet_libraries():
        model = _load_start(job.recipe, start)
        before = job.evaluate(model)
        if checkpoint is not None and resume_at >= steps:
            model = load_model(checkpoint)  # all but measured; TRL would take one more step
        else:
            _optimise(job, model, progress, told, checkpoint)
        after = job.evaluate(model)
        save_model(model, folder / MODEL)
    write_rows(folder / CURVES, whole_rows(progress / CURVES))
    _log_rollouts(folder, whole_rows(progress / ROLLOUTS))
    _write_manifest(folder, job, clock, before, after)
    shutil.rmtree(progress)


def _import_libraries(recipe: Recipe) -> None:
    """Before the clock starts: importing takes as long as a short run, and once a process."""
    from rlvr_course.training.torch_state import quiet_libraries

    with quiet_libraries():
        import_module(f"trl.trainer.{type(recipe.method).__name__.lower()}_trainer")
        import_module("datasets")


def _load_start(recipe: Recipe, start: Run | None) -> Any:
    from rlvr_course.training.tiny import load_model

    if start is None:
        return load_checkpoint(recipe.task)
    assert start.folder is not None  # train() makes live runs only
    return load_model(start.folder / MODEL)


def _optimise(job: _Job, model: Any, progress: Path, told: _Told, checkpoint: Path | None) -> None:
    from rlvr_course.training.trl_trainers import build_trainer

    recipe = job.recipe
    if isinstance(recipe.method, (RLOO, GRPO)):
        data: Any = TaskReward(
            load_task(recipe.task).train,
            job.reward,
            group_size=recipe.method.group_size,
            policy_id=job.policy_id,
            on_groups=told.on_groups,
        )
    else:
        data = offline_rows(recipe, job.policy(model), job.reward)
    trainer = build_trainer(recipe, model, data, seed=job.seed, folder=progress, listener=told)
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))


def _write_manifest(
    folder: Path, job: _Job, clock: RunClock, before: Evaluation, after: Evaluation
) -> None:
    """Last of all, and all or nothing: it says that the run is finished."""
    manifest = {
        "run_id": folder.name,
        "recipe": job.recipe.to_dict(),
        "seed": job.seed,
        "model": f"tiny policy, {N_PARAMETERS:,} parameters",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "verifier": job.own_verifier or job.recipe.verifier,
        "command": job.command,
        "code": code_hash(),
        "versions": package_versions(),
        "cpu_s": round(clock.cpu_s(), 1),
        "resumed_at": clock.resumed_at,
        "before": before.to_dict(),
        "after": after.to_dict(),
    }
    fresh = folder / f"{MANIFEST}.new"
    fresh.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    fresh.replace(folder / MANIFEST)


def _log_rollouts(folder: Path, rows: list[dict[str, Any]]) -> None:
    """The samples as an audit log; what a killed process left of one is begun afresh."""
    for path in folder.glob(f"{ROLLOUTS}*"):
        path.unlink()
    with AuditLog(folder / ROLLOUTS, run_id=folder.name, anchor_every=max(1, len(rows))) as log:
        for row in rows:
            log.append(row)


class _Told:
    """Passes on what happens to the recorder, the clock and the progress bar."""

    def __init__(
        self, recorder: Recorder, clock: RunClock, on_step: Callable[[int], object]
    ) -> None:
        self._recorder, self._clock, self._on_step = recorder, clock, on_step
        self.on_groups = recorder.on_groups

    def on_log(self, step: int, logs: dict[str, Any]) -> None:
        self._recorder.on_log(step, logs)
        self._on_step(step)

    def on_save(self, step: int) -> None:
        self._clock.on_save(step)
        self._recorder.on_save(step)
