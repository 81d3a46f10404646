"""Writes a run down step by step, so that it can be killed anywhere and go on.

    RUN/progress/curves.jsonl     a row for each step
    RUN/progress/rollouts.jsonl   samples of some steps
    RUN/progress/checkpoint-N/    TRL's checkpoint; with the file ``complete`` once it is whole

A run that goes on does so from its last whole checkpoint N; rows beyond N are dropped, for those
steps are taken again.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rlvr_course.records import Sample

CURVES, ROLLOUTS, COMPLETE = "curves.jsonl", "rollouts.jsonl", "complete"
GROUPS_KEPT = 2
_CHECKPOINT = re.compile(r"checkpoint-([0-9]+)")

# Names in a row of the curves, and what TRL calls them.
_NAMES = {
    "loss": "loss",
    "reward": "reward",
    "reward_std": "reward_std",
    "frac_reward_zero_std": "frac_reward_zero_std",
    "entropy": "entropy",
    "kl": "kl",
    "clipped_ratio": "completions/clipped_ratio",
    "mean_length": "completions/mean_length",
    "grad_norm": "grad_norm",
    "reward_accuracy": "rewards/accuracies",
    "reward_margin": "rewards/margins",
    "token_accuracy": "mean_token_accuracy",
    "accuracy": "accuracy",
    "refusal": "refusal",
    "listing": "listing",
    "proxy": "proxy",
    "masked": "masked",
    "partial_none": "partial_none",
    "mixed_groups": "mixed_groups",
    "uniform_groups": "uniform_groups",
}


class Recorder:
    """Rows and samples of one run, appended as they come.

    Args:
        folder: the run's ``progress`` folder; made if missing.
        steps: how many the whole run has.
        resume_at: the step to go on after; 0 begins afresh.
    """

    def __init__(self, folder: Path, *, steps: int, resume_at: int = 0) -> None:
        self._folder = folder
        self._kept_steps = kept_steps(steps)
        folder.mkdir(parents=True, exist_ok=True)
        for name in (CURVES, ROLLOUTS):
            rows = [row for row in whole_rows(folder / name) if row["step"] <= resume_at]
            write_rows(folder / name, rows)

    def on_log(self, step: int, logs: Mapping[str, Any]) -> None:
        """Append a step's row."""
        _append(self._folder / CURVES, [{"step": step, **curve_row(logs)}])

    def on_groups(self, step: int, groups: Sequence[Sequence[Sample]]) -> None:
        """Append the first groups of some steps."""
        if step in self._kept_steps:
            kept = [sample for group in groups[:GROUPS_KEPT] for sample in group]
            _append(
                self._folder / ROLLOUTS, [{"step": step, **sample.to_dict()} for sample in kept]
            )

    def on_save(self, step: int) -> None:
        """Mark a checkpoint as whole: nothing of it is written after this file."""
        (self._folder / f"checkpoint-{step}" / COMPLETE).touch()


def curve_row(logs: Mapping[str, Any]) -> dict[str, float]:
    """TRL's log line under the course's names; what it does not hold is left out.

    >>> curve_row({"completions/clipped_ratio": 0.5, "epoch": 1.0})
    {'clipped_ratio': 0.5}
    """
    return {name: float(logs[theirs]) for name, theirs in _NAMES.items() if theirs in logs}


def kept_steps(steps: int) -> set[int]:
    """The steps whose samples are kept: the first, six others at equal distances, the last.

    >>> sorted(kept_steps(60))
    [1, 9, 18, 26, 35, 43, 52, 60]
    """
    return {1 + round(place * (steps - 1) / 7) for place in range(8)}


def last_checkpoint(folder: Path) -> tuple[int, Path | None]:
    """Step and folder of the last whole checkpoint, (0, None) if there is none.

    Folders of checkpoints that were cut while being written are removed.
    """
    best: tuple[int, Path | None] = (0, None)
    for path in folder.glob("checkpoint-*"):
        name = _CHECKPOINT.fullmatch(path.name)
        if name is None or not (path / COMPLETE).exists():
            shutil.rmtree(path, ignore_errors=True)
        elif int(name[1]) > best[0]:
            best = (int(name[1]), path)
    return best


def whole_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file up to its last line break; none where there is no file."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Put rows in place of what is there, all or nothing."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text("".join(_lines(rows)), encoding="utf-8")
    fresh.replace(path)


def _append(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(_lines(rows)))


def _lines(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
