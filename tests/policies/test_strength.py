"""The strength curve: a half at the strength, falling with difficulty, never out of range."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.policies.simulated import SimulatedPolicy
from rlvr_course.policies.strength import StrengthCurve
from rlvr_course.records import Problem

number = st.floats(-1e6, 1e6)


def at(difficulty):
    return Problem("q", "1", metadata={"difficulty": difficulty})


@given(number, number, number, st.floats(1e-3, 1e6))
def test_a_harder_problem_is_never_likelier_solved(one, other, strength, slope):
    easy, hard = sorted((one, other))
    curve = StrengthCurve(strength, slope)
    assert 0.0 <= curve(at(hard)) <= curve(at(easy)) <= 1.0


@given(number, number, number)
def test_a_stronger_policy_is_never_worse(difficulty, one, other):
    weak, strong = sorted((one, other))
    assert StrengthCurve(weak)(at(difficulty)) <= StrengthCurve(strong)(at(difficulty))


@pytest.mark.parametrize(
    ("strength", "difficulty", "odds"),
    [(0.5, 0.5, 1.0), (0.5, 0.7, math.exp(-2)), (0.5, 0.2, math.exp(3)), (-0.1, 0.0, math.exp(-1))],
)
def test_the_odds_fall_exponentially(strength, difficulty, odds):
    chance = StrengthCurve(strength)(at(difficulty))
    assert chance / (1 - chance) == pytest.approx(odds)


def test_it_names_itself():
    policy = SimulatedPolicy([at(0.5)], accuracy=StrengthCurve(0.3))
    assert policy.policy_id == "simulated (strength 0.3, seed 0)"
    assert str(StrengthCurve(1.0, slope=4.0)) == "strength 1, slope 4"


def test_a_problem_without_difficulty_is_named():
    with pytest.raises(ValueError, match=r"problem 'q' has no metadata\['difficulty'\]"):
        StrengthCurve(0.5)(Problem("q", "1"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((math.nan,), "strength=nan"), ((0.5, 0.0), "slope=0"), ((0.5, math.inf), "slope=inf")],
)
def test_bad_arguments_are_named(arguments, said):
    with pytest.raises(ValueError, match=said):
        StrengthCurve(*arguments)
