"""The report's arithmetic and warnings, and the balance of lengths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs_samples import group, sample, texts

from rlvr_course.pairs import PairReport, balance_lengths, build_preferences
from rlvr_course.records import PreferencePair
from rlvr_course.stats import Rate


def pair(chosen: str, rejected: str) -> PreferencePair:
    user = [{"role": "user", "content": "?"}]
    said = [[{"role": "assistant", "content": text}] for text in (chosen, rejected)]
    return PreferencePair(user, *said)


def reported(groups, records=None, **options) -> PairReport:
    report = PairReport()
    build_preferences(groups, records, path=None, report=report, **options)
    return report


def test_length_differences_are_of_chosen_over_rejected():
    long_winner = [
        sample("r", 0, text="12345"),
        sample("w", 1, text="12"),
        sample("w", 2, text="1"),
    ]
    report = reported([long_winner])
    assert report.mean_length_difference == 3.5
    assert (report.longer_winners, report.longer.pairs, report.length_interval) == (1.0, 2, None)
    assert report.warnings == ["winners are 4 characters longer on average: the pairs teach length "
                               "too; see balance_lengths"]  # fmt: skip


def test_the_length_interval_is_over_groups_not_pairs():
    # Group means +3 and −1 with 4 pairs each: mean 1; the standard error of two group means that
    # are 4 apart is 2, and Student's t with one degree of freedom is 12.706 at 97.5%.
    up = [sample(v, i, text=v * (4 if v == "r" else 1)) for i, v in enumerate("rrww")]
    down = [sample(v, i, text=v * (1 if v == "r" else 2), name="q") for i, v in enumerate("rrww")]
    report = reported([up, down])
    assert report.length_interval == pytest.approx((1 - 25.412, 1 + 25.412), abs=1e-3)
    assert "+1 characters on average [-24, 26] (pairs 8, groups 2)" in str(report)
    assert report.warnings == []  # two thirds of a loser's 1.5 characters, but by chance


def test_the_share_of_longer_winners_counts_groups():
    up = [sample(v, i, text=v * (4 if v == "r" else 1)) for i, v in enumerate("rrww")]
    down = [sample(v, i, text=v * (1 if v == "r" else 2), name="q") for i, v in enumerate("rrww")]
    report = reported([up, down])
    assert report.longer_winners == 0.5
    assert report.longer_winners_interval == pytest.approx(Rate(1, 2).interval())


def test_nothing_seen_is_no_warning():
    report = PairReport()
    assert (report.pairs, report.mean_length_difference, report.warnings) == (0, None, [])


def test_mostly_uniform_groups_are_a_warning_with_their_reasons():
    (warning,) = reported([group("rr"), group("ww"), group("rr"), group("rw")]).warnings
    assert warning.startswith("3 of 4 groups give no pair (uniform_correct 2, uniform_incorrect 1)")


@pytest.mark.parametrize(
    "line",
    ["pairs 2 of 3 possible", "flagged winner 1", "groups with pairs 1 of 2", "all masked 1",
     "samples 6, 1 of them labelled",
     "chosen − rejected +0 characters on average (pairs 2, groups 1)",
     "winner is longer no pairs of unequal length"],
)  # fmt: skip
def test_the_report_says_what_became_of_each_pair(line):
    text = str(reported([group("rrrw"), group("uu", "q")], {("p", 0): "suspected_hack"}))
    assert line in [" ".join(row.split()) for row in text.splitlines()]


def test_the_report_is_a_table_in_a_notebook():
    html = reported([group("rw")])._repr_html_()
    assert "<td>1 of 1 possible</td>" in html


def test_a_winner_longer_by_as_much_as_another_is_shorter_keeps_both():
    kept = balance_lengths([pair("12345", "1"), pair("1", "12345"), pair("1234567", "1")])
    assert kept == [True, True, False]


def test_pairs_of_equal_length_stay():
    assert balance_lengths([pair("12", "34"), pair("123", "1")]) == [True, False]


def test_the_balance_counts_what_it_takes_out():
    longer = [sample("r", 0, text="12345"), sample("w", 1, text="1")]
    report = reported([longer, group("rw", "q")], balance=True)
    assert (report.fates, report.reasons) == (
        {"built": 1, "length_balance": 1},
        {"length_balance": 1},
    )


LENGTHS = st.lists(st.tuples(st.integers(1, 300), st.integers(1, 300)), max_size=40)


@given(LENGTHS)
def test_balanced_pairs_have_no_longer_side(lengths):
    pairs = [pair("c" * up, "r" * down) for up, down in lengths]
    kept = [d for (c, r), stays in zip(lengths, balance_lengths(pairs), strict=True)
            if (d := c - r) is not None and stays]  # fmt: skip
    assert sum(d > 0 for d in kept) == sum(d < 0 for d in kept)
    assert abs(sum(kept)) <= 0.06 * sum(map(abs, kept))


@given(LENGTHS)
def test_mirrored_pairs_all_stay(lengths):
    pairs = [
        p for up, down in lengths for p in (pair("x" * up, "y" * down), pair("y" * down, "x" * up))
    ]
    assert all(balance_lengths(pairs))


def test_the_balance_keeps_the_order_of_pairs():
    mixed = [
        [sample("r", 0, text="123"), sample("w", 1, text="1")],
        [sample("r", 0, text="a", name="q"), sample("w", 1, text="bcd", name="q")],
    ]
    rows = build_preferences(mixed, path=None, balance=True)
    assert texts(rows) == [("123", "1"), ("a", "bcd")]
