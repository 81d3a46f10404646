"""Generated problems: right by another route, fit for the verifier, the same everywhere."""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent_answers import numbers_in, recomputed

from rlvr_course.policies.protocol import Request
from rlvr_course.policies.simulated import SimulatedPolicy
from rlvr_course.problems.generators import FAMILIES, generate
from rlvr_course.problems.generators.drafts import Dial
from rlvr_course.problems.generators.word_problems import counted, money
from rlvr_course.records import Problem
from rlvr_course.verifiers.attack import attack
from rlvr_course.verifiers.math_answers import MathVerifier
from rlvr_course.verifiers.near_misses import perturbed

KINDS = list(FAMILIES)
SETTINGS = (0.0, 0.25, 0.5, 0.75, 1.0)
TOPICS = {"arithmetic": 1, "word_problems": 9, "number_theory": 8, "fractions": 8}
any_kind, any_dial = st.sampled_from(KINDS), st.floats(0, 1)

quick_and_nightly = pytest.mark.parametrize(
    "n", [500, pytest.param(10_000, marks=pytest.mark.nightly)]
)
each_kind = pytest.mark.parametrize("kind", KINDS)


def spread(kind: str, n: int) -> list[Problem]:
    """n problems, an equal share at each setting."""
    return [p for d in SETTINGS for p in generate(kind, n // len(SETTINGS), difficulty=d, seed=1)]


@quick_and_nightly
@each_kind
def test_the_answer_is_what_another_route_finds(kind: str, n: int) -> None:
    problems = spread(kind, n)
    assert len(problems) == n
    assert [p for p in problems if Fraction(p.answer) != recomputed(p)] == []


@quick_and_nightly
@each_kind
def test_the_verifier_pays_the_answer_and_not_a_near_miss(kind: str, n: int) -> None:
    verify = MathVerifier()
    for problem in spread(kind, n):
        assert verify(rf"\boxed{{{problem.answer}}}", problem.answer).status == "correct"
        near = rf"\boxed{{{perturbed(problem.answer)}}}"
        assert verify(near, problem.answer).status == "incorrect", problem


@each_kind
def test_no_attack_on_a_generated_problem_pays(kind: str) -> None:
    report = attack(MathVerifier(), spread(kind, 50))
    assert [row for row in report.rows if row.error] == []


@each_kind
def test_the_verifier_sees_what_a_simulated_policy_meant(kind: str) -> None:
    problems, verify = spread(kind, 200), MathVerifier()
    policy = SimulatedPolicy(problems)
    groups = policy.generate([Request(problem.messages, n=2) for problem in problems])
    for problem, group in zip(problems, groups, strict=True):
        verdicts = [verify(completion.text, problem.answer).is_correct for completion in group]
        assert verdicts == [policy.is_right(completion) for completion in group]


@quick_and_nightly
@each_kind
def test_the_answer_is_neither_in_the_question_nor_a_free_guess(kind: str, n: int) -> None:
    for problem in spread(kind, n):
        given_away = {Fraction(number) for number in numbers_in(problem.question)} | {0, 1}
        given_away |= {Fraction(text) for text in re.findall(r"\d+/\d+", problem.question)}
        assert Fraction(problem.answer) not in given_away, problem


@each_kind
def test_every_topic_comes_up(kind: str) -> None:
    assert len({p.metadata["topic"] for p in spread(kind, 500)}) == TOPICS[kind]


@each_kind
@pytest.mark.parametrize("difficulty", SETTINGS)
def test_no_question_occurs_twice_where_there_are_enough(kind: str, difficulty: float) -> None:
    questions = [p.question for p in generate(kind, 200, difficulty=difficulty, seed=5)]
    assert len(set(questions)) == 200


def test_a_batch_beyond_the_questions_comes_round_again() -> None:
    problems = generate("arithmetic", 1000, difficulty=0.0, seed=0)
    assert len({p.question for p in problems}) < len({p.id for p in problems}) == 1000


@given(any_kind, any_dial, st.integers())
@settings(max_examples=60)
def test_any_seed_and_dial_give_readable_records(kind: str, difficulty: float, seed: int) -> None:
    problems = generate(kind, 5, difficulty=difficulty, seed=seed)
    assert [Problem.from_json(p.to_json()) for p in problems] == problems
    for index, problem in enumerate(problems):
        assert problem.id == f"gen-{kind}-{difficulty + 0.0!r}-{seed}-{index}"
        assert problem.metadata["family"] == kind
        assert problem.metadata["difficulty"] == difficulty
        assert Fraction(problem.answer) == recomputed(problem)


@given(any_kind, any_dial, st.integers(), st.integers(0, 8), st.integers(0, 8))
@settings(max_examples=60)
def test_a_longer_batch_begins_with_the_shorter(kind, difficulty, seed, n, more) -> None:
    longer = generate(kind, n + more, difficulty=difficulty, seed=seed)
    assert longer[:n] == generate(kind, n, difficulty=difficulty, seed=seed)


@each_kind
def test_other_seeds_give_other_problems(kind: str) -> None:
    first, second = (generate(kind, 20, difficulty=0.6, seed=seed) for seed in (1, 2))
    assert [p.question for p in first] != [p.question for p in second]


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_gives_the_same_problems(hash_seed: str) -> None:
    code = (
        "import json; from rlvr_course.problems.generators import FAMILIES, generate; "
        "print(json.dumps([p.to_json() for k in FAMILIES for p in "
        "generate(k, 40, difficulty=0.7, seed=9)]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60
    )
    here = [p.to_json() for k in KINDS for p in generate(k, 40, difficulty=0.7, seed=9)]
    assert json.loads(done.stdout) == here


@given(any_dial, any_dial, st.integers(1, 50), st.integers(0, 1000))
def test_a_larger_dial_never_lowers_a_bound(one, other, easy, more) -> None:
    low, high = (Dial(random.Random(0), d) for d in sorted((one, other)))
    assert easy <= low.top(easy, easy + more) <= high.top(easy, easy + more) <= easy + more
    assert easy <= low.steps(easy, easy + 3) <= high.steps(easy, easy + 3) <= easy + 3


@each_kind
def test_numbers_grow_with_the_dial(kind: str) -> None:
    def size(difficulty: float) -> float:
        problems = generate(kind, 200, difficulty=difficulty, seed=3)
        return sum(math.log1p(n) for p in problems for n in numbers_in(p.question))

    sizes = [size(difficulty) for difficulty in SETTINGS]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize("kind", ["arithmetic", "word_problems"])
def test_stories_and_sums_gain_steps_at_fixed_places(kind: str) -> None:
    steps = [{p.metadata["steps"] for p in generate(kind, 50, difficulty=d)} for d in SETTINGS]
    expected = {"arithmetic": [1, 2, 3, 4, 4], "word_problems": [2, 2, 3, 3, 3]}
    assert steps == [{n} for n in expected[kind]]


def test_below_a_half_no_answer_is_negative_and_above_some_are() -> None:
    below, above = (generate("arithmetic", 300, difficulty=d, seed=2) for d in (0.49, 0.5))
    assert all(int(problem.answer) > 0 for problem in below)
    assert any(int(problem.answer) < 0 for problem in above)


def test_fractions_are_in_lowest_terms_unless_that_is_the_question() -> None:
    for problem in spread("fractions", 500):
        pairs = [tuple(map(int, t)) for t in re.findall(r"(\d+)/(\d+)", problem.question)]
        shared = {math.gcd(*pair) > 1 for pair in pairs}
        assert shared == {problem.metadata["topic"] == "lowest_terms"}
        assert all(0 < above < below for above, below in pairs)


def test_money_has_two_decimals_or_none() -> None:
    for problem in spread("word_problems", 500):
        for amount in re.findall(r"\$([\d.]*\d)", problem.question):
            assert re.fullmatch(r"\d+|\d+\.\d\d", amount) and not amount.endswith(".00")
        if problem.metadata["unit"] == "dollars":
            assert re.fullmatch(r"\d+|\d+\.\d\d", problem.answer)


def test_one_of_a_thing_is_singular() -> None:
    text = " ".join(p.question for p in spread("word_problems", 2000))
    assert re.findall(r"(?<![\d.])1 (?:more )?\w+s\b", text) == []
    assert re.findall(r"(?<![\d.])(?!1 )\d+ (?:hour|day|person|gram|litre|bottle)\b", text) == []
    assert (counted(1, "person"), counted(2, "person")) == ("1 person", "2 people")
    assert (money(5), money(100)) == ("$0.05", "$1")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("algebra", 1, 0.5), "kind 'algebra' is not one of arithmetic, word_problems"),
        (("arithmetic", -1, 0.5), "n=-1"),
        (("arithmetic", 1, 1.01), "difficulty=1.01: it must lie in"),
        (("arithmetic", 1, math.nan), "difficulty=nan"),
    ],
    ids=["kind", "n", "above 1", "nan"],
)
def test_bad_arguments_are_named(arguments: tuple[str, int, float], said: str) -> None:
    kind, n, difficulty = arguments
    with pytest.raises(ValueError, match=said):
        generate(kind, n, difficulty=difficulty)
