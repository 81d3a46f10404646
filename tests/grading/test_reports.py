"""The pages and tables: what they show, what they keep back, and that nothing in them can act."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from class_of_grades import HOSTILE, INTEGRITY, NOTEBOOK, ORDER, exercise, grade, hostile_class
from class_of_grades import written as written_answer
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.grading.identities import Identity
from rlvr_course.grading.ledger import file_name
from rlvr_course.grading.manual import Score, answer_id, with_scores
from rlvr_course.grading.records import Grade, Match, SimilarPair
from rlvr_course.grading.reports.charts import distribution
from rlvr_course.grading.reports.class_report import class_page
from rlvr_course.grading.reports.learner_report import learner_page
from rlvr_course.grading.reports.publish import Publication, publish
from rlvr_course.grading.reports.queue_page import queue_page
from rlvr_course.grading.reports.report_page import script_text
from rlvr_course.grading.reports.tables import grades_csv

VOID = {"meta", "link", "br", "input", "line", "rect", "hr", "img"}
RUBRICS = {"Q1": "# Q1\n\n| points | for |\n|---|---|\n| 2 | a *task* |\n"}
PAIR = SimilarPair(NOTEBOOK, HOSTILE[0], "bob", 0.97, "q01c", HOSTILE[1])


class Page(HTMLParser):
    """What a browser would see: tags with attributes, text, and whether tags are balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def all_pages(grades: list[Grade]) -> dict[str, str]:
    return {
        "learner": learner_page(grades[0].learner, grades, show_findings=True),
        "class": class_page(grades, {"ada": Identity("ada", *HOSTILE[:3])}, [PAIR]),
        "queue": queue_page(grades, RUBRICS),
    }


@pytest.mark.parametrize("kind", ["learner", "class", "queue"])
def test_nothing_from_a_submission_becomes_markup(kind):
    hostile, tame = all_pages(hostile_class())[kind], all_pages([grade("ada")])[kind]
    page = Page(hostile)
    assert {tag for tag, _ in page.tags} - {"br", "ul", "li"} <= {t for t, _ in Page(tame).tags}
    names = {name for _, attributes in page.tags for name in attributes}
    assert not any(name.startswith("on") for name in names)
    assert all(text.split("\0")[0] in page.text for text in HOSTILE[:3])


@pytest.mark.parametrize("kind", ["learner", "class", "queue"])
def test_a_page_needs_nothing_else_and_lets_only_our_script_run(kind):
    text = all_pages(hostile_class())[kind]
    page = Page(text)
    targets = [a[key] or "" for _, a in page.tags for key in ("src", "href") if key in a]
    assert not any(re.match(r"[a-z]+:", url) for url in targets if url != "data:,")
    policy = next(a["content"] for t, a in page.tags if t == "meta" and "http-equiv" in a)
    assert policy is not None and policy.startswith("default-src 'none'")
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    ours = {"learner": [], "class": ["sort.js"], "queue": ["queue.js"]}[kind]
    assert scripts == [script_text(name) for name in ours]
    assert ("script-src 'sha256-" in policy) == bool(ours)


@pytest.mark.parametrize("kind", ["learner", "class", "queue"])
def test_a_page_has_a_light_a_dark_a_narrow_and_a_printed_form(kind):
    text = all_pages([grade("ada")])[kind]
    for rule in ("prefers-color-scheme: dark", "@media print", "max-width: 40rem", "viewport"):
        assert rule in text


def test_a_learner_sees_marks_cases_replies_and_comments():
    ada = with_scores(
        grade("ada", exercise(), exercise("q01b", holds=False), written_answer("text")),
        {("ada", NOTEBOOK, "Q1"): Score(7, "well argued", answer_id("text"))},
    )
    text = Page(learner_page("ada", [ada])).text
    assert "11 of 18 points graded" in text
    for part in ("keeps the sign", "'-5'", "not passed", "a comment", "well argued"):
        assert part in text


def test_of_a_hidden_case_only_the_name_is_shown():
    page = learner_page("ada", [grade("ada")], show_findings=True)
    assert "hidden: nested braces" in page and "SECRET" not in page


@pytest.mark.parametrize("asked", [False, True], ids=["by default", "asked for"])
def test_integrity_findings_are_in_a_learners_copy_only_when_asked_for(asked):
    ada = grade("ada", findings=(ORDER, INTEGRITY))
    text = Page(learner_page("ada", [ada], show_findings=asked)).text
    assert "Cells were run out of order. (cell 2)" in text
    assert (INTEGRITY.message in text) == asked


@pytest.mark.parametrize("asked", [False, True], ids=["by default", "asked for"])
def test_a_name_is_on_a_learners_page_only_when_asked_for(tmp_path, asked):
    people = {"ada": Identity("ada", "Ada Müller", "ada@x.example", "A")}
    publish([grade("ada")], tmp_path, Publication(identities=people, show_names=asked))
    text = (tmp_path / "learners/ada.html").read_text(encoding="utf-8")
    assert ("Müller" in text) == asked
    assert "ada@x.example" not in text


def test_the_class_page_shows_points_hard_checks_and_what_to_look_at():
    grades = [
        grade("ada", exercise(), findings=(INTEGRITY,), status="graded"),
        grade("bob", exercise(holds=False), written_answer()),
        grade("cy", exercise(holds=False), status="graded"),
        Grade("dee", "", "could_not_grade", reason="it is cut"),
    ]
    text = Page(class_page(grades, {"zoe": Identity("zoe", "Zoe")}, [PAIR])).text
    assert "Median 0 of 14 points, from 0 to 4, n = 3. Answers of 1 learner are still" in text
    assert "keeps the sign 2 of 3" in text and "dee" in text and "it is cut" in text
    assert INTEGRITY.message in text and "0.97" in text and "0 of 1" in text
    assert "Nothing handed in zoe (Zoe" in text


def test_a_similar_pair_is_shown_side_by_side_and_safely():
    matches = tuple(Match("q01c", 0.9, text, "other") for text in HOSTILE)
    page = class_page([grade("ada")], {}, [replace(PAIR, usual=0.21, matches=matches)])
    assert "0.21" in page and page.count("<pre>other</pre>") == len(HOSTILE)
    assert "<script>alert" not in page and "<img src=x" not in page


def test_submissions_that_were_not_compared_are_not_said_to_differ():
    assert "Alike" not in class_page([grade("ada")])
    assert "Alike" in class_page([grade("ada")], {}, [])


def test_the_table_has_a_column_for_each_question_and_no_formula():
    grades = [grade(text, reason=text, findings=(ORDER, INTEGRITY)) for text in HOSTILE]
    grades.append(Grade("ada", "02_x", "could_not_grade", (exercise("q02a"),), reason="it hangs"))
    rows = list(csv.DictReader(io.StringIO(grades_csv(grades, {}))))
    assert [name for name in rows[0] if name[0] in "qQ"] == ["q01a", "Q1", "q02a"]
    assert (rows[0]["points"], rows[0]["Q1"], rows[0]["flags"]) == ("4", "", "counts log_changed")
    assert (rows[-1]["points"], rows[-1]["q02a"], rows[-1]["reason"]) == ("", "4", "it hangs")
    assert not any(cell.startswith(tuple("=+-@")) for row in rows for cell in row.values())


def test_every_file_is_written_inside_the_folder(tmp_path):
    out = tmp_path / "deep" / "out"
    publish(hostile_class(), out, Publication(rubrics=RUBRICS))
    inside = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(path.is_relative_to(out) for path in inside)
    assert len(list((out / "learners").iterdir())) == len(HOSTILE)
    assert [one["points"] for one in json.loads((out / "grades.json").read_text())] == [4] * 6


def test_the_same_grades_give_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        publish(hostile_class(), tmp_path / name, Publication(rubrics=RUBRICS, pairs=[PAIR]))
    files = [path for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) == 5 + len(HOSTILE)
    for path in files:
        twin = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == twin.read_bytes()


def test_a_rubric_stands_beside_the_answers():
    page = queue_page([grade("ada"), grade("bob", written_answer(question="Q2"))], RUBRICS)
    text = Page(page).text
    assert "2 of 2 still to be scored" in text and "There is no rubric" in text
    assert 'data-label="for"><div>a <em>task</em></div></td>' in page


@given(st.lists(st.floats(0, 34), min_size=1, max_size=60), st.floats(1, 200))
def test_every_learner_is_in_one_bar(points, max_points):
    drawn = distribution([min(value, max_points) for value in points], max_points)
    counts = re.findall(r'y="[\d.]+" text-anchor="middle">(\d+)</text>(?=<rect|<line)', drawn)
    bars = drawn.count("<rect")
    assert sum(int(count) for count in counts[:bars]) == len(points)


def test_without_points_there_is_no_chart():
    assert (distribution([], 4), distribution([0.0], 0)) == ("", "")


@given(st.text())
def test_a_learners_file_name_stays_in_its_folder(learner):
    name = file_name(learner)
    assert re.fullmatch(r"[a-z0-9_-][a-z0-9._-]*", name) and len(name) < 80
    assert Path("out", name).resolve().parent == Path("out").resolve()


@given(st.lists(st.text(max_size=5), unique=True))
def test_two_learners_never_share_a_file(learners):
    ids = {*learners, *map(file_name, learners)}  # an id may be another one's file name
    assert len({file_name(one).lower() for one in ids}) == len(ids)
