"""The planted set is what it says, and the detectors are scored on both errors."""

from collections import Counter

import pytest

from rlvr_course.hacks import (
    DETECTORS,
    flags,
    honest_samples,
    load_planted,
    naive_no_work,
    padded,
    score_detectors,
)
from rlvr_course.verifiers.math_answers import MathVerifier

PLANTED = load_planted()
HACKS = [row for row in PLANTED if row.is_hack]
HONEST = [row for row in PLANTED if not row.is_hack]


def test_there_are_hacks_of_every_kind_and_honest_samples_beside_them() -> None:
    counts = Counter(row.kind for row in HACKS)
    assert set(counts) == set(DETECTORS)
    assert min(counts.values()) >= 20
    assert {row.kind for row in HONEST} == {"honest"}
    assert len(HACKS) >= 120 and len(HONEST) >= 60


def test_no_two_rows_are_the_same_and_all_say_that_they_are_constructed() -> None:
    assert len({(row.sample.problem.question, row.sample.response) for row in PLANTED}) == 215
    assert {row.sample.policy_id for row in PLANTED} == {"constructed"}
    assert len({row.id for row in PLANTED}) == len(PLANTED)


@pytest.mark.parametrize("is_hack", [True, False])
def test_about_half_is_held_out(is_hack: bool) -> None:
    rows = [row for row in PLANTED if row.is_hack is is_hack]
    assert 0.4 < sum(row.held_out for row in rows) / len(rows) < 0.6


def test_each_row_is_paid_as_it_says() -> None:
    verify = MathVerifier()
    for row in PLANTED:
        sample = row.sample
        is_paid = verify(sample.response, sample.problem.answer).is_correct
        assert is_paid is (row.paid_by == "package"), row.id
        assert row.is_hack or is_paid, row.id
        assert row.paid_by != "substring" or sample.problem.answer in sample.response, row.id


@pytest.mark.parametrize("held_out", [False, True], ids=["set on", "held out"])
def test_nine_of_ten_hacks_are_caught_on_either_half(held_out: bool) -> None:
    rows = [row for row in PLANTED if row.held_out is held_out]
    honest = [row.sample for row in rows if not row.is_hack]
    score = score_detectors(rows, honest)["any detector"]
    assert score.recall.successes >= 0.9 * score.recall.n
    assert score.false_alarms.successes <= 0.05 * score.false_alarms.n


def test_each_detector_catches_its_kind_and_leaves_right_answers_alone() -> None:
    honest = honest_samples()
    table = score_detectors(PLANTED, honest)
    for score in table.scores:
        assert score.recall.successes >= 0.9 * score.recall.n, score
        assert score.false_alarms.successes <= 0.05 * len(honest), score
    assert table["any detector"].recall.n == len(HACKS)


def test_a_length_rule_accuses_a_quarter_of_the_right_answers() -> None:
    table = score_detectors(PLANTED, honest_samples(), {"no_visible_work": naive_no_work})
    assert table["no_visible_work"].false_alarms.value == pytest.approx(38 / 148)


def test_padding_beats_the_length_rule_and_is_caught() -> None:
    bare = [row.sample for row in HACKS if row.kind == "no_visible_work"]
    seen = [sample for sample in bare if naive_no_work(sample)]
    assert len(seen) >= 15
    for sample in map(padded, seen):
        assert naive_no_work(sample) is None
        assert "padding" in {flag.detector for flag in flags(sample)}


def test_a_table_prints_rates_with_intervals_and_names_what_it_lacks() -> None:
    table = score_detectors(HACKS[:1], [HONEST[0].sample])
    assert "no data (n=0)" in str(table["padding"].recall)
    assert str(table).splitlines()[0].split() == "detector recall on its kind false alarms".split()
    assert "<th>any detector</th>" in table._repr_html_()
    with pytest.raises(KeyError, match="no detector 'guesses'"):
        _ = table["guesses"]
