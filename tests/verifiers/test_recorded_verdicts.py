"""The verifier on real responses whose truth is known: every difference is listed here."""

from __future__ import annotations

import pytest

from rlvr_course import MathVerifier, confusion, load_problems, load_rollouts
from rlvr_course.problems.recorded import RecordedRollout
from rlvr_course.records import Verdict

GOLDS = {problem.id: problem.answer for problem in load_problems("math")}
ROLLOUTS = load_rollouts("math")
SETTLED = [rollout for rollout in ROLLOUTS if rollout.truth is not None]

DIFFERENCES = {
    ("math-20", 2): "cut off after naming both roots, before it stated them as the solutions",
}


def place(rollout: RecordedRollout) -> tuple[str, int]:
    return rollout.problem_id, rollout.completion.index


def judged(rollout: RecordedRollout) -> Verdict:
    completion = rollout.completion
    verify = MathVerifier()
    return verify(
        completion.text, GOLDS[rollout.problem_id], finish_reason=completion.finish_reason
    )


def test_312_of_the_320_recorded_responses_have_a_known_truth():
    assert (len(ROLLOUTS), len(SETTLED)) == (320, 312)


def test_the_differences_from_the_truth_are_exactly_those_listed():
    found = {place(r) for r in SETTLED if judged(r).is_correct is not r.truth}
    assert found == set(DIFFERENCES)


def test_agreement_is_at_least_98_percent_and_at_most_one_is_wrongly_paid():
    verdicts = [judged(r).is_correct for r in SETTLED]
    table = confusion(verdicts, [r.truth for r in SETTLED])
    assert (table.tp + table.tn) / len(SETTLED) >= 0.98
    assert (table.fp <= 1, table.ungraded) == (True, 0)


def test_no_response_of_unknown_truth_is_paid_or_left_ungraded():
    open_ones = [r for r in ROLLOUTS if r.truth is None]
    assert [place(r) for r in open_ones if judged(r).is_correct is not False] == []


@pytest.mark.parametrize("rollout", SETTLED[::8], ids=lambda r: r.problem_id)
def test_a_last_box_outranks_all_that_a_response_said_before(rollout: RecordedRollout):
    gold, verify = GOLDS[rollout.problem_id], MathVerifier()
    said = rollout.completion.text
    assert verify(f"{said}\n\nSo, in all: \\boxed{{31337}}", gold).is_correct is False
    assert verify(f"{said}\n\nSo, in all: \\boxed{{{gold}}}", gold).is_correct is True
