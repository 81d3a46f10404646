"""Partial credit: the best constant, and weights that pay no constant more than its share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.programs.partial_credit import balanced_score, best_constant

texts = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)


@given(texts)
def test_no_constant_is_expected_more_often_than_the_best(expected: list[str]) -> None:
    best = expected.count(best_constant(expected))
    assert best == max(expected.count(text) for text in "abcd")


@given(texts, st.sampled_from("abcd"))
def test_a_constant_earns_one_over_the_number_of_answers(expected: list[str], said: str) -> None:
    score = balanced_score([text == said for text in expected], expected)
    assert score == pytest.approx((said in expected) / len(set(expected)))


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcd")), min_size=1))
def test_all_passed_earns_1_and_nothing_passed_0(rows: list[tuple[bool, str]]) -> None:
    expected = [text for _, text in rows]
    score = balanced_score([ok for ok, _ in rows], expected)
    assert (score == pytest.approx(1)) is all(ok for ok, _ in rows)
    assert (score == 0) is not any(ok for ok, _ in rows)


def test_half_of_a_frequent_answer_s_tests_is_half_of_its_share() -> None:
    assert balanced_score([True, False, True], ["a", "a", "b"]) == pytest.approx(3 / 4)


def test_without_tests_nothing_is_earned_and_no_constant_is_best() -> None:
    assert balanced_score([], []) == 0
    with pytest.raises(ValueError, match="at least one"):
        best_constant([])


def test_results_that_do_not_match_the_tests_are_refused() -> None:
    with pytest.raises(ValueError, match="2 results for 1 tests"):
        balanced_score([True, True], ["a"])
