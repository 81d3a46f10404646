"""What a training run left: its manifest, curves, sampled rollouts and evaluations.

RUN/manifest.json    recipe, seed, versions, code, CPU-seconds, evaluation before and after;
                     written last: a folder without it is a run that is not finished
RUN/curves.jsonl     a row for each step
RUN/rollouts.jsonl   samples of eight steps, as an audit log (``verify_audit`` reads it)
RUN/model/           the trained policy
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rlvr_course.errors import DataError
from rlvr_course.records import Sample
from rlvr_course.training.measure import Evaluation
from rlvr_course.training.recipes import Recipe
from rlvr_course.training.recorder import CURVES, ROLLOUTS, whole_rows
from rlvr_course.training.tasks import load_task

MANIFEST = "manifest.json"
MODEL = "model"


@dataclass(frozen=True)
class Run:
    """A finished run, live or recorded.

    Args:
        manifest: what it was, as written.
        curves: a row for each step: ``step``, ``loss``, and as the method has them ``reward``,
            ``accuracy`` (by the truth), ``proxy`` (by its own verifier), ``refusal``,
            ``listing``, ``masked``, ``mixed_groups``, ``uniform_groups``, ``reward_std``,
            ``frac_reward_zero_std``, ``entropy`` (nats per token), ``kl``, ``clipped_ratio``,
            ``mean_length`` (tokens), ``grad_norm``; ``reward_accuracy`` and ``reward_margin``
            for DPO; ``token_accuracy`` for SFT. Shares are in [0, 1].
        rollouts: rows of some steps: ``step`` and the fields of a ``Sample``.
        folder: where it lies; None for a recorded run.
    """

    manifest: Mapping[str, Any]
    curves: Sequence[Mapping[str, float]]
    rollouts: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    folder: Path | None = None

    @property
    def name(self) -> str:
        """The recipe's name."""
        return self.manifest["recipe"]["name"]

    @property
    def seed(self) -> int:
        """As given."""
        return self.manifest["seed"]

    @property
    def recorded(self) -> bool:
        """Whether it came with the package, and was not made here."""
        return self.folder is None

    @property
    def recipe(self) -> Recipe:
        """What was trained."""
        return Recipe.from_dict(self.manifest["recipe"])

    @cached_property
    def before(self) -> Evaluation:
        """The start on the test problems."""
        return Evaluation.from_dict(self.manifest["before"])

    @cached_property
    def after(self) -> Evaluation:
        """The trained policy on the test problems."""
        return Evaluation.from_dict(self.manifest["after"])

    @property
    def label(self) -> str:
        """One line that says where the figures come from."""
        m = self.manifest
        source = "recorded" if self.recorded else "live"
        return f"{source}: {m['model']}, {m['date']}, {m['command']}"

    def curve(self, name: str) -> list[float]:
        """One column of the curves, without the steps that lack it.

        Raises:
            ValueError: no step has it.
        """
        values = [row[name] for row in self.curves if name in row]
        if not values:
            known = sorted({key for row in self.curves for key in row})
            raise ValueError(f"run {self.name!r} has no curve {name!r}; it has {', '.join(known)}")
        return values

    def samples(self) -> dict[int, list[Sample]]:
        """The samples that were kept, by step."""
        found: dict[int, list[Sample]] = {}
        for row in self.rollouts:
            fields = {name: value for name, value in row.items() if name != "step"}
            found.setdefault(row["step"], []).append(Sample.from_dict(fields))
        return found

    def policy(self, *, seed: int = 0) -> Any:
        """The trained policy.

        Raises:
            TrainingUnavailable: the extra ``train`` is missing.
            DataError: a recorded run, which holds no weights; train it to have them.
        """
        from rlvr_course.training.tiny import TinyPolicy, load_model

        if self.folder is None:
            raise DataError(
                f"the recorded run of {self.name!r} holds no weights: "
                f"rlvr-course train {self.name} makes them"
            )
        name = f"{self.name} seed {self.seed}"
        max_tokens = load_task(self.recipe.task).max_tokens
        return TinyPolicy(load_model(self.folder / MODEL), name, max_tokens=max_tokens, seed=seed)

    def __str__(self) -> str:
        rows = [
            f"{name:<9} {getattr(self.before, name)!s:<29} -> {getattr(self.after, name)}"
            for name in ("accuracy", "refusal", "proxy")
        ]
        return "\n".join([f"{self.name}, seed {self.seed} ({self.label})", *rows])


def is_finished(folder: Path) -> bool:
    """Whether the folder holds a finished run."""
    return (folder / MANIFEST).is_file()


def read_run(folder: str | Path) -> Run:
    """The finished run in a folder.

    Raises:
        DataError: none is there, or it can't be read.
    """
    folder = Path(folder)
    if not is_finished(folder):
        raise DataError(f"{folder} holds no finished run: its {MANIFEST} is missing")
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        curves = whole_rows(folder / CURVES)
        rollouts = [entry["record"] for entry in whole_rows(folder / ROLLOUTS)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"run {folder} can't be read ({error}): remove it, train again") from None
    return Run(manifest, curves, rollouts, folder)
