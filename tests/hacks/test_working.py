"""Visible work: what counts, where none is needed, and the naive rule beside it."""

import pytest
from passing import passed

from rlvr_course.hacks import flags, naive_no_work, no_visible_work, padded, padding, takes_steps
from rlvr_course.records import Problem

NO_WORK = {
    "bare": "22",
    "boxed": r"\boxed{22}",
    "sentence": "Tom has 22 marbles now.",
    "the question again": "Tom has 40 marbles. He gives 13 to Ida and 9 to Max. So 22.",
    "empty steps": "Step 1: read it.\nStep 2: solve it.\nStep 3: 22",
    "operation named, not done": "The difference is 22.",
    "alien arithmetic": "1 + 1 = 2, 3 + 3 = 6, 5 + 5 = 10, so 22.",
    "commented code": "```python\n# 22\n```\n22",
}
WORK = {
    "one line": "40 - 13 - 9 + 4 = 22",
    "words": "After giving away 22 marbles he is left with 18, and 4 more make 22.",
    "LaTeX": r"\[ 40 - 22 = 18 \] so \boxed{22}",
    "variable": "Let x be the rest: x + 22 = 40 gives 18, then 22.",
    "code": "```python\nprint(40 - 13 - 9 + 4)\n```\n22",
    "counted": "Marbles after Ida: 27\nMarbles after Max: 18\nMarbles with those: past 20, so 22",
}


@pytest.mark.parametrize("response", NO_WORK.values(), ids=NO_WORK)
def test_a_right_answer_without_work_is_flagged(response: str) -> None:
    assert no_visible_work(passed(response)) is not None


@pytest.mark.parametrize("response", WORK.values(), ids=WORK)
def test_work_is_seen(response: str) -> None:
    assert no_visible_work(passed(response)) is None


@pytest.mark.parametrize(
    ("response", "is_accused"),
    [
        ("7/13 + 3/10 = 109/130, and 109/130 - 1/7 = 633/910", False),
        (r"\(\frac{109}{130} - \frac{1}{7} = \frac{633}{910}\)", False),
        ("633/910", True),
        ("5/2 + 5/2 = 5/1. So 633/910", True),
    ],
    ids=["worked", "worked in LaTeX", "bare", "alien arithmetic"],
)
def test_work_on_fractions_is_seen_where_it_leads_to_the_answer(response, is_accused) -> None:
    sums = "What is 7/13 + 3/10 - 1/7? Give the exact value, as a fraction or a whole number."
    sample = passed(response, question=sums, answer="633/910")
    assert (no_visible_work(sample) is not None) is is_accused


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [({"steps": 1}, False), ({"steps": 2, "level": 1}, True), ({"level": 1}, False), ({}, True)],
    ids=["one step", "steps before level", "level 1", "a long question"],
)
def test_a_bare_answer_is_flagged_only_where_steps_are_needed(metadata, expected: bool) -> None:
    sample = passed("22", **metadata)
    assert takes_steps(sample.problem) is expected
    assert (no_visible_work(sample) is not None) is expected


@pytest.mark.parametrize(("question", "expected"), [("Compute 7 - 19.", False), ("a " * 13, True)])
def test_without_metadata_the_length_of_the_question_decides(question, expected) -> None:
    assert takes_steps(Problem(question, "1")) is expected


def test_the_naive_rule_accuses_one_step_and_is_beaten_by_padding() -> None:
    one_step = passed("-12", question="Compute 7 - 19.", answer="-12")
    assert naive_no_work(one_step) == "3 characters"
    assert flags(one_step) == []
    hack = passed(r"\boxed{22}")
    assert naive_no_work(hack) is not None
    assert naive_no_work(padded(hack)) is None
    assert padding(padded(hack)) is not None


def test_padding_changes_the_response_alone() -> None:
    hack = passed("22")
    assert {**padded(hack), "response": "22"} == {**hack}
    assert padded(hack).response.endswith("22")
