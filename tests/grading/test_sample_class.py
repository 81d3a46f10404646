"""A class in which everything happens: all that is planted is found, and nobody honest is accused.

pytest tests/grading/test_sample_class.py                the class of 12
pytest tests/grading/test_sample_class.py -m nightly -s  the class of 60, with its table
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from reruns import needs_jail
from sample_class import class_of
from sample_class.honest import SAMPLED
from sample_class.outcome import Outcome, graded
from sample_class.properties import PROPERTIES
from sample_class.sessions import ran

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="made of Linux namespaces"),
    pytest.mark.timeout(3600),
]

LIMITS_S = {12: 60.0, 60: 480.0}
"""Seconds on two processors to grade a class; counted as processor time, half of it on each."""


@pytest.fixture(
    scope="module",
    params=[12, pytest.param(60, marks=pytest.mark.nightly)],
    ids="class of {}".format,
)
def outcome(request, tmp_path_factory, sandbox) -> Outcome:
    needs_jail()
    folder: Path = tmp_path_factory.mktemp("sample")
    planted = class_of(request.param, seed=request.param, folder=folder / "class")
    patience = math.ceil(max(20.0, 1.5 * ran(SAMPLED).seconds))  # the machine may be busy
    done = graded(planted, folder / "class", folder / "out", timeout_s=patience)
    print(f"\n{done.table()}")
    return done


def test_everybody_has_a_grade_and_the_exit_status_says_that_some_could_not_be(outcome: Outcome):
    assert {one.learner for one in outcome.planted} == set(outcome.grades)
    assert outcome.status == 3


def test_whatever_was_planted_is_found(outcome: Outcome):
    assert outcome.missed == []


def test_nobody_honest_is_accused(outcome: Outcome):
    assert outcome.false_alarms == []


def test_full_work_has_full_points(outcome: Outcome):
    full = [p for p in outcome.planted if p.honest and not PROPERTIES[p.properties[0]].marks]
    marks = [mark for one in full for mark in outcome.grades[one.learner].marks]
    assert len(marks) >= 7 * len(full) > 0
    assert {mark.points == mark.max_points for mark in marks if mark.status != "manual"} == {True}


def test_nothing_is_left_running_and_nothing_on_disk(outcome: Outcome):
    assert (outcome.left_running, outcome.left_on_disk) == ([], [])


def test_it_takes_no_longer_than_a_class_may(outcome: Outcome):
    assert outcome.cpu_seconds / 2 <= LIMITS_S[len(outcome.planted)]


def test_the_class_of_60_has_all_there_is():
    assert len(PROPERTIES) < 60
