"""Linear patterns match what the standard library's do, and no text makes them slow."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.structured.patterns import MAX_PATTERN, LinearPattern

ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "1",
        " ",
        ".",
        "\\d",
        "\\w",
        "\\s",
        "\\D",
        "\\S",
        "\\W",
        "[ab]",
        "[^a]",
        "[0-9a]",
        "-",
        "\\.",
        "[\\d-]",
        "^",
        "$",
        "[a\\]]",
        "\\n",
        "\\x61",
        "\\u0062",
    ]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map("".join)
        | st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})")
        | st.tuples(
            inner, st.sampled_from(["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?"])
        ).map(lambda pair: f"({pair[0]}){pair[1]}")
    ),
    max_leaves=8,
)
TEXTS = st.text(alphabet="ab1 .-\n", max_size=8)


@given(PATTERNS, TEXTS)
def test_it_finds_what_the_standard_library_finds(pattern: str, text: str):
    # In ECMA 262 "$" is the end alone, and "." and "\s" differ on no character of these texts.
    theirs = re.search(pattern.replace("$", "\\Z"), text, re.ASCII)
    assert LinearPattern(pattern).found_in(text) == (theirs is not None)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^\\d{4}-\\d{2}-\\d{2}$", "2024-03-05", True),
        ("^\\d{4}-\\d{2}-\\d{2}$", "2024-03-05\n", False),
        ("^\\d{4}-\\d{2}-\\d{2}$", "٢٠٢٤-٠٣-٠٥", False),
        ("^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "ann.lee@example.org", True),
        ("^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "ann.lee@example", False),
        ("^(?:red|green|blue)$", "green", True),
        ("^(?:red|green|blue)$", "greenish", False),
        ("b", "abc", True),
        ("", "", True),
        ("^$", "", True),
        ("^$", "a", False),
        ("a{,2}", "a{,2}", True),
        ("^é$", "é", True),
    ],
)
def test_usual_patterns_of_schemas(pattern: str, text: str, found: bool):
    assert LinearPattern(pattern).found_in(text) is found


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)b",
        "(?!a)b",
        "(?<=a)b",
        "(a)\\1",
        "\\bword",
        "\\p{L}",
        "(a",
        "a)",
        "[a",
        "a**",
        "*a",
        "a\\",
        "[b-a]",
        "[\\d-z]",
        "a{3,2}",
        "(?P<n>a)",
        "a" * (MAX_PATTERN + 1),
        "(a{99}){99}",
        "(" * 60 + ")" * 60,
    ],
)
def test_what_is_outside_the_grammar_is_refused_in_one_line(pattern: str):
    with pytest.raises(ValueError, match="pattern") as caught:
        LinearPattern(pattern)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "(a|aa)+$", "a*a*a*a*a*b"])
def test_catastrophes_of_backtracking_take_a_moment(pattern: str):
    matcher, started = LinearPattern(pattern), time.process_time()
    assert not matcher.found_in("a" * 50_000 + "!")
    assert time.process_time() - started < 1.0


def test_nothing_repeated_often_is_made_in_a_moment():
    started = time.process_time()
    assert LinearPattern("(?:(?:(?:){9999}){9999}){9999}a").found_in("ba")
    assert time.process_time() - started < 1.0


@given(st.text(max_size=30))
def test_any_text_is_a_pattern_or_refused(pattern: str):
    try:
        matcher = LinearPattern(pattern)
    except ValueError:
        return
    assert matcher.found_in("ab 1\n") in (True, False)
