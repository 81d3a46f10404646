"""A grader's process: whatever it does to itself, the next case is judged."""

import pytest

from rlvr_course.graders.process import CannotStart, GraderProcess

LONG_S = 60.0


def test_a_grader_says_paid_unpaid_or_nothing_and_may_print(odd):
    with GraderProcess(odd, deadline_s=LONG_S) as process:
        said = [process.ask(text, "80").paid for text in ("80", "81", "abstain")]
    assert said == [True, False, None]


@pytest.mark.parametrize(
    ("completion", "failure"),
    [("die", "its process died"), ("raise", "ArithmeticError: can't add up")],
    ids=["dies", "raises"],
)
def test_a_grader_that_fails_goes_on_with_the_next_case(odd, completion, failure):
    with GraderProcess(odd, deadline_s=LONG_S) as process:
        answers = [process.ask(text, "80") for text in (completion, "80")]
    assert [(a.paid, a.failure) for a in answers] == [(None, failure), (True, "")]


def test_a_grader_that_hangs_is_given_up_at_the_deadline(odd):
    with GraderProcess(odd, deadline_s=2.0) as process:
        hung, after = process.ask("hang", "80"), process.ask("80", "80")
    assert hung.failure == "no verdict within 2 s" and 2.0 <= hung.seconds < 10.0
    assert after.paid is True


@pytest.mark.parametrize(
    ("loader", "reason"),
    [
        ("odd_graders:load_missing", "ImportError: no module named 'sums'"),
        ("odd_graders:load_nothing", "has no attribute 'load_nothing'"),
        ("no_such_module:load", "No module named 'no_such_module'"),
    ],
    ids=["import fails", "no function", "no module"],
)
def test_a_grader_that_cannot_be_loaded_says_why(odd, loader, reason):
    with GraderProcess(loader, deadline_s=LONG_S) as process, pytest.raises(CannotStart) as said:
        process.ask("80", "80")
    assert reason in str(said.value)


def test_text_of_any_kind_reaches_the_grader_whole(odd):
    text = "π\n\x00\ud800" + "9" * 200_000
    with GraderProcess(odd, deadline_s=LONG_S) as process:
        assert process.ask(text, text).paid is True


@pytest.mark.parametrize("deadline_s", [0.0, -1.0, float("nan"), float("inf")])
def test_a_deadline_out_of_range_is_refused(deadline_s):
    with pytest.raises(ValueError, match="give it seconds above 0"):
        GraderProcess("odd_graders:load_odd", deadline_s=deadline_s)
