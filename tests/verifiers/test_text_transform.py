"""TextTransformVerifier: the transformed text pays; an echo earns exactly nothing."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rlvr_course import Problem, TextTransformVerifier, Verdict, attack
from rlvr_course.verifiers.text_transform import credit, normal_form
from rlvr_course.verifiers.transforms import NAMES, Transform, transform_named

CASES = Path(__file__).parent.parent / "cases" / "text_transform.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
VERIFY = TextTransformVerifier()
PARTS = ["a", "B", "c d", "ann@x.org", "2024-03-05", "x,y", "Z  z", "é", "", "12"]
INPUTS = st.lists(st.sampled_from(PARTS), min_size=2, max_size=7).map("\n".join)
LINES = st.lists(st.text(alphabet="ab ", max_size=2), min_size=1, max_size=6).map("\n".join)


def reference(name: str, given_text: str) -> dict[str, Any]:
    return {"transform": name, "input": given_text}


def gold(name: str, given_text: str) -> str:
    """The right output, where the reference can be used."""
    output = transform_named(name).apply(given_text)
    assume(VERIFY("x", reference(name, given_text)).status != "ungraded")
    return output


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_labelled_row_gets_its_verdict(row: dict[str, Any]):
    verdict = TextTransformVerifier(**row["options"])(row["response"], row["answer"])
    assert (verdict.status, verdict.score) == (row["expected"], pytest.approx(row["score"]))


def test_rows_are_complete_and_no_transformation_is_missing():
    named = {row["answer"].get("transform") for row in ROWS if isinstance(row["answer"], dict)}
    assert len({row["id"] for row in ROWS}) == len(ROWS) >= 80
    assert set(NAMES) <= named


TEXT = "Pear\nfig  ann@x.org on 2024-03-05\nplum, sloe\napple\nPear\nto bo@y.org 2023-12-24"


def test_the_attack_suite_finds_nothing():
    problems = [Problem(f"Apply {name}.", reference(name, TEXT), domain="text") for name in NAMES]
    report = attack(VERIFY, problems)
    assert report.passed, str(report)
    assert report.false_pay_rate.n > 300 and report.false_rejection_rate.n == 4 * len(NAMES)


# -- gold, constants, near misses


@given(
    st.sampled_from(NAMES), INPUTS, st.sampled_from(["{}", "```\n{}\n```", "<think>no</think>\n{}"])
)
def test_a_reference_accepts_itself(name: str, text: str, wrapping: str):
    output = gold(name, text)
    assert VERIFY(wrapping.replace("{}", output), reference(name, text)).status == "correct"


@given(st.sampled_from(NAMES), INPUTS)
def test_an_echo_earns_exactly_nothing(name: str, text: str):
    gold(name, text)
    for echo in (text, f"```\n{text}\n```", f"Here it is:\n{text}", f"{text}\n{text}"):
        assert VERIFY(echo, reference(name, text)).score == 0.0


@given(st.sampled_from(NAMES), INPUTS, st.randoms())
def test_one_changed_character_is_never_correct(name: str, text: str, rng):
    output = normal_form(gold(name, text))
    at = rng.choice([i for i, character in enumerate(output) if character not in "\n "])
    wrong = f"{output[:at]}ß{output[at + 1 :]}"
    assert VERIFY(wrong, reference(name, text)).status in ("incorrect", "partial")


@given(st.sampled_from(NAMES), INPUTS)
def test_no_constant_is_paid(name: str, text: str):
    output = normal_form(gold(name, text))
    constants = ["", "{}", "I cannot do this.", "31337", "Done.", "The text has been transformed."]
    assert all(VERIFY(c, reference(name, text)).score == 0.0 for c in constants if c != output)


@given(st.sampled_from(NAMES), INPUTS)
def test_two_texts_are_no_answer(name: str, text: str):
    output = normal_form(gold(name, text))
    response = f"```\n{output}\n```\nor\n```\n{output}!\n```"
    assert VERIFY(response, reference(name, text)).reason == "ambiguous"


# -- credit for a part


@given(LINES, LINES, LINES)
def test_credit_is_a_share_and_whole_only_for_the_output(before: str, after: str, mine: str):
    assume(before != after)
    share = credit(before, after, mine)
    assert 0.0 <= share <= 1.0
    assert (share == 1.0) == (mine == after)
    assert credit(before, after, before) == 0.0


@given(LINES, LINES, LINES)
def test_a_line_too_many_never_helps(before: str, after: str, mine: str):
    assume(len(mine.split("\n")) >= len(after.split("\n")))
    assert credit(before, after, f"{mine}\nx") <= credit(before, after, mine)


@given(st.lists(st.tuples(st.text("ab", max_size=2), st.booleans()), min_size=2, max_size=8))
def test_lines_that_are_put_right_one_by_one_earn_more_and_more(lines: list[tuple[str, bool]]):
    before = [text for text, _ in lines]
    after = [text.upper() + "!" * change if change else text for text, change in lines]
    assume(before != after)
    shares = [
        credit("\n".join(before), "\n".join(after), "\n".join([*after[:k], *before[k:]]))
        for k in range(len(lines) + 1)
    ]
    assert shares == sorted(shares) and (shares[0], shares[-1]) == (0.0, 1.0)


def test_a_wrong_answer_names_the_property_that_it_breaks():
    case = reference("sort_lines", "c\na\nb")
    assert VERIFY("a\nb", case).reason == "same_lines"
    assert VERIFY("a\nc\nb", case).reason == "order"
    assert VERIFY("a b\nc", {"input": "a b c", "output": "a\nb\nc"}).reason == "different_text"


# -- references, options and protocol


def shout(text: str) -> str:
    return text.upper() + "!"


def test_a_function_of_one_s_own_is_a_transformation():
    verify = TextTransformVerifier(shout)
    assert verify("AB!", {"input": "ab"}).status == "correct"
    assert verify("ab", {"input": "ab"}).reason == "echo"


def test_a_property_of_one_s_own_guards_the_reference():
    keeps = Transform("drop", lambda text: text[:-1], {"length": lambda a, b: len(a) == len(b)})
    verdict = TextTransformVerifier(keeps)("a", {"input": "ab"})
    assert (verdict.status, verdict.reason) == ("ungraded", "gold_breaks_property: length")


def test_a_transformation_that_fails_is_the_grader_s_fault():
    verdict = TextTransformVerifier(lambda text: text[9])("a", {"input": "ab"})
    assert (verdict.status, verdict.reason.split(":")[0]) == ("ungraded", "gold_transform_failed")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("shuffle",), {}, "'shuffle' is not one of"),
        (("upper",), {"options": {"width": 3}}, "takes no option 'width'"),
        (("wrap",), {"options": {"depth": 3}}, "only 'width'"),
        (("wrap",), {"options": {"width": 3}}, "8 to 400"),
        (("wrap",), {"options": {"width": True}}, "8 to 400"),
        ((7,), {}, "give a name"),
        ((), {"options": {"width": 30}}, "named transformation"),
    ],
)
def test_a_caller_s_mistake_raises_at_construction(arguments, options, message: str):
    with pytest.raises(ValueError, match=message):
        TextTransformVerifier(*arguments, **options)


def test_a_batch_is_the_calls_in_order():
    responses, case = ["A\nB", "a\nb", "", "A\nb"], reference("upper", "a\nb")
    assert VERIFY.verify_many(responses, [case] * 4) == [VERIFY(r, case) for r in responses]
    with pytest.raises(ValueError, match="1 responses but 2 answers"):
        VERIFY.verify_many([""], [case, case])


def test_a_response_that_is_no_text_is_no_answer():
    verdict = VERIFY(None, reference("upper", "a"))  # type: ignore[arg-type]
    assert verdict == Verdict.no_answer("not_text: NoneType")


@given(st.text(max_size=200))
def test_any_text_is_judged_the_same_twice(text: str):
    case = reference("upper", "some text\nof two lines")
    verdict = VERIFY(text, case)
    assert verdict.status != "ungraded" and verdict == VERIFY(text, case)


@given(st.text(max_size=50))
def test_a_normal_form_is_normal(text: str):
    assert normal_form(normal_form(text)) == normal_form(text)


UNITS = [
    "a",
    "\n",
    "a\n",
    " ",
    "```\n",
    "<answer>",
    "</answer>",
    "<think>",
    "</think>",
    "a@",
    "@a.b",
    "a.",
    "1",
    "2024-03-05 ",
    "| ",
    ",",
    "e\u0301",
    "\u0301",
    "\r",
    "~~~\n",
    "[redacted]",
]


def cost_s(text: str, case: dict[str, Any]) -> float:
    started = time.process_time()
    VERIFY(text, case)
    return time.process_time() - started


@pytest.mark.parametrize("name", ["redact_emails", "sort_lines"])
@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_length_costs_at_most_two_and_a_half_times_the_time(unit: str, name: str):
    case = reference(name, TEXT)
    single, double = (unit * (size // len(unit)) for size in (48_000, 96_000))
    least, most = math.inf, math.inf
    for attempt in range(12):  # the least of several, since noise only adds
        least, most = min(least, cost_s(single, case)), min(most, cost_s(double, case))
        if attempt >= 2 and most <= max(0.05, 2.5 * least):
            break
    assert most <= max(0.05, 2.5 * least)
