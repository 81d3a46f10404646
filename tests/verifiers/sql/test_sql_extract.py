"""The one query in a reply; the labelled cases of the kind "form" hold most of them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import load_rollouts
from rlvr_course.verifiers.sql.candidates import HONEST
from rlvr_course.verifiers.sql.extract import MAX_CHARACTERS, find_query
from rlvr_course.verifiers.sql.tokens import canonical

GOLD = "SELECT name, 'a;b' FROM member WHERE joined > 2020 ORDER BY name"
PIECES = ("```", "~~~", "sql", "\n", "SELECT 1", ";", "`", "<think>", "</think>", " ", "'", "--")


@pytest.mark.parametrize("kind", HONEST)
def test_every_wrapping_holds_the_query(kind) -> None:
    assert canonical(find_query(HONEST[kind](GOLD)).query) == canonical(GOLD)


@pytest.mark.parametrize("rollout", load_rollouts("sql"), ids=lambda r: r.problem_id)
def test_every_recorded_reply_holds_one_query(rollout) -> None:
    found = find_query(rollout.completion.text)
    assert found.reason == "" and found.query.upper().startswith("SELECT")
    assert "`" not in found.query and ";" not in found.query


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_a_query_or_a_reason_and_never_both(response) -> None:
    found = find_query(response)
    assert bool(found.query) != bool(found.reason)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text) -> None:
    assert find_query(text) == find_query(text)


def test_a_query_with_backticks_and_brackets_is_whole() -> None:
    query = "SELECT `name`, [city] FROM `member`"
    assert find_query(f"```sql\n{query}\n```").query == query


@pytest.mark.parametrize(
    "piece",
    [
        *("```", "```sql\n", "<think>", "`a`", "SELECT ", "\nSELECT 1;", "with a as ("),
        *("/*", "/* */", "(", "-- \n"),
    ],
)
def test_a_long_reply_of_one_kind_takes_seconds_at_most(piece) -> None:
    began = time.process_time()
    find_query(piece * (MAX_CHARACTERS // len(piece)))
    assert time.process_time() - began < 3


def test_a_longer_reply_is_not_read() -> None:
    assert find_query("SELECT 1" + " " * MAX_CHARACTERS).reason == "response_too_long"
