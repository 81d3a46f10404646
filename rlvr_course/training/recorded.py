"""Recorded runs: one of every recipe comes with the package, for where nothing can be trained.

A recorded run says that it is one: ``run.recorded`` is True, and ``run.label`` names model, date
and the command that repeats it. It holds curves, samples and evaluations, but no weights.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from rlvr_course.errors import DataError
from rlvr_course.training.execute import run_id, train
from rlvr_course.training.recipes import Recipe, load_recipe
from rlvr_course.training.requirements import can_train
from rlvr_course.training.run import Run, is_finished, read_run

FOLDER = Path(__file__).parent.parent / "data" / "recorded_runs"


def train_or_recall(
    recipe: str | Recipe,
    *,
    out: str | Path = "artifacts",
    seed: int = 0,
    on_step: Callable[[int, int], object] = lambda step, steps: None,
) -> Run:
    """The run of a recipe: trained here where that is possible, else the recorded one.

    Args:
        recipe, out, seed, on_step: as for ``train``.

    Returns:
        A live run; without the extra ``train`` the recorded run, whose seed may differ.

    Raises:
        ValueError: an unknown recipe.
        TrainingError: as ``train``.
        DataError: nothing can be trained, and no run of this recipe is recorded.
    """
    if can_train():
        return train(recipe, out=out, seed=seed, on_step=on_step)
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
    found = recorded_run(recipe.name)
    if found is None or found.recipe != recipe:
        raise DataError(
            f"no run of {recipe.name!r} with these settings is recorded or in {out}: train it"
        )
    return found


@cache
def recorded_run(name: str, *, folder: Path = FOLDER) -> Run | None:
    """The recorded run of a name, None if there is none.

    Raises:
        DataError: the file can't be read.
    """
    path = folder / f"{name}.json.gz"
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
    path = folder / f"{run.name}.json.gz"
    data = {"manifest": run.manifest, "curves": run.curves, "rollouts": run.rollouts}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    recorded_run.cache_clear()
    return path
