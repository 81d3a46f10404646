"""From programs and tests to sandboxed runs, and from their results to reports.

One batch holds every test of every program whose tests expect about as much output, so that all
workers stay busy; a program that hangs delays nobody else's score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from rlvr_course.sandbox.records import Limits, Program, RunResult
from rlvr_course.verifiers.programs.calls import call_program, read_reply
from rlvr_course.verifiers.programs.cases import CallCase, Case, StdioCase, Suite
from rlvr_course.verifiers.programs.inside import encode
from rlvr_course.verifiers.programs.outputs import same_output
from rlvr_course.verifiers.programs.report import CaseOutcome, CodeReport
from rlvr_course.verifiers.programs.values import clipped, same_value, shown

SPARE_BYTES = 128 << 10
"""Output that any program may have; where tests expect much, it is at least four times as much."""

HELD_BYTES = 48 << 20
"""What the outputs of one batch may take in this process; longer batches are cut."""


class Pool(Protocol):
    """Where programs run: ``sandbox.pool.SandboxPool``, or anything with its ``run_many``."""

    def run_many(self, programs: Sequence[Program], limits: Limits) -> list[RunResult]:
        """What became of each program, in order."""
        ...


@dataclass(frozen=True, slots=True)
class _Run:
    """One program on one test; ``nonce`` is "" for a stdio test."""

    case: Case
    program: Program
    nonce: str


def score_programs(
    pool: Pool, jobs: Sequence[tuple[str, Suite]], *, timeout_s: float, tolerance: float
) -> list[CodeReport]:
    """Run every program on all of its tests.

    Args:
        pool: where they run.
        jobs: programs, each with its tests. An empty program is not run.
        timeout_s: wall-clock seconds for each run; as much processor time, rounded up.
        tolerance: relative, for decimal numbers.

    Returns:
        A report for each job, in order.
    """
    # A program's limits are its own tests', or its score would depend on what else is in the batch.
    bounds = {id(suite): _output_bytes(suite) for _, suite in jobs}
    reports: dict[int, CodeReport] = {}
    for size in sorted(set(bounds.values())):
        chosen = {i: job for i, job in enumerate(jobs) if bounds[id(job[1])] == size}
        limits = Limits(wall_s=timeout_s, cpu_s=max(1, int(-(-timeout_s // 1))), output_bytes=size)
        planned = (_plan(c, case) for c, s in chosen.values() if _can_run(c) for case in s.cases)
        outcomes = _outcomes(pool, planned, limits, tolerance)
        reports |= {i: _report(code, suite, outcomes) for i, (code, suite) in chosen.items()}
    return [reports[i] for i in range(len(jobs))]


def _report(code: str, suite: Suite, outcomes: Iterator[CaseOutcome]) -> CodeReport:
    if not code.strip():
        return CodeReport("")
    if not _can_run(code):
        return CodeReport(_printable(code), tuple(map(_not_text, suite.cases)))
    own = tuple(islice(outcomes, len(suite.cases)))
    broken = [outcome for outcome in own if outcome.reason == "infra"]
    return CodeReport(code, own, f"sandbox_failed: {broken[0].detail}" if broken else "")


def _outcomes(
    pool: Pool, planned: Iterator[_Run], limits: Limits, tolerance: float
) -> Iterator[CaseOutcome]:
    size = max(1, HELD_BYTES // (2 * limits.output_bytes))
    while runs := list(islice(planned, size)):
        results = pool.run_many([run.program for run in runs], limits)
        for run, result in zip(runs, results, strict=True):
            yield _outcome(run, result, tolerance)


def _output_bytes(suite: Suite) -> int:
    """A power of two, so that one batch serves most suites."""
    longest = max(map(_length, suite.cases), default=0)
    return max(SPARE_BYTES, 1 << (4 * longest).bit_length())


def _length(case: Case) -> int:
    if isinstance(case, StdioCase):
        return len(case.expected.encode())
    return len(encode(case.expected))


def _plan(code: str, case: Case) -> _Run:
    if isinstance(case, CallCase):
        return _Run(case, *call_program(code, case))
    return _Run(case, Program(code, case.input), "")


def _outcome(run: _Run, result: RunResult, tolerance: float) -> CaseOutcome:
    case = run.case
    if isinstance(case, CallCase):
        reason, got = _judge_call(case, run.nonce, result, tolerance)
        expected = shown(case.expected)
    else:
        reason, got = _judge_stdio(case, result, tolerance)
        expected = clipped(case.expected)
    return CaseOutcome(
        passed=reason == "passed",
        reason=reason,
        hidden=case.hidden,
        given=clipped(case.given),
        expected=expected,
        got=got,
        tier=result.tier,
        detail=clipped(result.detail or result.stderr.strip().rpartition("\n")[2]),
    )


def _judge_stdio(case: StdioCase, result: RunResult, tolerance: float) -> tuple[str, str]:
    if result.reason != "exit":
        reason = str(result.reason)
    elif result.exit_code != 0:
        reason = "crashed"
    else:
        is_same = same_output(case.expected, result.stdout, tolerance)
        reason = "passed" if is_same else "wrong_output"
    return reason, clipped(result.stdout)


def _judge_call(case: CallCase, nonce: str, result: RunResult, tolerance: float) -> tuple[str, str]:
    if result.reason != "exit":
        return str(result.reason), ""
    reply = read_reply(result.stdout, nonce)
    if reply.failure:
        crashed = reply.failure == "returned_nothing" and result.exit_code != 0
        return "crashed" if crashed else reply.failure, ""
    if result.exit_code != 0:
        return "crashed", shown(reply.value)
    is_same = same_value(case.expected, reply.value, tolerance)
    return "passed" if is_same else "wrong_value", shown(reply.value)


def _not_text(case: Case) -> CaseOutcome:
    expected = case.expected if isinstance(case, StdioCase) else shown(case.expected)
    given = clipped(case.given)
    return CaseOutcome(False, "not_text", case.hidden, given, clipped(expected), "", "none")


def _can_run(code: str) -> bool:
    """Whether there is a program that can be handed over: lone surrogates are no text."""
    try:
        return bool(code.encode("utf-8").strip())
    except UnicodeEncodeError:
        return False


def _printable(code: str) -> str:
    return code.encode("utf-8", "backslashreplace").decode()
