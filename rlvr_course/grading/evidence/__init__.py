"""What can be seen in a submission without running any of it.

    order             one run from top to bottom?
    given_cells       the given cells still the given ones?
    tricks            code that stands in for work
    literals          results that were written down, not computed
    log_evidence      the audit log, beside whatever else speaks of the run
    package_evidence  the files, beside the manifest
    fixture_evidence  made on this class's recordings?
    privacy           keys and personal data

Nothing here is a verdict: findings of kind "integrity" are for an instructor to look at.
"""

from __future__ import annotations

from rlvr_course.grading.evidence.fixture_evidence import fixture_findings
from rlvr_course.grading.evidence.given_cells import given_cell_findings
from rlvr_course.grading.evidence.literals import literal_findings
from rlvr_course.grading.evidence.log_checks import fake_output_findings
from rlvr_course.grading.evidence.log_evidence import log_findings
from rlvr_course.grading.evidence.order import order_findings
from rlvr_course.grading.evidence.package_evidence import package_findings
from rlvr_course.grading.evidence.privacy import privacy_findings
from rlvr_course.grading.evidence.tricks import trick_findings
from rlvr_course.grading.handin.matching import match_cells
from rlvr_course.grading.handin.seen import seen_cells
from rlvr_course.grading.records import Finding, Submission
from rlvr_course.grading.released import Released


def find_evidence(submission: Submission, released: Released | None) -> list[Finding]:
    """Everything that a submission shows by itself.

    Args:
        submission: as read; its notebook may be anything.
        released: the notebook that it answers; None for one that isn't the course's.

    Returns:
        The findings, in the order of cells, those of the whole notebook first.
    """
    cells = seen_cells(submission.notebook)
    found = [*package_findings(submission), *order_findings(cells)]
    if released is None:
        message = "the notebook is none of the course's: no answers, checks or log to compare"
        found.append(Finding("not_ours", "note", message))
        found += trick_findings(cells, is_ours=False)
    elif submission.notebook is not None:  # else its problem says why there is no more
        matching = match_cells(cells, released)
        found += given_cell_findings(cells, matching)
        given = frozenset(matching.unchanged())
        found += trick_findings(cells, given)
        found += fake_output_findings(cells)
        found += literal_findings(matching, released)
        found += fixture_findings(submission)
        found += log_findings(submission, cells, given, released.name)
    found += privacy_findings(cells, submission.log)
    return sorted(found, key=lambda finding: finding.cell or 0)
