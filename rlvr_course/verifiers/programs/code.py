"""CodeVerifier: which share of its tests does a program pass?

    strip the fences  ->  read the tests  ->  run each test in a sandbox  ->  compare outside

The score is the fraction of tests that passed. A crash, a time-out, a flood or an exit in place of
an answer fails its test. What is wrong with the tests or with the sandbox never counts against a
program, nor for it: the verdict is "ungraded".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rlvr_course.errors import RlvrError
from rlvr_course.records import Verdict
from rlvr_course.verifiers.programs.cases import Suite, read_suite
from rlvr_course.verifiers.programs.fences import strip_fences
from rlvr_course.verifiers.programs.report import CodeReport
from rlvr_course.verifiers.programs.scoring import Pool, score_programs
from rlvr_course.verifiers.programs.soundness import SuiteCheck, check_suite

REFERENCE_REPEATS = 2
"""How often a problem's reference solution is run before its tests are trusted."""

MAX_REMEMBERED = 4_096


class CodeVerifier:
    """Judge programs by tests, in a sandbox.

    Args:
        sandbox: a tier's name, "auto" for the best that this machine can hold, or an open pool of
            your own. "auto" never means no sandbox.
        timeout_s: seconds that one test may take, above 0.
        workers: how many tests run at once; the number of cores if None.
        tolerance: relative, for decimal numbers that are expected, in [0, 1).
        packages: that programs may import besides the standard library, such as ``("numpy",)``.

    The pool is opened at the first use, shared by verifiers of the same settings, and closed at
    exit. A verifier can be pickled (unless it was given an open pool): a copy in another process
    opens a pool there.

    Raises:
        ValueError: an argument out of range.

    Limits: a program is right if it passes: tests that are too few, or that the policy was shown,
    can be passed by programs written for the tests; see ``suite_hacks``. Answers that are right
    in more than one form need tests that allow for it. A function is to return plain values: an
    iterator, a deque or a Fraction in place of one is wrong, and so is a program around it that
    reads input when it is imported, since there is none. A program's speed counts only against
    ``timeout_s``, so a verdict near it depends on the machine.

        verify = CodeVerifier()
        verify.verify("print(int(input()) ** 2)", [{"input": "3\\n", "expected": "9"}])    # 1.0
    """

    def __init__(
        self,
        sandbox: str | Pool = "auto",
        timeout_s: float = 5,
        *,
        workers: int | None = None,
        tolerance: float = 1e-6,
        packages: Sequence[str] = (),
    ) -> None:
        if not (timeout_s > 0 and math.isfinite(timeout_s)):
            raise ValueError(f"timeout_s={timeout_s}: give seconds above 0")
        if not 0 <= tolerance < 1:
            raise ValueError(f"tolerance={tolerance}: give a relative tolerance in [0, 1)")
        if workers is not None and workers < 1:
            raise ValueError(f"workers={workers}: at least one is needed")
        self.sandbox = sandbox
        self.timeout_s = timeout_s
        self.workers = workers
        self.tolerance = tolerance
        self.packages = tuple(packages)
        self._faults: dict[str, str] = {}

    def __call__(self, response: str, answer: Any, *, finish_reason: str = "stop") -> Verdict:
        """Judge one response.

        Args:
            response: a program, or a reply with one in a code block (see ``strip_fences``).
            answer: tests as in ``programs.cases``.
            finish_reason: not needed: a program that was cut off is judged as it stands.

        Returns:
            A verdict with the fraction of tests passed as its score and the sandbox's tier in its
            reason; "ungraded" for a grader fault.
        """
        return self.verify_many([response], [answer])[0]

    def verify_many(
        self,
        responses: Sequence[str],
        answers: Sequence[Any],
        finish_reasons: Sequence[str] | None = None,
    ) -> list[Verdict]:
        """Judge responses against tests, in order, all in one batch.

        Raises:
            ValueError: lengths differ.
        """
        try:
            return [report.verdict for report in self.report_many(responses, answers)]
        except (RlvrError, OSError) as error:
            return [Verdict.ungraded(f"sandbox_failed: {error}") for _ in responses]

    def verify(self, code: str, test_cases: Any) -> float | None:
        """The fraction of tests that a program passes.

        Args:
            code: a program, or a reply with one in a code block.
            test_cases: tests as in ``programs.cases``.

        Returns:
            In [0, 1]; None for a grader fault: no tests, malformed ones, tests that their reference
            solution fails, or a sandbox that failed.

        Raises:
            SandboxUnavailable: this machine can't hold the sandbox; the message says what to do.
        """
        return self.report(code, test_cases).score

    def report(self, response: str, answer: Any) -> CodeReport:
        """What each test showed, for one response.

        Raises:
            SandboxUnavailable: as ``verify``.
        """
        return self.report_many([response], [answer])[0]

    def report_many(self, responses: Sequence[str], answers: Sequence[Any]) -> list[CodeReport]:
        """What each test showed, for each response, in one batch.

        Raises:
            SandboxUnavailable: as ``verify``.
            ValueError: lengths differ.
        """
        if len(responses) != len(answers):
            raise ValueError(f"{len(responses)} responses but {len(answers)} answers")
        read = {id(answer): _suite_or_fault(answer) for answer in _distinct(answers)}
        suites = [read[id(answer)] for answer in answers]
        codes = [_program(r, suite) for r, suite in zip(responses, suites, strict=True)]
        checks = self._reference_checks([s for s in read.values() if isinstance(s, Suite)])
        found = {id(s): s if isinstance(s, str) else checks.get(id(s), "") for s in read.values()}
        faults = [found[id(suite)] for suite in suites]
        jobs = [
            (code, suite)
            for code, suite, fault in zip(codes, suites, faults, strict=True)
            if isinstance(suite, Suite) and not fault
        ]
        scored = iter(self._score(jobs))
        return [
            CodeReport(code, fault=fault) if fault else next(scored)
            for code, fault in zip(codes, faults, strict=True)
        ]

    def check_tests(self, tests: Any, reference: str = "", *, repeats: int = 5) -> SuiteCheck:
        """Whether tests can grade: their reference solution passes them, every time.

        Args:
            tests: as in ``programs.cases``.
            reference: a solution that is known to be right; the tests' own if "".
            repeats: how often it is run, at least 1.

        Raises:
            ValueError: malformed tests, no reference, or repeats below 1.
            SandboxUnavailable: as ``verify``.

        Limits: a test that is flaky once in a hundred runs is seldom found by five.
        """
        suite = read_suite(tests)
        solution = strip_fences(reference, call=suite.call) or suite.reference
        if not solution.strip():
            raise ValueError("check_tests needs a reference solution: give one")
        return self._check([Suite(suite.cases, solution)], repeats)[0]

    def _score(self, jobs: Sequence[tuple[str, Suite]]) -> list[CodeReport]:
        if not any(code.strip() for code, _ in jobs):
            return [CodeReport("") for _ in jobs]
        return score_programs(
            self._pool(), jobs, timeout_s=self.timeout_s, tolerance=self.tolerance
        )

    def _check(self, suites: Sequence[Suite], repeats: int) -> list[SuiteCheck]:
        return check_suite(
            self._pool(),
            suites,
            repeats=repeats,
            timeout_s=self.timeout_s,
            tolerance=self.tolerance,
        )

    def _reference_checks(self, suites: Sequence[Suite]) -> dict[int, str]:
        """The faults of suites that have a reference, by id; each reference is run only once."""
        keys = {id(suite): suite.key for suite in suites if suite.reference}
        new = {keys[id(s)]: s for s in suites if s.reference and keys[id(s)] not in self._faults}
        checks = self._check(list(new.values()), REFERENCE_REPEATS) if new else []
        found = {key: check.fault for key, check in zip(new, checks, strict=True)}
        faults = {own: found.get(key, self._faults.get(key, "")) for own, key in keys.items()}
        if len(self._faults) > MAX_REMEMBERED:
            self._faults.clear()
        # A sandbox that failed says nothing about the tests: they are checked again next time.
        lasting = {k: v for k, v in found.items() if not v.startswith("sandbox_failed")}
        self._faults.update(lasting)
        return faults

    def _pool(self) -> Pool:
        if not isinstance(self.sandbox, str):
            return self.sandbox
        from rlvr_course.verifiers.programs.pools import shared_pool

        return shared_pool(self.sandbox, self.workers, self.packages)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_faults": {}}


def _distinct(answers: Sequence[Any]) -> list[Any]:
    """Each object once: a group of responses to one problem shares its tests."""
    return list({id(answer): answer for answer in answers}.values())


def _program(response: Any, suite: Suite | str) -> str:
    if not isinstance(response, str):
        return ""
    return strip_fences(response, call=suite.call if isinstance(suite, Suite) else "")


def _suite_or_fault(answer: Any) -> Suite | str:
    try:
        return read_suite(answer)
    except ValueError as error:
        return "no_tests" if "no tests" in str(error) else f"malformed_tests: {error}"
