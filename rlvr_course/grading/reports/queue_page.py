"""The answers that a person scores, each beside its rubric, with a row to enter the score."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import cycle, groupby

from rlvr_course.grading.manual import Key, answer_id, manual_marks
from rlvr_course.grading.records import Grade, Mark
from rlvr_course.grading.reports.report_page import (
    exact,
    labelled_cell,
    report_page,
    script_text,
    shown,
)
from rlvr_course.grading.reports.tables import number

TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
HEAD = re.compile(r"<th(?: [^>]*)?>(.*?)</th>", re.DOTALL)
CELL = re.compile(r"<td[^>]*>(.*?)</td>", re.DOTALL)
HOW = """\
<p>Enter scores and comments here and save them with the button, or enter them in
<code>manual_queue.csv</code>. Then merge that file: <code>rlvr-course grade SUBMISSIONS --out DIR
--merge manual.csv</code>. What is typed here is in this page alone until it is saved.</p>
<p class="no-print"><button id="save" type="button" hidden>Save as manual.csv</button></p>
"""


def queue_page(grades: Sequence[Grade], rubrics: Mapping[str, str]) -> str:
    """The page of the manual queue.

    Args:
        grades: with the scores merged so far.
        rubrics: Markdown by question.
    """
    marks = list(manual_marks(grades))
    waiting = sum(mark.status == "manual" for _, mark in marks)
    sections = [
        _section(notebook, question, list(group), rubrics.get(question, ""))
        for (notebook, question), group in groupby(marks, key=lambda item: item[0][1:])
    ]
    body = (
        "<h1>Answers to read</h1>\n"
        f'<p class="lead">{waiting} of {len(marks)} still to be scored.</p>\n{HOW}'
        + "\n".join(sections)
    )
    return report_page("Answers to read", body, script=script_text("queue.js"), is_wide=True)


def _section(notebook: str, question: str, marks: Sequence[tuple[Key, Mark]], rubric: str) -> str:
    answers = "\n".join(_answer(key, mark) for key, mark in marks)
    beside = _rendered(rubric) if rubric else "<p>There is no rubric for this question.</p>"
    return (
        f"<section>\n<h2>{shown(question)} · {shown(notebook)}</h2>\n"
        f'<div class="beside">\n<div>\n{answers}\n</div>\n'
        f'<aside class="rubric">{beside}</aside>\n</div>\n</section>'
    )


def _rendered(rubric: str) -> str:
    """A rubric as HTML, its tables of the kind that fits a narrow page."""
    from nbconvert.filters.markdown import markdown2html

    return TABLE.sub(_as_cards, markdown2html(rubric))


def _as_cards(table: re.Match[str]) -> str:
    labels = HEAD.findall(table[0])
    places = cycle(range(max(1, len(labels))))
    labelled = CELL.sub(lambda cell: labelled_cell(labels[next(places)], cell[1]), table[0])
    return labelled.replace("<table", '<table class="cards"', 1)


def _answer(key: Key, mark: Mark) -> str:
    learner, notebook, question = key
    score = "" if mark.points is None else number(mark.points)
    comment = mark.comment if score else ""
    most = number(mark.max_points)
    return (
        f'<article class="answer" data-learner="{exact(learner)}" '
        f'data-notebook="{exact(notebook)}" data-question="{exact(question)}" '
        f'data-answer="{answer_id(mark.answer)}">\n'
        f'<h3>{shown(learner, 200)}</h3>\n<div class="pre">{shown(mark.answer, 60_000)}</div>\n'
        f'<div class="enter"><label>score, of {most}<input inputmode="decimal" '
        f'value="{score}"></label><label class="wide">comment<textarea rows="2">'
        f"\n{shown(comment, 5000)}</textarea></label></div>\n</article>"
    )
