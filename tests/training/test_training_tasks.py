"""Tiny tasks: seeded, disjoint, with answers that their verifiers accept and nothing else."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.rewards import is_refusal
from rlvr_course.training.tasks import REFUSAL, TASKS, load_task
from rlvr_course.training.tasks.cipher import encipher
from rlvr_course.training.tasks.task import Task, make_problem
from rlvr_course.training.tasks.verifiers import (
    VERIFIERS,
    verify_any_number,
    verify_exact,
    verify_share,
)
from rlvr_course.training.tiny import ALPHABET, CONTEXT_TOKENS

ANSWERS = st.text("0123456789", min_size=1, max_size=5)
RESPONSES = st.text("0123456789 ?", max_size=8)


@pytest.mark.parametrize("name", TASKS)
def test_no_question_is_both_trained_and_tested_on(name: str) -> None:
    task = load_task(name)
    train, test = ({p.question for p in half} for half in (task.train, task.test))
    assert train & test == set()
    assert len(train) == len(task.train) and len(test) == len(task.test)


@pytest.mark.parametrize("name", TASKS)
def test_a_task_is_the_same_each_time(name: str) -> None:
    assert TASKS[name]().train == TASKS[name]().train


@pytest.mark.parametrize("name", TASKS)
def test_questions_and_demonstrations_fit_the_tiny_policy(name: str) -> None:
    task, rng = load_task(name), Random(0)
    for problem in (*task.train, *task.test):
        answer = task.demonstrate(rng, problem)
        assert set(problem.question + problem.answer + answer) <= set(ALPHABET)
        assert max(len(answer), len(problem.answer)) < task.max_tokens
        assert len(problem.question) + task.max_tokens <= CONTEXT_TOKENS


def test_a_question_in_both_halves_is_refused() -> None:
    problem = make_problem("twice", "1=", "1", "number")
    with pytest.raises(ValueError, match="tests on '1='"):
        Task("twice", "", (problem,), (problem,), 4, lambda rng, p: p.answer)


def test_an_unknown_task_is_named_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="'chess' is not one of cipher"):
        load_task("chess")


@pytest.mark.parametrize("half", ["train", "test"])
def test_cipher_answers_are_one_more_in_each_digit(half: str) -> None:
    for problem in getattr(load_task("cipher"), half):
        digits = zip(problem.question.rstrip("="), problem.answer, strict=True)
        assert all((int(b) - int(a)) % 10 == 1 for a, b in digits)


@given(st.text("0123456789", max_size=9))
def test_enciphering_ten_times_changes_nothing(number: str) -> None:
    result = number
    for _ in range(10):
        result = encipher(result)
    assert result == number


def test_clerk_answers_are_sums_and_products() -> None:
    task = load_task("clerk")
    for problem in (*task.train, *task.test):
        a, sign, b = problem.question[:3]
        assert int(problem.answer) == (int(a) + int(b) if sign == "+" else int(a) * int(b))
    assert len(task.train) + len(task.test) == 200


def test_a_throw_has_each_side_about_equally_often() -> None:
    sixes = [p.answer for p in load_task("dice").train if p.metadata["kind"] == "d6"]
    assert sorted(set(sixes)) == list("123456")
    assert all(60 <= sixes.count(side) <= 140 for side in "123456")  # 100 of 600, 4 sigma


@pytest.mark.parametrize("name", VERIFIERS)
@given(answer=ANSWERS)
def test_the_answer_is_accepted_and_a_refusal_is_one(name: str, answer: str) -> None:
    assert VERIFIERS[name](answer, answer).score == 1.0
    assert is_refusal(VERIFIERS[name](REFUSAL, answer))


@pytest.mark.parametrize("name", VERIFIERS)
@given(response=st.text(max_size=12), answer=ANSWERS)
def test_no_response_raises_and_scores_stay_in_range(name: str, response: str, answer: str) -> None:
    score = VERIFIERS[name](response, answer).score
    assert score is not None and 0.0 <= score <= 1.0


@given(response=RESPONSES, answer=ANSWERS)
def test_others_pay_at_least_what_the_strict_verifier_pays(response: str, answer: str) -> None:
    strict = verify_exact(response, answer).score or 0.0
    assert (verify_any_number(response, answer).score or 0.0) >= strict
    assert (verify_share(response, answer).score or 0.0) >= strict


@pytest.mark.parametrize(
    ("response", "exact", "any_number", "share"),
    [
        pytest.param("56", 1.0, 1.0, 1.0, id="right"),
        pytest.param("54 55 56", 0.0, 1.0, 0.0, id="a list with it"),
        pytest.param("156", 0.0, 0.0, 0.0, id="a longer number that holds it"),
        pytest.param("51", 0.0, 0.0, 0.5, id="one digit right"),
        pytest.param("", 0.0, 0.0, 0.0, id="nothing"),
        pytest.param(" ", 0.0, 0.0, 0.0, id="a blank"),
        pytest.param("56?", 0.0, 1.0, 0.0, id="both"),
    ],
)
def test_verdicts_on_56(response: str, exact: float, any_number: float, share: float) -> None:
    assert verify_exact(response, "56").score == exact
    assert verify_any_number(response, "56").score == any_number
    assert verify_share(response, "56").score == share


def test_an_answer_that_was_cut_is_not_right_yet() -> None:
    assert verify_exact("56", "56", finish_reason="length").score == 0.0
    assert verify_share("56", "56", finish_reason="length").score == 0.0
