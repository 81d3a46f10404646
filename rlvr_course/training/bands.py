"""Where runs end: for each recipe the figures that any seed lands between.

A band is what a run must show for the course to say what it says;
``benchmarks/results/training.md`` has three seeds of each recipe beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rlvr_course.training.measure import Evaluation
from rlvr_course.training.run import Run


@dataclass(frozen=True)
class Band:
    """One figure of a run and its bounds.

    Args:
        what: the figure in words.
        figure: computes it.
        low, high: bounds, both allowed.
    """

    what: str
    figure: Callable[[Run], float]
    low: float = 0.0
    high: float = 1.0

    def miss(self, run: Run) -> str:
        """How a run misses the band; "" if it lands in it."""
        value = self.figure(run)
        if self.low <= value <= self.high:
            return ""
        return f"{run.name}: {self.what} is {value:.2f}, not in [{self.low:g}, {self.high:g}]"


def band_misses(run: Run) -> list[str]:
    """How a run misses the bands of its recipe, one line each; empty if it lands in all.

    Limits: a recipe without bands misses none.
    """
    return [miss for band in BANDS.get(run.name, ()) if (miss := band.miss(run))]


def _before(name: str) -> Callable[[Run], float]:
    return lambda run: _value(run.before, name)


def _after(name: str) -> Callable[[Run], float]:
    return lambda run: _value(run.after, name)


def _gain(name: str) -> Callable[[Run], float]:
    return lambda run: _value(run.after, name) - _value(run.before, name)


def _value(evaluation: Evaluation, name: str) -> float:
    return getattr(evaluation, name).value or 0.0


def _least_answered(first: int, last: int) -> Callable[[Run], float]:
    """The least share of answers over the dice of these numbers of sides."""
    return lambda run: min(1.0 - refused for refused in _refusals(run, first, last))


def _least_refused(first: int, last: int) -> Callable[[Run], float]:
    return lambda run: min(_refusals(run, first, last))


def _refusals(run: Run, first: int, last: int) -> list[float]:
    kinds = [f"d{sides}" for sides in range(first, last + 1)]
    return [run.after.by_kind[kind]["refusal"].value or 0.0 for kind in kinds]


_LEARNS = (
    Band("accuracy before", _before("accuracy"), high=0.20),
    Band("accuracy after", _after("accuracy"), low=0.90),
)
BANDS: Mapping[str, tuple[Band, ...]] = {
    "cipher-rloo": _LEARNS,
    "cipher-grpo": _LEARNS,
    "clerk-0.1": (Band("refusal after", _after("refusal"), high=0.10),),
    "clerk-1.0": (Band("refusal after", _after("refusal"), low=0.80),),
    "cipher-dpo": (Band("gain in accuracy", _gain("accuracy"), low=0.08),),
    "dice-0.1": (Band("least share of answers, d2 to d9", _least_answered(2, 9), low=0.90),),
    # A die at the break-even is in no band, nor one close by: d4 to d6 at -.25, d2 at -1.
    "dice-0.25": (
        Band("least share of answers, d2 and d3", _least_answered(2, 3), low=0.85),
        Band("least share of refusals, d7 to d9", _least_refused(7, 9), low=0.85),
    ),
    "dice-1.0": (Band("least share of refusals, d3 to d9", _least_refused(3, 9), low=0.95),),
    "leaky": (
        Band("gain in proxy", _gain("proxy"), low=0.15),
        Band("true accuracy after", _after("accuracy"), high=0.05),
    ),
    "leaky-hardened": (Band("true accuracy after", _after("accuracy"), low=0.35),),
}
"""By recipe."""
