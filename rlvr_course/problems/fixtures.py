"""The same recordings dealt otherwise: another order of each problem's samples, or another draw.

A course can give each of its cohorts fixtures of its own, so that last year's labels are no
answer, and a grader can tell what was computed from what was written down. The environment
variable ``RLVR_COURSE_FIXTURE_SEED`` says which, for everything that reads the packaged
recordings:

    ""            as recorded, as where it is unset
    "7"           order: each problem's samples come in an order of seed 7. The set of samples is
                  the same, so all counts over whole groups are; what stands at an index is not.
    "7:redrawn"   draw: each problem's samples are drawn anew from its own, with replacement.
                  Groups keep their size, and counts change. It is for finding figures that were
                  written down, and for no cohort: the notebooks' text names counts, and some
                  cells look for a sample by what it says, which may not have been drawn.

A bundle that was released for a cohort has its seed in the package, and there it is what an unset
variable means.

The texts are real completions of the recorded model either way, each with its own truth.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from rlvr_course.errors import DataError
from rlvr_course.problems.rows import RecordedRollout

VARIABLE = "RLVR_COURSE_FIXTURE_SEED"
REDRAWN = "redrawn"
COHORT_FILE = "data/cohort.json"
"""In a released package: ``{"cohort": NAME, "fixture_seed": SEED}``."""


@dataclass(frozen=True)
class Fixtures:
    """How to deal the recordings.

    Args:
        seed: 0 or more.
        redrawn: draw with replacement instead of only changing the order.

    >>> str(Fixtures(7)), str(Fixtures(7, redrawn=True))
    ('7', '7:redrawn')
    """

    seed: int
    redrawn: bool = False

    def __str__(self) -> str:
        return f"{self.seed}:{REDRAWN}" if self.redrawn else str(self.seed)


def from_environment() -> Fixtures | None:
    """What the environment asks for; where it says nothing, what the package was released with.

    Returns:
        None for the recordings as they are.

    Raises:
        DataError: the variable or the package's file holds something else.
    """
    text = os.environ.get(VARIABLE, _released_with()).strip()
    return parse(text) if text else None


@cache
def _released_with() -> str:
    """The seed of the cohort that this package was released for; "" if there is none."""
    try:
        text = files("rlvr_course").joinpath(COHORT_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    try:
        return str(json.loads(text)["fixture_seed"])
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{COHORT_FILE} is malformed; unpack the course anew") from None


def in_force() -> str:
    """The fixtures of this process as they are written in the environment; "" for as recorded.

    Raises:
        DataError: as of ``from_environment``.
    """
    return str(from_environment() or "")


def parse(text: str) -> Fixtures:
    """Read a seed as it is written in the environment.

    Raises:
        DataError: it is none.

    >>> parse("7:redrawn")
    Fixtures(seed=7, redrawn=True)
    """
    number, colon, how = text.partition(":")
    if not (number.isascii() and number.isdigit() and len(number) < 19) or how != REDRAWN * bool(
        colon
    ):
        raise DataError(f"{VARIABLE} is {text!r}: give a whole number, or one and ':{REDRAWN}'")
    return Fixtures(int(number), bool(colon))


def dealt(rollouts: Sequence[RecordedRollout], fixtures: Fixtures) -> tuple[RecordedRollout, ...]:
    """The rollouts with each problem's samples in another order, or drawn anew.

    Args:
        rollouts: by problem and then by index.
        fixtures: how.

    Returns:
        As many rollouts, problems in the same order; the samples of each are numbered from 0.
    """
    groups: dict[str, list[RecordedRollout]] = {}
    for rollout in rollouts:
        groups.setdefault(rollout.problem_id, []).append(rollout)
    found: list[RecordedRollout] = []
    for name, group in groups.items():
        rng = random.Random(f"{fixtures.seed}:{name}")
        count = len(group)
        chosen = rng.choices(group, k=count) if fixtures.redrawn else rng.sample(group, count)
        found += [_numbered(rollout, index) for index, rollout in enumerate(chosen)]
    return tuple(found)


def _numbered(rollout: RecordedRollout, index: int) -> RecordedRollout:
    return replace(rollout, completion=replace(rollout.completion, index=index))
