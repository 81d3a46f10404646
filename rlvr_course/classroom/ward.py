"""The six runs of notebook 09's exercise in diagnosis, by letter: no name gives an answer away."""

from __future__ import annotations

from rlvr_course.classroom.checks_09 import DIAGNOSES
from rlvr_course.training import train_or_recall
from rlvr_course.training.health import Vitals, read_vitals
from rlvr_course.training.health.sick import load_sick

HEALTHY = "cipher-rloo"
"""The recorded run that has nothing."""


def load_patients() -> dict[str, Vitals]:
    """What six recorded runs tell, by letter, in the order of the exercise.

    Returns:
        "A" to "F"; five were made sick on purpose, one is healthy.

    Raises:
        DataError: a recorded run can't be read.
    """
    return {letter: _vitals(diagnosis) for letter, diagnosis in DIAGNOSES.items()}


def _vitals(diagnosis: str) -> Vitals:
    if diagnosis == "healthy":
        return read_vitals(train_or_recall(HEALTHY, live=False))
    return load_sick(diagnosis)
