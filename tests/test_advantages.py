"""Group statistics: what can be learned from, and what gives no gradient."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.advantages import GroupStatistics, group_statistics
from rlvr_course.records import Problem, Sample
from rlvr_course.stats import Rate

PROBLEM = Problem("2 + 2?", "4")
REWARDS = {True: 1.0, False: -0.1, None: None}

group_marks = st.lists(
    st.lists(st.sampled_from(["right", "wrong", "masked"]), min_size=1, max_size=9), max_size=12
)


def group(marks: str) -> list[Sample]:
    """A group written as a word: r(ight), w(rong), m(asked)."""
    truths = [{"r": True, "w": False, "m": None}[mark] for mark in marks]
    return [Sample(PROBLEM, "", "", REWARDS[truth], truth) for truth in truths]


def groups(*words: str) -> list[list[Sample]]:
    return [group(word) for word in words]


def test_counts_of_a_worked_batch() -> None:
    # rrww: 4 pairs; rwm: 1 pair; rr all right; ww, wm all wrong; mm ungraded.
    statistics = group_statistics(groups("rrww", "rwm", "rr", "ww", "wm", "mm"))
    assert statistics == GroupStatistics(
        groups=6,
        mixed=2,
        usable_pairs=5,
        uniform_correct=1,
        uniform_incorrect=2,
        ungraded=1,
        zero_gradient=4,
        samples=15,
        masked_samples=4,
        solve_rate=Rate(5, 11),
    )


def test_partial_rewards_give_a_gradient_without_a_correct_sample() -> None:
    half, none = (Sample(PROBLEM, "", "", reward, False) for reward in (0.5, -0.1))
    statistics = group_statistics([[half, none]])
    assert (statistics.mixed, statistics.zero_gradient) == (0, 0)


def test_a_warning_says_which_share_gives_zero_gradient() -> None:
    (warning,) = group_statistics(groups("rr", "ww", "rw")).warnings
    assert warning.startswith("2 of 3 (67%) of groups give zero gradient")
    assert "1 all correct, 1 all incorrect" in warning


def test_half_uniform_groups_are_no_reason_to_warn() -> None:
    assert group_statistics(groups("rr", "rw")).warnings == []


def test_a_warning_says_which_share_is_masked() -> None:
    (warning,) = group_statistics(groups("rwm")).warnings
    assert warning.startswith("1 of 3 (33%) of samples are masked")


def test_an_empty_group_is_named() -> None:
    with pytest.raises(ValueError, match="group 1 of 2 is empty"):
        group_statistics([group("r"), []])


def test_no_groups_give_counts_of_zero_and_no_warning() -> None:
    statistics = group_statistics([])
    assert (statistics.groups, statistics.warnings) == (0, [])
    assert statistics.solve_rate == Rate(0, 0)


@given(group_marks)
def test_every_group_is_counted_once(marks: list[list[str]]) -> None:
    s = group_statistics(groups(*("".join(mark[0] for mark in row) for row in marks)))
    assert s.mixed + s.uniform_correct + s.uniform_incorrect + s.ungraded == len(marks)
    assert s.solve_rate.n + s.masked_samples == s.samples


@given(group_marks)
def test_binary_rewards_give_a_gradient_exactly_in_mixed_groups(marks: list[list[str]]) -> None:
    s = group_statistics(groups(*("".join(mark[0] for mark in row) for row in marks)))
    assert s.mixed + s.zero_gradient == s.groups
    assert s.usable_pairs >= s.mixed


def test_text_and_html_show_the_counts_and_the_warning() -> None:
    statistics = group_statistics(groups("ww", "ww"))
    assert "mixed groups      0 of 2" in str(statistics)
    assert "warning: 2 of 2 (100%)" in str(statistics)
    assert "<td>0 of 2</td>" in statistics._repr_html_()
    assert "<b>Warning:</b> 2 of 2" in statistics._repr_html_()
