"""Scores that people give: where they are entered, what is refused, and that they stay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from class_of_grades import NOTEBOOK, exercise, grade, hostile_class, written
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.errors import DataError
from rlvr_course.grading.manual import (
    Score,
    answer_id,
    load_scores,
    queue_csv,
    read_scores,
    save_scores,
    typed_in,
    with_scores,
)
from rlvr_course.grading.reports.publish import QUEUE, SCORES, Publication, completed, publish
from rlvr_course.grading.reports.tables import plain_cell, read_csv, safe_cell

GRADES = [grade("ada"), grade("bob", exercise(), written("another text"))]
KEY = ("ada", NOTEBOOK, "Q1")


def filled(tmp_path: Path, *rows: str, heading="learner,notebook,question,score,comment") -> Path:
    path = tmp_path / "manual.csv"
    path.write_text("\n".join([heading, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_filled_in_queue_gives_scores_and_comments(tmp_path):
    path = filled(tmp_path, f"ada,{NOTEBOOK},Q1,7.5,well argued", f"bob,{NOTEBOOK},Q1,,")
    scores = read_scores(path, GRADES)
    assert scores == {KEY: Score(7.5, "well argued", answer_id("no reference exists"))}
    ada = with_scores(GRADES[0], scores)
    assert (ada.status, ada.points, ada.marks[1].status) == ("graded", 11.5, "scored")
    assert with_scores(GRADES[1], scores) == GRADES[1]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (f"ada,{NOTEBOOK},Q1,11,", "line 2: ada Q1: score '11' is not a number from 0 to 10"),
        (f"ada,{NOTEBOOK},Q1,-1,", "score '-1' is not"),
        (f"ada,{NOTEBOOK},Q1,nan,", "score 'nan' is not"),
        (f"ada,{NOTEBOOK},Q1,seven,", "score 'seven' is not"),
        (f"eve,{NOTEBOOK},Q1,5,", "no answer of 'eve' is to be scored"),
        (f"ada,{NOTEBOOK},q01a,4,", "'ada' has no answer to 'q01a'"),
        ("ada,02_other,Q1,5,", "'ada' has no answer to 'Q1' of '02_other'"),
    ],
    ids=["too much", "negative", "nan", "words", "learner", "question", "notebook"],
)
def test_a_wrong_row_is_refused_by_line_and_value(tmp_path, row, said):
    with pytest.raises(DataError) as refused:
        read_scores(filled(tmp_path, row), GRADES)
    assert said in str(refused.value) and "Nothing was merged" in str(refused.value)


def test_one_answer_scored_twice_is_refused_even_with_the_same_score(tmp_path):
    row = f"ada,{NOTEBOOK},Q1,5,"
    with pytest.raises(DataError, match="line 3: ada Q1 has a score in line 2 already"):
        read_scores(filled(tmp_path, row, row), GRADES)


def test_the_first_few_errors_are_named_and_the_rest_counted(tmp_path):
    path = filled(tmp_path, *(f"eve{n},{NOTEBOOK},Q1,5," for n in range(5)))
    with pytest.raises(DataError, match=r"line 2: .*line 4: .*; and 2 more\. Nothing"):
        read_scores(path, GRADES)


def test_after_an_error_nothing_is_merged(tmp_path):
    path = filled(tmp_path, f"ada,{NOTEBOOK},Q1,5,", f"bob,{NOTEBOOK},Q1,50,")
    with pytest.raises(DataError, match="bob Q1: score '50'"):
        completed(GRADES, tmp_path, merge=path)
    assert load_scores(tmp_path / SCORES) == {}


def test_merged_scores_survive_a_regrade_and_end_with_their_answer(tmp_path):
    path = filled(tmp_path, f"ada,{NOTEBOOK},Q1,5,fine")
    completed(GRADES, tmp_path, merge=path)
    again = completed(GRADES, tmp_path)
    changed = completed([grade("ada", exercise(), written("a new answer"))], tmp_path)
    assert (again[0].points, again[0].marks[1].comment) == (9, "fine")
    assert (changed[0].points, changed[0].status) == (4, "needs_manual")


def test_a_score_for_an_answer_that_has_changed_is_refused(tmp_path):
    path = tmp_path / "queue.csv"
    path.write_text(queue_csv(GRADES, {}).replace("Q1,ada,,10", "Q1,ada,5,10"), encoding="utf-8")
    assert read_scores(path, GRADES)[KEY].points == 5
    changed = [grade("ada", written("a new answer")), GRADES[1]]
    with pytest.raises(DataError, match="ada Q1: the answer has changed"):
        read_scores(path, changed)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("learner;notebook;question;score;comment\nada;{};Q1;7,5;ok\n", 7.5),
        ("\ufeffLearner\tNotebook\tQuestion\tScore\tComment\r\nada\t{}\tQ1\t3\tok\r\n", 3),
        ('"learner","notebook","question","score","comment"\n"ada","{}","Q1","0","a\nb"\n', 0),
    ],
    ids=["semicolons and decimal comma", "tabs and byte order mark", "quotes and lines"],
)
def test_files_as_spreadsheets_save_them_are_read(tmp_path, text, points):
    path = tmp_path / "manual.csv"
    path.write_text(text.format(NOTEBOOK), encoding="utf-8", newline="")
    assert read_scores(path, GRADES)[KEY].points == points


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"learner,notebook\nada,x\n", "has no column 'question'"),
        (b"", "is empty"),
        ("learner,é\n".encode("latin-1"), "is not UTF-8: save it as"),
        (b'learner,notebook,question,score,comment\n"ada,x,Q1,5,\n', "is a quote missing"),
    ],
    ids=["column", "empty", "encoding", "quote"],
)
def test_a_file_of_the_wrong_kind_is_refused_with_the_way_on(tmp_path, content, said):
    path = tmp_path / "manual.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        read_scores(path, GRADES)


def test_damaged_scores_are_told_and_left_alone(tmp_path):
    path = tmp_path / SCORES
    path.write_text('[{"learner": 3}]')
    with pytest.raises(DataError, match="is damaged"):
        load_scores(path)
    assert path.exists()


def test_what_is_typed_into_the_queue_outlives_a_regrade(tmp_path):
    publish(GRADES, tmp_path, Publication())
    queue = tmp_path / QUEUE
    text = queue.read_text(encoding="utf-8")
    queue.write_text(text.replace("Q1,bob,,10,", "Q1,bob,6,10,half done"), encoding="utf-8")
    publish(GRADES, tmp_path, Publication())
    typed = typed_in(queue.read_text(encoding="utf-8"))
    assert list(typed.values()) == [("6", "half done")]
    assert not queue.with_suffix(".previous.csv").exists()


@pytest.mark.parametrize("saved", ["learner,é\n".encode("latin-1"), None], ids=["code page", "old"])
def test_a_queue_that_cant_be_carried_over_whole_is_kept_beside_the_new_one(tmp_path, saved):
    publish(GRADES, tmp_path, Publication())
    queue = tmp_path / QUEUE
    text = queue.read_text(encoding="utf-8").replace("Q1,ada,,10,", "Q1,ada,6,10,")
    before = saved or text.encode()
    queue.write_bytes(before)
    publish([grade("ada", written("a new answer"))], tmp_path, Publication())
    assert queue.with_suffix(".previous.csv").read_bytes() == before
    assert typed_in(queue.read_text(encoding="utf-8")) == {}


def test_every_hostile_text_comes_back_from_the_queue_as_it_was(tmp_path):
    grades = hostile_class()
    path = tmp_path / "queue.csv"
    path.write_text(queue_csv(grades, {}), encoding="utf-8")
    back = {row["learner"] for _, row in read_csv(path, ["learner"])}
    clean = {g.learner.encode("utf-8", "replace").decode().replace("\0", "\ufffd") for g in grades}
    assert back == clean


def test_whoever_a_learner_is_a_score_from_the_queue_finds_its_way_back(tmp_path):
    grades = hostile_class()
    path = tmp_path / "queue.csv"
    text = queue_csv(grades, {})
    path.write_text(text.replace(",,10,,", ",3,10,,"), encoding="utf-8")
    assert {key[0] for key in read_scores(path, grades)} == {one.learner for one in grades}


@given(st.text())
def test_a_safe_cell_is_no_formula_and_can_be_undone(text):
    cell = safe_cell(text)
    assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert plain_cell(cell) == text.replace("\0", "\ufffd")


@given(st.dictionaries(st.tuples(st.text(), st.text(), st.text()), st.floats(0, 100)))
def test_scores_are_read_back_as_they_were_written(tmp_path_factory, points):
    path = tmp_path_factory.mktemp("scores") / SCORES
    scores = {key: Score(value, key[0], "0a") for key, value in points.items()}
    save_scores(path, scores)
    assert load_scores(path) == scores


@given(st.floats(0, 10), st.text(max_size=20))
def test_no_score_takes_points_from_other_questions(points, comment):
    score = Score(points, comment, answer_id("no reference exists"))
    ada = with_scores(replace(GRADES[0], penalty=0.0), {KEY: score})
    assert ada.points == 4 + points and ada.marks[0] == GRADES[0].marks[0]
