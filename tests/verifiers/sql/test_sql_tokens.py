"""SQL as tokens: statements, depth, and a form in which blanks and comments don't count."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.sql.tokens import canonical, statements, tokenize

PIECES = st.sampled_from(
    ["'", '"', "`", "--", "/*", "*/", "\n", ";", "(", ")", "SELECT", " ", "a", "1", "''", ","]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_tokens_are_the_text_in_order_without_blanks_and_comments(text) -> None:
    end = 0
    for token in tokenize(text):
        assert token.start >= end and text[token.start : token.end] == token.text
        assert token.depth >= 0 and token.text.strip()
        end = token.end


@given(st.lists(PIECES, max_size=40).map("".join))
def test_a_statement_is_itself_and_so_is_its_canonical_form(text) -> None:
    for statement in statements(text):
        assert statements(statement) == [statement]
        assert canonical(canonical(statement)) == canonical(statement)


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("SELECT 1", 1),
        ("SELECT 1;", 1),
        ("SELECT 1; SELECT 2", 2),
        ("SELECT ';'", 1),
        ('SELECT ";"', 1),
        ("SELECT 1 -- ; SELECT 2", 1),
        ("SELECT 1 /* ; */; ;", 1),
        ("SELECT 'it''s; one'", 1),
        (";;", 0),
    ],
)
def test_statements_are_split_where_a_semicolon_is_one(script, count) -> None:
    assert len(statements(script)) == count


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("SELECT a FROM t", "select  a\nfrom t;", True),
        ("SELECT a FROM t", "SELECT a /* all */ FROM t -- t", True),
        ("SELECT 'A'", "SELECT 'a'", False),
        ('SELECT "A"', 'SELECT "a"', False),
        ("SELECT 1", "SELECT 2", False),
    ],
)
def test_case_counts_in_quotes_alone(one, other, is_same) -> None:
    assert (canonical(one) == canonical(other)) is is_same


@pytest.mark.parametrize("piece", ["'", "(", "/*", "--", '"a', "`", "''", "1.", "SELECT ", "e1"])
def test_a_long_text_of_one_kind_takes_linear_time(piece) -> None:
    began = time.process_time()
    tokenize(piece * (100_000 // len(piece)))
    assert time.process_time() - began < 2
