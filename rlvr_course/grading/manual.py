"""Answers that a person scores: the queue, the file that is filled in, the scores that stay.

    marks with status "manual" ──► manual_queue.csv ──► filled in ──► merge ──► manual_scores.json

A score belongs to the answer that it was given for: when another answer is handed in, the score
is no longer used, and the answer is back in the queue.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rlvr_course.classroom.build import write_whole
from rlvr_course.errors import DataError
from rlvr_course.grading.records import Grade, Mark
from rlvr_course.grading.reports.tables import as_read, csv_text, number, read_csv, rows_of

COLUMNS = (
    *("notebook", "question", "learner", "score", "max_points", "comment"),
    *("answer_id", "answer"),
)
REQUIRED = ("notebook", "question", "learner", "score", "comment")
SHOWN_ERRORS = 3
Key = tuple[str, str, str]
"""Learner, notebook, question."""
Entry = tuple[str, str, str, str]
"""The same, and the answer's id."""


@dataclass(frozen=True)
class Score:
    """What a person gave an answer.

    Args:
        points: 0 to what the question is worth.
        comment: for the learner.
        answer_id: of the answer that it was given for.
    """

    points: float
    comment: str
    answer_id: str


def answer_id(answer: str) -> str:
    """A short name for an answer's text, the same for the same text."""
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def key_as_read(key: Key) -> Key:
    """A key as it comes back from a file, where some characters can't be kept."""
    learner, notebook, question = key
    return as_read(learner), as_read(notebook), as_read(question)


def manual_marks(grades: Sequence[Grade]) -> Iterator[tuple[Key, Mark]]:
    """Marks that are or were a person's to give; all of one question together."""
    found = [
        ((grade.learner, grade.notebook_name, mark.question), mark)
        for grade in grades
        for mark in grade.marks
        if mark.status in ("manual", "scored")
    ]
    return iter(sorted(found, key=lambda item: (item[0][1], item[0][2], item[0][0])))


def with_scores(grade: Grade, scores: Mapping[Key, Score]) -> Grade:
    """The grade with the scores that were given for these very answers."""
    marks = [
        _scored(mark, scores.get((grade.learner, grade.notebook_name, mark.question)))
        for mark in grade.marks
    ]
    waits = any(mark.status == "manual" for mark in marks)
    status = grade.status
    if status in ("graded", "needs_manual"):
        status = "needs_manual" if waits else "graded"
    return replace(grade, marks=tuple(marks), status=status)


def _scored(mark: Mark, score: Score | None) -> Mark:
    if mark.status != "manual" or score is None or score.answer_id != answer_id(mark.answer):
        return mark
    return replace(mark, status="scored", points=score.points, comment=score.comment)


def load_scores(path: Path) -> dict[Key, Score]:
    """The scores merged so far; {} if there is no such file.

    Raises:
        DataError: the file is damaged.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return {
            (row["learner"], row["notebook"], row["question"]): Score(
                float(row["points"]), str(row["comment"]), str(row["answer_id"])
            )
            for row in rows
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{path} is damaged ({type(error).__name__}): restore it, or move it away and "
            "merge the scores again"
        ) from None


def save_scores(path: Path, scores: Mapping[Key, Score]) -> None:
    """Write the scores down, in a stable order.

    Raises:
        NotebookError: it can't be written.
    """
    rows = [
        {"learner": learner, "notebook": notebook, "question": question, **asdict(score)}
        for (learner, notebook, question), score in sorted(scores.items())
    ]
    write_whole(path, json.dumps(rows, indent=1) + "\n")


def queue_csv(grades: Sequence[Grade], typed: Mapping[Entry, tuple[str, str]]) -> str:
    """The file to fill in: one row an answer, with what was merged, or typed so far.

    Args:
        grades: with the merged scores, which come before what was typed.
        typed: scores and comments in an earlier copy of the file.
    """
    rows = []
    for key, mark in manual_marks(grades):
        score, comment = typed.get((*key_as_read(key), answer_id(mark.answer)), ("", ""))
        if mark.points is not None:
            score, comment = number(mark.points), mark.comment
        values = (key[1], key[2], key[0], score, number(mark.max_points), comment)
        rows.append(dict(zip(COLUMNS, (*values, answer_id(mark.answer), mark.answer), strict=True)))
    return "\ufeff" + csv_text(COLUMNS, rows)


def typed_so_far(path: Path) -> dict[Entry, tuple[str, str]]:
    """Score and comment as they stand in a queue file; {} if there is no such file.

    Raises:
        DataError: there is one, and it can't be read.
    """
    return _typed(read_csv(path, COLUMNS)) if path.exists() else {}


def typed_in(text: str) -> dict[Entry, tuple[str, str]]:
    """The same from the text of a queue file.

    Raises:
        DataError: it is none.
    """
    return _typed(rows_of(text.removeprefix("\ufeff"), "the queue", COLUMNS))


def _typed(rows: Sequence[tuple[int, Mapping[str, str]]]) -> dict[Entry, tuple[str, str]]:
    return {
        (row["learner"], row["notebook"], row["question"], row["answer_id"]): typed
        for _, row in rows
        if any(typed := (row["score"], row["comment"]))
    }


def read_scores(path: Path, grades: Sequence[Grade]) -> dict[Key, Score]:
    """Read a file that was filled in; rows without a score are left out.

    Raises:
        DataError: it can't be read, or a row is wrong; the message names row and value of the
            first few, and nothing of the file is to be used.
    """
    known = {key_as_read(key): (key, mark) for key, mark in manual_marks(grades)}
    found: dict[Key, Score] = {}
    lines: dict[Key, int] = {}
    errors = []
    for line, row in read_csv(path, REQUIRED):
        if not row.get("score"):
            continue
        key = (row["learner"], row["notebook"], row["question"])
        try:
            if key in lines:
                raise ValueError(f"{_name(key)} has a score in line {lines[key]} already")
            lines[key] = line
            if key not in known:
                raise ValueError(_unknown(key, known))
            found[known[key][0]] = _checked(key, row, known[key][1])
        except ValueError as error:
            errors.append(f"line {line}: {error}")
    if errors:
        more = len(errors) - SHOWN_ERRORS
        shown = "; ".join(errors[:SHOWN_ERRORS]) + (f"; and {more} more" if more > 0 else "")
        raise DataError(f"{path}: {shown}. Nothing was merged")
    return found


def _checked(key: Key, row: Mapping[str, str], mark: Mark) -> Score:
    text = row["score"]
    try:
        points = float(text.replace(",", "."))
    except ValueError:
        points = math.nan
    if not 0 <= points <= mark.max_points:
        raise ValueError(
            f"{_name(key)}: score {text!r} is not a number from 0 to {number(mark.max_points)}"
        )
    current = answer_id(mark.answer)
    if row.get("answer_id", current) != current:
        raise ValueError(f"{_name(key)}: the answer has changed since the file was made")
    return Score(points, row.get("comment", ""), current)


def _unknown(key: Key, known: Iterable[Key]) -> str:
    learner, notebook, question = key
    if learner not in {name for name, _, _ in known}:
        return f"no answer of {learner!r} is to be scored; is the id right?"
    return f"{learner!r} has no answer to {question!r} of {notebook!r} to be scored"


def _name(key: Key) -> str:
    return f"{key[0]} {key[2]}"
