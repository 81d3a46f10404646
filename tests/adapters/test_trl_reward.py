"""The reward function that TRL calls: shapes, columns, masks, logs and pickling."""

from __future__ import annotations

import pickle

import pytest

from rlvr_course import FakeVerifier, Problem, Verdict
from rlvr_course.adapters import VerifiedReward
from rlvr_course.adapters.chat import response_text
from rlvr_course.adapters.trl_reward import MaskedSum, TRLReward, trl_rows

RIGHT, WRONG = "It is 42.", "It is 41."


def length_of(completions, **_):
    """A second reward function, as a learner would write one."""
    return [float(len(response_text(completion))) for completion in completions]


def sometimes_none(completions, **_):
    return [None if "41" in response_text(completion) else 1.0 for completion in completions]


def chat(text):
    return [{"role": "assistant", "content": text}]


@pytest.mark.parametrize("shape", [str, chat], ids=["plain", "chat"])
def test_plain_and_chat_completions_earn_the_same(shape):
    completions = [shape(RIGHT), shape(WRONG)]
    assert TRLReward()([shape("q")] * 2, completions, answer=["42", "42"]) == [1.0, -0.1]


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ([{"role": "assistant", "content": "a"}, {"role": "tool", "content": "b"}], "a"),
        ([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}], "b"),
        ([{"role": "assistant", "content": None}], ""),
        (
            [{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}],
            "a",
        ),
        ([{"role": "user", "content": "a"}], ""),
        ([], ""),
    ],
    ids=["tool after", "last one", "none", "parts", "no assistant", "empty"],
)
def test_the_text_of_a_chat_is_the_assistants_last_message(completion, text):
    assert response_text(completion) == text


@pytest.mark.parametrize("completion", [None, 42, b"x", ["x"]])
def test_a_completion_of_another_type_is_refused(completion):
    with pytest.raises(ValueError, match="not "):
        response_text(completion)


def test_other_columns_and_what_trl_adds_are_let_through():
    extra = {"completion_ids": [[1]], "trainer_state": object(), "level": [3]}
    assert TRLReward()(["q"], [RIGHT], answer=["42"], **extra) == [1.0]


def test_a_missing_column_is_named_with_those_that_are_there():
    with pytest.raises(ValueError, match=r"no column 'gold' for verified_reward \(it has answer"):
        TRLReward(answer_column="gold")(["q"], [RIGHT], answer=["42"])


def test_an_ungraded_completion_is_none():
    assert TRLReward()(["q"] * 2, [RIGHT] * 2, answer=["42", "see figure"]) == [1.0, None]


def test_a_malformed_answer_masks_its_row_alone():
    assert TRLReward()(["q"] * 2, [RIGHT] * 2, answer=["42", "json:{"]) == [1.0, None]


def test_verdicts_and_shares_are_logged():
    extra, metrics = {}, {}
    TRLReward(name="maths")(
        ["q"] * 4,
        [RIGHT, WRONG, "I refuse.", RIGHT],
        answer=["42", "42", "42", "see figure"],
        log_extra=extra.__setitem__,
        log_metric=metrics.__setitem__,
    )
    assert extra["maths/status"] == ["correct", "incorrect", "no_answer", "ungraded"]
    assert extra["maths/extracted"][:2] == ["42", "41"]
    assert metrics == {
        "verdicts/maths/ungraded": 0.25,
        "verdicts/maths/correct": pytest.approx(1 / 3),
    }


def test_it_can_be_pickled_and_keeps_its_name():
    copy = pickle.loads(pickle.dumps(TRLReward(name="maths")))
    assert copy.__name__ == "maths"
    assert copy(["q"], [WRONG], answer=["42"]) == [-0.1]


def test_rows_carry_messages_and_answers_as_text():
    tests = [{"input": "1", "expected": "2"}]
    rows = trl_rows([Problem("q", "42", metadata={"system": "s"}), Problem("p", tests)])
    assert [m["role"] for m in rows[0]["prompt"]] == ["system", "user"]
    assert [row["answer"] for row in rows] == [
        "42",
        'json:[{"input": "1", "expected": "2"}]',
    ]


def test_a_sum_is_none_as_soon_as_a_part_is():
    both = MaskedSum([TRLReward(), sometimes_none], [1.0, 0.5])
    assert both(["q"] * 3, [RIGHT, WRONG, RIGHT], answer=["42", "42", "see figure"]) == [
        1.5,
        None,
        None,
    ]


def test_a_sum_logs_the_mean_of_each_part():
    metrics = {}
    both = MaskedSum([sometimes_none, length_of], name="both")
    both(["q"] * 2, [RIGHT, WRONG], log_metric=metrics.__setitem__)
    assert metrics == {"rewards/sometimes_none": 1.0, "rewards/length_of": 9.0}
    assert both.__name__ == "both"


def test_a_nan_of_a_part_is_a_mask_too():
    both = MaskedSum([lambda completions, **_: [float("nan"), 1.0], length_of])
    assert both(["q"] * 2, ["abc", "abc"]) == [None, 4.0]


@pytest.mark.parametrize(
    ("functions", "weights", "message"),
    [
        ([], None, "at least one"),
        ([length_of], [1.0, 2.0], "1 functions but 2 weights"),
        ([length_of], [float("inf")], "finite"),
    ],
    ids=["none", "weights", "infinite"],
)
def test_a_malformed_sum_is_refused(functions, weights, message):
    with pytest.raises(ValueError, match=message):
        MaskedSum(functions, weights)


def test_a_part_of_another_length_is_refused():
    with pytest.raises(ValueError, match="gave 1 rewards for 2"):
        MaskedSum([lambda completions, **_: [1.0]])(["q"] * 2, ["a", "b"])


def test_an_outage_masks_what_it_hit_and_training_goes_on():
    reward = TRLReward(VerifiedReward(FakeVerifier([Verdict.correct("", "x")] + ["outage"] * 3)))
    assert reward(["q"], ["a"], answer=["1"]) == [1.0]
    assert reward(["q"], ["a"], answer=["1"]) == [None]


@pytest.mark.parametrize(
    ("end_token_ids", "expected"), [((), [1.0, 1.0]), ((2, 3), [1.0, -0.1])], ids=["none", "given"]
)
def test_end_tokens_tell_a_completion_that_was_cut(end_token_ids, expected):
    reward = VerifiedReward(lambda response, answer, finish_reason: finish_reason == "stop")
    door = TRLReward(reward, end_token_ids=end_token_ids)
    assert door(["q"] * 2, ["a"] * 2, answer=["a"] * 2, completion_ids=[[9, 2], [9, 9]]) == expected
