"""MathVerifier as a whole: what it pays, what it refuses, and the reason that it gives."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course import MathRewardFunction, MathVerifier, extract_number, load_problems, verify_many
from rlvr_course.records import Problem
from rlvr_course.verifiers.near_misses import perturbed

PROBLEMS = load_problems("math")
VERIFY = MathVerifier()
NESTED = "(" * 61 + "1" + ")" * 61
SUM = r"\sum_{k=1}^{n} k"


def boxed(text: object) -> str:
    return rf"So it is \boxed{{{text}}}."


def by_id(problem: Problem) -> str:
    return problem.id


# -- what a verifier owes


@pytest.mark.parametrize("problem", PROBLEMS, ids=by_id)
def test_gold_is_paid_in_a_box_and_as_a_statement(problem: Problem):
    for reply in (boxed(problem.answer), f"Answer: {problem.answer}", problem.answer):
        assert VERIFY(reply, problem.answer).is_correct is True


@pytest.mark.parametrize("constant", ["31337", "0.123", "J", "x", "yes", "", r"\infty"], ids=repr)
def test_a_constant_is_never_paid(constant: str):
    paid = [p.id for p in PROBLEMS if VERIFY(boxed(constant), p.answer).is_correct is not False]
    assert paid == []


@pytest.mark.parametrize("problem", PROBLEMS, ids=by_id)
def test_perturbed_gold_is_judged_and_not_paid(problem: Problem):
    near = perturbed(problem.answer)
    for reply in (boxed(near), f"Answer: {near}", near):
        assert VERIFY(reply, problem.answer).is_correct is False


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**9))
def test_a_whole_number_is_paid_exactly_where_it_is_the_gold(gold: int, off: int):
    assert VERIFY(boxed(gold), str(gold)).is_correct is True
    assert VERIFY(boxed(gold + off), str(gold)).is_correct is False


@given(st.fractions(max_denominator=10**6), st.integers(2, 50))
def test_a_fraction_is_paid_in_any_terms_and_not_one_step_beside(value: Any, factor: int):
    top, bottom = value.numerator * factor, value.denominator * factor
    gold = f"{value.numerator}/{value.denominator}"
    assert VERIFY(boxed(rf"\frac{{{top}}}{{{bottom}}}"), gold).is_correct is True
    assert VERIFY(boxed(rf"\frac{{{top + 1}}}{{{bottom}}}"), gold).is_correct is False


@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_text_gets_one_and_the_same_graded_verdict(reply: str):
    first = VERIFY(reply, "-37.25")
    assert first.status != "ungraded"
    assert first == MathVerifier()(reply, "-37.25")
    assert re.fullmatch(r"[a-z_]+", first.reason)


WRAPPERS = (
    r"\boxed{{5\text{{ m {} }}}}",
    r"\boxed{{{}}}",
    r"\boxed{{{}7}}",
    r"\boxed{{\frac{{{}}}{{2}}}}",
    r"\boxed{{({}, 7)}}",
    r"\boxed{{5 m^{}}}",
    "The answer is 7 {}.",
    "x = {}",
)


@given(st.text(alphabet=st.characters(), max_size=6), st.sampled_from(WRAPPERS))
@settings(max_examples=400)
def test_any_text_inside_an_answer_is_judged(inside: str, around: str):
    for gold in ("7.25", "5.5 m", "(1, 7)", "x^2 + 1"):
        assert VERIFY(around.format(inside), gold).status != "ungraded"


@given(st.text(alphabet=st.characters(), max_size=200), st.sampled_from(["7", "", "\\frac{1}"]))
def test_any_reference_gives_a_verdict_and_whether_it_is_graded_is_not_the_reply_s_doing(
    gold: str, reply: str
):
    usable = {VERIFY(text, gold).status != "ungraded" for text in (reply, "", "I can't say.")}
    assert len(usable) == 1


@pytest.mark.parametrize("reply", [None, 7, 7.5, b"7", ["7"]], ids=repr)
def test_a_reply_that_is_no_text_is_no_answer(reply: Any):
    verdict = VERIFY(reply, "7")
    assert (verdict.status, verdict.fault) == ("no_answer", "policy")
    assert verdict.reason == f"not_text: {type(reply).__name__}"


@pytest.mark.parametrize("inside", ["0,0:<", "0,:", "1 and", "5 m ①", "5 m^", "2 h and", ",,7"])
def test_a_torn_quantity_is_judged(inside: str):
    for text in (boxed(inside), rf"\boxed{{\text{{ {inside} }}}}", f"The answer is {inside}."):
        assert VERIFY(text, "7.25").is_correct is False


@pytest.mark.parametrize("gold", [7, 7.0, "7", "7.0", r"\boxed{7}", "$7$"], ids=repr)
def test_a_reference_may_be_a_number_or_text_in_any_dress(gold: Any):
    assert VERIFY(boxed(7), gold).is_correct is True
    assert VERIFY(boxed(8), gold).is_correct is False


# -- many at once


def test_verify_many_is_the_same_as_one_by_one():
    replies = [boxed(p.answer) if n % 3 else "I give up." for n, p in enumerate(PROBLEMS)]
    golds = [p.answer for p in PROBLEMS]
    expected = [VERIFY(r, g) for r, g in zip(replies, golds, strict=True)]
    assert VERIFY.verify_many(replies, golds) == expected
    assert verify_many(VERIFY, replies, golds) == expected


@pytest.mark.parametrize("many", [VERIFY.verify_many, lambda r, a: verify_many(VERIFY, r, a)])
def test_unequal_lengths_are_the_caller_s_mistake(many: Any):
    with pytest.raises(ValueError, match="2 responses but 1 answers"):
        many(["7", "8"], ["7"])


@pytest.mark.parametrize("deadline_s", [0, -1, float("nan")], ids=repr)
def test_a_deadline_must_be_above_zero(deadline_s: float):
    with pytest.raises(ValueError, match=r"deadline_s=.*above 0 seconds"):
        MathVerifier(deadline_s=deadline_s)


# -- reasons

EQUAL = {
    "number": ("7.0", "7"),
    "list": ("2, 1", "1, 2"),
    "value": ("x = 5", "x=5"),
    "relation": ("3 > x", "x < 3"),
    "set": (r"[3,4) \cup (1,2)", r"(1,2) \cup [3,4)"),
    "matrix": (r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"),
    "time": ("2:30 pm", "14:30"),
    "ratio": ("4:6", "2:3"),
    "choice": ("(b)", "B"),
    "words": (r"\text{monday}", "Monday"),
    "text": (r"\sum_{k=1}^{n}k", SUM),
}


@pytest.mark.parametrize(("kind", "pair"), EQUAL.items(), ids=EQUAL)
def test_equal_answers_are_called_by_their_kind(kind: str, pair: tuple[str, str]):
    assert VERIFY(boxed(pair[0]), pair[1]).reason == f"equal_{kind}"


UNEQUAL = {
    "different_number": ("8", "7"),
    "different_list": ("1, 3", "1, 2"),
    "different_relation": ("x < 4", "x < 3"),
    "different_set": (r"[3,4] \cup (1,2)", r"(1,2) \cup [3,4)"),
    "different_matrix": (
        r"\begin{pmatrix}1&2\\3&5\end{pmatrix}",
        r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
    ),
    "different_time": ("3:30 pm", "14:30"),
    "different_ratio": ("4:7", "2:3"),
    "different_choice": ("C", "B"),
    "different_words": ("Tuesday", "Monday"),
    "list_for_number": ("(1, 2)", "7"),
    "number_for_list": ("7", "(1, 2)"),
    "answer_unparseable": ("see the figure above", "7"),
}


@pytest.mark.parametrize(("reason", "pair"), UNEQUAL.items(), ids=UNEQUAL)
def test_a_wrong_answer_is_told_from_one_of_the_wrong_kind(reason: str, pair: tuple[str, str]):
    verdict = VERIFY(boxed(pair[0]), pair[1])
    assert (verdict.status, verdict.reason, verdict.fault) == ("incorrect", reason, None)


CAPPED = {
    "answer_too_long": "a" * 4_001,
    "exponent_too_large": "1e9999",
    "power_too_large": "9^{99999}",
    "factorial_too_large": "99999!",
    "value_too_large": r"9^{9999} \cdot 9^{9999}",
    "nested_too_deep": NESTED,
    "too_many_tokens": "1+" * 300 + "1",
}


@pytest.mark.parametrize(("reason", "answer"), CAPPED.items(), ids=CAPPED)
def test_an_answer_above_a_cap_is_the_candidate_s_fault(reason: str, answer: str):
    verdict = VERIFY(boxed(answer), "7")
    assert (verdict.status, verdict.reason, verdict.fault) == ("incorrect", reason, "policy")
    assert len(verdict.extracted) <= 200


NOTHING = {
    "empty": " \n",
    "unfinished_thinking": r"<think>\boxed{7}",
    "refusal": "I cannot solve this after 7 attempts.",
    "hedge": "It might be 7.",
    "question": "Is it 7?",
    "unclosed_box": r"So it is \boxed{7",
    "no_committed_answer": "Next we divide both sides by 7.",
}


@pytest.mark.parametrize(("reason", "reply"), NOTHING.items(), ids=NOTHING)
def test_a_reply_that_commits_to_nothing_is_no_answer(reason: str, reply: str):
    verdict = VERIFY(reply, "7")
    assert (verdict.status, verdict.reason, verdict.fault) == ("no_answer", reason, "policy")


BROKEN_GOLDS = {
    "gold_empty": ["", "  ", "\n"],
    "gold_unparseable": [
        "see the figure above",
        r"\frac{1}{",
        r"\boxed{}",
        "1/0",
        "nan",
        "9" * 5_000,
    ],
    "gold_too_large": [10**5_000],
}
BROKEN = [(reason, gold) for reason, golds in BROKEN_GOLDS.items() for gold in golds]


@pytest.mark.parametrize(
    ("reason", "gold"), BROKEN, ids=[f"{r}-{n}" for n, (r, _) in enumerate(BROKEN)]
)
@pytest.mark.parametrize("reply", [r"\boxed{7}", "", "I can't.", "{" * 99, r"\boxed{9^{99999}}"])
def test_a_broken_reference_is_the_grader_s_fault_whatever_the_reply(
    reason: str, gold: Any, reply: str
):
    verdict = VERIFY(reply, gold)
    assert (verdict.status, verdict.reason, verdict.fault) == ("ungraded", reason, "grader")


@pytest.mark.parametrize("gold", ["99999!", "9^{99999}"])
def test_a_reference_above_a_cap_is_equal_to_its_text_and_else_the_grader_s_fault(gold: str):
    assert VERIFY(boxed(gold), gold).is_correct is True
    verdict = VERIFY(boxed(7), gold)
    assert (verdict.reason, verdict.fault) == ("gold_too_large", "grader")


# -- the assignment's names


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (r"So 12 * 13 = 156: \boxed{156}.", "156"),
        ("So the speed is 80 km/h", "80"),
        ("no numbers here", ""),
        (r"He made \boxed{\$9{,}500}.", "9500"),
        (r"\boxed{1}. No: \boxed{2}", "2"),
        ("I cannot solve this after 3 attempts.", ""),
        (r"\boxed{−7}", "-7"),
        (r"\boxed{5 cm^2}", "5"),
        (r"\boxed{45^\circ}", "45"),
        (r"\boxed{2^3}", "2^3"),
        (r"\boxed{\frac{3}{4}}", r"\frac{3}{4}"),
        (r"\boxed{3, 4}", "3, 4"),
    ],
    ids=["box", "sentence", "none", "money", "last_box", "refusal", "minus", "unit", "degrees",
         "power", "fraction", "list"],
)  # fmt: skip
def test_extract_number_shows_what_would_be_graded(text: str, number: str):
    assert extract_number(text) == number


@given(st.decimals(-(10**9), 10**9, places=3, allow_nan=False))
def test_extract_number_gives_back_the_number_in_a_box(value: Any):
    assert extract_number(rf"\boxed{{{value:,}}}") == f"{value:f}"


@given(st.text(alphabet=st.characters(), max_size=200))
def test_extract_number_takes_any_text(text: str):
    assert isinstance(extract_number(text), str)


@pytest.mark.parametrize(
    ("response", "gold", "expected"),
    [
        (r"\boxed{80}", "80.0", 1.0),
        (r"\boxed{81}", "80", -0.1),
        ("I cannot solve this.", "80", -0.1),
        (r"\boxed{80}", "see the figure above", None),
    ],
    ids=["right", "wrong", "refusal", "broken_gold"],
)
def test_the_reward_pays_by_the_verdict(response: str, gold: str, expected: float | None):
    assert MathRewardFunction().compute(response, gold) == expected
