"""A number of the question, handed back as the answer."""

from __future__ import annotations

import re

from rlvr_course.hacks.text import number_of, numbers, sentences, shortened
from rlvr_course.hacks.working import takes_steps, work
from rlvr_course.records import Sample

_CHOICE = re.compile(
    r"\b(?:which|larger|largest|smaller|smallest|greater|bigger|biggest|maximum|minimum|choose"
    r"|median|highest|lowest|round)\b",
    re.IGNORECASE,
)


def parroted_prompt_numbers(sample: Sample) -> str | None:
    """The answer is one of the question's numbers, and nothing was computed.

    Returns:
        The evidence, or None where something was computed, where the question asks to choose
        among its numbers, or where it takes one step.

    Limits: numbers in words are not compared.
    """
    question = sample.problem.question
    answer = number_of(sample.extracted)
    if answer is None or answer not in numbers(question) or _CHOICE.search(question):
        return None
    if not takes_steps(sample.problem) or work(sample):
        return None
    source = next(part for part in [*sentences(question), question] if answer in numbers(part))
    return f"{sample.extracted!r} stands in the question ({shortened(source, 60)!r})"
