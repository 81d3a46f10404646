"""Recorded runs: one of every recipe comes with the package, for where nothing can be trained.

A recorded run says that it is one: ``run.recorded`` is True, and ``run.label`` names model, date
and the command that repeats it. It holds curves, samples and evaluations, but no weights.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache
from pathlib import Path

from rlvr_course.errors import DataError
from rlvr_course.progress import step_bar
from rlvr_course.training.execute import run_id, train
from rlvr_course.training.recipes import Recipe, load_recipe
from rlvr_course.training.requirements import can_train
from rlvr_course.training.run import Run, is_finished, read_run

FOLDER = Path(__file__).parent.parent / "data" / "recorded_runs"


def train_or_recall(
    recipe: str | Recipe,
    *,
    live: bool = True,
    out: str | Path = "artifacts",
    seed: int = 0,
    on_step: Callable[[int, int], object] | None = None,
) -> Run:
    """The run of a recipe: trained here where that is possible, else the recorded one.

    Args:
        recipe, out, seed: as for ``train``.
        on_step: as for ``train``; None shows a bar.
        live: False gives the recorded run even where one could be trained, or has been: the same
            figures everywhere. The notebooks do so in fake mode, unless LIVE is set in them.

    Returns:
        A live run; the recorded one if not ``live``, or without the extra ``train``. Where no
        run of this seed is recorded, the recorded one of seed 0.

    Raises:
        ValueError: an unknown recipe.
        TrainingError: as ``train``.
        DataError: no run of this recipe is recorded, and none can be trained or should be.
    """
    if not live:
        return _recorded_or_fail(load_recipe(recipe), seed)
    if can_train() and not is_finished(Path(out) / run_id(load_recipe(recipe), seed)):
        with nullcontext(on_step) if on_step else step_bar(load_recipe(recipe).name) as told:
            return train(recipe, out=out, seed=seed, on_step=told)
    return load_run(recipe, out=out, seed=seed)


def load_run(recipe: str | Recipe, *, out: str | Path = "artifacts", seed: int = 0) -> Run:
    """The finished run of a recipe, without training: the live one if it is there.

    Args:
        recipe, out, seed: as for ``train``.

    Returns:
        The live run in ``out``; else the recorded one, which has the seed that it has.

    Raises:
        ValueError: an unknown recipe.
        DataError: neither is there, or it can't be read.
    """
    recipe = load_recipe(recipe)
    folder = Path(out) / run_id(recipe, seed)
    if is_finished(folder):
        return read_run(folder)
    return _recorded_or_fail(recipe, seed)


def _recorded_or_fail(recipe: Recipe, seed: int) -> Run:
    found = recorded_run(recipe.name, seed=seed) or recorded_run(recipe.name)
    if found is None or found.recipe != recipe:
        raise DataError(
            f"no run of {recipe.name!r} with these settings is recorded, nor trained here: train it"
        )
    return found


def recorded_run(name: str, *, seed: int = 0, folder: Path = FOLDER) -> Run | None:
    """The recorded run of a name and seed, None if there is none.

    Raises:
        DataError: the file can't be read.

    Limits: every recipe has one of seed 0; a few have other seeds, to show how runs differ.
    """
    return _read(folder / _file_name(name, seed))


@cache
def _read(path: Path) -> Run | None:
    if not path.is_file():
        return None
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        return Run(data["manifest"], data["curves"], data["rollouts"])
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} can't be read ({error}): reinstall rlvr-course") from None


def record_run(run: Run, *, folder: Path = FOLDER) -> Path:
    """Keep a live run as the recorded one of its recipe; the same run gives the same bytes.

    Raises:
        OSError: the folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _file_name(run.name, run.seed)
    data = {"manifest": run.manifest, "curves": run.curves, "rollouts": run.rollouts}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    _read.cache_clear()
    return path


def _file_name(name: str, seed: int) -> str:
    return f"{name}-s{seed}.json.gz" if seed else f"{name}.json.gz"
