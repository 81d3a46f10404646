"""The rows of nbgrader's gradebook, written through nbgrader's own model of them.

What we know goes into the fields of the autograder, so that a person's entries in nbgrader are
never touched. Needs the package nbgrader.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rlvr_course.errors import NotebookError
from rlvr_course.grading.identities import Identity
from rlvr_course.grading.nbgrader import cell_metadata, last_and_first
from rlvr_course.grading.records import Grade, Mark
from rlvr_course.grading.released import Released

NO_MARK = "The grader has no mark for it yet."


def write_gradebook(
    path: Path,
    grades: Sequence[Grade],
    releases: Sequence[Released],
    *,
    identities: Mapping[str, Identity],
    changed: Collection[tuple[str, str]] = (),
) -> None:
    """Write grades into a gradebook, which is made if it isn't there; all of them or none.

    Args:
        path: the SQLite file.
        grades: of the released notebooks.
        releases: the notebooks.
        identities: names and addresses by learner.
        changed: learner and notebook of answers that differ from those of an earlier export; what
            a person scored there in nbgrader waits to be looked at again.

    Raises:
        NotebookError: the file can't be written, or is no gradebook.
    """
    from sqlalchemy.exc import SQLAlchemyError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _opened(path) as gradebook:
            for release in releases:
                _write_cells(gradebook, release)
            for learner in sorted({grade.learner for grade in grades} | set(identities)):
                _write_student(gradebook, learner, identities.get(learner))
            for grade in grades:
                key = (grade.learner, grade.notebook_name)
                _write_grade(gradebook, grade, is_changed=key in changed)
            gradebook.db.commit()
    except (SQLAlchemyError, OSError) as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())[:200]
        raise NotebookError(
            f"{path} can't be written as a gradebook ({reason}): close nbgrader, or name another "
            "folder"
        ) from None


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    from nbgrader.api import Gradebook

    url = f"sqlite:///{path.resolve()}"
    if not path.exists():
        _make(url)
    with Gradebook(url) as gradebook:
        yield gradebook


def _make(url: str) -> None:
    """Make an empty gradebook of nbgrader's present version.

    nbgrader would run the program ``alembic`` for it, which need not be on the path here.
    """
    from alembic.script import ScriptDirectory
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR
    from sqlalchemy import create_engine, text

    version = ScriptDirectory(ALEMBIC_DIR).get_current_head()
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            Base.metadata.create_all(connection)
            connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
            insert = text("INSERT INTO alembic_version (version_num) VALUES (:version)")
            connection.execute(insert, {"version": version})
    finally:
        engine.dispose()


def _plain(text: str) -> str:
    """The text without what a database can't keep."""
    return text.encode("utf-8", "replace").decode()


def _write_student(gradebook: Any, learner: str, person: Identity | None) -> None:
    """A learner; of one who is known by the id alone, names in the gradebook stay."""
    details = {}
    if person is not None:
        last, first = map(_plain, last_and_first(person.name))
        details = {"last_name": last, "first_name": first, "email": _plain(person.email)}
    gradebook.update_or_create_student(_plain(learner), **details)


def _write_cells(gradebook: Any, release: Released) -> None:
    """The notebook as an assignment, with its cells as they are now."""
    from nbformat.v4 import new_code_cell, new_markdown_cell
    from nbgrader.utils import compute_checksum

    name = release.name
    gradebook.update_or_create_assignment(name)
    notebook = gradebook.update_or_create_notebook(name, name, kernelspec=_KERNEL)
    _remove_old(gradebook, notebook, {cell.grade_id for cell in release.graded})
    for cell in release.graded:
        make = new_code_cell if cell.cell_type == "code" else new_markdown_cell
        node = make(cell.source, metadata={"nbgrader": cell_metadata(cell)})
        kind = {"cell_type": cell.cell_type}
        gradebook.update_or_create_grade_cell(
            cell.grade_id, name, name, max_score=cell.points, **kind
        )
        gradebook.update_or_create_solution_cell(cell.grade_id, name, name)
        gradebook.update_or_create_source_cell(
            cell.grade_id,
            name,
            name,
            source=cell.source,
            locked=False,
            checksum=compute_checksum(node),
            **kind,
        )


_KERNEL = '{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}'


def _remove_old(gradebook: Any, notebook: Any, kept: Collection[str]) -> None:
    """Take away cells that this release no longer has, with what was given for them."""
    own = (*notebook.grade_cells, *notebook.solution_cells, *notebook.source_cells)
    for cell in [cell for cell in own if cell.name not in kept]:
        for row in (*getattr(cell, "grades", ()), *getattr(cell, "comments", ())):
            gradebook.db.delete(row)
        gradebook.db.delete(cell)
    gradebook.db.flush()
    gradebook.db.expire(notebook)


def _write_grade(gradebook: Any, grade: Grade, *, is_changed: bool) -> None:
    from nbgrader.api import Comment
    from nbgrader.api import Grade as Row
    from sqlalchemy.exc import SAWarning

    name = grade.notebook_name
    with warnings.catch_warnings():
        # nbgrader lets SQLAlchemy warn of a row that it adds a few lines later.
        warnings.simplefilter("ignore", SAWarning)
        submission = gradebook.update_or_create_submission(name, _plain(grade.learner))
    [notebook] = submission.notebooks
    notebook.late_submission_penalty = grade.penalty
    marks = {mark.question: mark for mark in grade.marks}
    rows = {row.cell_id: row for row in notebook.grades}
    comments = {row.cell_id: row for row in notebook.comments}
    for cell in notebook.notebook.grade_cells:
        row = rows.get(cell.id) or Row(cell_id=cell.id, notebook=notebook)
        gradebook.db.add(row)
        _write_mark(row, marks.get(cell.name), is_changed=is_changed)
    for cell in notebook.notebook.solution_cells:
        comment: Any = comments.get(cell.id) or Comment(cell_id=cell.id, notebook=notebook)
        gradebook.db.add(comment)
        comment.auto_comment = _comment(grade, marks.get(cell.name))


def _write_mark(row: Any, mark: Mark | None, *, is_changed: bool) -> None:
    row.auto_score = None if mark is None else mark.points
    if row.manual_score is None:
        row.needs_manual_grade = row.auto_score is None
    elif is_changed:
        row.needs_manual_grade = True


def _comment(grade: Grade, mark: Mark | None) -> str | None:
    """The mark's comment; where there is no mark, why."""
    if mark is None:
        return _plain(grade.reason) or NO_MARK
    return _plain(mark.comment) or None
