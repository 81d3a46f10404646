"""A learner's page: what each question earned and why, and what was seen in the notebook.

Nothing of a hidden case but its name is shown. Integrity findings are for an instructor to look
at first, and are in the learner's copy only when asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from rlvr_course.grading.records import Finding, Grade, Mark
from rlvr_course.grading.reports.report_page import report_page, sentence, shown, status, table
from rlvr_course.grading.reports.tables import number

HIDDEN_CASE = "hidden:"
"""How the name of a case begins that learners have not seen."""


def learner_page(
    learner: str, grades: Sequence[Grade], *, name: str = "", show_findings: bool = False
) -> str:
    """The page of one learner.

    Args:
        learner: the id.
        grades: the learner's, one a notebook, at least one.
        name: the person's name; "" leaves the page without.
        show_findings: whether integrity findings are shown.
    """
    title = f"{name} ({learner})" if name else learner
    parts = "\n".join(_notebook(grade, show_findings) for grade in grades)
    return report_page(f"Results of {title}", f"<h1>Results of {shown(title, 200)}</h1>\n{parts}")


def _notebook(grade: Grade, show_findings: bool) -> str:
    heading = shown(grade.notebook_name or "A file that could not be told apart", 100)
    seen = [f for f in grade.findings if show_findings or f.kind != "integrity"]
    return "\n".join(
        part
        for part in (
            f"<section>\n<h2>{heading}</h2>",
            _outcome(grade),
            _overview(grade.marks),
            *(_question(mark) for mark in grade.marks),
            _observations(seen),
            "</section>",
        )
        if part
    )


def _outcome(grade: Grade) -> str:
    lines = []
    if grade.status in ("graded", "needs_manual"):
        total = f"{number(grade.points)} of {number(grade.max_points)} points"
        lines.append(f'<p class="lead"><span class="big">{total}</span> {status(grade.status)}</p>')
    else:
        lines.append(f'<p class="lead">{status(grade.status)}</p>')
    if grade.status == "needs_manual":
        left = sum(mark.max_points for mark in grade.marks if mark.status == "manual")
        lines.append(f"<p>Answers worth {number(left)} points are still to be read.</p>")
    if grade.reason:
        lines.append(f"<p>Why: {shown(grade.reason)}.</p>")
    if grade.facts.get("late"):
        lines.append(f"<p>Late: {shown(grade.facts['late'])}.</p>")
    return "\n".join(lines)


def _overview(marks: Sequence[Mark]) -> str:
    rows = [
        (shown(mark.question, 60), status(mark.status), _points(mark), number(mark.max_points))
        for mark in marks
    ]
    return table(("question", "result", "points#", "of#"), rows, kind="") if rows else ""


def _points(mark: Mark) -> str:
    return "" if mark.points is None else number(mark.points)


def _question(mark: Mark) -> str:
    """A question's cases and comment; "" if there is nothing to say of it."""
    if not mark.cases and not mark.comment:
        return ""
    lines = [f"<h3>{shown(mark.question, 60)}</h3>"]
    if mark.comment:
        lines.append(f'<div class="comment">{shown(mark.comment, 5000)}</div>')
    if mark.cases:
        rows = [_case(*case) for case in mark.cases]
        cases = table(("case", "result", "reply"), rows)
        lines.append(_folded(mark, cases) if mark.status == "passed" else cases)
    return "\n".join(lines)


def _folded(mark: Mark, cases: str) -> str:
    """What has passed, out of the way of what has not."""
    return f"<details><summary>all {len(mark.cases)} cases passed</summary>\n{cases}</details>"


def _case(name: str, held: bool, observed: str) -> tuple[str, str, str]:
    # What code replies to a hidden case may well be the case itself.
    is_hidden = name.lower().startswith(HIDDEN_CASE)
    reply = '<span class="quiet">not shown</span>' if is_hidden else _reply(observed)
    return shown(name, 200), status("passed" if held else "failed"), reply


def _reply(observed: str) -> str:
    return f'<span class="observed">{shown(observed, 400)}</span>'


def _observations(findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    items = "\n".join(f"<li>{_observation(finding)}</li>" for finding in findings)
    return (
        "<h3>What was seen in the notebook</h3>\n"
        '<p class="quiet">Observations, for you to look at; they take no points off.</p>\n'
        f"<ul>\n{items}\n</ul>"
    )


def _observation(finding: Finding) -> str:
    where = f" (cell {finding.cell})" if finding.cell else ""
    shows = f'<br><span class="observed">{shown(finding.evidence, 400)}</span>'
    message = shown(sentence(finding.message))
    return f"{message}{where}{shows if finding.evidence else ''}"
