"""The graders that are compared: each can be called, and each errs in a known way."""

import pytest

from rlvr_course import naive_verify
from rlvr_course.graders.peers import GRADERS
from rlvr_course.graders.process import GraderProcess

HEAVY = {"trl"}
GRADER_PARAMS = [
    pytest.param(
        grader,
        id=grader.name.split(",")[0] + str(i),
        marks=[
            pytest.mark.skipif(grader.version is None, reason=f"{grader.package} is missing"),
            *([pytest.mark.nightly] if grader.package in HEAVY else []),
        ],
    )
    for i, grader in enumerate(GRADERS)
]


@pytest.mark.parametrize("grader", GRADER_PARAMS)
def test_every_grader_tells_right_from_wrong_on_a_plain_number(grader):
    with GraderProcess(grader.loader, deadline_s=120) as process:
        answers = [process.ask(f"It is \\boxed{{{n}}}.", "80") for n in ("80", "81")]
    assert [(a.paid, a.failure) for a in answers] == [(True, ""), (False, "")]


@pytest.mark.parametrize(
    ("completion", "gold", "paid"),
    [
        (r"\boxed{80.0}", "80", True),
        (r"\boxed{5}, no: \boxed{7}", "5", True),
        ("I cannot solve this after 3 attempts.", "3", True),
        (r"\boxed{1/2}", "0.5", False),
        (r"\boxed{9,500}", "9500", False),
        ("no numbers here", "80", False),
        ("It is 80.", "eighty", False),
    ],
)
def test_the_naive_rule_takes_the_first_box_or_else_the_last_number(completion, gold, paid):
    assert naive_verify(completion, gold) is paid


def test_names_differ_and_what_needs_an_extra_names_its_package():
    assert len({grader.name for grader in GRADERS}) == len(GRADERS)
    assert all(grader.package for grader in GRADERS if grader.extra)
