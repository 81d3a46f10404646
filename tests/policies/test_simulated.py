"""The simulated policy: deterministic, labelled, right as often as it was told to be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import generate
from rlvr_course.errors import NotRecorded
from rlvr_course.hacks import flags
from rlvr_course.policies.protocol import Request
from rlvr_course.policies.simulated import ERRORS, FORMS, SimulatedPolicy
from rlvr_course.records import Completion, Problem, Sample

PROBLEM = Problem("What is 12 * 13?", "156")
MODES = [*FORMS, *ERRORS]


def group(policy, n=1, problem=PROBLEM, temperature=1.0):
    return policy.generate([Request(problem.messages, n=n, temperature=temperature)])[0]


def only(mode, answer="156", seed=0):
    """A policy that knows one mode, and one completion of it."""
    right = mode in FORMS
    problem = Problem("q", answer)
    weights = {"forms": {mode: 1.0}} if right else {"errors": {mode: 1.0}}
    policy = SimulatedPolicy([problem], accuracy=float(right), seed=seed, **weights)
    return policy, group(policy, problem=problem)[0]


@given(st.integers(), st.integers(1, 20))
def test_the_same_seed_gives_the_same_group(seed, n):
    first = group(SimulatedPolicy([PROBLEM], seed=seed), n)
    again = group(SimulatedPolicy([PROBLEM], seed=seed), n)
    assert first == again
    assert group(SimulatedPolicy([PROBLEM], seed=seed), n + 1)[:n] == first


def test_other_seeds_and_other_prompts_give_other_groups():
    policy = SimulatedPolicy([PROBLEM])
    prompted = Problem(PROBLEM.question, "156", metadata={"system": "Be brief."})
    texts = [c.text for c in group(policy, 30)]
    assert texts != [c.text for c in group(SimulatedPolicy([PROBLEM], seed=1), 30)]
    assert texts != [c.text for c in group(policy, 30, prompted)]


def test_at_temperature_0_a_group_is_one_completion():
    completions = group(SimulatedPolicy([PROBLEM]), 20, temperature=0)
    assert len({c.text for c in completions}) == 1
    assert [c.index for c in completions] == list(range(20))


@pytest.mark.parametrize("accuracy", [0.0, 0.3, 1.0])
def test_it_is_right_as_often_as_told(accuracy):
    policy = SimulatedPolicy([PROBLEM], accuracy=accuracy)
    right = sum(map(policy.is_right, group(policy, 2000)))
    # Five standard deviations of a binomial of 2000.
    assert abs(right / 2000 - accuracy) <= 5 * (accuracy * (1 - accuracy) / 2000) ** 0.5


def test_a_function_gives_each_problem_its_own_chance():
    easy, hard = Problem("easy", "1"), Problem("hard", "2")
    policy = SimulatedPolicy([easy, hard], accuracy=lambda problem: float(problem is easy))
    assert all(map(policy.is_right, group(policy, 50, easy)))
    assert not any(map(policy.is_right, group(policy, 50, hard)))


def test_a_function_is_named_in_the_policy_id():
    def expert(problem):
        return 0.9

    assert SimulatedPolicy([], accuracy=expert).policy_id == "simulated (expert, seed 0)"
    number = SimulatedPolicy([], accuracy=0.9, seed=2)
    assert number.policy_id == "simulated (accuracy 0.9, seed 2)"


def test_a_chance_out_of_range_names_its_problem():
    with pytest.raises(ValueError, match=r"accuracy=2.* for problem 'What is 12"):
        SimulatedPolicy([PROBLEM], accuracy=lambda problem: 2.0)


def test_every_mode_occurs_and_the_modes_agree_with_the_truth():
    policy = SimulatedPolicy([PROBLEM])
    completions = group(policy, 500)
    assert {policy.mode_of(c) for c in completions} == set(MODES)
    for completion in completions:
        assert policy.is_right(completion) == (policy.mode_of(completion) in FORMS)


@pytest.mark.parametrize("mode", MODES)
def test_one_mode_alone_can_be_asked_for(mode):
    policy, completion = only(mode)
    assert policy.mode_of(completion) == mode
    assert completion.finish_reason == ("length" if mode == "cut_off" else "stop")
    assert completion.policy_id.startswith("simulated (")


@pytest.mark.parametrize(
    ("mode", "has", "lacks"),
    [
        ("worked", r"\boxed{156}", None),
        ("no_box", "156.", "boxed"),
        ("distractor", r"\boxed{156}", None),
        ("near_miss", r"\boxed{", "{156}"),
        ("guess", r"\boxed{", "{156}"),
        ("refusal", "can't", "156"),
        ("cut_off", "step", "156"),
        ("hedge", r"\boxed{156} or \boxed{", None),
    ],
)
def test_the_text_of_a_mode_is_what_its_name_says(mode, has, lacks):
    _, completion = only(mode)
    assert has in completion.text
    assert lacks is None or lacks not in completion.text


@pytest.mark.parametrize(
    ("question", "answer", "lines"),
    [
        ("What is 12 * 13?", "156", ["12 * 13 = 156"]),
        ("What is the last digit of 7 * 8?", "6", ["7 + 8 = 15", "15 - 9 = 6"]),
        ("What is 2 + 3 * 4?", "14", ["2 + 3 = 5", "5 + 9 = 14"]),
        ("Ida has 9 pens. How many are 2/3?", "6", ["9 + 2/3 = 29/3", "29/3 - 11/3 = 6"]),
        ("Double 4.", "8", ["4 + 4 = 8"]),
        ("Where do x + y = 7 and x - y = 5 meet?", "(6, 1)", ["7 + 5 = 12"]),
        ("How many days has a week?", "7", ["7/2 + 7/2 = 7"]),
        ("What is the ratio of a circle to its diameter?", r"\pi", []),
    ],
    ids=[
        "its own",
        "a step of it",
        "sums",
        "fractions",
        "one sum",
        "a pair",
        "no number",
        "no number at all",
    ],
)
def test_a_worked_completion_computes_with_the_numbers_of_its_question(question, answer, lines):
    problem = Problem(question, answer)
    policy = SimulatedPolicy([problem], accuracy=1.0, forms={"worked": 1.0})
    assert group(policy, problem=problem)[0].text.splitlines()[1:-1] == lines


@pytest.mark.parametrize("kind", ["arithmetic", "fractions", "word_problems", "number_theory"])
def test_no_detector_accuses_a_worked_completion_of_a_generated_problem(kind):
    problems = generate(kind, 12, difficulty=0.5)
    policy = SimulatedPolicy(problems, accuracy=1.0, forms={"worked": 1.0})
    texts = [group(policy, problem=p)[0].text for p in problems]
    samples = [Sample(p, t, str(p.answer), 1.0, True) for p, t in zip(problems, texts, strict=True)]
    assert [flags(sample) for sample in samples] == [[]] * 12


@given(st.text(max_size=60), st.text(max_size=20))
def test_any_question_and_answer_can_be_worked(question, answer):
    problem = Problem(question, answer)
    policy = SimulatedPolicy([problem], accuracy=1.0, forms={"worked": 1.0})
    assert f"\\boxed{{{answer}}}" in group(policy, problem=problem)[0].text


@pytest.mark.parametrize("answer", ["156", "-3", "1/2", "0/5", "0.5", "1,234", r"\pi", "(3, 4)"])
def test_a_near_miss_is_not_the_reference(answer):
    texts = {only("guess", answer, seed)[1].text for seed in range(20)}
    assert f"\\boxed{{{answer}}}" not in texts


@given(st.integers(-(10**6), 10**6), st.integers(0, 99))
def test_an_awkward_form_of_a_whole_number_has_its_value(number, seed):
    _, completion = only("awkward_form", str(number), seed)
    text = completion.text.split(r"\boxed{")[1][:-1].replace(",", "")
    if text.startswith(r"\frac"):
        above, below = text[len(r"\frac{") : -1].split("}{")
        assert int(above) == number * int(below)
    else:
        assert float(text) == number


def test_an_unknown_question_is_named():
    with pytest.raises(NotRecorded, match="no problem that asks 'other'"):
        group(SimulatedPolicy([PROBLEM]), problem=Problem("other", "1"))


@pytest.mark.parametrize("answer", [{"tests": []}, None, True], ids=["mapping", "none", "bool"])
def test_an_answer_that_it_cannot_write_is_refused(answer):
    with pytest.raises(ValueError, match="texts or numbers"):
        SimulatedPolicy([Problem("q", answer)])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"accuracy": 1.1}, "accuracy=1.1"),
        ({"accuracy": float("nan")}, "accuracy=nan"),
        ({"errors": {"lies": 1.0}}, "errors has no mode 'lies'"),
        ({"forms": {"worked": -1.0}}, "weight must be 0 or more"),
        ({"forms": {}}, "forms must give at least one mode"),
    ],
    ids=["above 1", "nan", "unknown", "negative", "none"],
)
def test_bad_options_are_named(options, said):
    with pytest.raises(ValueError, match=said):
        SimulatedPolicy([PROBLEM], **options)


def test_the_mode_of_anothers_completion_is_refused():
    with pytest.raises(ValueError, match="is not of SimulatedPolicy"):
        SimulatedPolicy([PROBLEM]).mode_of(Completion("156", policy_id="recorded (m)", seed=1))
