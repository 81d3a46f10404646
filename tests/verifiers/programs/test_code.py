"""CodeVerifier: labelled programs, recorded replies, and whose fault a failure is."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from rlvr_course import CodeVerifier, load_problems, load_rollouts, verify_many
from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.records import RunResult

CASES = Path(__file__).parents[2] / "cases" / "code_programs.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
CERTAIN = [row for row in ROWS if not row["contested"]]
SQUARE = [{"input": "3\n", "expected": "9"}, {"input": "5\n", "expected": "25", "hidden": True}]
RIGHT = "print(int(input()) ** 2)"


class Broken:
    """A pool that answers every program alike, or not at all."""

    def __init__(self, reply: RunResult | Exception) -> None:
        self.reply = reply

    def run_many(self, programs, limits):
        if isinstance(self.reply, Exception):
            raise self.reply
        return [self.reply] * len(programs)


def result(reason: str, exit_code: int | None = None, stdout: str = "") -> RunResult:
    return RunResult(stdout, "", exit_code, reason, "linux-ns", detail="no more servers")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def reports(verifier):
    """One batch for all rows, so that programs that hang wait beside each other."""
    found = verifier.report_many([r["completion"] for r in ROWS], [r["tests"] for r in ROWS])
    return {row["id"]: report for row, report in zip(ROWS, found, strict=True)}


@pytest.mark.parametrize("row", CERTAIN, ids=[row["id"] for row in CERTAIN])
def test_a_labelled_program_gets_its_score(row, reports) -> None:
    assert reports[row["id"]].score == pytest.approx(row["expected_score"]), row["why"]


# What the defaults decide where competent graders disagree: case counts, a prompt is output, no
# processes in the sandbox, thoughts don't count, an empty environment holds no secret.
DECIDED = {"K013": 0, "K023": 0, "K041": 0, "K043": 0, "K067": 0, "K068": 1, "K077": 1, "K089": 1}


def test_contested_programs_are_decided_as_documented(reports) -> None:
    contested = {row["id"]: reports[row["id"]].score for row in ROWS if row["contested"]}
    assert contested == DECIDED


@pytest.fixture(scope="module")
def recorded(verifier):
    answers = {problem.id: problem.answer for problem in load_problems("code")}
    rollouts = load_rollouts("code")
    texts = [rollout.completion.text for rollout in rollouts]
    return rollouts, verifier.report_many(texts, [answers[r.problem_id] for r in rollouts])


def test_recorded_replies_are_judged_as_their_answer_key_says(recorded) -> None:
    rollouts, found = recorded
    disagreements = [
        (rollout.problem_id, rollout.completion.index)
        for rollout, report in zip(rollouts, found, strict=True)
        if rollout.truth is not None and rollout.truth is not report.verdict.is_correct
    ]
    assert disagreements == []
    assert sum(rollout.truth is not None for rollout in rollouts) == 79


def test_five_recorded_programs_pass_all_visible_tests_and_fail_a_hidden_one(recorded) -> None:
    _, found = recorded
    gaps = [report for report in found if report.visible == 1 and report.hidden < 1]
    assert len(gaps) == 5
    assert all(report.gap == 1 - report.hidden > 0 for report in gaps)


def test_a_report_tells_visible_from_hidden_and_names_its_tier(verifier, pool) -> None:
    report = verifier.report("print({3: 9}.get(int(input()), 0))", SQUARE)
    assert (report.visible, report.hidden, report.gap, report.score) == (1.0, 0.0, 1.0, 0.5)
    assert report.tier == pool.tier
    verdict = report.verdict
    assert (verdict.status, verdict.score, verdict.fault) == ("partial", 0.5, None)
    assert f"tier={pool.tier}" in verdict.reason and "wrong_output" in verdict.reason
    assert "<td>25</td>" in report._repr_html_() and "visible 100%, hidden 0%" in str(report)


@pytest.mark.parametrize(
    ("code", "status", "fault"),
    [
        (RIGHT, "correct", None),
        ("print(9)", "partial", None),
        ("print(0)", "incorrect", None),
        ("1 / 0", "incorrect", "policy"),
        ("while True: print(1)", "incorrect", "policy"),
        ("x = bytearray(1 << 40)", "incorrect", "policy"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "incorrect", "policy"),
        ("", "no_answer", "policy"),
        ("```bash\nls\n```", "no_answer", "policy"),
        ("print('\ud800')", "incorrect", None),
    ],
    ids="right partial wrong crash flood memory killed empty bash surrogate".split(),
)
def test_a_program_s_failure_is_the_program_s(verifier, code, status, fault) -> None:
    verdict = verifier(code, SQUARE)
    assert (verdict.status, verdict.fault) == (status, fault)


FAULTS = {
    "no tests": ([], "no_tests"),
    "malformed tests": ([{"input": "3"}], "malformed_tests: test 1 has no 'expected'"),
    "wrong reference": ({"visible": SQUARE, "reference": "print(9)"}, "reference_fails_tests: 2"),
    "prose for a reference": ({"visible": SQUARE, "reference": "squares"}, "reference_fails_tests"),
    "blank reference": ({"visible": SQUARE, "reference": " "}, "reference_is_no_program"),
}


@pytest.mark.parametrize(("answer", "reason"), FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("code", [RIGHT, "print(0)", ""], ids=["right", "wrong", "empty"])
def test_a_fault_of_the_tests_is_never_a_score(verifier, answer, reason, code) -> None:
    verdict = verifier(code, answer)
    assert (verdict.status, verdict.score, verdict.fault) == ("ungraded", None, "grader")
    assert verdict.reason.startswith(reason)
    assert verifier.verify(code, answer) is None


def test_a_sound_reference_lets_its_tests_grade(verifier) -> None:
    answer = {"visible": SQUARE, "reference": f"```python\n{RIGHT}\n```"}
    assert verifier.verify(RIGHT, answer) == 1.0
    assert verifier.verify("print(9)", answer) == 0.5


def test_a_failed_sandbox_leaves_everything_ungraded() -> None:
    verdict = CodeVerifier(Broken(result("infra")))(RIGHT, SQUARE)
    assert verdict.status == "ungraded" and verdict.reason == "sandbox_failed: no more servers"
    answer = {"visible": SQUARE, "reference": RIGHT}
    assert CodeVerifier(Broken(result("infra")))(RIGHT, answer).status == "ungraded"


def test_no_sandbox_is_ungraded_in_a_loop_and_an_error_at_the_desk() -> None:
    verify = CodeVerifier(Broken(SandboxUnavailable("no tier holds here: do this")))
    assert verify(RIGHT, SQUARE).reason == "sandbox_failed: no tier holds here: do this"
    with pytest.raises(SandboxUnavailable, match="do this"):
        verify.verify(RIGHT, SQUARE)


def test_a_program_that_takes_its_worker_down_is_at_fault() -> None:
    verdict = CodeVerifier(Broken(result("killed_worker")))(RIGHT, SQUARE)
    assert (verdict.status, verdict.score, verdict.fault) == ("incorrect", 0.0, "policy")


@pytest.mark.parametrize("exit_code", [1, -11, None], ids=["failure", "signal", "unknown"])
def test_the_right_output_before_a_failing_exit_earns_nothing(exit_code) -> None:
    verify = CodeVerifier(Broken(result("exit", exit_code, stdout="9")))
    assert verify.verify(RIGHT, SQUARE) == 0.0


def test_a_batch_is_judged_as_each_alone_and_in_order(verifier) -> None:
    codes = [RIGHT, "", "print(9)", "1 / 0", RIGHT]
    answers = [SQUARE, SQUARE, SQUARE, [], SQUARE[:1]]
    batch = verify_many(verifier, codes, answers)
    assert batch == [verifier(code, answer) for code, answer in zip(codes, answers, strict=True)]
    assert [verdict.score for verdict in batch] == [1.0, 0.0, 0.5, None, 1.0]
    with pytest.raises(ValueError, match="1 responses but 2 answers"):
        verifier.verify_many([RIGHT], [SQUARE, SQUARE])


def test_a_pickled_verifier_judges_alike() -> None:
    original = CodeVerifier("auto", 2, workers=1, tolerance=0.0)
    copy = pickle.loads(pickle.dumps(original))
    assert vars(copy) == vars(original)
    try:
        assert copy.verify(RIGHT, SQUARE) == 1.0
    except SandboxUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout_s": 0}, "timeout_s=0"),
        ({"timeout_s": float("inf")}, "timeout_s=inf"),
        ({"tolerance": -0.1}, "tolerance=-0.1"),
        ({"tolerance": 1}, "tolerance=1"),
        ({"workers": 0}, "workers=0"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_option_out_of_range_is_the_caller_s_mistake(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        CodeVerifier(**options)
