"""Rates with intervals, and the confusion of a verifier's verdicts with the truth.

A rate without its n and an interval says little: 3 of 4 and 300 of 400 are both 0.75. The default
interval is Wilson's score interval, which stays inside [0, 1] and behaves at 0 and n successes;
the exact (Clopper-Pearson) one never covers less than it promises, and is wider for it.

Source: Wilson (1927), JASA 22:209-212; Clopper and Pearson (1934), Biometrika 26:404-413.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

IntervalMethod = Literal["wilson", "exact"]


@dataclass(frozen=True)
class Rate:
    """A share of successes among n independent trials.

    Args:
        successes: whole number in 0..n.
        n: number of trials; 0 is allowed and means "no data".

    Raises:
        ValueError: successes outside 0..n.

    Limits: the intervals take trials as independent; samples of one problem are not quite.

    >>> print(Rate(85, 120))
    0.71 [0.62, 0.78] (n=120)
    >>> print(Rate(0, 0))
    no data (n=0)
    """

    successes: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.n:
            raise ValueError(f"{self.successes} successes of {self.n}: give 0 <= successes <= n")

    @property
    def value(self) -> float | None:
        """successes / n, or None where n is 0."""
        return self.successes / self.n if self.n else None

    def interval(
        self, confidence: float = 0.95, *, method: IntervalMethod = "wilson"
    ) -> tuple[float, float]:
        """Lower and upper bound for the underlying rate.

        Args:
            confidence: coverage, strictly between 0 and 1.
            method: "wilson", or "exact" for Clopper-Pearson (loads scipy).

        Returns:
            Bounds in [0, 1] that hold the observed rate; (0.0, 1.0) without data.

        Raises:
            ValueError: confidence out of range, or an unknown method.
        """
        if not 0.0 < confidence < 1.0:
            raise ValueError(f"confidence={confidence}: it must lie between 0 and 1, such as 0.95")
        if method not in ("wilson", "exact"):
            raise ValueError(f"method={method!r} is not 'wilson' or 'exact'")
        if self.n == 0:
            return (0.0, 1.0)
        if method == "wilson":
            return wilson(self.successes / self.n, self.n, confidence)
        return _clopper_pearson(self.successes, self.n, confidence)

    def __str__(self) -> str:
        if self.n == 0:
            return "no data (n=0)"
        low, high = self.interval()
        return f"{self.value:.2f} [{low:.2f}, {high:.2f}] (n={self.n})"


def wilson(p: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson's bounds of a share.

    Args:
        p: the share, in [0, 1].
        n: trials, above 0; an effective number need not be whole.
        confidence: coverage, strictly between 0 and 1.

    Returns:
        Bounds in [0, 1] that hold p.
    """
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At the ends the bound equals the rate exactly; rounding may not exclude it.
    return (max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half)))


def _clopper_pearson(successes: int, n: int, confidence: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1.0 - confidence) / 2.0
    failures = n - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, failures, 1.0 - tail)) if failures else 1.0
    return (low, high)


@dataclass(frozen=True)
class Confusion:
    """How a verifier's decisions meet the truth: "positive" means "graded correct".

    Args:
        tp: right answers accepted.
        fp: wrong answers accepted (false pays).
        fn: right answers rejected (false rejections).
        tn: wrong answers rejected.
        open: items whose truth nobody has settled; in no rate.
        ungraded: items with a truth that the verifier could not judge; in no rate, so read
            this number beside them.
    """

    tp: int
    fp: int
    fn: int
    tn: int
    open: int = 0
    ungraded: int = 0

    @property
    def precision(self) -> Rate:
        """Share of accepted answers that are right."""
        return Rate(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Rate:
        """Share of right answers that are accepted."""
        return Rate(self.tp, self.tp + self.fn)

    @property
    def agreement(self) -> Rate:
        """Share of judged items on which verdict and truth agree."""
        return Rate(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    def __str__(self) -> str:
        return "\n".join(
            [
                f"right answers: {self.tp} accepted, {self.fn} rejected",
                f"wrong answers: {self.fp} accepted, {self.tn} rejected",
                f"not counted:   {self.open} open, {self.ungraded} ungraded",
                f"precision {self.precision}",
                f"recall    {self.recall}",
                f"agreement {self.agreement}",
            ]
        )

    def _repr_html_(self) -> str:
        return (
            "<table><thead><tr><th></th><th>accepted</th><th>rejected</th></tr></thead><tbody>"
            f"<tr><th>right answer</th><td>{self.tp}</td><td>{self.fn}</td></tr>"
            f"<tr><th>wrong answer</th><td>{self.fp}</td><td>{self.tn}</td></tr>"
            f"</tbody></table><p>precision {self.precision} · recall {self.recall} · "
            f"agreement {self.agreement}<br>not counted: {self.open} open, "
            f"{self.ungraded} ungraded</p>"
        )


def confusion(predicted: Sequence[bool | None], truth: Sequence[bool | None]) -> Confusion:
    """Count how decisions meet the truth.

    Args:
        predicted: for each item True (accepted), False (rejected) or None (ungraded).
        truth: for each item True (right), False (wrong) or None (open).

    Returns:
        Counts that sum to the number of items; an item that is both open and ungraded is open.

    Raises:
        ValueError: lengths differ, or an entry is none of True, False and None.

    >>> confusion([True, False, None, True], [True, True, False, None])
    Confusion(tp=1, fp=0, fn=1, tn=0, open=1, ungraded=1)
    """
    if len(predicted) != len(truth):
        raise ValueError(f"{len(predicted)} predictions but {len(truth)} truths")
    pairs = enumerate(zip(predicted, truth, strict=True))
    counts = Counter(_cell(index, said, is_right) for index, (said, is_right) in pairs)
    return Confusion(*(counts[field.name] for field in fields(Confusion)))


def _cell(index: int, said: bool | None, is_right: bool | None) -> str:
    for value in (said, is_right):
        if value is not None and not isinstance(value, bool):
            raise ValueError(f"item {index} is {value!r}: give True, False or None")
    if is_right is None:
        return "open"
    if said is None:
        return "ungraded"
    if said:
        return "tp" if is_right else "fp"
    return "fn" if is_right else "tn"
