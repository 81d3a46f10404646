"""Late days counted by hand, files that are refused with their reason, and who is who."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from class_of_grades import NOTEBOOK, grade
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.errors import DataError
from rlvr_course.grading.identities import Identity, read_identities
from rlvr_course.grading.policy import LatePolicy, read_late_policy
from rlvr_course.grading.records import Grade

DUE = datetime(2026, 3, 6, 22, 59, tzinfo=UTC)
WHOLE = """\
deadline = 2026-03-06T23:59:00+01:00
grace_minutes = 15
percent_per_day = 10
cap_percent = 25
"""


def policy(tmp_path: Path, text: str = WHOLE) -> LatePolicy:
    path = tmp_path / "late.toml"
    path.write_text(text, encoding="utf-8")
    return read_late_policy(path)


def after(**late) -> float:
    return (DUE + timedelta(**late)).timestamp()


@pytest.mark.parametrize(
    ("late", "days", "points"),
    [
        ({"days": -3}, 0, 0.0),
        ({"minutes": 15}, 0, 0.0),
        ({"minutes": 15, "seconds": 1}, 1, 1.4),
        ({"days": 1}, 1, 1.4),
        ({"days": 1, "seconds": 1}, 2, 2.8),
        ({"days": 30}, 30, 3.5),
    ],
    ids=["early", "end of grace", "past grace", "one day", "second day", "capped"],
)
def test_days_that_have_begun_cost_a_share_of_the_points(tmp_path, late, days, points):
    late_policy = policy(tmp_path)
    assert late_policy.days_late(NOTEBOOK, after(**late)) == days
    assert late_policy.penalty(days, 14.0) == points


def test_a_penalty_is_taken_off_and_says_what_for(tmp_path):
    ada = policy(tmp_path).applied(grade("ada"), after(hours=10))
    assert (ada.penalty, ada.points) == (1.4, 2.6)
    assert ada.facts["late"] == (
        "arrived 2026-03-07 09:59, due 2026-03-06 23:59 UTC+01:00: 1 day begun, 1.4 points off"
    )


def test_points_may_be_taken_instead_of_a_share_and_never_more_than_there_are(tmp_path):
    text = "deadline = 2026-03-06T22:59:00Z\npoints_per_day = 2\n"
    assert policy(tmp_path, text).penalty(3, 14.0) == 6
    assert policy(tmp_path, text).penalty(30, 14.0) == 14
    assert policy(tmp_path, f"{text}cap_points = 5").penalty(30, 14.0) == 5


def test_a_notebook_may_have_its_own_deadline(tmp_path):
    own = "[deadlines]\n03_groups = 2026-03-20T23:59:00\n"
    late_policy = policy(tmp_path, f'timezone = "Europe/Berlin"\n{WHOLE}{own}')
    assert late_policy.days_late("03_groups", after(days=14)) == 0
    assert late_policy.days_late("03_groups", after(days=14, minutes=16)) == 1
    assert late_policy.days_late(NOTEBOOK, after(days=14)) == 14


@pytest.mark.parametrize(
    ("row", "days"),
    [
        ("ada,2026-03-06T23:00:00Z,", 0),
        ("ada,2026-03-07T00:00:00+00:00,01_verifiers", 1),
        ("ada,2026-03-09T00:00:00+00:00,02_other", 5),
        ("bob,2026-03-06T23:00:00Z,", 5),
    ],
    ids=["any notebook", "this notebook", "other notebook", "other learner"],
)
def test_an_arrival_counts_before_the_files_own_time(tmp_path, row, days):
    (tmp_path / "arrivals.csv").write_text(f"learner,received,notebook\n{row}\n")
    late_policy = policy(tmp_path, f'{WHOLE}arrivals = "arrivals.csv"\n')
    ada = late_policy.applied(grade("ada"), after(days=4, hours=1))
    assert ada.penalty == late_policy.penalty(days, 14.0)


def test_the_last_of_several_arrivals_counts(tmp_path):
    rows = "ada,2026-03-08T00:00:00Z\nada,2026-03-01T00:00:00Z\n"
    (tmp_path / "arrivals.csv").write_text(f"learner,received\n{rows}")
    late_policy = policy(tmp_path, f'{WHOLE}arrivals = "arrivals.csv"\n')
    assert late_policy.applied(grade("ada"), None).penalty == 2.8


def test_without_a_time_or_a_mark_nothing_is_taken(tmp_path):
    lost = Grade("ada", NOTEBOOK, "could_not_grade")
    assert policy(tmp_path).applied(lost, after(days=9)) is lost
    assert policy(tmp_path).applied(grade("ada"), None).penalty == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("deadline = 2026-03-06T23:59:00\npercent_per_day = 1", "has no time zone: add"),
        ("deadline = 2026-03-06\npercent_per_day = 1", "must be a date and time"),
        ('deadline = "soon"\npercent_per_day = 1', "must be a date and time"),
        ("percent_per_day = 1", "deadline must be"),
        ("deadline = 2026-03-06T23:59:00Z", "say what a day costs"),
        (f"{WHOLE}points_per_day = 1", "exclude each other"),
        (WHOLE.replace("cap_percent", "cap_points"), "must both be percents"),
        (WHOLE.replace("= 15", "= -15"), "grace_minutes = -15: it must be a number"),
        (WHOLE.replace("= 10", "= inf"), "percent_per_day = inf"),
        (WHOLE.replace("= 10", "= true"), "percent_per_day = True"),
        (f"{WHOLE}percent = 1", "'percent' is not known; the keys are"),
        (f'{WHOLE}timezone = "Mars/North"', "timezone = 'Mars/North' is not known"),
        (f"{WHOLE}deadlines = 3", "deadlines must be a table"),
        (f'{WHOLE}arrivals = "none.csv"', "can't be read: No such file"),
        ("deadline =", "is not TOML"),
    ],
    ids=lambda value: value[-18:],
)
def test_a_wrong_policy_is_refused_with_its_value(tmp_path, text, said):
    with pytest.raises(DataError, match=r"late\.toml|none\.csv") as refused:
        policy(tmp_path, text)
    assert said in str(refused.value)


def test_an_arrival_that_is_no_time_is_named_with_its_line(tmp_path):
    (tmp_path / "arrivals.csv").write_text("learner,received\nada,yesterday\n")
    with pytest.raises(DataError, match=r"arrivals\.csv, line 2: 'yesterday' is not a time"):
        policy(tmp_path, f'{WHOLE}arrivals = "arrivals.csv"\n')


@given(st.floats(-1e7, 1e7), st.floats(0, 1e6), st.floats(0, 100))
def test_later_never_costs_less_and_never_more_than_all(seconds, more, max_points):
    late_policy = LatePolicy(DUE, 900.0, 10.0, cap=50.0)
    due = DUE.timestamp()
    days, later = (late_policy.days_late("x", due + s) for s in (seconds, seconds + more))
    costs = [late_policy.penalty(n, max_points) for n in (days, later)]
    assert 0 <= costs[0] <= costs[1] <= max_points + 0.005


def test_identities_are_read_by_id(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text("\ufeffid;name;group\nada;Ada Müller;A\n\nbob;;\n", encoding="utf-8")
    assert read_identities(path) == {
        "ada": Identity("ada", "Ada Müller", "", "A"),
        "bob": Identity("bob"),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,name\nada,A\nada,B\n", "line 3: 'ada' is in it twice"),
        ("id,name\n,A\n", "line 2: the row has no id"),
        ("name\nA\n", "has no column 'id'"),
    ],
    ids=["twice", "no id", "no column"],
)
def test_a_wrong_map_is_refused_by_line(tmp_path, text, said):
    path = tmp_path / "class.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=said):
        read_identities(path)
