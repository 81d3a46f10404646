"""A copy in disguise is found, and right answers that are alike for their task's sake are not."""

from __future__ import annotations

import ast
import json
import time

import pytest
from class_of_answers import BOX, ESSAY, VALUE, handed, independent, long_answers, renamed
from handed import CHECKOUT
from hypothesis import given as cases
from hypothesis import settings
from hypothesis import strategies as st

from rlvr_course.grading.records import Grade, Mark, SimilarPair, Submission
from rlvr_course.grading.released import released
from rlvr_course.grading.shingles import code_shingles, words_shingles
from rlvr_course.grading.similarity import similar_pairs, with_sources

OTHERS = [handed(f"honest{n:02}", independent(n) | long_answers(n)) for n in range(60)]


def pairs(*grades: Grade) -> list[SimilarPair]:
    return similar_pairs(grades, notebooks=CHECKOUT.notebooks)


def found(first: str, second: str, question: str = "q01c", others=OTHERS) -> bool:
    """Whether two that answer so stand out in a class of others, and nobody else does."""
    own = [handed("ada", {question: first}), handed("bob", {question: second})]
    return [(p.first, p.second, p.where) for p in pairs(*others, *own)] == [
        ("ada", "bob", question)
    ]


def test_sixty_who_wrote_on_their_own_are_left_alone() -> None:
    assert pairs(*OTHERS) == []


DISGUISES = {
    "none": lambda source: source,
    "other names": renamed,
    "other comments": lambda source: source.replace("# from the brace on", "# walk along"),
    "no comments": lambda source: ast.unparse(ast.parse(source)),
    "another docstring": lambda source: source.replace("Content of the last box.", "My own."),
    "mirrored comparison": lambda source: source.replace("place >= 0", "0 <= place"),
    "annotations": lambda source: source.replace("(text):", "(text: str) -> str:"),
    "a line more": lambda source: source.replace("    level = 0", "    level = 0\n        k = 1"),
    "a line fewer": lambda source: source.replace(
        "inside = text[place + 6:]\n                return inside", "return text[place + 6:]"
    ),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_copy_in_disguise_is_found(disguise: str) -> None:
    assert found(BOX, DISGUISES[disguise](BOX))


def test_a_copy_with_its_functions_in_another_order_is_found() -> None:
    first, second = BOX + "\n\n" + VALUE, renamed(VALUE) + "\n\n" + renamed(BOX)
    assert found(first, second)


def test_two_ways_of_doing_it_are_not_alike() -> None:
    assert not found(BOX, long_answers(0)["q01c"])


def test_a_small_class_is_compared_too() -> None:
    own = [handed("ada", {"q01c": BOX + VALUE}), handed("bob", {"q01c": renamed(BOX + VALUE)})]
    assert [p.similarity for p in pairs(*own)] == [1.0]


def test_a_copied_essay_with_other_marks_is_found() -> None:
    rewrapped = ESSAY.replace(", ", " - ").replace("A museum", "A  *museum*").upper()
    essays = [handed(f"h{n}", {"Q1": f"essay {n}: " + " ".join(
        f"word{n * 37 + k}" for k in range(60))}) for n in range(20)]  # fmt: skip
    assert found(ESSAY, rewrapped, "Q1", essays)


def test_what_was_handed_out_and_the_solution_count_for_nothing() -> None:
    own = [(CHECKOUT.solutions / "01_verifiers.ipynb"), (CHECKOUT.notebooks / "01_verifiers.ipynb")]
    texts = []
    for path in own:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts.append("\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code"))
    assert len(code_shingles(texts[0])) > 200
    for cell in released("01_verifiers", CHECKOUT.solutions).graded:
        question, text = cell.grade_id, cell.source
        two = [handed(who, {question: text}, "01_verifiers") for who in ("ada", "bob")]
        assert pairs(*two) == []


def test_a_pair_shows_both_texts_and_what_is_usual() -> None:
    own = [handed("ada", {"q01c": BOX}), handed("bob", {"q01c": renamed(BOX)})]
    [pair] = pairs(*OTHERS, *own)
    assert [(m.question, m.first, m.second) for m in pair.matches] == [("q01c", BOX, renamed(BOX))]
    assert pair.similarity == 1.0
    assert pair.usual is not None and pair.usual < 0.6


def test_one_learner_is_not_compared_with_itself() -> None:
    assert pairs(*OTHERS, handed("ada", {"q01c": BOX}), handed("ada", {"q01c": BOX})) == []


def test_a_class_of_sixty_takes_less_than_five_seconds() -> None:
    begun = time.process_time()
    pairs(*OTHERS)
    assert time.process_time() - begun < 5


def test_what_most_of_a_class_shares_counts_little() -> None:
    everybody = [handed(f"h{n}", {"q01c": renamed(BOX, n)}) for n in range(60)]
    assert pairs(*everybody) == []


NAMES = st.permutations(["alpha", "beta", "gamma", "delta", "eps", "zeta", "eta"])
TEMPLATE = """
from math import comb as {0}
def {1}({2}, *{3}, key=None):
    {4} = [{5} for {5} in {2} if {5} is not None]
    for {6}, {5} in enumerate({4}):
        try:
            {4}[{6}] = {0}({5}, 2) if {6} > 0 else {5}.real
        except ValueError as {2}:
            raise TypeError("{{}}") from {2}
    with open({3}[0]) as {5}:
        ({4} := (lambda {6}: {6} + 1)({4}))
    return {4}
"""


@cases(NAMES, NAMES)
def test_the_pieces_of_code_do_not_depend_on_its_names(first, second) -> None:
    assert code_shingles(TEMPLATE.format(*first)) == code_shingles(TEMPLATE.format(*second))


@settings(max_examples=30)
@cases(st.lists(st.integers(0, 59), min_size=2, max_size=9, unique=True), st.integers(0, 99))
def test_likeness_depends_on_neither_order_nor_names(picked, seed) -> None:
    answer = BOX + VALUE
    own = [handed("ada", {"q01c": answer}), handed("bob", {"q01c": renamed(answer, seed)})]
    some = [*(OTHERS[n] for n in picked), *own]
    assert pairs(*some) == pairs(*reversed(some))
    assert ("ada", "bob", 1.0) in [(p.first, p.second, p.similarity) for p in pairs(*some)]


@cases(st.text(max_size=200))
def test_any_text_has_pieces_or_none(text: str) -> None:
    assert code_shingles(text) is not None and words_shingles(text) is not None


@pytest.mark.parametrize("text", ["-" * 20000 + "1", "1+" * 9999 + "1", "[" * 9000, "\0", "%%bash"])
def test_code_that_nobody_would_write_is_read_all_the_same(text: str) -> None:
    assert len(code_shingles(text)) < 10


def test_code_in_cells_of_the_learners_own_counts_for_the_next_exercise() -> None:
    release = released("01_verifiers", CHECKOUT.notebooks)
    cells = [
        {"id": cell.id, "cell_type": cell.cell_type, "source": cell.source, "metadata": {}}
        for cell in release.cells
    ]
    at = next(i for i, cell in enumerate(release.cells) if cell.grade_id == "q01d")
    own = {"id": "own", "cell_type": "code", "source": "helper = 1", "metadata": {}}
    submission = Submission(
        "ada", CHECKOUT.root, "01_verifiers", {"cells": [*cells[:at], own, *cells[at:]]}
    )
    marks = [Mark(cell.grade_id, "open", 0, 1) for cell in release.graded]
    sources = {mark.question: mark.source for mark in with_sources(marks, submission, release)}
    assert sources["q01d"] == "helper = 1\n\n" + release.cells[at].source
    assert "MODE" not in sources["q01a"] and sources["Q1"] == ""
