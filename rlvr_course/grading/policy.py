"""What lateness costs, from a small TOML file.

    deadline = 2026-03-06T23:59:00+01:00   # or without an offset, with timezone = "Europe/Berlin"
    grace_minutes = 15                     # 0 if left out; the deadline then holds to the second
    percent_per_day = 10                   # of the notebook's points; or points_per_day = 2
    cap_percent = 50                       # or cap_points = 10; no cap if left out
    arrivals = "arrivals.csv"              # columns learner, received, and notebook if they differ

    [deadlines]                            # for single notebooks
    03_groups_and_advantages = 2026-03-20T23:59:00+01:00

A day is each 24 hours that have begun since the deadline. Without ``arrivals`` a file's own time
counts, which copying can change.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rlvr_course.errors import DataError
from rlvr_course.grading.records import Grade

DAY_S = 86_400.0
KEYS = {
    *("deadline", "timezone", "grace_minutes", "percent_per_day", "points_per_day"),
    *("cap_percent", "cap_points", "arrivals", "deadlines"),
}


@dataclass(frozen=True)
class LatePolicy:
    """What lateness costs.

    Args:
        deadline: with a time zone.
        grace_s: seconds after it that cost nothing, 0 or more.
        per_day: what each day begun costs, 0 or more.
        in_percent: whether ``per_day`` and ``cap`` are percents of the notebook's points.
        cap: the most that can be lost; None for no cap.
        deadlines: by notebook, where they differ.
        arrivals: POSIX seconds by learner and notebook ("" for any notebook).
    """

    deadline: datetime
    grace_s: float = 0.0
    per_day: float = 0.0
    in_percent: bool = True
    cap: float | None = None
    deadlines: Mapping[str, datetime] = field(default_factory=dict)
    arrivals: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def days_late(self, notebook_name: str, received: float) -> int:
        """Days begun since the deadline; 0 within the grace."""
        deadline = self.deadlines.get(notebook_name, self.deadline)
        late_s = received - deadline.timestamp()
        return 0 if late_s <= self.grace_s else math.ceil(late_s / DAY_S)

    def penalty(self, days: int, max_points: float) -> float:
        """Points lost for a number of days, of a notebook worth ``max_points``."""
        lost = days * self.per_day
        if self.cap is not None:
            lost = min(lost, self.cap)
        return round(min(max_points, lost * max_points / 100 if self.in_percent else lost), 2)

    def applied(self, grade: Grade, file_time: float | None) -> Grade:
        """The grade with its penalty, and with the fact ``late`` that says what for.

        Args:
            grade: as marked.
            file_time: when its file was changed, POSIX seconds; used if it has no arrival.
        """
        learner, notebook = grade.learner, grade.notebook_name
        received = self.arrivals.get((learner, notebook), self.arrivals.get((learner, "")))
        received = file_time if received is None else received
        if received is None or not grade.marks:
            return grade
        days = self.days_late(notebook, received)
        if days == 0:
            return grade
        penalty = self.penalty(days, grade.max_points)
        deadline = self.deadlines.get(notebook, self.deadline)
        arrived = datetime.fromtimestamp(received, deadline.tzinfo)
        late = (
            f"arrived {arrived:%Y-%m-%d %H:%M}, due {deadline:%Y-%m-%d %H:%M %Z}: "
            f"{days} day{'s' if days > 1 else ''} begun, {penalty:g} points off"
        )
        return replace(grade, penalty=penalty, facts={**grade.facts, "late": late})


def read_late_policy(path: Path) -> LatePolicy:
    """Read a policy from its TOML file.

    Raises:
        DataError: it can't be read, or a value is missing, unknown or out of range.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"{path} can't be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(f"{path} is not TOML: {error}") from None
    try:
        return _policy(values, path.parent)
    except ValueError as error:
        raise DataError(f"{path}: {error}") from None


def _policy(values: Mapping[str, Any], folder: Path) -> LatePolicy:
    unknown = sorted(set(values) - KEYS)
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not known; the keys are {', '.join(sorted(KEYS))}")
    zone = _zone(values.get("timezone"))
    per_day, in_percent = _amount(values, "percent_per_day", "points_per_day")
    cap, cap_in_percent = _amount(values, "cap_percent", "cap_points")
    if per_day is None:
        raise ValueError("say what a day costs: percent_per_day = 10, or points_per_day = 2")
    if cap is not None and cap_in_percent != in_percent:
        raise ValueError("a day's cost and the cap must both be percents, or both points")
    deadlines = values.get("deadlines", {})
    if not isinstance(deadlines, dict):
        raise ValueError("deadlines must be a table: [deadlines]")
    arrivals = values.get("arrivals")
    return LatePolicy(
        _moment(values.get("deadline"), "deadline", zone),
        _at_least_0(values.get("grace_minutes", 0), "grace_minutes") * 60,
        per_day,
        in_percent,
        cap,
        {name: _moment(when, name, zone) for name, when in deadlines.items()},
        _arrivals(folder / str(arrivals), zone) if arrivals else {},
    )


def _amount(values: Mapping[str, Any], percent: str, points: str) -> tuple[float | None, bool]:
    if percent in values and points in values:
        raise ValueError(f"{percent} and {points} exclude each other: keep one")
    key = points if points in values else percent
    return (_at_least_0(values[key], key) if key in values else None), key == percent


def _at_least_0(value: Any, key: str) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 <= value < math.inf:
        raise ValueError(f"{key} = {value!r}: it must be a number, 0 or more")
    return float(value)


def _zone(name: Any) -> tzinfo | None:
    if name is None:
        return None
    try:
        return ZoneInfo(str(name))
    except (ValueError, OSError, LookupError):  # ZoneInfoNotFoundError is a KeyError
        raise ValueError(f"timezone = {name!r} is not known; write one as Europe/Berlin") from None


def _moment(value: Any, key: str, zone: tzinfo | None) -> datetime:
    if not isinstance(value, datetime):
        raise ValueError(f"{key} must be a date and time, such as 2026-03-06T23:59:00+01:00")
    if value.tzinfo is None and zone is None:
        raise ValueError(f"{key} = {value} has no time zone: add +01:00, or set timezone")
    return value if value.tzinfo is not None else value.replace(tzinfo=zone)


def _arrivals(path: Path, zone: tzinfo | None) -> dict[tuple[str, str], float]:
    from rlvr_course.grading.reports.tables import read_csv

    found: dict[tuple[str, str], float] = {}
    for line, row in read_csv(path, ["learner", "received"]):
        try:
            when = datetime.fromisoformat(row["received"])
        except ValueError:
            raise DataError(
                f"{path}, line {line}: {row['received']!r} is not a time; "
                "write it as 2026-03-06T23:59:00+01:00"
            ) from None
        key = (row["learner"], row.get("notebook", ""))
        moment = _moment(when, f"{path}, line {line}: received", zone).timestamp()
        # Of several arrivals the last one counts, as does the last version of the file.
        found[key] = max(moment, found.get(key, moment))
    return found
