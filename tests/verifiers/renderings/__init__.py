"""Generated labelled pairs: a drawn value in many equal renderings and in near misses.

Every label is right by construction: equal forms are written from one exact value, near misses
from another value or another object. Forms on which competent graders disagree (a percentage
against a fraction, a rounded decimal, a unit conversion, a decimal comma, a plain space between
thousands, the case of a word) are left out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from renderings.family import Case, Draw, Family
from renderings.measure_forms import MEASURES
from renderings.number_forms import NUMBERS
from renderings.replies import find_all, replies
from renderings.structure_forms import STRUCTURES, TEXTS
from renderings.symbol_forms import EXPRESSIONS, NUMERIC_SYMBOLS

__all__ = ["Case", "cases", "families"]

ROUNDS: tuple[tuple[int, tuple[Draw, ...]], ...] = (
    (11, NUMBERS),
    (9, MEASURES),
    (8, NUMERIC_SYMBOLS),
    (4, EXPRESSIONS),
    (9, STRUCTURES),
    (6, TEXTS),
)
REPLY_ROUNDS = 5

BOXES = (
    "\\boxed{{{form}}}",
    "\\boxed{{{form}}}",
    "So the result is \\boxed{{{form}}}.",
    "Adding 17 and 25, then simplifying, leaves $\\boxed{{{form}}}$.",
    "Therefore,\n\\[\n\\boxed{{{form}}}\n\\]",
    "$$\\boxed{{{form}}}$$",
    "**Final Answer:** \\(\\boxed{{{form}}}\\)",
    "<think>Is it 31337? No.</think>\nThe answer is \\boxed{{{form}}}.",
    "<think>\\boxed{{31337}} forgets a case.</think>\n\n\\boxed{{{form}}}",
    "At first \\boxed{{31337}}, which ignores the sign. Redone: \\boxed{{{form}}}.",
    "\\boxed{{{form}}}\n\nThis took 4 steps and 31337 guesses.",
    "<answer>\\boxed{{{form}}}</answer>",
    "\\boxed {{{form}}}",
    "\\fbox{{{form}}}",
    "\\boxed{{\\boxed{{{form}}}}}",
    "\\boxed{{ {form} }}",
)
PHRASES = (
    "The answer is ${form}$.",
    "Answer: ${form}$",
    "**Answer:** ${form}$",
    "The final answer is ${form}$. I hope it is correct.",
    "Therefore, the answer is \\({form}\\).",
    "#### ${form}$",
    "<answer>${form}$</answer>",
    "Final Answer: \\[{form}\\]",
    "${form}$",
)
BARE_PHRASES = (
    "The answer is {form}.",
    "Answer: {form}",
    "**Answer: {form}**",
    "Therefore, the answer is {form}.",
    "Final Answer: **{form}**",
    "#### {form}",
    "<answer>{form}</answer>",
    "{form}",
)


def cases(seed: int) -> Iterator[Case]:
    """About six thousand labelled pairs; the same ones for the same seed."""
    rng = random.Random(seed)
    for family in families(rng):
        for form in family.equal:
            yield _case(rng, family, form, "equal", "the same value")
        for form, why in family.near:
            yield _case(rng, family, form, "not_equal", why)
    for _ in range(REPLY_ROUNDS):
        yield from replies(rng)
        yield from find_all(rng)


def families(rng: random.Random) -> Iterator[Family]:
    """Drawn values, every generator in turn."""
    for rounds, draws in ROUNDS:
        for _ in range(rounds):
            for draw in draws:
                yield draw(rng)


def _case(rng: random.Random, family: Family, form: str, expected: str, why: str) -> Case:
    """Put one form into a reply, boxed more often than not."""
    template = rng.choice(BOXES)
    if "\\boxed" in form:
        template = rng.choice(BOXES[:4])
    elif family.plain and re.search(r"\d$|\}$", form) and rng.random() < 0.4:
        # "- 7" as a line of its own could be a list item.
        bare = "\\" not in form and not form.startswith("- ")
        template = rng.choice(PHRASES + BARE_PHRASES if bare else PHRASES)
    completion = template.format(form=form)
    return Case(rng.choice(family.golds), completion, expected, family.kind, why)
