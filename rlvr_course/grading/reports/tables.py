"""Tables of grades as CSV, safe to open in a spreadsheet.

A cell that begins like a formula gets an apostrophe before it, which ``plain_cell`` takes off.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rlvr_course.errors import DataError
from rlvr_course.grading.identities import Identity
from rlvr_course.grading.records import Grade, Mark

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
"""What makes a spreadsheet run a cell, and the apostrophe itself, so that it can be undone."""


def safe_cell(text: str) -> str:
    """A text as a cell that no spreadsheet takes for a formula.

    >>> safe_cell("=1+1"), safe_cell("ada")
    ("'=1+1", 'ada')
    """
    text = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text


def plain_cell(cell: str) -> str:
    """What ``safe_cell`` was given.

    >>> plain_cell(safe_cell("-ada")), plain_cell("ada")
    ('-ada', 'ada')
    """
    return cell[1:] if cell.startswith("'") else cell


def as_read(text: str) -> str:
    """What ``read_csv`` makes of a text that was written as a safe cell."""
    return plain_cell(safe_cell(text).strip())


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """Rows as CSV with a heading; every cell is made safe, and a missing one is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in columns])
    writer.writerows([safe_cell(row.get(name, "")) for name in columns] for row in rows)
    return out.getvalue()


def read_csv(path: Path, required: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """A CSV that people edit: commas, semicolons or tabs; with or without a byte order mark.

    Args:
        path: the file.
        required: columns that it must have; names are compared without case.

    Returns:
        The line's number (from 1, the heading's) and the cells by column, empty rows left out.

    Raises:
        DataError: it can't be read, is not UTF-8, or lacks a column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8: save it as 'CSV UTF-8'") from None
    except OSError as error:
        raise DataError(f"{path} can't be read: {error.strerror}") from None
    return rows_of(text, str(path), required)


def rows_of(text: str, name: str, required: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV's text, as ``read_csv`` gives them; ``name`` is for messages.

    Raises:
        DataError: a quote or a column is missing.
    """
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    rows: list[tuple[int, dict[str, str]]] = []
    try:
        for cells in reader:
            if not names:
                names = _columns(name, cells, required)
            elif any(cell.strip() for cell in cells):
                padded = cells + [""] * (len(names) - len(cells))
                values = [plain_cell(cell.strip()) for cell in padded]
                rows.append((reader.line_num, dict(zip(names, values, strict=False))))
    except csv.Error as error:
        raise DataError(f"{name}, line {reader.line_num}: {error}; is a quote missing?") from None
    if not names:
        raise DataError(f"{name} is empty: its first line must be {','.join(required)}")
    return rows


def _columns(name: str, cells: Sequence[str], required: Sequence[str]) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    lacking = [column for column in required if column not in names]
    if lacking:
        raise DataError(f"{name} has no column {lacking[0]!r}; it has {', '.join(names)}")
    return names


def grades_csv(grades: Sequence[Grade], identities: Mapping[str, Identity]) -> str:
    """One row for a learner and notebook: points, status, a column for each question, flags.

    Args:
        grades: in the order of the rows.
        identities: adds name, e-mail and group if there are any.
    """
    questions = question_names(grades)
    who = ["name", "email", "group"] if identities else []
    columns = ["learner", *who, "notebook", "points", "max_points", "penalty", "status"]
    columns += [*questions, "flags", "reason"]
    return csv_text(columns, [_row(grade, identities) for grade in grades])


def question_names(grades: Sequence[Grade]) -> list[str]:
    """Every question that has a mark, by notebook and then in the notebook's order."""
    ordered = sorted(grades, key=lambda grade: grade.notebook_name)
    return list(dict.fromkeys(mark.question for grade in ordered for mark in grade.marks))


def number(value: float) -> str:
    """A number of points, without a needless ``.0``.

    >>> number(4.0), number(2.5), number(10 / 3)
    ('4', '2.5', '3.33')
    """
    return f"{round(value, 2):g}"


def _row(grade: Grade, identities: Mapping[str, Identity]) -> dict[str, str]:
    person = identities.get(grade.learner, Identity(""))
    has_points = grade.status in ("graded", "needs_manual")
    flags = sorted({finding.code for finding in grade.findings if finding.kind != "note"})
    return {
        **{mark.question: _points(mark) for mark in grade.marks},
        "learner": grade.learner,
        "name": person.name,
        "email": person.email,
        "group": person.group,
        "notebook": grade.notebook_name,
        "points": number(grade.points) if has_points else "",
        "max_points": number(grade.max_points) if grade.marks else "",
        "penalty": number(grade.penalty) if grade.penalty else "",
        "status": grade.status,
        "flags": " ".join(flags),
        "reason": grade.reason,
    }


def _points(mark: Mark) -> str:
    return "" if mark.points is None else number(mark.points)
