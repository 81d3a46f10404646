"""Where the answer of a response is found."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.extract import extract_answer, find_boxes, visible_answer

PLAIN = st.text(alphabet="abc 123+-=.,$", min_size=1).map(str.strip).filter(bool)

BOXES = {
    "last": (r"\boxed{1} was wrong, so \boxed{2}", "2"),
    "joined by a comma": (r"\boxed{1}, \boxed{2}", "1, 2"),
    "joined by and": (r"$\boxed{1}$ and $\boxed{2}$", "1, 2"),
    "joined by or in text": (r"\boxed{1} \text{ or } \boxed{2}", "1, 2"),
    "three joined": (r"\boxed{1}, \boxed{2}, and \boxed{3}", "1, 2, 3"),
    "joined after another": (r"\boxed{9}. Then \boxed{1}, \boxed{2}", "1, 2"),
    "repeated": (r"\boxed{3} \boxed{3}", "3"),
    "nested": (r"\boxed{\boxed{7}}", "7"),
    "nested with text": (r"\boxed{7 \boxed{8}}", r"7 \boxed{8}"),
    "braces inside": (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
    "escaped braces inside": (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
    "one escaped brace": (r"\boxed{\{1}", r"\{1"),
    "unclosed after one": (r"\boxed{7} and \boxed{8", "7"),
    "empty before one": (r"\boxed{}\boxed{3}", "3"),
    "empty after one": (r"\boxed{3}\boxed{ }", "3"),
    "without braces": (r"So \boxed 7.", "7"),
    "framed": (r"\fbox{7}", "7"),
    "backslash eaten": ("\x08oxed{7} or boxed{7}", "7"),
    "spaced": ("\\boxed {7}", "7"),
    "over lines": ("\\boxed{\n7\n}", "7"),
}


@pytest.mark.parametrize(("text", "answer"), BOXES.values(), ids=BOXES)
def test_the_last_balanced_box_is_the_answer(text: str, answer: str):
    assert extract_answer(text).text == answer
    assert extract_answer(text).how in ("box", "boxes")


NO_BOX = {
    "unclosed": (r"So it is \boxed{7", "unclosed_box"),
    "empty": (r"So it is \boxed{}.", "unclosed_box"),
    "only open": (r"\boxed{" * 3, "unclosed_box"),
}


@pytest.mark.parametrize(("text", "how"), NO_BOX.values(), ids=NO_BOX)
def test_a_box_without_an_answer_is_none(text: str, how: str):
    assert (extract_answer(text).text, extract_answer(text).how) == ("", how)


THOUGHTS = {
    "closed": (r"<think>\boxed{1}</think>\boxed{2}", "2", "box"),
    "unclosed": (r"<think>\boxed{1}", "", "unfinished_thinking"),
    "reopened": (r"<think>1</think>\boxed{2}<think>hm", "", "unfinished_thinking"),
    "never opened": (r"\boxed{1} hm </think> \boxed{2}", "2", "box"),
    "nothing after": (r"<think>\boxed{1}</think>", "", "empty"),
    "only the number after": ("<think>31337</think>7", "7", "statement"),
    "twice": (r"<think>\boxed{1}</think>\boxed{2}<think></think>\boxed{3}", "3", "box"),
    "upper case": (r"<THINK>\boxed{1}</THINK>\boxed{2}", "2", "box"),
    "other name": (r"<reasoning>\boxed{1}", "", "unfinished_thinking"),
    "talked about": (r"Is 3 < 7, thinking of it? \boxed{7}", "7", "box"),
}


@pytest.mark.parametrize(("text", "answer", "how"), THOUGHTS.values(), ids=THOUGHTS)
def test_thought_is_not_the_answer(text: str, answer: str, how: str):
    assert (extract_answer(text).text, extract_answer(text).how) == (answer, how)


TAGS = {
    "short": ("<answer>42</answer>", "42", "answer_tag"),
    "last": ("<answer>1</answer> No: <answer>2</answer>", "2", "answer_tag"),
    "box inside": (r"<answer>\boxed{5}</answer>", "5", "box"),
    "outranks a box": (r"\boxed{4} <answer>5</answer>", "5", "answer_tag"),
    "empty yields to a box": (r"<answer> </answer> \boxed{3}", "3", "box"),
    "sentence": ("<answer>We add.\nSo the total is 42.</answer>", "42", "statement"),
    "equation": ("<answer>x = 5</answer>", "5", "statement"),
    "unclosed": ("<answer>5", "", "no_committed_answer"),
    "in thought": (r"<think><answer>1</answer></think>\boxed{2}", "2", "box"),
}


@pytest.mark.parametrize(("text", "answer", "how"), TAGS.values(), ids=TAGS)
def test_the_last_answer_tag_comes_before_boxes(text: str, answer: str, how: str):
    assert (extract_answer(text).text, extract_answer(text).how) == (answer, how)


def test_hashes_count_only_at_the_start_of_a_line_and_after_boxes():
    assert extract_answer("Work.\n#### 1\n#### 42").text == "42"
    assert extract_answer("Work.\n#### 42").how == "hashes"
    assert extract_answer("\\boxed{7}\n#### 42").text == "7"
    assert extract_answer("Level #### 42 it was not").how != "hashes"


def test_what_follows_the_end_of_a_turn_is_another_s():
    assert extract_answer(r"\boxed{7}<|im_end|><|im_start|>user \boxed{8}").text == "7"
    assert visible_answer("<|im_start|>\\boxed{7}")[0] == "<|im_start|>\\boxed{7}"


@given(PLAIN, PLAIN, PLAIN)
def test_whatever_stands_around_one_box_its_content_is_the_answer(a: str, inside: str, b: str):
    assert extract_answer(rf"{a} \boxed{{{inside}}} {b}").text == inside


@given(st.lists(st.integers(0, 99), min_size=2, max_size=5, unique=True))
def test_joined_boxes_are_one_list_in_order_and_parted_ones_are_not(numbers: list[int]):
    boxes = [rf"\boxed{{{n}}}" for n in numbers]
    assert extract_answer(", ".join(boxes)).text == ", ".join(map(str, numbers))
    assert extract_answer(" then we find ".join(boxes)).text == str(numbers[-1])


@given(st.text(alphabet=r"\boxed{} 7", max_size=80))
def test_boxes_are_balanced_ordered_and_apart(text: str):
    boxes = find_boxes(text)
    for start, inside, end in boxes:
        assert (text[inside - 1], text[end]) == ("{", "}")
        assert start < inside <= end
    assert all(a[2] < b[0] for a, b in pairwise(boxes))


@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_text_has_an_answer_or_a_reason(text: str):
    found = extract_answer(text)
    kinds = {"box", "boxes", "answer_tag", "hashes", "statement"}
    reasons = {"empty", "unfinished_thinking", "refusal", "hedge", "question"}
    reasons |= {"unclosed_box", "no_committed_answer"}
    assert found.how in (kinds if found.text else reasons)
