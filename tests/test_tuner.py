"""The tuner: lands where it can, says so where it can't, and spends no more than it says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.policies.simulated import SimulatedPolicy
from rlvr_course.policies.strength import StrengthCurve
from rlvr_course.problems.generators import FAMILIES, generate
from rlvr_course.records import Problem, Verdict
from rlvr_course.stats import Rate
from rlvr_course.tuner import MAX_SETTINGS, Trial, Tuning, tune_difficulty
from rlvr_course.verifiers.math_answers import MathVerifier

STRENGTHS = (0.1, 0.3, 0.5, 0.7, 0.9)


def of_strength(strength, seed=0):
    """Makes the policy of one strength for given problems."""
    curve = StrengthCurve(strength)
    return lambda problems: SimulatedPolicy(problems, accuracy=curve, seed=seed)


def true_rate(strength, difficulty):
    return StrengthCurve(strength)(Problem("q", "1", metadata={"difficulty": difficulty}))


def trial(difficulty, solved, mixed=5):
    return Trial(difficulty, Rate(solved, 100), Rate(mixed, 10), 0)


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("kind", FAMILIES)
def test_five_strengths_land_by_measured_and_by_true_rate(kind, strength):
    tuning = tune_difficulty(kind, of_strength(strength), MathVerifier())
    assert tuning.landed
    assert 0.2 <= true_rate(strength, tuning.difficulty) <= 0.8


@pytest.mark.nightly
@pytest.mark.parametrize("strength", STRENGTHS)
def test_at_most_2_percent_of_runs_miss_by_true_rate(strength):
    rates = []
    for seed in range(200):
        policy = of_strength(strength, seed)
        tuning = tune_difficulty("arithmetic", policy, MathVerifier(), seed=seed)
        rates.append(true_rate(strength, tuning.difficulty))
    # A 99% interval is wrong on one side once in 200 looks, and a search takes about four.
    assert sum(not 0.2 <= rate <= 0.8 for rate in rates) <= 4


@given(st.floats(-0.5, 1.5), st.integers(0, 99), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_any_search_is_short_and_chooses_the_nearest(strength, seed, n_problems, n_samples):
    tuning = tune_difficulty(
        "number_theory", of_strength(strength, seed), MathVerifier(),
        n_problems=n_problems, n_samples=n_samples, seed=seed,
    )  # fmt: skip
    difficulties = [t.difficulty for t in tuning.trials]
    assert 1 <= len(set(difficulties)) == len(difficulties) <= MAX_SETTINGS
    assert all(0.0 <= d <= 1.0 for d in difficulties)
    assert all(t.solve_rate.n == n_problems * n_samples for t in tuning.trials)
    distances = [abs(t.solved - 0.5) for t in tuning.trials]
    assert abs(tuning.chosen.solved - 0.5) == min(distances)


@pytest.mark.parametrize(
    ("strength", "end", "said"),
    [(3.0, 1.0, "even the hardest is too easy"), (-2.0, 0.0, "even the easiest is too hard")],
)
def test_where_no_setting_lands_it_says_so_and_names_the_end(strength, end, said):
    tuning = tune_difficulty("fractions", of_strength(strength), MathVerifier())
    assert not tuning.landed
    assert (tuning.difficulty, len(tuning.trials)) == (end, 2)
    assert said in tuning.finding
    assert said in str(tuning)


def test_a_rate_that_jumps_across_the_target_is_said_to():
    def cliff(problem):
        return float(problem.metadata["difficulty"] < 0.3)

    def policy(problems):
        return SimulatedPolicy(problems, accuracy=cliff)

    tuning = tune_difficulty("arithmetic", policy, MathVerifier(), n_problems=5)
    assert not tuning.landed
    assert len(tuning.trials) == MAX_SETTINGS
    assert "the rate jumps across it" in tuning.finding
    # Two ends, then six halves of [0, 0.5]: the jump is within 2 ** -7 of the last.
    assert abs(tuning.trials[-1].difficulty - 0.3) <= 2**-7


def test_another_target_is_met():
    tuning = tune_difficulty("arithmetic", of_strength(0.5), MathVerifier(), target=(0.05, 0.3))
    assert tuning.landed
    assert 0.05 <= true_rate(0.5, tuning.difficulty) <= 0.3


def test_a_policy_itself_will_do():
    problems = generate("arithmetic", 24, difficulty=0.5, seed=0)
    policy = SimulatedPolicy(problems, accuracy=0.5)
    tuning = tune_difficulty("arithmetic", policy, MathVerifier())
    assert [t.difficulty for t in tuning.trials] == [0.5]
    assert tuning.chosen.mixed.n == 24


def test_the_same_seeds_give_the_same_tuning():
    first, again = (
        tune_difficulty("fractions", of_strength(0.8), MathVerifier(), seed=3) for _ in range(2)
    )
    assert first == again


def test_of_equally_near_trials_the_last_is_chosen():
    tuning = Tuning("arithmetic", (0.0, 1.0), (trial(0.5, 25), trial(0.25, 75)))
    assert tuning.difficulty == 0.25


def test_the_table_is_in_order_of_difficulty_and_ends_with_the_finding():
    tuning = Tuning("arithmetic", (0.2, 0.8), (trial(0.5, 90), trial(1.0, 0, 0), trial(0.75, 60)))
    lines = str(tuning).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["0.5", "0.75", "1"]
    assert lines[-1] == "arithmetic at difficulty 0.75: 60% solved, inside 20–80%"
    assert tuning._repr_html_().count("<tr>") == 4


def test_masked_samples_are_counted_and_in_no_rate():
    def verifier(response, answer):
        verdict = MathVerifier()(response, answer)
        return Verdict.ungraded("offline") if verdict.status == "no_answer" else verdict

    chosen = tune_difficulty("arithmetic", of_strength(0.5), verifier).chosen
    assert chosen.masked_samples > 0
    assert chosen.solve_rate.n + chosen.masked_samples == 24 * 4


def test_a_verifier_that_judges_nothing_is_named_by_its_reason():
    def verifier(response, answer):
        return Verdict.ungraded("platform_down")

    with pytest.raises(ValueError, match=r"none of 96 samples \(platform_down\)"):
        tune_difficulty("arithmetic", of_strength(0.5), verifier)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": (0.8, 0.2)}, "target="),
        ({"target": (0.5, 1.5)}, "target="),
        ({"n_problems": 0}, "n_problems=0"),
        ({"n_samples": 0}, "n=0"),
    ],
    ids=["reversed", "above 1", "no problems", "no samples"],
)
def test_bad_options_are_named(options, said):
    with pytest.raises(ValueError, match=said):
        tune_difficulty("arithmetic", of_strength(0.5), MathVerifier(), **options)
