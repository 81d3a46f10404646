"""pass@k: the chance that at least one of k responses to a problem is right.

From n graded samples with c right, the unbiased estimate is 1 - C(n - c, k) / C(n, k): the share
of all ways to draw k of the n that hold a right one. The tempting 1 - (1 - c/n)^k is too low.

Over problems the estimates are averaged, and the interval resamples *problems*, not samples: the
samples of one problem are alike, so counting each as a trial would promise too narrow an interval.

pass@1 is what a policy does; pass@k for large k is what it could be trained towards, since a group
with no right response gives no gradient.

Source: Chen et al. (2021), arXiv 2107.03374.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rlvr_course.records import Sample
from rlvr_course.stats import Rate

Counts = Sequence[tuple[int, int]]
"""For each problem (n, c): graded samples, and how many of them are right."""


@dataclass(frozen=True)
class PassAtK:
    """pass@k over problems with its interval.

    Args:
        k: number of draws.
        value: mean over problems, in [0, 1].
        low, high: bounds for the mean over problems like these.
        problems: how many problems were averaged.

    >>> print(PassAtK(4, 0.75, 0.62, 0.86, 40))
    pass@4 0.75 [0.62, 0.86] (40 problems)
    """

    k: int
    value: float
    low: float
    high: float
    problems: int

    def __str__(self) -> str:
        interval = f"[{self.low:.2f}, {self.high:.2f}]"
        return f"pass@{self.k} {self.value:.2f} {interval} ({self.problems} problems)"


def pass_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of pass@k from one problem's samples.

    Args:
        n: graded samples, at least 1.
        c: right ones among them, 0 to n.
        k: draws, 1 to n.

    Returns:
        A probability in [0, 1]; exactly c / n for k = 1, and 1 where k > n - c.

    Raises:
        ValueError: n, c or k out of range.

    >>> pass_at_k(4, 1, 1), pass_at_k(4, 1, 2), pass_at_k(4, 1, 4)
    (0.25, 0.5, 1.0)
    """
    if n < 1:
        raise ValueError(f"n={n}: at least one graded sample is needed")
    if not 0 <= c <= n:
        raise ValueError(f"c={c}: give 0 <= c <= n={n}")
    if not 1 <= k <= n:
        raise ValueError(f"k={k}: give 1 <= k <= n={n}, or take more samples")
    ways = math.comb(n, k)
    # Whole numbers until the one division, so that a small chance does not vanish in 1 - x.
    return (ways - math.comb(n - c, k)) / ways


def solved_counts(groups: Sequence[Sequence[Sample]]) -> list[tuple[int, int]]:
    """(n, c) of each group: its graded samples and the right ones among them.

    Samples that the grader could not judge are in neither number.

    >>> from rlvr_course.records import Problem
    >>> solved_counts([[Sample(Problem("2 + 2?", "4"), "4", "4", 1.0, True)]])
    [(1, 1)]
    """
    truths = [
        [s.verified_correct for s in group if s.verified_correct is not None] for group in groups
    ]
    return [(len(group), sum(group)) for group in truths]


def mean_pass_at_k(
    counts: Counts, k: int, *, confidence: float = 0.95, resamples: int = 2_000, seed: int = 0
) -> PassAtK:
    """pass@k averaged over problems, with a bootstrap interval that resamples problems.

    Args:
        counts: (n, c) of each problem, as ``solved_counts`` gives them.
        k: draws; no problem may have fewer graded samples.
        confidence: coverage, strictly between 0 and 1.
        resamples: how many bootstrap draws, at least 100.
        seed: of the draws; the same seed gives the same interval.

    Returns:
        The mean and its percentile interval. Where all problems score alike the bootstrap has no
        width, and Wilson's interval with one trial for each problem, rounded outwards to whole
        problems, stands in.

    Raises:
        ValueError: no problems, a problem with fewer than k graded samples, or an option out of
            range.

    Limits: with fewer than some 20 problems the percentile interval is a little too narrow.

    >>> print(mean_pass_at_k([(4, 4), (4, 2), (4, 0), (4, 1)], k=1))
    pass@1 0.44 [0.12, 0.81] (4 problems)
    """
    (result,) = pass_at_k_curve(counts, [k], confidence=confidence, resamples=resamples, seed=seed)
    return result


def pass_at_k_curve(
    counts: Counts,
    ks: Sequence[int] | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> list[PassAtK]:
    """pass@k over problems for several k, all from the same bootstrap draws.

    Args:
        counts: (n, c) of each problem.
        ks: the k to report; if None 1, 2, 4, ... and the smallest n.
        confidence, resamples, seed: as in ``mean_pass_at_k``.

    Returns:
        One entry for each k, in the order of ``ks``. The values never fall as k grows.

    Raises:
        ValueError: as ``mean_pass_at_k``.

    >>> [round(point.value, 3) for point in pass_at_k_curve([(4, 4), (4, 1), (4, 0)])]
    [0.417, 0.5, 0.667]
    """
    if not counts or (ks is not None and not ks):
        raise ValueError("give (n, c) of at least one problem, and at least one k")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence}: it must lie between 0 and 1, such as 0.95")
    if resamples < 100:
        raise ValueError(f"resamples={resamples}: at least 100 are needed for an interval")
    if ks is None:
        ks = _doublings(min(n for n, _ in counts))
    values = [[_of_problem(index, n, c, k) for index, (n, c) in enumerate(counts)] for k in ks]
    means = [math.fsum(row) / len(row) for row in values]
    bounds = _bootstrap(values, confidence, resamples, seed)
    points = []
    for k, row, mean, (low, high) in zip(ks, values, means, bounds, strict=True):
        if len(set(row)) == 1:
            low, high = _of_like_problems(mean, len(row), confidence)
        points.append(PassAtK(k, mean, min(low, mean), max(high, mean), len(row)))
    return points


def _of_problem(index: int, n: int, c: int, k: int) -> float:
    try:
        return pass_at_k(n, c, k)
    except ValueError as error:
        raise ValueError(f"problem {index}: {error}") from None


def _doublings(n: int) -> list[int]:
    """1, 2, 4, ... and n itself."""
    return sorted({2**i for i in range(n.bit_length())} | {n}) if n > 0 else [1]


def _bootstrap(
    values: list[list[float]], confidence: float, resamples: int, seed: int
) -> list[tuple[float, float]]:
    """For each row of per-problem values the percentile interval of its mean."""
    import numpy as np

    rng = np.random.default_rng(seed)
    rows = [np.asarray(row) for row in values]
    problems = len(values[0])
    means = []
    for _ in range(resamples):
        # One draw of problems for all k. Rows are averaged one by one, so that a k gets the same
        # bounds, to the last digit, whichever others are asked for.
        drawn = rng.integers(problems, size=problems)
        means.append([row[drawn].mean() for row in rows])
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(np.asarray(means), [tail, 1.0 - tail], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _of_like_problems(value: float, problems: int, confidence: float) -> tuple[float, float]:
    solved = value * problems
    low, _ = Rate(math.floor(solved), problems).interval(confidence)
    _, high = Rate(min(problems, math.ceil(solved)), problems).interval(confidence)
    return low, high
