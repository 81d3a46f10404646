"""Where healthy ends: every threshold of the panel, with the reason for it.

All are on means over ``traces.WINDOW`` steps. They leave room on both sides of what the course's
runs show: ``scores.score_health`` counts what they miss and whom they accuse.
"""

from __future__ import annotations

from rlvr_course.training.health.traces import Level, Trace
from rlvr_course.training.health.vitals import Vitals

SAME_REWARD = 1e-6
"""Standard deviation of a step's rewards below which they are all one number, up to rounding."""

UNIFORM_SHARE = 0.8
"""Uniform groups: with 0.8 of them, four samples in five are paid for and teach nothing. Runs that
learn the dice, where a question's answer can't be known, go up to about 0.7."""

CLIPPED_SHARE = 0.25
"""Cut completions: runs that learn have their odd runaway answer, up to about 0.05."""

NEVER_ENDS = 0.5
"""Cut completions of prompts without their chat template: a model that knows its turn's end from
the template alone is cut nearly always."""

REFUSAL_SHARE = 0.8
"""Refusals: by their interval's lower bound. Where five of eight kinds of question are not worth
an answer a sound policy refuses 0.63, up to about 0.75 for some steps."""

REFUSAL_SHARE_UNPAID = 0.5
PRECISION_ABOVE = 0.05
"""Refusals where answering pays: there half of them are too many. Answering pays if answers were
right more often than the break-even, by so much that a batch's noise is not taken for it."""

REFUSAL_RISE = 0.3
"""By how much refusals must have risen: a start that refused all along has not collapsed."""

ENTROPY_KEPT = 0.05
"""Entropy as a share of the first step's, below which samples of a prompt hardly differ. Runs that
solve their task end at about 0.1, and certainty is then earned: see ``solved``."""

KL_NATS = 2.0
"""KL per token from the start. A policy that learns a task of its own within reach stays below 0.7;
2 nats mean that the start would have chosen a token with a seventh of the chance."""

SOLVED = 0.8
"""Truth above which certainty and uniform groups are what success looks like."""

PROXY_RISE = 0.1
TRUTH_FALL = 0.05
"""Proxy up while truth is down: both must move by so much, with intervals that don't touch; a batch
of 128 samples alone moves either by 0.04 now and then."""


def solved(vitals: Vitals, level: Level) -> bool:
    """Whether the task was as good as solved over the steps of a level.

    By the truth where the run knows it at each step, or at least at its end; otherwise by whether
    most samples earned the highest reward that was paid.
    """
    truth = Trace.of(vitals, "accuracy")
    if truth is not None:
        right = truth.between(level.first, level.last)
        return right is not None and right.value >= SOLVED
    if vitals.after is not None:
        return (vitals.after.accuracy.value or 0.0) >= SOLVED
    reward = Trace.of(vitals, "reward")
    now = reward and reward.between(level.first, level.last)
    return now is not None and _well_paid(vitals, now.value)


def _well_paid(vitals: Vitals, reward: float) -> bool:
    """Against the highest reward paid, or, where only a log is left, against the start.

    A run whose rewards differed at the start and whose mean then rose by as much as they spread
    has learned something. Where there was nearly nothing but wrong answers and refusals, a policy
    that learns to refuse passes for one.
    """
    spread, start = Trace.of(vitals, "reward_std"), Trace.of(vitals, "reward")
    if spread is None or start is None or spread.values[0] <= SAME_REWARD:
        return False
    if vitals.best_paid is not None:
        return reward >= SOLVED * vitals.best_paid > 0.0
    return reward - start.values[0] >= spread.values[0]


def tells_success(vitals: Vitals) -> bool:
    """Whether a run holds anything that ``solved`` can go by."""
    return vitals.after is not None or any(
        Trace.of(vitals, name) is not None for name in ("accuracy", "reward")
    )
