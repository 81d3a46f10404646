"""Whether tests can grade at all: their reference solution passes them, every time.

A test that the reference fails, or passes only sometimes, is the *grader's* fault. A candidate that
passes only sometimes is not: being random must be no way out of a grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rlvr_course.records import Record
from rlvr_course.verifiers.programs.cases import Suite
from rlvr_course.verifiers.programs.report import CaseOutcome, CodeReport
from rlvr_course.verifiers.programs.scoring import Pool, score_programs

CaseStatus = Literal["sound", "failing", "flaky"]


@dataclass(frozen=True)
class CaseCheck(Record):
    """One test under its reference solution.

    Args:
        number: from 1, visible tests first.
        passed, repeats: how often the reference passed, of how many times.
        failure: the first outcome that did not pass, None if all did.
    """

    number: int
    passed: int
    repeats: int
    failure: CaseOutcome | None = None

    @property
    def status(self) -> CaseStatus:
        """ "sound" if every run passed, "failing" if none did, else "flaky"."""
        if self.passed == self.repeats:
            return "sound"
        return "flaky" if self.passed else "failing"


@dataclass(frozen=True)
class SuiteCheck(Record):
    """All tests of a problem under its reference solution.

    Args:
        cases: one for each test; none where they could not be run.
        trouble: why they could not be run, "" if they were.
    """

    cases: tuple[CaseCheck, ...]
    trouble: str = ""

    @property
    def fault(self) -> str:
        """Why the tests can't grade, such as "flaky_tests: 2"; "" if they can."""
        if self.trouble:
            return self.trouble
        for status, code in (("failing", "reference_fails_tests"), ("flaky", "flaky_tests")):
            numbers = [str(case.number) for case in self.cases if case.status == status]
            if numbers:
                return f"{code}: {', '.join(numbers)}"
        return ""

    def __str__(self) -> str:
        lines = [f"{len(self.cases)} tests: {self.fault or 'all sound'}"]
        for case in self.cases:
            if case.failure is not None:
                failure = case.failure
                lines.append(
                    f"  test {case.number}, {case.status}: passed {case.passed} of "
                    f"{case.repeats}; {failure.reason}: expected {failure.expected!r}, "
                    f"got {failure.got!r}"
                )
        return "\n".join(lines)


def check_suite(
    pool: Pool,
    suites: Sequence[Suite],
    *,
    repeats: int,
    timeout_s: float,
    tolerance: float,
) -> list[SuiteCheck]:
    """Run each suite's reference solution on its tests, several times, in one batch.

    Args:
        pool: where they run.
        suites: each with a reference.
        repeats: at least 1; one run finds a failing reference, several find flaky tests.
        timeout_s, tolerance: as for candidates.

    Raises:
        ValueError: repeats below 1.
    """
    if repeats < 1:
        raise ValueError(f"repeats={repeats}: run the reference at least once")
    jobs = [(suite.reference, suite) for suite in suites for _ in range(repeats)]
    reports = score_programs(pool, jobs, timeout_s=timeout_s, tolerance=tolerance)
    groups = [reports[i : i + repeats] for i in range(0, len(reports), repeats)]
    return [_checked(group) for group in groups]


def _checked(reports: Sequence[CodeReport]) -> SuiteCheck:
    trouble = next((report.fault for report in reports if report.fault), "")
    if not trouble and not reports[0].outcomes:
        trouble = "reference_is_no_program"
    if trouble:
        return SuiteCheck((), trouble)
    columns = zip(*(report.outcomes for report in reports), strict=True)
    return SuiteCheck(tuple(_case(i, runs) for i, runs in enumerate(columns, start=1)))


def _case(number: int, runs: Sequence[CaseOutcome]) -> CaseCheck:
    failed = [run for run in runs if not run.passed]
    return CaseCheck(number, len(runs) - len(failed), len(runs), failed[0] if failed else None)
