"""Grades to report on, as a batch gives them; some of what is in them is hostile."""

from __future__ import annotations

from rlvr_course.grading.records import Finding, Grade, Mark

NOTEBOOK = "01_verifiers"
HOSTILE = [
    "<script>alert(1)</script>",
    "</textarea></td></table><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x="',
    "=HYPERLINK(1)",
    "../../etc/passwd",
    "a\0b\ud800\u202ec",
]


def exercise(question: str = "q01a", *, holds: bool = True, observed: str = "'-5'") -> Mark:
    cases = (("keeps the sign", holds, observed), ("hidden: nested braces", holds, "SECRET"))
    status = "passed" if holds else "failed"
    return Mark(question, status, 4.0 * holds, 4.0, cases, comment="a comment")


def written(answer: str = "no reference exists", question: str = "Q1") -> Mark:
    return Mark(question, "manual", None, 10.0, answer=answer)


def grade(learner: str, *marks: Mark, **values) -> Grade:
    """A grade that waits to be read, if nothing else is said."""
    marks = marks or (exercise(), written())
    return Grade(learner, NOTEBOOK, values.pop("status", "needs_manual"), marks, **values)


INTEGRITY = Finding("log_changed", "integrity", "Line 3 of the log was changed.", 4, "3: 1f0c")
ORDER = Finding("counts", "reproducibility", "Cells were run out of order.", 2, "1, 3, 2")


def hostile_class() -> list[Grade]:
    """One grade for each hostile text, which stands in every field that a submission fills."""
    return [
        grade(
            text,
            exercise(observed=text),
            written(text),
            findings=(Finding("x", "integrity", f"saw {text}", 1, text), ORDER),
            facts={"file": text, "late": text, "mode": text},
            reason=text,
        )
        for text in HOSTILE
    ]
