"""Was a hand-in made on the recordings that its class was given?

A cohort's recordings are dealt by a seed (``problems.fixtures``). Answers are marked and notebooks
executed again on the fixtures of the grader's own process, whatever a hand-in says. So a seed of a
learner's own gains no points; what a hand-in says of itself is compared here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rlvr_course.grading.evidence.log_rows import log_rows
from rlvr_course.grading.records import Finding, Submission
from rlvr_course.problems.fixtures import in_force


def fixture_findings(submission: Submission) -> Iterator[Finding]:
    """What manifest and log say of the fixtures, beside those of this process.

    Limits: a bare notebook says nothing, and whoever can write manifest and log can write them
        anew; the rerun's outputs then differ.
    """
    expected, claims = in_force(), _claims(submission)
    others = {source: seed for source, seed in claims.items() if seed != expected}
    if others:
        source, seed = next(iter(others.items()))
        message = (
            f"the {source} says that the recordings were {_dealt(seed)}; "
            f"for this class they are {_dealt(expected)}"
        )
        yield Finding("other_fixtures", "integrity", message, None, str(others)[:200])
    elif expected and not claims and (submission.manifest or submission.log):
        message = f"nothing says that the recordings were {_dealt(expected)}, as for this class"
        yield Finding("fixtures_not_told", "note", message)


def _claims(submission: Submission) -> dict[str, str]:
    """The seed that each source names; sources that name none are left out."""
    said = {"manifest": submission.manifest.get("fixture_seed"), "log": _of_log(submission.log)}
    return {source: seed for source, seed in said.items() if isinstance(seed, str)}


def _of_log(log: Sequence[bytes] | None) -> object:
    rows = log_rows([bytes(line) for line in (log or ())[:1]])
    return rows[0].record.get("fixture_seed") if rows else None


def _dealt(seed: str) -> str:
    return f"dealt by seed {seed[:40]!r}" if seed else "as recorded"
