"""Records: JSON round trips, and validation that names what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.records import (
    STATUSES,
    Completion,
    HackFlag,
    PreferencePair,
    Problem,
    Reward,
    Sample,
    Verdict,
)

TEXT = st.text(max_size=30)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
MAPPINGS = st.dictionaries(TEXT, JSON, max_size=3)
MESSAGES = st.lists(st.fixed_dictionaries({"role": TEXT, "content": TEXT}), max_size=3)
PROBLEMS = st.builds(Problem, TEXT, JSON, id=TEXT, domain=TEXT, metadata=MAPPINGS)
COMPLETIONS = st.builds(
    Completion,
    TEXT,
    messages=MESSAGES,
    token_ids=st.none() | st.lists(st.integers(0, 2**31), max_size=3),
    logprobs=st.none() | st.lists(NUMBERS, max_size=3),
    index=st.integers(0, 99),
    seed=st.none() | st.integers(),
)
VERDICTS = (
    st.builds(Verdict.correct, TEXT, TEXT)
    | st.builds(Verdict.incorrect, TEXT, TEXT)
    | st.builds(Verdict.no_answer, TEXT)
    | st.builds(Verdict.ungraded, TEXT, TEXT)
)
SAMPLES = st.builds(
    Sample,
    PROBLEMS,
    TEXT,
    TEXT,
    st.none() | NUMBERS,
    st.none() | st.booleans(),
    messages=MESSAGES,
    components=st.dictionaries(TEXT, NUMBERS, max_size=3),
)
REWARDS = st.builds(Reward, st.none() | NUMBERS, st.dictionaries(TEXT, NUMBERS, max_size=3))


SAID = st.lists(st.fixed_dictionaries({"role": TEXT, "content": TEXT}), min_size=1, max_size=3)
PAIRS = st.builds(PreferencePair, SAID, SAID, SAID, MAPPINGS)
FLAGS = st.builds(HackFlag, TEXT, TEXT)


@given(st.one_of(PROBLEMS, COMPLETIONS, VERDICTS, SAMPLES, REWARDS, PAIRS, FLAGS))
def test_a_record_survives_json(record):
    line = record.to_json()
    assert "\n" not in line
    assert type(record).from_json(line) == record


@given(SAMPLES)
def test_a_sample_unpacks_like_its_dict(sample):
    assert {**sample, "note": 1} == {**sample.to_dict(), "note": 1}


def test_a_sample_has_no_other_keys():
    sample = Sample(Problem("q", "a"), "r", "", -0.1, False)
    with pytest.raises(KeyError, match="grade"):
        sample["grade"]


def test_an_unknown_field_is_named():
    with pytest.raises(ValueError, match="Problem has no field 'anwser'"):
        Problem.from_dict({"question": "q", "anwser": "a"})


def test_a_missing_field_is_named():
    with pytest.raises(ValueError, match=r"Problem: .*'answer'"):
        Problem.from_dict({"question": "q"})


@pytest.mark.parametrize(
    ("status", "score", "fault", "said"),
    [
        ("right", 1.0, None, "not one of correct, incorrect"),
        ("correct", None, None, "score None contradicts status 'correct'"),
        ("ungraded", 0.0, "grader", "score 0.0 contradicts status 'ungraded'"),
        ("partial", 1.5, None, r"score 1.5 is outside \[0, 1\]"),
        ("partial", float("nan"), None, r"score nan is outside \[0, 1\]"),
        ("incorrect", 0.0, "grader", "fault 'grader' contradicts status 'incorrect'"),
        ("ungraded", None, "policy", "fault 'policy' contradicts status 'ungraded'"),
    ],
    ids=["status", "no score", "score of ungraded", "above 1", "nan", "grader", "policy"],
)
def test_a_verdict_that_contradicts_itself_is_refused(status, score, fault, said):
    with pytest.raises(ValueError, match=said):
        Verdict(status, score, fault=fault)


@given(VERDICTS)
def test_ungraded_score_fault_and_correctness_agree(verdict):
    assert verdict.status in STATUSES
    ungraded = verdict.status == "ungraded"
    assert (verdict.score is None) == (verdict.is_correct is None) == ungraded
    assert (verdict.fault == "grader") == ungraded


def test_messages_of_a_problem_start_with_its_system_prompt():
    problem = Problem("q", "a", metadata={"system": "Be brief."})
    assert problem.messages == (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "q"},
    )


def test_a_completion_holds_tuples_whatever_it_was_given():
    completion = Completion("t", messages=[{"role": "user", "content": "q"}], token_ids=[1, 2])
    assert completion.messages == ({"role": "user", "content": "q"},)
    assert completion.token_ids == (1, 2)
    assert completion.logprobs is None
