"""Transformations: each keeps its properties, and does what its name says."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.transforms import EMAIL, MASK, NAMES, transform_named

TEXTS = st.text(alphabet="ab B,.@-1\n'é", max_size=40)
IDEMPOTENT = (
    "sort_lines",
    "unique_lines",
    "upper",
    "lower",
    "title",
    "squeeze_spaces",
    "wrap",
    "extract_emails",
    "extract_dates",
    "redact_emails",
)


@given(st.sampled_from(NAMES), TEXTS)
def test_an_output_keeps_the_properties_of_its_transformation(name: str, text: str):
    transform = transform_named(name)
    assert transform.broken(text, transform.apply(text)) == []


@given(st.sampled_from(IDEMPOTENT), TEXTS)
def test_done_twice_is_done_once(name: str, text: str):
    apply = transform_named(name).apply
    assert apply(apply(text)) == apply(text)


@given(TEXTS)
def test_reversing_twice_gives_the_text(text: str):
    apply = transform_named("reverse_lines").apply
    assert apply(apply(text)) == text


@given(st.text(alphabet="ab ", max_size=60), st.integers(8, 20))
def test_wrapping_one_paragraph_is_the_standard_library_s(text: str, width: int):
    words = " ".join(text.split())
    theirs = textwrap.fill(words, width, break_long_words=False, break_on_hyphens=False)
    assert transform_named("wrap", width=width).apply(words) == theirs


@given(TEXTS)
def test_no_address_survives_redaction(text: str):
    output = transform_named("redact_emails").apply(text)
    assert EMAIL.search(output) is None
    assert output.count(MASK) == len(EMAIL.findall(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ann@x.org", ["ann@x.org"]),
        ("<ann.b+c@mail.x.org>.", ["ann.b+c@mail.x.org"]),
        ("a@b, @c.d, e@.f", []),
        ("x@y.org,z@y.org", ["x@y.org", "z@y.org"]),
        ("mailto:ann@x.org?subject", ["ann@x.org"]),
    ],
)
def test_addresses_are_found_as_a_reader_would(text: str, found: list[str]):
    assert EMAIL.findall(text) == found


BREAKS = {
    "sort_lines": ("b\na", "a\nc", "same_lines"),
    "unique_lines": ("a\na\nb", "a\na", "no_repeats"),
    "upper": ("ab", "AC", "same_letters"),
    "squeeze_spaces": ("a  b", "a c", "same_words"),
    "number_lines": ("a\nb", "1. a", "same_length"),
    "extract_dates": ("on 2024-03-05", "2024-03-06", "all_there"),
    "redact_emails": ("to a@b.org", "to a@b.org", "no_email"),
    "wrap": ("one two three", "one\ntwo\nfour", "same_words"),
}


@pytest.mark.parametrize(("name", "case"), BREAKS.items(), ids=BREAKS)
def test_a_broken_property_is_named(name: str, case: tuple[str, str, str]):
    given_text, output, broken = case
    assert broken in transform_named(name).broken(given_text, output)
