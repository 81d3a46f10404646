"""Advantages of one group: how much better each response did than its siblings.

    group mean    r - mean                       the baseline alone
    leave one out r - mean of the others         RLOO; n / (n - 1) times the group mean's
    standardised  (r - mean) / (std + eps)       GRPO
    Dr. GRPO      r - mean                       GRPO without the division

All take the rewards of one group and return one advantage for each. A masked reward (None) gives
a masked advantage and touches neither the mean nor the spread of the rest; a trainer that needs a
number there uses 0. In a group whose unmasked rewards are all equal, or in which only one is
unmasked, every advantage is exactly 0: nothing can be learned from it.

What scaling does: adding a constant to all rewards changes none of these. Multiplying them by a
positive number multiplies the advantages too, except the standardised ones, which stay (almost)
the same. So a group of answers that are all wrong or refused, priced {-0.1, 0}, pushes as hard
under GRPO as one priced {-1, 0}: the division hides the size of the penalty wherever a group has
only two different rewards.

Sources: GRPO, arXiv 2402.03300; RLOO, arXiv 2402.14740; Dr. GRPO, arXiv 2503.20783. Standard
deviation, eps and masks as in TRL 1.16 (``GRPOTrainer``, ``RLOOTrainer``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

Method = Literal["group_mean", "rloo", "grpo", "dr_grpo"]
Rewards = Sequence[float | None]
Advantages = list[float | None]

GRPO_EPS = 1e-4
"""What TRL's ``GRPOTrainer`` adds to the standard deviation."""


def group_mean_advantages(rewards: Rewards) -> Advantages:
    """Reward minus the mean of the group.

    Args:
        rewards: of one group; None where masked.

    Returns:
        One advantage for each reward, None where masked; they sum to 0 up to rounding.

    Raises:
        ValueError: an empty group, or a reward that is not finite.

    >>> group_mean_advantages([1.0, 0.0, 0.5, None])
    [0.5, -0.5, 0.0, None]
    """
    return _per_sample(rewards, _deviations)


def leave_one_out_advantages(rewards: Rewards) -> Advantages:
    """Reward minus the mean of the group's *other* unmasked rewards (RLOO).

    A response's own reward is not in its baseline, so the gradient estimate is unbiased. The
    numbers are n / (n - 1) times those of ``group_mean_advantages``, n counting the unmasked.

    Args:
        rewards: of one group; None where masked.

    Returns:
        One advantage for each reward, None where masked; they sum to 0 up to rounding.

    Raises:
        ValueError: an empty group, or a reward that is not finite.

    Limits: ``RLOOTrainer`` can also subtract a KL term from the rewards, clip them and normalise
    the advantages over the batch; none of that is here.

    Source: arXiv 2402.14740.

    >>> leave_one_out_advantages([1.0, 0.0, 0.5, None])
    [0.75, -0.75, 0.0, None]
    """

    def against_the_others(values: list[float]) -> list[float]:
        n = len(values)
        return [deviation * n / (n - 1) for deviation in _deviations(values)]

    return _per_sample(rewards, against_the_others)


def standardised_advantages(
    rewards: Rewards, *, eps: float = GRPO_EPS, population: bool = False
) -> Advantages:
    """Reward minus the group's mean, divided by its standard deviation plus ``eps`` (GRPO).

    Args:
        rewards: of one group; None where masked.
        eps: added to the standard deviation, 0 or more; TRL uses 1e-4.
        population: divide the squares by n. The default divides by n - 1 (the sample standard
            deviation), as TRL does; the paper says only "standard deviation".

    Returns:
        One advantage for each reward, None where masked; they sum to 0 up to rounding.

    Raises:
        ValueError: an empty group, a reward that is not finite, or eps below 0.

    Limits: a group that is nearly uniform gets advantages as large as a mixed one, as long as
    its spread is well above ``eps``.

    Source: arXiv 2402.03300; ``scale_rewards="group"`` in TRL's ``GRPOTrainer``.

    >>> penalised = standardised_advantages([-0.1, 0.0])
    >>> [round(a, 2) for a in penalised], [round(a, 2) for a in standardised_advantages([-1, 0])]
    ([-0.71, 0.71], [-0.71, 0.71])
    """
    if not (math.isfinite(eps) and eps >= 0.0):
        raise ValueError(f"eps={eps}: give a small number, 0 or more, such as {GRPO_EPS}")

    def standardised(values: list[float]) -> list[float]:
        deviations = _deviations(values)
        degrees = len(values) if population else len(values) - 1
        # hypot neither overflows nor underflows where the sum of squares would.
        spread = math.hypot(*deviations) / math.sqrt(degrees)
        return [deviation / (spread + eps) for deviation in deviations]

    return _per_sample(rewards, standardised)


def dr_grpo_advantages(rewards: Rewards) -> Advantages:
    """Reward minus the mean of the group, not divided by its spread (Dr. GRPO).

    The same numbers as ``group_mean_advantages``. The method's other half is in the loss, which
    adds up token losses over a constant length in place of each response's own:
    ``scale_rewards="none"`` with ``loss_type="dr_grpo"`` in TRL.

    Args:
        rewards: of one group; None where masked.

    Returns:
        One advantage for each reward, None where masked; they sum to 0 up to rounding.

    Raises:
        ValueError: an empty group, or a reward that is not finite.

    Source: arXiv 2503.20783.

    >>> dr_grpo_advantages([-0.1, 0.0]), dr_grpo_advantages([-1.0, 0.0])
    ([-0.05, 0.05], [-0.5, 0.5])
    """
    return group_mean_advantages(rewards)


_ESTIMATORS: dict[str, Callable[[Rewards], Advantages]] = {
    "group_mean": group_mean_advantages,
    "rloo": leave_one_out_advantages,
    "grpo": standardised_advantages,
    "dr_grpo": dr_grpo_advantages,
}


def group_advantages(rewards: Rewards, method: Method = "grpo") -> Advantages:
    """The advantages of one group by the method named.

    Args:
        rewards: of one group; None where masked.
        method: "group_mean", "rloo", "grpo" (standardised) or "dr_grpo".

    Returns:
        One advantage for each reward, None where masked.

    Raises:
        ValueError: an unknown method, an empty group, or a reward that is not finite.

    >>> group_advantages([1.0, 0.0, 0.5], method="rloo")
    [0.75, -0.75, 0.0]
    >>> group_advantages([-0.1, -0.1, -0.1])
    [0.0, 0.0, 0.0]
    """
    if method not in _ESTIMATORS:
        raise ValueError(f"method={method!r} is not one of {', '.join(_ESTIMATORS)}")
    return _ESTIMATORS[method](rewards)


def _per_sample(rewards: Rewards, estimate: Callable[[list[float]], list[float]]) -> Advantages:
    """Estimate from the unmasked rewards, and put the results back at their places."""
    if len(rewards) == 0:
        raise ValueError("an empty group has no advantages: leave it out")
    for index, reward in enumerate(rewards):
        if reward is not None and not math.isfinite(reward):
            raise ValueError(f"reward {index} is {reward}: give a finite number, or None to mask")
    values = [float(reward) for reward in rewards if reward is not None]
    # Equal rewards give zero by decision, not by luck of rounding: a mean that is off by one
    # unit in the last place would otherwise be divided by eps.
    uniform = len(set(values)) < 2
    estimates = iter([0.0] * len(values) if uniform else estimate(values))
    return [None if reward is None else next(estimates) for reward in rewards]


def _deviations(values: list[float]) -> list[float]:
    # fsum is exact before its one rounding, so the order of a group changes nothing.
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]
