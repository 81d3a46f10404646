"""The runs behind the letters of notebook 09 are those that its check asks for."""

from __future__ import annotations

import pytest

from rlvr_course.classroom.checks_09 import DIAGNOSES
from rlvr_course.classroom.ward import load_patients
from rlvr_course.training.health import health


@pytest.mark.parametrize("letter", list(DIAGNOSES))
def test_the_panel_agrees_with_the_key(letter: str) -> None:
    names = health(load_patients()[letter]).names
    assert (names or ["healthy"])[0] == DIAGNOSES[letter]


def test_the_healthy_one_is_not_accused() -> None:
    healthy = [letter for letter, name in DIAGNOSES.items() if name == "healthy"]
    assert [health(load_patients()[letter]).names for letter in healthy] == [[]]
