"""What a run tells of its health: its curves, and what is needed to read them.

A run may be a finished one, one that is still going on, the rows that TRL logged
(``trainer.state.log_history``), or what a ``Watch`` wrote down beside a trainer of your own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, get_args

from rlvr_course.errors import DataError
from rlvr_course.training.measure import Evaluation
from rlvr_course.training.recipes import GRPO, RECIPES, RLOO, Recipe
from rlvr_course.training.recorder import CURVES, curve_row, whole_rows
from rlvr_course.training.run import Run, is_finished, read_run

TemplateUse = Literal["applied", "not applied", "none", "unknown"]


@dataclass(frozen=True)
class Vitals:
    """A run as the health panel sees it.

    Args:
        name: of the run.
        label: where the figures come from.
        curves: a row for each step, under the names of ``Run.curves``; ``partial_none``, the
            share of samples for which some reward functions gave None and others did not.
        samples_per_step: how many samples a share of a step is over; None if not known.
        group_size: samples of one prompt; None if not known.
        wrong, refusal: prices, where a right answer earns 1; None if not known.
        template: whether prompts went through the tokenizer's chat template; "none" where there
            is no template, or one that leaves prompts as they are.
        reward_functions: how many there are; None if not known.
        best_paid: the highest reward that any sample earned; None if not known.
        before, after: on problems that it was not trained on.

    Raises:
        ValueError: no curves, a row without ``step``, an unknown ``template``, or sizes below 1.
    """

    name: str
    label: str
    curves: Sequence[Mapping[str, float]]
    samples_per_step: int | None = None
    group_size: int | None = None
    wrong: float | None = None
    refusal: float | None = None
    template: TemplateUse = "unknown"
    reward_functions: int | None = None
    best_paid: float | None = None
    before: Evaluation | None = None
    after: Evaluation | None = None

    def __post_init__(self) -> None:
        if not self.curves:
            raise ValueError(f"run {self.name!r} has no step to read: train it first")
        if not all("step" in row for row in self.curves):
            raise ValueError(f"run {self.name!r} has a row without its step: give every row one")
        if self.template not in get_args(TemplateUse):
            known = ", ".join(get_args(TemplateUse))
            raise ValueError(f"template={self.template!r} is not one of {known}")
        for name in ("samples_per_step", "group_size"):
            size = getattr(self, name)
            if size is not None and size < 1:
                raise ValueError(f"{name}={size}: it must be at least 1")

    @property
    def last_step(self) -> int:
        """The number of the last step."""
        return int(self.curves[-1]["step"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in ("before", "after"):
            plain[name] = None if plain[name] is None else plain[name].to_dict()
        plain["curves"] = [dict(row) for row in self.curves]
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of ``to_dict``.

        Raises:
            KeyError, TypeError, ValueError: it is none.
        """
        kept = {name: data[name] for name in ("before", "after")}
        read = {n: None if e is None else Evaluation.from_dict(e) for n, e in kept.items()}
        return cls(**{**data, **read})


CURVES_READ = frozenset(
    "step reward reward_std accuracy proxy refusal entropy kl clipped_ratio mean_length "
    "frac_reward_zero_std uniform_groups partial_none".split()
)
"""The curves that the panel reads."""

Watchable = Run | Vitals | str | Path | Sequence[Mapping[str, Any]]
"""What ``health`` reads."""


def read_vitals(run: Watchable) -> Vitals:
    """Whatever a run is given as, as the health panel sees it.

    Args:
        run: a run; a folder of one, finished or not; a file that ``Vitals`` were written to; or
            TRL's ``trainer.state.log_history``, whose shares then have no n.

    Raises:
        ValueError: no step has been logged.
        DataError: nothing readable is there.
    """
    if isinstance(run, Vitals):
        return run
    if isinstance(run, Run):
        return _of_run(run)
    if isinstance(run, (str, Path)):
        return _at(Path(run))
    rows = [{"step": row["step"], **_known(row)} for row in run if "step" in row]
    return Vitals("log", "a trainer's log", [row for row in rows if len(row) > 1])


def write_vitals(vitals: Vitals, path: str | Path) -> Path:
    """Write them as one JSON file, for ``read_vitals``.

    Raises:
        OSError: it can't be written.
    """
    path = Path(path)
    text = json.dumps(vitals.to_dict(), ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")
    return path


def _known(row: Mapping[str, Any]) -> dict[str, float]:
    """A row under the course's names, whether it has them already or TRL's."""
    ours = {name: float(row[name]) for name in CURVES_READ - {"step"} if name in row}
    return {**curve_row(row), **ours}


def _of_run(run: Run) -> Vitals:
    return _with_recipe(
        run.recipe,
        name=f"{run.name}, seed {run.seed}",
        label=run.label,
        curves=run.curves,
        before=run.before,
        after=run.after,
    )


def _with_recipe(recipe: Recipe, **fields: Any) -> Vitals:
    """What a recipe says about its curves; the template of a tiny policy changes no prompt."""
    method = recipe.method
    if isinstance(method, (RLOO, GRPO)):
        fields["group_size"] = method.group_size
        fields["samples_per_step"] = method.group_size * method.prompts_per_step
    fields |= {"wrong": recipe.wrong, "refusal": recipe.refusal, "reward_functions": 1}
    return Vitals(**fields, template="none")


def _at(path: Path) -> Vitals:
    if path.is_file():
        return _in_file(path)
    if is_finished(path):
        return _of_run(read_run(path))
    try:
        rows = whole_rows(path / "progress" / CURVES)
    except (OSError, ValueError) as error:
        raise DataError(f"{path / 'progress' / CURVES} can't be read ({error})") from None
    if not rows:
        raise DataError(f"{path} holds no run with a step to read: give the folder of one")
    label = f"not finished: {rows[-1]['step']} steps so far"
    recipe = RECIPES.get(path.name.rpartition("-s")[0])
    if recipe is None:
        return Vitals(path.name, label, rows)
    return _with_recipe(recipe, name=path.name, label=label, curves=rows)


def _in_file(path: Path) -> Vitals:
    try:
        return Vitals.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} can't be read as the vitals of a run ({error})") from None
