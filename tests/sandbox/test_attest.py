"""Attestation holds where the sandbox does, and fails where there is none."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass

import pytest

from rlvr_course.sandbox.attest import attest
from rlvr_course.sandbox.records import Limits, Program, RunResult
from rlvr_course.sandbox.unsafe import UnsafeSubprocess
from rlvr_course.sandbox.worker import Worker


def test_every_probe_is_held_by_a_worker(worker: Worker) -> None:
    results = attest(worker)
    assert len(results) >= 10
    assert [result for result in results if not result.held] == []


def test_a_plain_subprocess_holds_hardly_any() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held = {result.name: result.held for result in attest(UnsafeSubprocess())}
    assert not any(
        held[name]
        for name in (
            *("read a file of the host", "read the user database", "write to a file of the host"),
            *("plant a file on the host", "reach the host's network", "start a process"),
            *("signal the host", "make a file in memory outside its limits"),
        )
    )


@dataclass
class Scripted:
    """A runner that answers every program alike, to see what attestation makes of it."""

    answer: RunResult
    tier: str = "scripted"
    start_ms: float = 0.0

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        return self.answer

    def close(self) -> None: ...


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(RunResult("", "", None, "infra", "t", detail="down"), id="infra"),
        pytest.param(RunResult("", "", 0, "exit", "t"), id="silence"),
        pytest.param(RunResult("", "NameError: x", 1, "exit", "t"), id="a probe that fails itself"),
        pytest.param(RunResult("escaped\n", "", 0, "exit", "t"), id="an escape"),
    ],
)
def test_a_probe_that_proves_nothing_is_not_held(answer: RunResult) -> None:
    assert not any(result.held for result in attest(Scripted(answer)))


def test_a_program_that_claims_to_be_held_is_not_believed_on_the_hosts_own_evidence() -> None:
    liar = Scripted(RunResult("held: really\n", "", 0, "exit", "t"))

    @dataclass
    class Vandal(Scripted):
        def run(self, program: Program, limits: Limits | None = None) -> RunResult:
            if (at := program.source.find("/attest-")) > 0:
                start = program.source.rfind("'", 0, at) + 1
                folder = program.source[start : program.source.index("/", at + 1)]
                os.close(os.open(f"{folder}/planted", os.O_CREAT, 0o600))
            return self.answer

    held = {result.name: result.held for result in attest(liar)}
    assert held["plant a file on the host"]
    held = {result.name: result.held for result in attest(Vandal(liar.answer))}
    assert not held["plant a file on the host"]
