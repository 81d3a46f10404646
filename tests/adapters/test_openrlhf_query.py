"""Where a prompt ends and its response begins."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rlvr_course.adapters.openrlhf_query import END_TOKENS, SHORTEST_OVERLAP, split_query

PROMPT = "<|im_start|>user\nWhat is 6 * 7?<|im_end|>\n<|im_start|>assistant\n"
texts = st.text(max_size=60)
plain = texts.filter(lambda s: not s.rstrip("\n").endswith(END_TOKENS))


@given(prompt=texts, response=plain, ends=st.lists(st.sampled_from(END_TOKENS), max_size=3))
def test_the_response_is_what_follows_less_the_end_tokens(prompt, response, ends):
    assert split_query(prompt + response + "".join(ends), prompt) == response


@given(response=plain)
def test_a_leading_token_is_skipped(response):
    assert split_query("<s>" + PROMPT + response + "</s>", PROMPT) == response


@given(response=plain, cut=st.integers(0, len(PROMPT) - SHORTEST_OVERLAP))
def test_a_prompt_cut_on_the_left_is_found_by_its_end(response, cut):
    assert split_query(PROMPT[cut:] + response, PROMPT) == response


@given(prompt=texts, other=texts)
def test_another_prompts_query_is_not_split(prompt, other):
    assume(not other.lstrip("<").startswith(prompt[:1]) and prompt)
    assume(not any(other.startswith(prompt[i:]) for i in range(len(prompt))))
    assume("<" not in other)
    assert split_query(other, prompt) is None


@pytest.mark.parametrize(
    ("query", "response"),
    [
        (PROMPT + "It is 42." + PROMPT, "It is 42." + PROMPT),
        (PROMPT + PROMPT + "42", PROMPT + "42"),
        (PROMPT + "42<|im_end|>\n<|endoftext|>", "42"),
        (PROMPT + "42\n", "42\n"),
        (PROMPT, ""),
    ],
    ids=["parroted at the end", "parroted at once", "two ends", "own newline", "nothing said"],
)
def test_the_border_is_where_the_prompt_ends(query, response):
    assert split_query(query, PROMPT) == response


def test_a_response_that_repeats_its_prompt_moves_no_border():
    assert split_query("unrelated text" + PROMPT + "42", PROMPT) is None


def test_own_end_tokens_are_taken_off_instead():
    assert split_query("p42[END]", "p", ("[END]",)) == "42"
    assert split_query("p42</s>", "p", ("[END]",)) == "42</s>"


def test_a_long_repetitive_query_takes_no_time_to_compare():
    started = time.process_time()
    assert split_query("a" * 300_000 + "b", "c" + "a" * 299_999) is not None
    assert split_query("</s>" * 50_000, "") == ""
    assert time.process_time() - started < 5
