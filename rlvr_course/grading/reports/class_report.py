"""The class's page: how it went, what was hard, and what somebody must look at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from rlvr_course.grading.identities import Identity
from rlvr_course.grading.ledger import file_name
from rlvr_course.grading.manual import manual_marks
from rlvr_course.grading.records import Grade, SimilarPair
from rlvr_course.grading.reports.charts import distribution
from rlvr_course.grading.reports.report_page import (
    report_page,
    script_text,
    sentence,
    shown,
    status,
    table,
)
from rlvr_course.grading.reports.tables import number

HARDEST = 12
TEXT = 6000
"""Characters of an answer that is shown beside another."""

MARKED = ("graded", "needs_manual")


def class_page(
    grades: Sequence[Grade],
    identities: Mapping[str, Identity] | None = None,
    pairs: Sequence[SimilarPair] | None = None,
) -> str:
    """The page of the class.

    Args:
        grades: complete, in order.
        identities: who is behind each id; adds names and groups, and who handed in nothing.
        pairs: submissions that are alike; None if they were not compared.
    """
    known = identities or {}
    by_notebook: dict[str, list[Grade]] = defaultdict(list)
    for grade in grades:
        if grade.status in MARKED:
            by_notebook[grade.notebook_name].append(grade)
    parts = [
        "<h1>Class report</h1>",
        _figures(grades),
        _stopped(grades),
        *(_notebook(name, by_notebook[name]) for name in sorted(by_notebook)),
        _learners(grades, known),
        _missing(grades, known),
        _integrity(grades),
        _similar(pairs),
        _queue(grades),
    ]
    body = "\n".join(part for part in parts if part)
    return report_page("Class report", body, script=script_text("sort.js"))


def _figures(grades: Sequence[Grade]) -> str:
    counts = Counter(grade.status for grade in grades)
    figures = [
        (len({grade.learner for grade in grades}), "learners"),
        (len(grades), "notebooks"),
        (counts["graded"], "graded"),
        (counts["needs_manual"], "wait to be read"),
        (counts["could_not_grade"], "could not be graded"),
        (counts["not_ours"], "not of the course"),
    ]
    items = "".join(f"<li><b>{count}</b>{words}</li>" for count, words in figures)
    return f'<ul class="figures">{items}</ul>'


def _stopped(grades: Sequence[Grade]) -> str:
    rows = [
        (_link(grade.learner), shown(grade.notebook_name), status(grade.status), _why(grade))
        for grade in grades
        if grade.status not in MARKED
    ]
    if not rows:
        return ""
    heads = ("learner", "notebook", "status", "reason")
    return "<h2>Without a grade</h2>\n" + table(heads, rows)


def _why(grade: Grade) -> str:
    file = grade.facts.get("file", "")
    where = f' <span class="quiet">({shown(file, 120)})</span>' if file else ""
    return shown(grade.reason, 600) + where


def _notebook(name: str, grades: Sequence[Grade]) -> str:
    points = [grade.points for grade in grades]
    worth = max(grade.max_points for grade in grades)
    waiting = sum(grade.status == "needs_manual" for grade in grades)
    learners = "1 learner" if waiting == 1 else f"{waiting} learners"
    note = f" Answers of {learners} are still to be read." if waiting else ""
    return (
        f"<h2>{shown(name)}</h2>\n<p>Median {number(median(points))} of {number(worth)} points, "
        f"from {number(min(points))} to {number(max(points))}, n = {len(points)}.{note}</p>\n"
        f"{distribution(points, worth)}\n{_hardest(grades)}"
    )


def _hardest(grades: Sequence[Grade]) -> str:
    """The cases that most submissions fail, of those whose code was asked."""
    asked: Counter[tuple[str, str]] = Counter()
    failed: Counter[tuple[str, str]] = Counter()
    for mark in (mark for grade in grades for mark in grade.marks):
        for case, held, _ in mark.cases:
            asked[mark.question, case] += 1
            failed[mark.question, case] += not held
    order = sorted(asked, key=lambda key: (-failed[key] / asked[key], -failed[key], key))
    rows = [
        (shown(key[0], 60), shown(key[1], 200), _share(failed[key], asked[key]))
        for key in order[:HARDEST]
        if failed[key]
    ]
    if not rows:
        return ""
    return "<h3>Hardest checks</h3>\n" + table(("question", "case", "not passed"), rows)


def _share(part: int, whole: int) -> str:
    percent = 100 * part / whole
    bar = f'<span class="share" aria-hidden="true"><i style="width:{percent:.0f}%"></i></span>'
    return f"<span>{bar} {part} of {whole}</span>"


def _learners(grades: Sequence[Grade], known: Mapping[str, Identity]) -> str:
    who = ("name", "group") if known else ()
    heads = ("learner", *who, "notebook", "points#", "of#", "status", "seen", "late, off#")
    rows = [_learner_row(grade, known) for grade in grades]
    return '<h2>Learners</h2>\n<div class="sorting"></div>\n' + table(
        heads, rows, kind="cards learners"
    )


def _learner_row(grade: Grade, known: Mapping[str, Identity]) -> list[str]:
    person = known.get(grade.learner, Identity(""))
    is_marked = grade.status in MARKED
    codes = sorted({finding.code for finding in grade.findings if finding.kind != "note"})
    late = number(grade.penalty) if grade.penalty else ""
    return [
        _link(grade.learner),
        *((shown(person.name, 100), shown(person.group, 60)) if known else ()),
        shown(grade.notebook_name, 60),
        number(grade.points) if is_marked else "",
        number(grade.max_points) if is_marked else "",
        status(grade.status),
        shown(", ".join(code.replace("_", " ") for code in codes), 400),
        late,
    ]


def _link(learner: str) -> str:
    return f'<a href="learners/{file_name(learner)}.html">{shown(learner, 120)}</a>'


def _missing(grades: Sequence[Grade], known: Mapping[str, Identity]) -> str:
    there = {grade.learner for grade in grades}
    missing = [person for learner, person in sorted(known.items()) if learner not in there]
    unknown = sorted(there - set(known)) if known else []
    parts = []
    if missing:
        items = "".join(f"<li>{_who(person)}</li>" for person in missing)
        parts.append(f"<h2>Nothing handed in</h2>\n<ul>{items}</ul>")
    if unknown:
        items = "".join(f"<li>{shown(learner, 120)}</li>" for learner in unknown)
        parts.append(f"<h2>Not in the list of identities</h2>\n<ul>{items}</ul>")
    return "\n".join(parts)


def _who(person: Identity) -> str:
    name = f" ({shown(person.name, 120)})" if person.name else ""
    return f"{shown(person.learner, 120)}{name}"


def _integrity(grades: Sequence[Grade]) -> str:
    rows = [
        (
            _link(grade.learner),
            shown(grade.notebook_name, 60),
            str(finding.cell or ""),
            shown(sentence(finding.message), 600) + _evidence(finding.evidence),
        )
        for grade in grades
        for finding in grade.findings
        if finding.kind == "integrity"
    ]
    if not rows:
        return "<h2>Integrity</h2>\n<p>Nothing was seen that stands in for work.</p>"
    return (
        "<h2>Integrity</h2>\n<p>Observations to look at, no verdicts; they take no points off."
        "</p>\n" + table(("learner", "notebook", "cell#", "seen"), rows)
    )


def _evidence(text: str) -> str:
    return f'<br><span class="observed">{shown(text, 400)}</span>' if text else ""


def _similar(pairs: Sequence[SimilarPair] | None) -> str:
    if pairs is None:
        return ""
    if not pairs:
        return "<h2>Alike</h2>\n<p>No two submissions are more alike than others.</p>"
    rows = [
        (
            shown(pair.notebook_name, 60),
            f"{_link(pair.first)} and {_link(pair.second)}",
            f"{pair.similarity:.2f}",
            "" if pair.usual is None else f"{pair.usual:.2f}",
            f"{shown(pair.where, 200)}{_evidence(pair.evidence)}{_side_by_side(pair)}",
        )
        for pair in sorted(pairs, key=lambda p: (-p.similarity, p.notebook_name, p.first, p.second))
    ]
    return (
        "<h2>Alike</h2>\n<p>Pairs to be read side by side; working together may be allowed. What "
        "was handed out, what the solution holds and what many wrote counts for little. Usual: "
        "what 95 of 100 pairs of the class stay below in the same questions.</p>\n"
        + table(("notebook", "learners", "likeness#", "usual#", "where"), rows)
    )


def _side_by_side(pair: SimilarPair) -> str:
    """Both texts of each question, folded away until somebody opens them."""
    return "".join(
        f"<details><summary>{shown(match.question, 60)}, {match.similarity:.2f}</summary>"
        f'<div class="pair"><pre>{shown(match.first, TEXT)}</pre>'
        f"<pre>{shown(match.second, TEXT)}</pre></div></details>"
        for match in pair.matches
    )


def _queue(grades: Sequence[Grade]) -> str:
    marks = list(manual_marks(grades))
    if not marks:
        return ""
    counts: Counter[tuple[str, str]] = Counter(key[1:] for key, _ in marks)
    scored = Counter(key[1:] for key, mark in marks if mark.status == "scored")
    rows = [
        (shown(question, 60), shown(notebook, 60), _share(scored[key], total))
        for key, total in sorted(counts.items())
        for notebook, question in [key]
    ]
    return (
        '<h2>Answers to read</h2>\n<p><a href="manual_queue.html">Read them beside their '
        "rubrics</a>.</p>\n" + table(("question", "notebook", "scored"), rows)
    )
