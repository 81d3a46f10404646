"""Few-shot prompts: right answers, disjoint parts, the same problems for the same seed."""

import ast
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.problems.few_shot import few_shot_arithmetic, few_shot_json
from rlvr_course.records import Problem
from rlvr_course.verifiers.json_text import verify_json

SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
SIZES = {"train": 80, "test": 113, "all": 193}


def operands(problem):
    a, sign, b, _ = problem.question.split("\n")[-1].split()
    return int(a), sign, int(b)


@pytest.mark.parametrize("part", SIZES)
def test_answers_are_right_and_every_question_comes_once(part):
    problems = few_shot_arithmetic(SIZES[part], part=part)
    assert len({p.question for p in problems}) == SIZES[part]
    for problem in problems:
        a, sign, b = operands(problem)
        assert int(problem.answer) == SIGNS[sign](a, b) >= 1


def test_parts_share_no_question_not_even_swapped_nor_a_worked_line():
    train, test = (
        {(s, *sorted((a, b))) for a, s, b in map(operands, few_shot_arithmetic(n, part=part))}
        for part, n in (("train", 80), ("test", 113))
    )
    assert train & test == set()
    assert (train | test) & {("+", 3, 4), ("-", 5, 9), ("*", 2, 6)} == set()


def test_the_worked_lines_are_right():
    for line in few_shot_arithmetic(1)[0].question.split("\n")[:-1]:
        a, sign, b, _, value = line.split()
        assert int(value) == SIGNS[sign](int(a), int(b))


@given(seed=st.integers(), n=st.integers(0, 80), more=st.integers(0, 80))
def test_a_longer_list_begins_with_the_shorter(seed, n, more):
    for make in (few_shot_arithmetic, few_shot_json):
        assert make(n + more, seed=seed)[:n] == make(n, seed=seed)


@given(seed=st.integers())
def test_a_json_problem_asks_for_what_its_sentence_says(seed):
    for problem in few_shot_json(5, seed=seed):
        *shots, sentence, empty = problem.question.split("\n")
        assert empty == ""
        name, _, count, item = sentence.rstrip(".").split()
        assert problem.answer == {"name": name, "item": item, "count": int(count)}
        assert sentence not in shots
        assert Problem.from_json(problem.to_json()) == problem


def test_the_worked_json_is_what_would_be_right():
    one, two = (few_shot_json(1)[0].question.split("\n")[i] for i in (1, 3))
    assert [verify_json(text, ast.literal_eval(text)).is_correct for text in (one, two)] == [
        True
    ] * 2


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: few_shot_arithmetic(81, part="train"), "n=81: part 'train' has 80 problems"),
        (lambda: few_shot_arithmetic(-1), "n=-1"),
        (lambda: few_shot_arithmetic(1, part="dev"), "part 'dev' is not one of all, train, test"),
        (lambda: few_shot_json(10_000), "n=10000: there are 3520 sentences"),
    ],
    ids=["too many", "negative", "unknown part", "too many sentences"],
)
def test_what_cannot_be_made_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()
