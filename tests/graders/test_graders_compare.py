"""Counting: every case ends in exactly one way, and a row adds up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.graders.cases import EXPECTED, Case
from rlvr_course.graders.compare import Scorecard, ending, grade_all
from rlvr_course.graders.peers import Grader
from rlvr_course.graders.process import Answer

ENDINGS = ("right", "missed", "overpaid", "dodged", "blamed")
SOMEONE = Grader("someone", "odd_graders:load_odd")

answers = st.builds(
    Answer, st.sampled_from([True, False, None]), st.sampled_from(["", "it died"]), st.just(0.5)
)
cases = st.builds(Case, st.just("1"), st.just("80"), st.just("80"), st.sampled_from(EXPECTED))


@pytest.mark.parametrize(
    ("expected", "ends"),
    [
        ("equal", ["right", "missed", "dodged"]),
        ("not_equal", ["overpaid", "right", "dodged"]),
        ("ungraded", ["overpaid", "blamed", "right"]),
    ],
)
def test_paid_unpaid_and_ungraded_end_as_the_label_says(expected, ends):
    case = Case("1", "80", "80", expected)
    assert [ending(case, Answer(paid, "", 0.1)) for paid in (True, False, None)] == ends


@pytest.mark.parametrize("expected", EXPECTED)
def test_no_verdict_is_a_miss_whatever_the_label(expected):
    assert ending(Case("1", "80", "80", expected), Answer(None, "it died", 0.1)) == "missed"


@given(st.lists(st.tuples(cases, answers), min_size=1))
def test_a_row_adds_up(results):
    card = Scorecard(SOMEONE, tuple(results))
    counts = {which: card.count(which) for which in ENDINGS}
    assert sum(counts.values()) == len(results)
    assert card.accuracy == counts["right"] / len(results)
    assert card.failures <= counts["missed"]
    assert card.seconds == 0.5 * len(results)


def test_a_card_without_results_has_no_accuracy():
    with pytest.raises(ValueError, match="someone graded no case"):
        _ = Scorecard(SOMEONE).accuracy


def test_every_case_is_judged_past_failures_and_progress_tells_them_all(odd):
    rows = [("80", "equal"), ("die", "not_equal"), ("raise", "equal"), ("abstain", "equal")]
    cases = [Case(str(i), "80", text, expected) for i, (text, expected) in enumerate(rows)]
    done: list[int] = []
    card = grade_all(Grader("odd", odd), cases, deadline_s=60, progress=done.append)
    ends = [ending(case, answer) for case, answer in card.results]
    assert ends == ["right", "missed", "missed", "dodged"]
    assert card.failures == 2 and sum(done) == 4


@pytest.mark.parametrize(
    ("grader", "absence"),
    [
        (Grader("a", "odd_graders:load_odd", "no-such", "train"), "uv sync --extra train"),
        (Grader("b", "odd_graders:load_missing"), "does not start: ImportError"),
    ],
    ids=["not installed", "does not start"],
)
def test_a_grader_that_is_not_there_says_so_and_stops_nothing(odd, grader, absence):
    done: list[int] = []
    cases = [Case(str(i), "80", "80", "equal") for i in range(3)]
    card = grade_all(grader, cases, deadline_s=60, progress=done.append)
    assert absence in card.absence and card.results == () and sum(done) == 3
