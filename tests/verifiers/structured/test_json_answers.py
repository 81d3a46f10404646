"""Finding the one JSON answer: in a block, in prose, after a thought; never among several."""

from __future__ import annotations

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.structured.answers import find_json, split_fences, tagged

OBJECTS = st.dictionaries(
    st.text(max_size=4), st.integers() | st.text(max_size=8) | st.none(), min_size=1, max_size=3
)
WRAPPINGS = {
    "bare": "{}",
    "block": "```json\n{}\n```",
    "untagged": "```\n{}\n```",
    "prose": "Here it is:\n{}\nDone.",
    "thought": "<think>[1]? no</think>{}",
    "tag": "<answer>{}</answer>",
    "one line": "```json {} ```",
}


@given(OBJECTS, st.sampled_from([w for name, w in WRAPPINGS.items() if name != "one line"]))
def test_an_object_is_found_in_every_wrapping(value, wrapping: str):
    text = json.dumps(value)  # escapes every character that a fence or a tag could use, but these:
    if not any(mark in text for mark in ("<", "`", "~")):
        assert find_json(wrapping.replace("{}", text)).value == value


def test_a_text_value_may_hold_a_fence_when_the_object_stands_alone():
    value = {"code": "```\n<think>~~x~~</answer>"}
    assert find_json(json.dumps(value)).value == value


@given(OBJECTS, OBJECTS, st.sampled_from(["{a}\n{b}", "```json\n{a}\n```\n```json\n{b}\n```"]))
def test_two_objects_are_an_answer_only_if_they_are_one(one, other, shape: str):
    first, second = json.dumps(one), json.dumps(other)
    if any(mark in first + second for mark in ("<", "`", "~")):
        return
    found = find_json(shape.replace("{a}", first).replace("{b}", second))
    assert found.reason == ("" if one == other else "ambiguous")


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ("", "empty"),
        ("no JSON here", "no_json"),
        ("<think>{}", "unfinished_thinking"),
        ('{"a": 1} or {"a": 2}', "ambiguous"),
        ('Perhaps {"a": 1}', "hedge"),
        ('{"a": 1} is incorrect', "hedge"),
        ('```json\n{"a": 1\n```', "not_json"),
        ('```json\n{"a": 1\n```\n```json\n{"a": 1}\n```', "not_json"),
        ('{"a": 1, "a": 1}', "repeated_name"),
        ('It is {"a": NaN}', "not_a_number"),
        ('{"wrong": {"a": 1}', "no_json"),
        ('{"wrong": [{"a": 1}, oops', "no_json"),
    ],
)
def test_no_answer_has_its_reason(response: str, reason: str):
    found = find_json(response)
    assert (found.value, found.reason) == (None, reason)


def test_blocks_and_prose_are_told_apart():
    prose, blocks = split_fences("a\n```json\n{}\n```\nb\n~~~\nc\n~~~\n")
    assert prose == "a\nb\n"
    assert [(b.tag, b.content) for b in blocks] == [("json", "{}\n"), ("", "c\n")]


def test_a_fence_of_four_marks_holds_one_of_three():
    assert split_fences("````\n```\na\n```\n````")[1][0].content == "```\na\n```\n"


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("a <answer>b</answer> c", "b"),
        ("<answer>a</answer><answer>b</answer>", "b"),
        ("<answer>unclosed", "<answer>unclosed"),
        ("closed</answer>", "closed</answer>"),
    ],
)
def test_the_last_pair_of_tags_counts(text: str, inside: str):
    assert tagged(text) == inside


@given(st.text(max_size=200))
def test_any_text_gives_a_value_or_a_reason(text: str):
    found = find_json(text)
    assert found.reason or found.text


UNITS = [
    '{"a":',
    "[1,",
    "{",
    "[",
    '{"',
    '{"\\"',
    "```json\n",
    "```\n{}\n",
    "<answer>",
    "</answer>",
    "{} ",
    '{"a": 1} ',
    "[1] ",
    '"',
    "\\",
    "~~~",
    '{"a": "',
    "<think>",
    "</think>",
    "\n",
    "not ",
    "~~x~~",
    "[{}",
    '{"a": [',
    "maybe {} ",
]


def cost_s(text: str) -> float:
    started = time.process_time()
    find_json(text)
    return time.process_time() - started


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_length_costs_at_most_two_and_a_half_times_the_time(unit: str):
    single, double = ("so " + unit * (size // len(unit)) for size in (45_000, 90_000))
    least, most = math.inf, math.inf
    for attempt in range(12):  # the least of several, since noise only adds
        least, most = min(least, cost_s(single)), min(most, cost_s(double))
        if attempt >= 2 and most <= max(0.03, 2.5 * least):
            break
    assert most <= max(0.03, 2.5 * least)
