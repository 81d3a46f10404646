"""Labelled cases: a gold answer, a completion, and what a grader should make of it.

One JSON object a line. ``expected`` is "equal" (to be paid), "not_equal" (not to be paid) or
"ungraded" (the gold itself is unusable, so that no verdict is the right one). Where competent
graders disagree a row says ``"contested": true``, and is left out here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlvr_course.errors import DataError

EXPECTED = ("equal", "not_equal", "ungraded")


@dataclass(frozen=True)
class Case:
    """One labelled case; ``id`` is the row's own or its line number."""

    id: str
    gold: str
    completion: str
    expected: str
    why: str = ""


def read_cases(path: Path) -> tuple[list[Case], int]:
    """The uncontested cases of a file, and how many contested ones it has.

    Raises:
        DataError: no such file, not UTF-8, a row that is not as above, or nothing to grade.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise DataError(
            f"there is no {path}: the cases come with the repository, not with the package; "
            "name a file of your own with --cases"
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8") from None
    cases, contested = [], 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _row(line, f"{path}: line {number}")
        if row.get("contested", False):
            contested += 1
        else:
            fields = ("gold", "completion", "expected")
            texts = {name: row[name] for name in fields}
            cases.append(Case(str(row.get("id", number)), **texts, why=str(row.get("why", ""))))
    if not cases:
        raise DataError(f"{path} has no uncontested case: there is nothing to grade")
    return cases, contested


def _row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DataError(f"{place} is not JSON ({error}): one object a line is needed") from None
    except RecursionError:
        raise DataError(f"{place} is nested too deep: one flat object is needed") from None
    if not isinstance(row, dict):
        raise DataError(f"{place} is not a JSON object: give it gold, completion and expected")
    for name in ("gold", "completion", "expected"):
        if not isinstance(row.get(name), str):
            raise DataError(f"{place}: {name} is {row.get(name)!r:.60}, it must be a string")
    if row["expected"] not in EXPECTED:
        raise DataError(f"{place}: expected is {row['expected']!r:.60}, not one of {EXPECTED}")
    return row
