"""A run of SmolLM2: what it scored before and after, question by question, and its curves."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rlvr_course.errors import DataError, TrainingError

RECORDED = Path(__file__).parent.parent / "data" / "recorded_runs" / "smollm2-lora.json"
FILE = "run.json"
_RESAMPLES = 2_000


@dataclass(frozen=True)
class Mean:
    """A mean over questions with a 95% interval, and how many questions it is of."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n={self.n})"


def mean_of(values: Sequence[float]) -> Mean:
    """The mean, with the interval of 2,000 bootstrap samples of the questions.

    Args:
        values: one for each question, at least one.

    Raises:
        ValueError: no values.

    >>> print(mean_of([0.5] * 100))
    0.50 [0.50, 0.50] (n=100)
    """
    if not values:
        raise ValueError("no values to take the mean of: give at least one")
    rng, n = random.Random(0), len(values)
    means = sorted(sum(rng.choices(values, k=n)) / n for _ in range(_RESAMPLES))
    cut = round(0.025 * _RESAMPLES)
    return Mean(sum(values) / n, means[cut], means[-1 - cut], n)


@dataclass(frozen=True)
class LineScores:
    """How many of each question's samples were right, and how many were tidy.

    Args:
        right, tidy: one count for each question, each at most ``n_samples``.
        n_samples: of each question.

    Raises:
        ValueError: different lengths, no questions, or a count out of range.

    Limits: the intervals are over questions, so that samples of one question count as one.
    """

    right: tuple[int, ...]
    tidy: tuple[int, ...]
    n_samples: int

    def __post_init__(self) -> None:
        if not self.right or len(self.right) != len(self.tidy):
            raise ValueError(f"{len(self.right)} counts of right, {len(self.tidy)} of tidy lines")
        if not all(0 <= count <= self.n_samples for count in (*self.right, *self.tidy)):
            raise ValueError(f"a count is not in 0..{self.n_samples}, the samples of a question")

    def shares(self, name: str) -> list[float]:
        """Of each question: "right" or "tidy"."""
        return [count / self.n_samples for count in getattr(self, name)]

    @property
    def correctness(self) -> Mean:
        """Right numbers, however the line goes on."""
        return mean_of(self.shares("right"))

    @property
    def format(self) -> Mean:
        """Tidy lines, whatever their number."""
        return mean_of(self.shares("tidy"))

    @property
    def mixed(self) -> int:
        """Questions with right and wrong samples: those that can teach."""
        return sum(0 < count < self.n_samples for count in self.right)


@dataclass(frozen=True)
class SmolRun:
    """A finished run.

    Args:
        manifest: settings, versions, date, CPU-seconds, and the command that repeats it.
        curves: a row for each step: ``reward``, ``right``, ``tidy``, ``loss``, ``entropy``, ...
        before, after: on questions that it was not trained on.
        folder: where it lies; None for the recorded run.
    """

    manifest: Mapping[str, Any]
    curves: Sequence[Mapping[str, float]]
    before: LineScores
    after: LineScores
    folder: Path | None = None

    @property
    def label(self) -> str:
        """One line that says where the figures come from."""
        m = self.manifest
        source = "recorded" if self.folder is None else "live"
        return f"{source}: {m['model']}, {m['date']}, {m['command']}"

    def gain(self, name: str) -> Mean:
        """After less before, question by question: "right" or "tidy"."""
        pairs = zip(self.before.shares(name), self.after.shares(name), strict=True)
        return mean_of([after - before for before, after in pairs])

    def curve(self, name: str) -> list[float]:
        """One column of the curves.

        Raises:
            ValueError: there is no such column.
        """
        if not self.curves or name not in self.curves[0]:
            known = ", ".join(sorted(self.curves[0])) if self.curves else "none"
            raise ValueError(f"no curve {name!r}; there are {known}")
        return [row[name] for row in self.curves]

    def __str__(self) -> str:
        m = self.manifest
        return "\n".join(
            [
                self.label,
                f"correctness {self.before.correctness} -> {self.after.correctness}, "
                f"gain {self.gain('right')}",
                f"format      {self.before.format} -> {self.after.format}, "
                f"gain {self.gain('tidy')}",
                f"{m['settings']['steps']} steps, {m['cpu_s']:.0f} CPU-seconds",
            ]
        )


def load_smollm2_run() -> SmolRun:
    """The recorded run, which needs no extra.

    Raises:
        DataError: its file can't be read.
    """
    return _parse(RECORDED)


def read_smollm2_run(folder: Path) -> SmolRun | None:
    """The finished run in a folder, None if there is none.

    Raises:
        DataError: it can't be read.
    """
    path = folder / FILE
    return replace(_parse(path), folder=folder) if path.is_file() else None


def write_smollm2_run(folder: Path, run: SmolRun) -> SmolRun:
    """Write a run whole, last of all that a run writes.

    Raises:
        TrainingError: the folder can't be written.
    """
    path = folder / FILE
    data = {
        "manifest": dict(run.manifest),
        "before": _plain(run.before),
        "after": _plain(run.after),
        "curves": [dict(row) for row in run.curves],
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + ".tmp")
        fresh.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        raise TrainingError(
            f"{path} can't be written ({error.strerror}): give another folder with out"
        ) from None
    return replace(run, folder=folder)


def record_smollm2_run(run: SmolRun) -> Path:
    """Keep a live run as the recorded one.

    Raises:
        DataError: a run without a folder is the recorded one already.
    """
    if run.folder is None:
        raise DataError("the run is the recorded one already: train one to keep")
    RECORDED.write_bytes((run.folder / FILE).read_bytes())
    return RECORDED


def _plain(scores: LineScores) -> dict[str, Any]:
    return {
        "right": list(scores.right),
        "tidy": list(scores.tidy),
        "n_samples": scores.n_samples,
    }


def _parse(path: Path) -> SmolRun:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        before, after = (
            LineScores(tuple(part["right"]), tuple(part["tidy"]), part["n_samples"])
            for part in (data["before"], data["after"])
        )
        return SmolRun(data["manifest"], data["curves"], before, after)
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path} can't be read ({reason}): train anew, or reinstall") from None
