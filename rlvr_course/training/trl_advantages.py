"""What TRL's own trainers make of given rewards: the arithmetic by hand, held to the real thing.

A step of the real trainer is taken on the tiny clerk, whose answers are paid the given rewards
whatever they say; the trainer's advantages are then read from its log. The recorded ones come
with the package, for where TRL is missing:

    python -m rlvr_course.training.trl_advantages        computes and records them anew
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from rlvr_course.errors import DataError
from rlvr_course.training.recipes import GRPO, RLOO, Recipe
from rlvr_course.training.recorded import FOLDER, recorded_run
from rlvr_course.training.requirements import can_train, require_training
from rlvr_course.training.versions import package_versions

RECORDED = FOLDER / "trl_advantages.json"
COMMAND = "python -m rlvr_course.training.trl_advantages"

Trainer = Literal["rloo", "grpo", "grpo_unscaled"]
_METHODS: dict[str, type[RLOO] | type[GRPO]] = {
    "rloo": RLOO,
    "grpo": GRPO,
    "grpo_unscaled": GRPO,
}


@dataclass(frozen=True)
class TrlAdvantages:
    """Advantages as a TRL trainer computed them, and where they come from.

    Args:
        values: one for each reward, in their order.
        label: TRL's version, and "live" or "recorded" with date and command.
    """

    values: tuple[float, ...]
    label: str


def trl_advantages(
    rewards: Sequence[float], trainer: Trainer = "grpo", *, live: bool = True
) -> TrlAdvantages:
    """The advantages of one group by TRL's ``RLOOTrainer`` or ``GRPOTrainer``.

    Args:
        rewards: of one group, at least 2.
        trainer: "rloo", "grpo", or "grpo_unscaled" (``scale_rewards="none"``).
        live: False gives the recorded ones even where TRL is there.

    Returns:
        What TRL's trainer logged, in its precision (32-bit floats).

    Raises:
        ValueError: an unknown trainer, or fewer than 2 rewards.
        DataError: recorded ones are wanted, and none are recorded for these rewards.
    """
    if trainer not in _METHODS:
        raise ValueError(f"trainer {trainer!r} is not one of {', '.join(_METHODS)}")
    if len(rewards) < 2:
        raise ValueError(f"a group of {len(rewards)} rewards: give at least 2")
    if live and can_train():
        trl = package_versions()["trl"]
        return TrlAdvantages(_by_a_step(rewards, trainer), f"live: TRL {trl}")
    return _recorded(rewards, trainer)


def _by_a_step(rewards: Sequence[float], trainer: Trainer) -> tuple[float, ...]:
    from rlvr_course.training.checkpoints import load_checkpoint
    from rlvr_course.training.torch_state import generators_restored, one_thread, quiet_libraries
    from rlvr_course.training.trl_trainers import build_trainer

    require_training()

    def pay(prompts: Sequence[str], **_columns: Any) -> list[float]:
        return [rewards[place % len(rewards)] for place in range(len(prompts))]

    settings: dict[str, Any] = {"steps": 1, "prompts_per_step": 1, "group_size": len(rewards)}
    if trainer == "grpo_unscaled":
        settings["scale_rewards"] = "none"
    recipe = Recipe("advantages", "clerk", _METHODS[trainer](**settings))
    with (
        tempfile.TemporaryDirectory() as folder,
        generators_restored(),
        one_thread(),
        quiet_libraries(),
    ):
        model = load_checkpoint(recipe.task)
        made: Any = build_trainer(
            recipe, model, pay, seed=0, folder=Path(folder), listener=_Silent()
        )
        made.train()
    return tuple(made._logs["advantages"])  # the only place where TRL leaves them


class _Silent:
    """A listener that keeps nothing."""

    def on_log(self, step: int, logs: dict[str, Any]) -> None:
        """Nothing."""

    def on_save(self, step: int) -> None:
        """Nothing."""


def _recorded(rewards: Sequence[float], trainer: Trainer) -> TrlAdvantages:
    try:
        data = json.loads(RECORDED.read_text(encoding="utf-8"))
        found = [
            TrlAdvantages(tuple(entry["advantages"]), data["label"])
            for entry in data["groups"]
            if entry["trainer"] == trainer and entry["rewards"] == list(rewards)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{RECORDED} can't be read ({error}): reinstall rlvr-course") from None
    if not found:
        raise DataError(
            f"TRL's advantages of {list(rewards)} by {trainer!r} are not recorded: "
            "uv sync --extra train computes them"
        )
    return found[0]


def recorded_groups() -> list[list[float]]:
    """The groups whose advantages are recorded: the first one of each of two recorded runs."""
    groups = []
    for name in ("clerk-grpo-0.1", "clerk-grpo-1.0"):
        run = recorded_run(name)
        if run is None:
            raise DataError(f"no run of {name!r} is recorded: reinstall rlvr-course")
        first = run.samples()[1][: run.recipe.method.group_size]
        groups.append([sample.reward for sample in first if sample.reward is not None])
    return groups


def record(path: Path = RECORDED) -> None:
    """Compute the advantages of the recorded groups by every trainer, and keep them.

    Raises:
        TrainingUnavailable: the extra ``train`` is missing.
        OSError: the file can't be written.
    """
    require_training()
    trl, today = package_versions()["trl"], f"{datetime.now(UTC):%Y-%m-%d}"
    trainers: tuple[Trainer, ...] = ("rloo", "grpo", "grpo_unscaled")
    entries = [
        {"trainer": trainer, "rewards": rewards, "advantages": _by_a_step(rewards, trainer)}
        for rewards in recorded_groups()
        for trainer in trainers
    ]
    label = json.dumps(f"recorded: TRL {trl}, {today}, {COMMAND}")
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    path.write_text(f'{{"label": {label}, "groups": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    record()
