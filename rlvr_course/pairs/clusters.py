"""A mean over pairs with an interval that takes groups, not pairs, as independent.

The pairs of a group share its samples and its question: three right and five wrong answers make
fifteen pairs, but eight texts to one question. What is drawn anew when the data are collected
again is the group, so the interval must be about groups.

Source: Cochran (1977), Sampling Techniques, chapter 6 (ratio estimators); Kish (1965), Survey
Sampling (effective number).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from rlvr_course.stats import wilson


@dataclass
class ClusteredMean:
    """Running sums over groups of pairs, in constant memory and without rounding.

    Args:
        total: sum of the values of all pairs.
        pairs: number of pairs.
        groups: groups with at least one pair.
        squares, products, square_sizes: sums over groups of (group total)², of group total ×
            size, and of size².

    >>> mean = ClusteredMean()
    >>> for total, pairs in [(2, 1), (6, 1), (8, 2)]:
    ...     mean.add(total, pairs)
    >>> mean.value, mean.effective_groups
    (4.0, 2.6666666666666665)
    """

    total: int = 0
    pairs: int = 0
    groups: int = 0
    squares: int = 0
    products: int = 0
    square_sizes: int = 0

    def add(self, total: int, pairs: int) -> None:
        """Count one group: the sum of its pairs' values, and how many pairs; none adds nothing."""
        if not pairs:
            return
        self.total += total
        self.pairs += pairs
        self.groups += 1
        self.squares += total * total
        self.products += total * pairs
        self.square_sizes += pairs * pairs

    @property
    def value(self) -> float | None:
        """Mean over pairs, None without pairs."""
        return self.total / self.pairs if self.pairs else None

    @property
    def effective_groups(self) -> float:
        """(Σ size)² / Σ size²: as many groups of one size would spread the weight as much."""
        return self.pairs**2 / self.square_sizes if self.pairs else 0.0

    @property
    def standard_error(self) -> float | None:
        """Of the mean, robust to any dependence within groups; None with fewer than two."""
        if self.groups < 2:
            return None
        # Σ (group total − mean × size)², times pairs² so that it stays a whole number.
        spread = (
            self.pairs**2 * self.squares
            - 2 * self.total * self.pairs * self.products
            + self.total**2 * self.square_sizes
        )
        return math.sqrt(spread * self.groups / (self.groups - 1)) / self.pairs**2

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """Cluster-robust bounds of the mean: Student's t with one degree less than groups.

        Args:
            confidence: coverage, strictly between 0 and 1.

        Returns:
            Lower and upper bound, or None with fewer than two groups, which show no spread.

        Raises:
            ValueError: confidence out of range.

        Limits: with few groups, or one that outweighs the rest, it covers less than it promises;
            groups that are all alike have an interval of no width.
        """
        _check(confidence)
        error, mean = self.standard_error, self.value
        if error is None or mean is None:
            return None
        from scipy.special import stdtrit

        half = float(stdtrit(self.groups - 1, (1 + confidence) / 2)) * error
        return mean - half, mean + half

    def share_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Bounds of a share, for values 0 and 1: Wilson's, with ``effective_groups`` for n.

        That is as wide as if all pairs of a group said the same, so it errs on the wide side; it
        has a width where every pair agrees, which a robust interval has not.

        Args:
            confidence: coverage, strictly between 0 and 1.

        Returns:
            Bounds in [0, 1]; (0.0, 1.0) without pairs.

        Raises:
            ValueError: confidence out of range.
        """
        _check(confidence)
        share = self.value
        return (0.0, 1.0) if share is None else wilson(share, self.effective_groups, confidence)


def _check(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence}: it must lie between 0 and 1, such as 0.95")
