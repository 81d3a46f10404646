"""A fixture seed deals the same recordings otherwise, and nothing else."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.errors import DataError
from rlvr_course.policies.protocol import Request
from rlvr_course.policies.replay import ReplayPolicy
from rlvr_course.problems.fixtures import VARIABLE, Fixtures, dealt, parse
from rlvr_course.problems.recorded import answer_key, load_problems, load_rollouts

RECORDED = load_rollouts("math")
seeds = st.integers(0, 10**12)


@given(seeds, st.booleans())
def test_a_seed_reads_back_and_deals_the_same_each_time(seed: int, redrawn: bool) -> None:
    fixtures = Fixtures(seed, redrawn)
    assert parse(str(fixtures)) == fixtures
    assert dealt(RECORDED[:16], fixtures) == dealt(RECORDED[:16], fixtures)


@given(seeds, st.booleans())
def test_problems_and_the_size_of_groups_stay(seed: int, redrawn: bool) -> None:
    found = dealt(RECORDED[:40], Fixtures(seed, redrawn))
    assert [(r.problem_id, r.completion.index) for r in found] == [
        (r.problem_id, r.completion.index) for r in RECORDED[:40]
    ]


@given(seeds)
def test_another_order_keeps_each_sample_with_its_truth(seed: int) -> None:
    def counted(rollouts):
        return Counter((r.problem_id, r.completion.text, r.truth) for r in rollouts)

    assert counted(dealt(RECORDED[:40], Fixtures(seed))) == counted(RECORDED[:40])


@given(seeds)
def test_a_new_draw_has_only_samples_of_the_same_problem(seed: int) -> None:
    known = {(r.problem_id, r.completion.text, r.truth) for r in RECORDED}
    found = dealt(RECORDED, Fixtures(seed, redrawn=True))
    assert {(r.problem_id, r.completion.text, r.truth) for r in found} <= known


def test_all_that_reads_the_recordings_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "7:redrawn")
    rollouts, problem = load_rollouts("math"), load_problems("math")[0]
    assert rollouts != RECORDED
    assert all(answer_key()[r.problem_id, r.completion.index] == r.truth for r in rollouts)
    [group] = ReplayPolicy().generate([Request(problem.messages, n=8)])
    assert [c.text for c in group] == [r.completion.text for r in rollouts[:8]]


def test_without_a_seed_everything_is_as_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " ")
    assert load_rollouts("math") == RECORDED


@pytest.mark.parametrize("text", ["x", "-1", "7:", "7:other", "1.5", "٧", "9" * 30, ":redrawn"])
def test_another_text_is_refused_with_the_remedy(text: str) -> None:
    with pytest.raises(DataError, match="give a whole number"):
        parse(text)
