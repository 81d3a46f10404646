"""Who is behind a learner's id: a CSV that the instructor keeps, apart from the submissions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rlvr_course.errors import DataError


@dataclass(frozen=True)
class Identity:
    """One learner: the id that files carry, and what is known besides."""

    learner: str
    name: str = ""
    email: str = ""
    group: str = ""


def read_identities(path: Path) -> dict[str, Identity]:
    """Read a map: a CSV with a column ``id``, and ``name``, ``email`` and ``group`` if known.

    Raises:
        DataError: it can't be read, a row has no id, or an id stands in it twice.
    """
    from rlvr_course.grading.reports.tables import read_csv

    found: dict[str, Identity] = {}
    for line, row in read_csv(path, ["id"]):
        learner = row["id"]
        if not learner:
            raise DataError(f"{path}, line {line}: the row has no id")
        if learner in found:
            raise DataError(f"{path}, line {line}: {learner!r} is in it twice; keep one row")
        details = {key: row.get(key, "") for key in ("name", "email", "group")}
        found[learner] = Identity(learner, **details)
    return found
