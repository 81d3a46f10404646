"""Folding: many ways to type one character, and nothing that changes a meaning."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.answers.surface import fold

FOLDS = {
    "minus": ("−7", "-7"),
    "full width": ("７８", "78"),
    "thin space groups": (r"1\,234\,567", "1234567"),
    "braced comma groups": ("1{,}234{,}567", "1234567"),
    "space groups": ("1 234 567", "1234567"),
    "underscore groups": ("1_234", "1234"),
    "superscript": ("x²", "x^{2}"),
    "subscript": ("x₁", "x_{1}"),
    "vulgar fraction": ("½", r"\frac{1}{2}"),
    "left and right": (r"\left( 1 \right)", "( 1 )"),
    "display style": (r"\displaystyle 7", "7"),
    "formula marks": (r"\( 7 \)", "7"),
    "dollars around": ("$7$", "7"),
    "money": ("$7", r"\$ 7"),
    "bold": ("**7**", "7"),
    "zero width": ("7\u200b8", "78"),
    "control": ("7\x00\x1b8", "78"),
    "delete": ("7\x7f8", "78"),
    "degrees": (r"30^{\circ}", r"30\degree"),
    "space": ("\u00a0 7 \t\n", "7"),
}
KEPT = ["1,234", "x^2", "1 23", "3 1/2", "(1, 2)", r"\frac{1}{2}", "1,2,3", "a_b", "x'", "12 34"]


@pytest.mark.parametrize(("text", "folded"), FOLDS.values(), ids=FOLDS)
def test_a_form_is_folded(text: str, folded: str):
    assert fold(text) == folded


@pytest.mark.parametrize("text", KEPT)
def test_what_could_mean_something_is_kept(text: str):
    assert fold(text) == text


@given(st.text(alphabet=st.characters(), max_size=200))
def test_folding_leaves_no_control_characters_and_no_spaces_around(text: str):
    folded = fold(text)
    assert folded == " ".join(folded.split())
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in folded)


@given(st.text(alphabet="0123456789.+-/(), xyπ√", max_size=80))
def test_folding_twice_changes_nothing_more(text: str):
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize("unit", [r"\,", "$", "**", "1 234 ", "^{", "\\left", "{,}", "~", "'"])
def test_folding_is_fast_on_a_long_text(unit: str):
    started = time.process_time()
    fold(unit * (4_000 // len(unit)))
    assert time.process_time() - started <= 0.1
