"""Write what a batch came to: CSV, JSON, the manual queue, pages for learners and class."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from rlvr_course.classroom.build import write_whole
from rlvr_course.errors import DataError
from rlvr_course.grading.identities import Identity
from rlvr_course.grading.ledger import file_name
from rlvr_course.grading.manual import (
    Entry,
    load_scores,
    queue_csv,
    read_scores,
    save_scores,
    typed_in,
    typed_so_far,
    with_scores,
)
from rlvr_course.grading.policy import LatePolicy
from rlvr_course.grading.records import Grade, SimilarPair
from rlvr_course.grading.reports.class_report import class_page
from rlvr_course.grading.reports.learner_report import learner_page
from rlvr_course.grading.reports.queue_page import queue_page
from rlvr_course.grading.reports.tables import grades_csv

SCORES = "manual_scores.json"
QUEUE = "manual_queue.csv"


@dataclass(frozen=True)
class Publication:
    """What goes into the reports besides the grades.

    Args:
        late: the late policy; None for none.
        identities: who is behind each id.
        rubrics: Markdown by question.
        pairs: submissions that are alike; None if they were not compared.
        show_findings: whether a learner's page holds integrity findings.
        show_names: whether a learner's page holds the learner's name.
    """

    late: LatePolicy | None = None
    identities: Mapping[str, Identity] = field(default_factory=dict)
    rubrics: Mapping[str, str] = field(default_factory=dict)
    pairs: Sequence[SimilarPair] | None = None
    show_findings: bool = False
    show_names: bool = False


def completed(
    grades: Sequence[Grade], out: Path, *, late: LatePolicy | None = None, merge: Path | None = None
) -> list[Grade]:
    """The grades with what people decided: lateness, and scores merged now or before.

    Args:
        grades: as ``batch.grade`` gives them.
        out: the folder of results, in which merged scores are kept.
        late: the late policy.
        merge: a filled-in queue to merge; all of it or, after an error, nothing.

    Raises:
        DataError: the file to merge, or the one of scores, can't be used.
        NotebookError: the scores can't be written.
    """
    scores = load_scores(out / SCORES)
    if merge is not None:
        scores |= read_scores(merge, grades)
        save_scores(out / SCORES, scores)
    done = [with_scores(grade, scores) for grade in grades]
    return [_on_time(grade, late) for grade in done]


def _on_time(grade: Grade, late: LatePolicy | None) -> Grade:
    """The grade with its penalty; a file's time and place are of no use after that."""
    facts = dict(grade.facts)
    file_time = facts.pop("file_time", None)
    facts.pop("path", None)
    plain = replace(grade, facts=facts)
    return plain if late is None else late.applied(plain, file_time)


def publish(grades: Sequence[Grade], out: Path, publication: Publication) -> Path:
    """Write every file.

    Args:
        grades: complete, in order.
        out: the folder of results.
        publication: what else is to be shown.

    Returns:
        The page of the class.

    Raises:
        NotebookError: a file can't be written.
    """
    values = [
        {**grade.to_dict(), "points": grade.points, "max_points": grade.max_points}
        for grade in grades
    ]
    write_whole(out / "grades.json", json.dumps(values, indent=1) + "\n")
    write_whole(out / "grades.csv", grades_csv(grades, publication.identities))
    _write_queue(grades, out)
    write_whole(out / "manual_queue.html", queue_page(grades, publication.rubrics))
    _write_learners(grades, out / "learners", publication)
    page = out / "class.html"
    write_whole(page, class_page(grades, publication.identities, publication.pairs))
    return page


def _write_queue(grades: Sequence[Grade], out: Path) -> None:
    """Write the file to fill in. What has been typed into it is carried over where no score was
    merged; where that is not all of it, the file as it was stays beside the new one."""
    path = out / QUEUE
    typed: Mapping[Entry, tuple[str, str]] = {}
    is_lost = path.exists()
    try:
        typed = typed_so_far(path)
        text = queue_csv(grades, typed)
        is_lost = not typed.items() <= typed_in(text).items()
    except DataError:  # such as one that a spreadsheet saved in another encoding
        text = queue_csv(grades, {})
    if is_lost:
        path.replace(path.with_suffix(".previous.csv"))
    write_whole(path, text)


def _write_learners(grades: Sequence[Grade], folder: Path, publication: Publication) -> None:
    for learner, own in groupby(grades, key=lambda grade: grade.learner):
        identity = publication.identities.get(learner) if publication.show_names else None
        text = learner_page(
            learner,
            list(own),
            name=identity.name if identity else "",
            show_findings=publication.show_findings,
        )
        write_whole(folder / f"{file_name(learner)}.html", text)


def read_rubrics(folder: Path) -> dict[str, str]:
    """The rubrics in a folder, ``Q1.md`` and so on, by question; {} if there is none."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
