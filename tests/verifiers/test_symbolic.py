"""The symbolic worker: equal or not, a deadline that holds, and a worker that can be lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from rlvr_course import MathVerifier
from rlvr_course.verifiers.symbolic import SymbolicWorker, WorkerFailed

SUM = r"\sum_{k=1}^{n} k"
SLOW = r"(n+1)^{10000} - (1+n)^{9999}"
DEADLINE_S = 1.5

PAIRS = {
    "sum": (SUM, r"\frac{n(n+1)}{2}", True),
    "sum, renamed index": (SUM, r"\sum_{j=1}^{n} j", True),
    "sum, wrong": (SUM, r"\frac{n(n-1)}{2}", False),
    "product": (r"\prod_{k=1}^{3} (x+k)", "(x+1)(x+2)(x+3)", True),
    "product, wrong": (r"\prod_{k=1}^{3} (x+k)", "(x+1)(x+2)(x+4)", False),
    "integral": (r"\int_0^x t \, dt", r"\frac{x^2}{2}", True),
    "limit": (r"\lim_{h \to 0} \frac{\sin h}{h}", "1", True),
    "another symbol": (SUM, r"\frac{m(m+1)}{2}", False),
    "equation": (rf"S = {SUM}", r"S = \frac{n(n+1)}{2}", True),
    "not an equation": (rf"S = {SUM}", r"\frac{n(n+1)}{2}", False),
}


@pytest.fixture(scope="module")
def worker() -> Iterator[SymbolicWorker]:
    yield SymbolicWorker.shared()
    SymbolicWorker.shared().close()


@pytest.mark.parametrize(("reference", "answer", "same"), PAIRS.values(), ids=PAIRS)
def test_sums_products_integrals_and_limits_are_compared_by_value(
    worker: SymbolicWorker, reference: str, answer: str, same: bool
):
    assert worker.equal(reference, answer, deadline_s=20) is same


@pytest.mark.parametrize(
    "answer",
    ["__import__('os')._exit(0)", "exit()", r"\input{/etc/passwd}", r"\frac{1}{}^_", "", "\x00"],
    ids=["import", "exit", "input", "broken", "empty", "nul"],
)
def test_hostile_text_is_not_equal_and_the_worker_lives(worker: SymbolicWorker, answer: str):
    assert worker.equal(SUM, r"\frac{n(n+1)}{2}", deadline_s=20) is True
    running = worker._process
    assert worker.equal(SUM, answer, deadline_s=20) is False
    assert worker._process is running


def test_a_deadline_kills_and_the_worker_that_was_kept_ready_takes_over(worker: SymbolicWorker):
    worker.equal(SUM, SUM, deadline_s=20)
    kept = worker._spare
    started = time.perf_counter()
    with pytest.raises(TimeoutError, match=r"no verdict within 0\.3 s"):
        worker.equal(SUM, SLOW, deadline_s=0.3)
    assert time.perf_counter() - started <= 1.0
    assert worker.equal(SUM, r"\frac{n(n+1)}{2}", deadline_s=20) is True
    assert kept is not None and worker._process is kept[0]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this platform")
def test_a_killed_worker_is_replaced(worker: SymbolicWorker):
    worker.equal(SUM, SUM, deadline_s=20)
    lost = worker._process
    assert lost is not None
    os.kill(lost.pid, signal.SIGKILL)
    lost.wait()
    assert worker.equal(SUM, r"\frac{n(n+1)}{2}", deadline_s=20) is True
    assert worker._process is not None and worker._process.pid != lost.pid


FORK = """
import os
from rlvr_course.verifiers.symbolic import SymbolicWorker
SUM, CLOSED = r"\\sum_{k=1}^{n} k", r"\\frac{n(n+1)}{2}"
parents = SymbolicWorker.shared()
assert parents.equal(SUM, CLOSED, deadline_s=20)
if child := os.fork():
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(code, parents is SymbolicWorker.shared(), parents.equal(SUM, "n", deadline_s=20))
else:
    own = SymbolicWorker.shared()
    fine = own is not parents and own.equal(SUM, CLOSED, deadline_s=20)
    own.close()
    os._exit(0 if fine else 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_forked_process_gets_a_worker_of_its_own():
    told = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True)
    assert (told.stdout, told.stderr) == ("0 True False\n", "")


# -- whose fault


def test_an_answer_past_the_deadline_is_the_candidate_s_fault():
    verify = MathVerifier(deadline_s=0.3)
    verdict = verify(rf"\boxed{{{SLOW}}}", SUM)
    expected = ("incorrect", "symbolic_timeout", "policy")
    assert (verdict.status, verdict.reason, verdict.fault) == expected


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this platform")
def test_an_answer_at_which_the_worker_dies_is_the_candidate_s_fault(worker: SymbolicWorker):
    worker.equal(SUM, SUM, deadline_s=20)
    asked = worker._process
    assert asked is not None
    threading.Timer(0.2, os.kill, (asked.pid, signal.SIGKILL)).start()
    verdict = MathVerifier(deadline_s=20)(rf"\boxed{{{SLOW}}}", SUM)
    expected = ("incorrect", "symbolic_failed", "policy")
    assert (verdict.status, verdict.reason, verdict.fault) == expected


BROKEN = r"\sum_{k=1}^{n} \foo_{k} \le \sum_{k}"


@pytest.mark.parametrize("answer", [r"\frac{n}{2}", "7", SLOW, r"\sum_{k}"])
def test_no_answer_is_ungraded_against_a_reference_that_only_text_can_equal(answer: str):
    verify = MathVerifier()
    assert verify(rf"\boxed{{{BROKEN}}}", BROKEN).reason == "equal_text"
    assert verify(rf"\boxed{{{answer}}}", BROKEN).status == "incorrect"


def test_a_worker_that_can_t_start_is_the_grader_s_fault(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(WorkerFailed) as caught:
        SymbolicWorker().equal(SUM, "n", deadline_s=1)
    assert caught.value.grader_fault
    monkeypatch.setattr(SymbolicWorker, "_shared", None)
    verdict = MathVerifier()(r"\boxed{n}", SUM)
    assert (verdict.status, verdict.reason) == ("ungraded", "symbolic_worker_broken")


def test_a_closed_worker_leaves_no_process_behind(worker: SymbolicWorker):
    worker.equal(SUM, SUM, deadline_s=20)
    assert worker._process is not None and worker._spare is not None
    processes = [worker._process, worker._spare[0]]
    worker.close()
    assert [process.poll() is not None for process in processes] == [True, True]
