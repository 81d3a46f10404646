"""Fractions: sums, products, quotients, mixed numbers, parts of a number, order, lowest terms.

The dial sets how large denominators are (5 to 40) and how many fractions there are (2 to 4).
Every fraction is proper and in lowest terms, unless its topic says otherwise; no answer is 0 or
negative.

A verifier that compares values can't see lowest terms: "write 18/24 in lowest terms" would pay
for an echo of 18/24. So that topic asks for one part of the reduced fraction, a whole number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from rlvr_course.problems.generators.drafts import Dial, Draft, series

_FORM = "Give the exact value, as a fraction or a whole number."


def draft_fractions(dial: Dial) -> Draft:
    """Draw a topic, then its fractions."""
    return dial.rng.choice(_TOPICS)(dial)


def _add(dial: Dial) -> Draft:
    terms = [_proper(dial) for _ in range(dial.steps(2, 4))]
    return _draft("add", f"What is {_joined(terms, ' + ')}?", sum(terms), terms)


def _subtract(dial: Dial) -> Draft:
    """A sum less its smallest term, so that something is left."""
    *terms, least = sorted(_unequal(dial, dial.steps(2, 4)), reverse=True)
    question = f"What is {_joined(terms, ' + ')} - {least}?"
    return _draft("subtract", question, sum(terms) - least, [*terms, least])


def _multiply(dial: Dial) -> Draft:
    factors = [_proper(dial) for _ in range(dial.steps(2, 4))]
    return _draft("multiply", f"What is {_joined(factors, ' * ')}?", math.prod(factors), factors)


def _divide(dial: Dial) -> Draft:
    # "a, b and c divided by d" has one value, whichever of them is divided.
    *factors, divisor = [_proper(dial) for _ in range(dial.steps(2, 4))]
    product = [str(factor) for factor in factors]
    dividend = product[0] if len(product) == 1 else f"the product of {series(product)}"
    question = f"What is {dividend} divided by {divisor}?"
    return _draft("divide", question, math.prod(factors) / divisor, [*factors, divisor])


def _mixed(dial: Dial) -> Draft:
    larger, smaller = sorted(
        ((dial.whole(1, 5, 40), _proper(dial)) for _ in range(2)), key=sum, reverse=True
    )
    sign = dial.rng.choice("+-") if sum(larger) > sum(smaller) else "+"
    value = sum(larger) + (sum(smaller) if sign == "+" else -sum(smaller))
    texts = [f"{whole} {part}" for whole, part in (larger, smaller)]
    question = f"With mixed numbers, what is {texts[0]} {sign} {texts[1]}?"
    return Draft("mixed", f"{question} {_FORM}", str(value), 1, {"terms": texts, "sign": sign})


def _part_of_number(dial: Dial) -> Draft:
    parts = [_proper(dial) for _ in range(dial.steps(2, 4) - 1)]
    number = dial.whole(3, 20, 300)
    if dial.difficulty < 0.5:
        number *= math.prod(part.denominator for part in parts)
    question = f"What is {_joined(parts, ' of ')} of {number}?"
    terms = [*parts, Fraction(number)]
    return _draft("part_of_number", question, math.prod(terms), terms)


def _lowest_terms(dial: Dial) -> Draft:
    reduced, factor = _proper(dial), dial.whole(2, 6, 40)
    numerator, denominator = reduced.numerator * factor, reduced.denominator * factor
    part = dial.rng.choice(("numerator", "denominator"))
    return Draft(
        topic="lowest_terms",
        question=f"What is the {part} of {numerator}/{denominator} in lowest terms?",
        answer=str(getattr(reduced, part)),
        steps=2,
        operands={"terms": [f"{numerator}/{denominator}"], "part": part},
    )


def _compare(dial: Dial) -> Draft:
    terms = _unequal(dial, 1 + dial.steps(2, 4))
    listed = series([str(term) for term in terms])
    question = f"Of the fractions {listed}, by how much does the largest exceed the smallest?"
    return _draft("compare", question, max(terms) - min(terms), terms)


_TOPICS: tuple[Callable[[Dial], Draft], ...] = (
    _add,
    _subtract,
    _multiply,
    _divide,
    _mixed,
    _part_of_number,
    _lowest_terms,
    _compare,
)


def _draft(topic: str, question: str, value: Fraction | int, terms: Sequence[Fraction]) -> Draft:
    operands = {"terms": [str(term) for term in terms]}
    return Draft(topic, f"{question} {_FORM}", str(value), len(terms) - 1, operands)


def _proper(dial: Dial) -> Fraction:
    """A fraction in (0, 1); its denominator is within the dial, in lowest terms too."""
    denominator = dial.whole(2, 5, 40)
    return Fraction(dial.rng.randint(1, denominator - 1), denominator)


def _unequal(dial: Dial, count: int) -> list[Fraction]:
    """Different fractions, in the order they were drawn."""
    terms: dict[Fraction, None] = {}
    while len(terms) < count:
        terms[_proper(dial)] = None
    return list(terms)


def _joined(terms: Sequence[Fraction], sign: str) -> str:
    return sign.join(str(term) for term in terms)
