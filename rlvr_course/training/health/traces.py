"""One curve of a run, read through a window of a few steps, so that no single step decides."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from rlvr_course.stats import Rate
from rlvr_course.training.health.vitals import Vitals

WINDOW = 5
"""Steps that are averaged: fewer, and one unlucky batch raises an alarm; more, and a short run
shows nothing. A run of fewer steps is one window."""


@dataclass(frozen=True)
class Level:
    """Where a curve stood on average over some steps.

    Args:
        value: mean.
        first, last: steps.
        n: what the share is over; None where that is not known.
    """

    value: float
    first: int
    last: int
    n: int | None = None

    def bounds(self) -> tuple[float, float]:
        """Of a share: the 95% interval; the value alone where n is not known.

        Limits: it takes samples as independent, and those of one prompt are not quite.
        """
        if self.n is None:
            return (self.value, self.value)
        return Rate(round(self.value * self.n), self.n).interval()

    def share(self) -> str:
        """Of a share: with interval, n and steps."""
        where = f"steps {self.first} to {self.last}"
        if self.n is None:
            return f"{self.value:.2f} ({where})"
        low, high = self.bounds()
        return f"{self.value:.2f} [{low:.2f}, {high:.2f}] (n={self.n}, {where})"

    def number(self) -> str:
        """Of any other curve: with its steps."""
        return f"{self.value:.3g} (steps {self.first} to {self.last})"


@dataclass(frozen=True)
class Stretch:
    """Where a condition held: the first window, and the last step of the last window.

    Args:
        level: the first window that met it.
        step: the first step of that window that meets it by itself.
        until: the last step of the last window that met it.
    """

    level: Level
    step: int
    until: int


@dataclass(frozen=True)
class Trace:
    """One curve.

    Args:
        steps, values: of the same length, at least one; no value is NaN.
        n_per_step: what a share of one step is over.
    """

    steps: Sequence[int]
    values: Sequence[float]
    n_per_step: int | None = None

    @classmethod
    def of(cls, vitals: Vitals, name: str, *, per: str = "samples") -> Self | None:
        """A curve of a run, or None where it has none.

        Args:
            vitals: of the run.
            name: of the curve.
            per: what its shares are over, "samples" or "groups".
        """
        rows = [row for row in vitals.curves if not math.isnan(row.get(name, math.nan))]
        if not rows:
            return None
        n, group_size = vitals.samples_per_step, vitals.group_size
        if per == "groups":
            n = n // group_size if n and group_size else None
        return cls([int(row["step"]) for row in rows], [row[name] for row in rows], n)

    def early(self) -> Level:
        """The first window."""
        return next(self.windows())

    def late(self) -> Level:
        """The last window."""
        return list(self.windows())[-1]

    def windows(self) -> Iterator[Level]:
        """Every window, in order."""
        width = min(WINDOW, len(self.values))
        for start in range(len(self.values) - width + 1):
            yield self._level(start, start + width)

    def between(self, first: int, last: int) -> Level | None:
        """The mean over the steps from first to last, None where the curve has none of them."""
        places = [place for place, step in enumerate(self.steps) if first <= step <= last]
        return self._level(places[0], places[-1] + 1) if places else None

    def stretch(
        self, met: Callable[[Level], bool], *, own: Callable[[float], bool]
    ) -> Stretch | None:
        """Where the windows meet a condition, None if none does.

        Args:
            met: whether a window does.
            own: whether a single step's value does; tells where in the window it began.
        """
        levels = [level for level in self.windows() if met(level)]
        if not levels:
            return None
        inside = [
            step
            for step, value in zip(self.steps, self.values, strict=True)
            if levels[0].first <= step <= levels[0].last and own(value)
        ]
        return Stretch(levels[0], inside[0] if inside else levels[0].first, levels[-1].last)

    def _level(self, start: int, stop: int) -> Level:
        values = self.values[start:stop]
        n = None if self.n_per_step is None else self.n_per_step * len(values)
        mean = math.fsum(values) / len(values)
        return Level(mean, self.steps[start], self.steps[stop - 1], n)
