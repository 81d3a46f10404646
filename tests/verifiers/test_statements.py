"""What the last statement of a response commits to, and what commits to nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import MathVerifier
from rlvr_course.verifiers.clauses import is_value, stated_value, value_prefix
from rlvr_course.verifiers.statements import committed_statement

COMMITTED = {
    "phrase": ("The answer is 7.", "7"),
    "label": ("**Final Answer:** 7", "7"),
    "label and thanks": ("Answer: 7. Thank you!", "7"),
    "bare": ("156", "156"),
    "bare with a unit": ("3200 meters", "3200 meters"),
    "bare pair": ("(4, -1)", "(4, -1)"),
    "equality": ("12 * 13 = 156", "156"),
    "chain of equalities": ("x = 3 + 4 = 7", "7"),
    "before approximately": (r"x = \sqrt{2} ≈ 1.414", r"\sqrt{2}"),
    "sentence": ("So the speed is 80 km/h", "80 km/h"),
    "because": ("Therefore, x = 7 because 3 + 4 = 7.", "7"),
    "is the answer": ("25 is the answer.", "25"),
    "after a denial": ("It is not 8. The answer is 7.", "7"),
    "before a check": ("The answer is 7.\nLet's verify: 3 + 4 = 7.", "7"),
    "before code": ("The answer is 7.\n```python\nprint(8)\n```", "7"),
    "displayed": (r"So \[ x = 7 \]", "7"),
    "announced and displayed": ("The answer is:\n\\[ 7 \\]", "7"),
    "last aligned line": (r"\begin{align} x &= 3 + 4 \\ &= 7 \end{align}", "7"),
    "divided": ("Divide by 4: x = 5", "5"),
    "either root": ("x = 4 or x = -3", "x = 4 or x = -3"),
    "emphasis": ("**7**", "7"),
}


@pytest.mark.parametrize(("text", "value"), COMMITTED.values(), ids=COMMITTED)
def test_a_last_statement_commits_to_its_value(text: str, value: str):
    assert committed_statement(text).text == value


NOTHING = {
    "refusal": {
        "cannot": "I cannot solve this after 7 attempts.",
        "sorry": "Sorry, it may be 7.",
        "curly apostrophe": "I can’t tell whether it is 7.",
        "undetermined": "It cannot be determined; perhaps 7.",
    },
    "hedge": {
        "could": "It could be 7 or 8.",
        "think": "I think it is probably 7.",
        "either": "The answer is either 7 or 8.",
        "doubt after a label": "Answer: 7. Wait, no.",
    },
    "question": {"asked": "Is the answer 7?", "echo": "What is 12 * 13?"},
    "no_committed_answer": {
        "denied": "The answer is not 7.",
        "denied by all": "Nobody says that it is 7.",
        "retracted": "The answer is 7, but that is wrong.",
        "called wrong": "7 was wrong.",
        "supposed": "Suppose the answer is 7.",
        "conditional": "If x = 7, it works.",
        "planned": "Now we need to find 7.",
        "instructed": "Divide 14 by 2.",
        "echoed task": "Find the product of 12 and 13.",
        "goes on": "The total is 7 more than 5.",
        "cut at an equals sign": "12 * 13 =",
        "cut before the value": "Therefore, the real solutions are",
        "cut at a list item": "1. Add 3.\n2. Add 4.\n3.",
        "code only": "```python\nprint(7)\n```",
        "said by another": "Someone said it is 7.",
        "no value": "We are done.",
    },
}
ROWS = [(reason, name, text) for reason, rows in NOTHING.items() for name, text in rows.items()]


@pytest.mark.parametrize(
    ("reason", "text"), [(r, t) for r, _, t in ROWS], ids=[f"{r}: {n}" for r, n, _ in ROWS]
)
def test_a_last_statement_that_commits_to_nothing_says_why(reason: str, text: str):
    found = committed_statement(text)
    assert (found.text, found.reason) == ("", reason)


SERIES = {
    "of one variable": ("x = 5\nx = -2", "5, -2", True),
    "of one variable, another value": ("x = 5\nx = -2", "5, 2", False),
    "of two variables": ("So:\nx = 3\ny = 4", "(3, 4)", True),
    "of two variables, swapped": ("So:\nx = 3\ny = 4", "(4, 3)", False),
    "the first alone": ("x = 5\nx = -2", "5", False),
}


@pytest.mark.parametrize(("text", "gold", "right"), SERIES.values(), ids=SERIES)
def test_assignments_on_the_last_lines_are_one_answer_of_several_values(
    text: str, gold: str, right: bool
):
    assert MathVerifier()(text, gold).is_correct is right


def test_an_equation_is_another_reading_of_what_a_statement_says():
    found = committed_statement("So the circle is x^2 + y^2 = 4.")
    assert (found.text, found.whole) == ("4", "x^2 + y^2 = 4")
    assert MathVerifier()("So the circle is x^2 + y^2 = 4.", "x^2 + y^2 = 4").is_correct is True
    assert MathVerifier()("So the circle is x^2 + y^2 = 5.", "x^2 + y^2 = 4").is_correct is False


@given(st.integers(-(10**9), 10**9), st.sampled_from(["The answer is {}.", "So x = {}", "{}"]))
def test_any_integer_that_is_stated_is_found(value: int, form: str):
    assert committed_statement(form.format(value)).text == str(value)


@given(
    st.integers(0, 10**6),
    st.sampled_from(["not {}", "{}?", "less than {}", "{} -", "{} + ", "{} *", "{}/", "{} or so"]),
)
def test_no_integer_is_paid_where_it_is_not_stated(value: int, form: str):
    reply = "The answer is " + form.format(value)
    assert MathVerifier()(reply, str(value)).is_correct is False


@given(st.text(max_size=200))
def test_any_text_has_a_statement_or_a_reason(text: str):
    found = committed_statement(text)
    assert bool(found.text) == (found.reason == "statement")


def test_a_value_ends_where_prose_begins():
    assert value_prefix("80 km/h at the end") == "80 km/h"
    assert value_prefix("7 + 1 more") is None or is_value("7 + 1")
    assert value_prefix("many apples") is None
    assert stated_value("He pays $5 for 3 apples.") == "$5"
