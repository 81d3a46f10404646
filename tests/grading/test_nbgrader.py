"""nbgrader reads what was exported, and its gradebook says what our grades say."""

from __future__ import annotations

import csv
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from class_of_grades import HOSTILE
from handed import CHECKOUT, solved

from rlvr_course.errors import NotebookError
from rlvr_course.grading.handin.submission import find_submissions, read_submission
from rlvr_course.grading.identities import Identity
from rlvr_course.grading.ledger import file_name
from rlvr_course.grading.nbgrader import COLUMNS, _folder_name, export_nbgrader
from rlvr_course.grading.records import Grade, Mark
from rlvr_course.grading.released import released

NAMES = ("01_verifiers", "02_asymmetric_rewards")
PEOPLE = {
    "ada": Identity("ada", "Ada King Lovelace", "ada@x.example", "A"),
    "zoe": Identity("zoe", "Zoe", "zoe@x.example", "B"),
}


def graded(learner: str, name: str, part: float, *, points: float | None = None) -> Grade:
    """Each exercise with a part of its points; the written answer with some, or to be read."""
    marks = []
    for cell in released(name, CHECKOUT.notebooks).graded:
        if cell.cell_type == "markdown":
            status = "manual" if points is None else "scored"
            comment = "" if points is None else "well argued, «ü»"
            marks.append(Mark(cell.grade_id, status, points, cell.points, comment=comment))
        else:
            earned = round(cell.points * part, 2)
            marks.append(Mark(cell.grade_id, "failed", earned, cell.points, comment="2 of 3"))
    return Grade(learner, name, "graded", tuple(marks))


CLASS = [
    graded("ada", NAMES[0], 1, points=7.5),
    replace(graded("ada", NAMES[1], 0.5), penalty=3.4, status="needs_manual"),
    replace(graded("bob", NAMES[0], 0), penalty=5.0),
    Grade("cy", NAMES[0], "could_not_grade", reason="its notebook can't be read: it is cut"),
    Grade("eve", "", "not_ours", reason="it is none of the course's notebooks"),
]


def export(grades: list[Grade], folder: Path, **more: Any):
    return export_nbgrader(grades, folder, notebooks=CHECKOUT.notebooks, **more)


@contextmanager
def opened(folder: Path) -> Iterator[Any]:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        yield gradebook


def rows(folder: Path) -> dict[tuple[str, str, str], tuple[Any, ...]]:
    """By learner, notebook and grade id what nbgrader has: points, worth, open or not, comment."""
    found = {}
    with opened(folder) as gradebook:
        for name in (assignment.name for assignment in gradebook.assignments):
            for submission in gradebook.assignment_submissions(name):
                [notebook] = submission.notebooks
                comments = {row.name: row.comment for row in notebook.comments}
                for row in notebook.grades:
                    key = (submission.student.id, name, row.name)
                    values = (row.score, row.max_score, row.needs_manual_grade)
                    found[key] = (*values, comments[row.name])
    return found


def ours(grades: list[dict[str, Any]]) -> dict[tuple[str, str, str], tuple[Any, ...]]:
    """The same from our grades.json."""
    return {
        (grade["learner"], grade["notebook_name"], mark["question"]): (
            mark["points"] or 0.0,
            mark["max_points"],
            mark["points"] is None,
            mark["comment"] or None,
        )
        for grade in grades
        for mark in grade["marks"]
    }


def totals(folder: Path) -> dict[tuple[str, str], tuple[float, ...]]:
    with opened(folder) as gradebook:
        return {
            (submission.student.id, assignment.name): (
                submission.score,
                submission.late_submission_penalty,
                submission.max_score,
                submission.needs_manual_grade,
            )
            for assignment in gradebook.assignments
            for submission in assignment.submissions
        }


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    export(CLASS, folder, identities=PEOPLE)
    return folder


def test_the_two_gradebooks_agree_on_every_question(course, tmp_path) -> None:
    grades = json.loads(json.dumps([grade.to_dict() for grade in CLASS]))
    theirs = rows(course)
    assert {key: row for key, row in theirs.items() if key[0] != "cy"} == ours(grades)
    assert len(theirs) == 3 * 7 + 6


def test_the_two_gradebooks_agree_on_totals_and_penalties(course) -> None:
    theirs = totals(course)
    for grade in CLASS[:3]:
        score, penalty, worth, waits = theirs[grade.learner, grade.notebook_name]
        assert max(0, score - penalty) == pytest.approx(grade.points)
        assert (penalty, worth) == (grade.penalty, grade.max_points)
        assert waits == any(mark.status == "manual" for mark in grade.marks)


def test_a_submission_without_a_grade_waits_for_a_person_and_says_why(course) -> None:
    own = [row for key, row in rows(course).items() if key[0] == "cy"]
    assert len(own) == 7
    assert {row[2:] for row in own} == {(True, CLASS[3].reason)}


def test_a_foreign_notebook_is_left_out_with_its_reason(tmp_path) -> None:
    done = export([CLASS[0], CLASS[4]], tmp_path)
    assert list(done.left_out) == ["eve: it is none of the course's notebooks"]
    assert {key[0] for key in totals(tmp_path)} == {"ada"}


def by_learner(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}


def test_nbgrader_export_writes_the_table_that_we_write(course, tmp_path) -> None:
    to = tmp_path / "theirs.csv"
    command = [sys.executable, "-m", "nbgrader", "export", f"--to={to}"]
    db = f"--db=sqlite:///{course / 'gradebook.db'}"
    subprocess.run([*command, db], cwd=tmp_path, check=True, capture_output=True, timeout=300)
    theirs, own = by_learner(to), by_learner(course / "grades.csv")
    assert theirs.keys() == own.keys() and len(own) == 2 * 4
    for key, row in own.items():
        assert tuple(row) == COLUMNS
        assert _numeric(row) == _numeric(theirs[key])


def _numeric(row: Mapping[str, str]) -> list[Any]:
    texts = [row[name] for name in COLUMNS[3:7]]
    return texts + [pytest.approx(float(row[name])) for name in COLUMNS[7:]]


def test_an_export_made_twice_is_the_same(tmp_path) -> None:
    export(CLASS, tmp_path, identities=PEOPLE)
    before = rows(tmp_path), totals(tmp_path), counts(tmp_path)
    export(CLASS, tmp_path, identities=PEOPLE)
    assert (rows(tmp_path), totals(tmp_path), counts(tmp_path)) == before


def counts(folder: Path) -> dict[str, int]:
    tables = ("student", "submitted_notebook", "grade", "comment", "base_cell", "source_cell")
    db = sqlite3.connect(folder / "gradebook.db")
    try:
        return {name: db.execute(f"select count(*) from {name}").fetchone()[0] for name in tables}
    finally:
        db.close()


def test_grading_anew_updates_the_gradebook(tmp_path) -> None:
    export(CLASS, tmp_path)
    anew = [graded("ada", NAMES[0], 0.5, points=3), *CLASS[1:]]
    export(anew, tmp_path)
    assert totals(tmp_path)["ada", NAMES[0]] == (15.0, 0.0, 34.0, False)


def test_what_was_scored_in_nbgrader_is_kept_until_the_answer_changes(tmp_path) -> None:
    folder, path = tmp_path / "course", tmp_path / "ada.ipynb"
    path.write_text(json.dumps(solved(NAMES[0])), encoding="utf-8")
    options = {"hand_ins": {("ada", NAMES[0]): path}}
    export([graded("ada", NAMES[0], 1)], folder, **options)
    with opened(folder) as gradebook:
        row = gradebook.find_grade("Q1", NAMES[0], NAMES[0], "ada")
        row.manual_score, row.needs_manual_grade = 6.0, False
        gradebook.db.commit()
    export([graded("ada", NAMES[0], 1)], folder, **options)
    assert rows(folder)["ada", NAMES[0], "Q1"][:3] == (6.0, 10.0, False)
    path.write_text(path.read_text(encoding="utf-8").replace("museum", "x").replace("essay", "y"))
    export([graded("ada", NAMES[0], 1)], folder, **options)
    assert rows(folder)["ada", NAMES[0], "Q1"][:3] == (6.0, 10.0, True)


def test_a_question_that_a_release_dropped_leaves_the_gradebook(tmp_path) -> None:
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    text = (CHECKOUT.notebooks / f"{NAMES[0]}.ipynb").read_text(encoding="utf-8")
    (notebooks / f"{NAMES[0]}.ipynb").write_text(text, encoding="utf-8")
    export_nbgrader([CLASS[0]], tmp_path / "c", notebooks=notebooks)
    fewer = text.replace('"grade_id": "q01f"', '"grade_id": "q01g"')
    assert fewer != text
    (notebooks / f"{NAMES[0]}.ipynb").write_text(fewer, encoding="utf-8")
    export_nbgrader([CLASS[0]], tmp_path / "c", notebooks=notebooks)
    questions = {key[2] for key in rows(tmp_path / "c")}
    assert "q01g" in questions and "q01f" not in questions
    assert totals(tmp_path / "c")["ada", NAMES[0]][:3] == (29.5, 0.0, 34.0)


def test_hostile_texts_reach_the_gradebook_as_texts(tmp_path) -> None:
    grades = [
        Grade(text, NAMES[0], "graded", (Mark("q01a", "failed", 1, 4, comment=text),), reason=text)
        for text in HOSTILE
    ]
    path = tmp_path / "one.ipynb"
    path.write_text(json.dumps(solved(NAMES[0])), encoding="utf-8")
    folder = tmp_path / "deep" / "course"
    export(grades, folder, hand_ins={(text, NAMES[0]): path for text in HOSTILE})
    assert len({key[0] for key in totals(folder)}) == len(HOSTILE)
    inside = [file for file in tmp_path.rglob("*") if file.is_file() and file != path]
    assert all(file.is_relative_to(folder) for file in inside)
    assert len(list((folder / "autograded").iterdir())) == len(HOSTILE)


def test_a_file_that_is_no_gradebook_is_one_line(tmp_path) -> None:
    (tmp_path / "gradebook.db").write_text("a diary" * 1000)
    with pytest.raises(NotebookError, match="can't be written as a gradebook"):
        export(CLASS, tmp_path)


def test_without_the_package_the_table_is_written_all_the_same(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("rlvr_course.grading.nbgrader.find_spec", lambda name: None)
    assert not export(CLASS, tmp_path).has_gradebook
    assert not (tmp_path / "gradebook.db").exists()
    row = by_learner(tmp_path / "grades.csv")[NAMES[1], "ada"]
    assert (row["score"], row["late_submission_penalty"]) == ("4.6", "3.4")


@pytest.fixture(scope="module")
def with_files(tmp_path_factory) -> Path:
    """A course with what was handed in: one whose editor lost the metadata and doubled a cell."""
    root = tmp_path_factory.mktemp("files")
    notebook = json.loads(json.dumps(solved(NAMES[0])))
    exercise = next(c for c in notebook["cells"] if "nbgrader" in c["metadata"])
    notebook["cells"].append({**exercise, "id": "copied"})
    (root / "ada.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    (root / "bob.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    hand_ins = {(who, NAMES[0]): root / f"{who}.ipynb" for who in ("ada", "bob")}
    export([CLASS[0], CLASS[2]], root / "course", hand_ins=hand_ins)
    return root / "course"


@pytest.mark.parametrize("kind", ["source", "release", "submitted/ada", "autograded/bob"])
def test_nbgrader_accepts_every_notebook_of_the_course(with_files, kind) -> None:
    from nbgrader.nbgraderformat import read

    [path] = (with_files / kind).rglob("*.ipynb")
    assert path.parent.name == NAMES[0]
    notebook = read(str(path), as_version=4)
    cells = [c.metadata.nbgrader for c in notebook.cells if "nbgrader" in c.metadata]
    assert sorted(cell.grade_id for cell in cells) == sorted(
        cell.grade_id for cell in released(NAMES[0], CHECKOUT.notebooks).graded
    )


def test_an_nbgrader_tree_is_read_as_submissions(with_files) -> None:
    found = find_submissions(with_files)
    assert [learner for learner, _ in found] == ["ada", "bob"]
    for learner, path in found:
        submission = read_submission(path, learner=learner, notebooks=CHECKOUT.notebooks)
        assert (submission.notebook_name, submission.problem) == (NAMES[0], "")


def test_an_id_that_looks_like_anothers_file_name_gets_a_folder_of_its_own() -> None:
    lookalike = file_name("Ada Lovelace!")
    assert _folder_name("Ada Lovelace!") == lookalike != _folder_name(lookalike)
    assert _folder_name("ada.lovelace@x.example") == "ada.lovelace@x.example"
