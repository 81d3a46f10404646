"""Generated pairs: every equal rendering is paid, no near miss is, and nothing is ungraded."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from renderings import Case, cases, families

from rlvr_course import MathVerifier

STATUSES = {"equal": {"correct"}, "not_equal": {"incorrect", "no_answer", "partial"}}


def report(seed: int) -> tuple[int, list[str]]:
    """How many pairs were judged, and one line for each wrong verdict, sorted by kind."""
    verifier, wrong, judged = MathVerifier(), [], 0
    for case in cases(seed):
        judged += 1
        verdict = verifier(case.completion, case.gold)
        if verdict.status not in STATUSES[case.expected]:
            wrong.append(line(case, f"{verdict.status} ({verdict.reason})"))
    return judged, sorted(wrong)


def line(case: Case, got: str) -> str:
    return (
        f"{case.kind} [{case.expected}, {case.why}] {case.gold!r} <- {case.completion!r}: got {got}"
    )


def test_every_generated_pair_is_judged_right():
    judged, wrong = report(seed=0)
    assert judged >= 5000
    assert not wrong, f"{len(wrong)} of {judged} wrong\n" + "\n".join(wrong)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1, 11))
def test_every_generated_pair_is_judged_right_for_more_seeds(seed: int):
    judged, wrong = report(seed)
    assert judged >= 5000
    assert not wrong, f"{len(wrong)} of {judged} wrong\n" + "\n".join(wrong)


@pytest.mark.parametrize("seed", range(20))
def test_no_form_is_both_equal_and_a_near_miss(seed: int):
    for family in families(random.Random(seed)):
        clash = {form for form, _ in family.near} & {*family.golds, *family.equal}
        assert not clash, f"{family.kind}: {clash}"


def test_both_labels_are_well_represented():
    labels = Counter(case.expected for case in cases(0))
    assert min(labels.values()) > 0.3 * sum(labels.values())


def test_the_same_seed_gives_the_same_pairs():
    assert list(cases(3)) == list(cases(3))
    assert list(cases(3)) != list(cases(4))
