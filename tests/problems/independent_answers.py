"""The answers of generated problems, by other routes than the generators take.

Stories and sums are read back from the English; number theory is counted out by brute force;
fractions are brought to one common denominator in whole numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

from rlvr_course.records import Problem


def recomputed(problem: Problem) -> Fraction:
    """What the answer must be."""
    return _BY_FAMILY[problem.metadata["family"]](problem)


def _expression(problem: Problem) -> Fraction:
    text = re.sub(r"^(What is|Compute|Find the value of) |[?.]$", "", problem.question)
    return _value(ast.parse(text, mode="eval").body)


def _value(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant):
        return Fraction(node.value)
    assert isinstance(node, ast.BinOp)
    left, right = _value(node.left), _value(node.right)
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    return left * right if isinstance(node.op, ast.Mult) else left / right


def numbers_in(text: str) -> list[Decimal]:
    """The numbers of a text in order; digits inside a word do not occur."""
    return [Decimal(found) for found in re.findall(r"\d+(?:\.\d+)?", text)]


# Each story's numbers in the order of the text; a third step's number is 0 where it is missing.
_STORIES: Mapping[str, Callable[..., Decimal]] = {
    "distance": lambda speed, minutes, more=Decimal(0): speed * minutes / 60 + more,
    "wages": lambda hours, days, pay, fare=Decimal(0): hours * days * pay - fare,
    "recipe": lambda served, grams, guests, home=Decimal(0): grams * guests / served - home,
    "fence": lambda length, width, price=Decimal(1): (length + length + width + width) * price,
    "discount": lambda price, off, more=Decimal(0): price - price / 100 * off + more,
    "eggs": lambda eggs, size, price, fee=Decimal(0): eggs / size * price - fee,
}


def _story(problem: Problem) -> Fraction:
    topic, numbers = problem.metadata["topic"], numbers_in(problem.question)
    if topic == "change":
        count, price, *voucher, paid = numbers
        return Fraction(paid - sum([price] * int(count)) + sum(voucher))
    if topic == "bottles":
        count, size, *barrel = numbers
        litres = count * size * Decimal("0.001")
        return Fraction(barrel[0] - litres if barrel else litres)
    if topic == "saving":
        start, earned, *spent, goal = numbers
        weeks = 0
        while start < goal:
            start, weeks = start + earned - sum(spent), weeks + 1
        assert start == goal
        return Fraction(weeks)
    return Fraction(_STORIES[topic](*numbers))


def _divides(divisor: int, number: int) -> bool:
    return number % divisor == 0


def _is_prime(number: int) -> bool:
    return number > 1 and not any(_divides(d, number) for d in range(2, int(number**0.5) + 1))


def _gcd(*numbers: int) -> int:
    return max(d for d in range(1, min(numbers) + 1) if all(_divides(d, n) for n in numbers))


def _lcm(*numbers: int) -> int:
    # Stepping by multiples of the running result keeps three numbers quick.
    multiple = 1
    for number in numbers:
        multiple = next(
            m for m in range(multiple, multiple * number + 1, multiple) if m % number == 0
        )
    return multiple


def _digit_sum(left: int, right: int) -> int:
    product, total = left * right, 0
    while product:
        product, digit = divmod(product, 10)
        total += digit
    return total


_COUNTED_OUT: Mapping[str, Callable[..., int]] = {
    "gcd": _gcd,
    "lcm": _lcm,
    "divisor_count": lambda n, _one, _n: sum(_divides(d, n) for d in range(1, n + 1)),
    "prime_count": lambda first, last: sum(map(_is_prime, range(first, last + 1))),
    "largest_prime_factor": lambda n: max(
        d for d in range(2, n + 1) if _divides(d, n) and _is_prime(d)
    ),
    "remainder": lambda number, divisor: number - number // divisor * divisor,
    "digit_sum": _digit_sum,
    "modular_power": lambda base, exponent, modulus: base**exponent % modulus,
}


def _number_theory(problem: Problem) -> Fraction:
    numbers = map(int, re.findall(r"\d+", problem.question))
    return Fraction(_COUNTED_OUT[problem.metadata["topic"]](*numbers))


def _fraction(problem: Problem) -> Fraction:
    """Whole-number numerators over the product of all denominators."""
    topic = problem.metadata["topic"]
    read = re.findall(r"(?:(\d+) )?(\d+)/(\d+)|(\d+)(?= of|\?)", problem.question)
    tops = [int(n) if n else int(w or 0) * int(b) + int(t) for w, t, b, n in read]
    bottoms = [1 if n else int(b) for _, _, b, n in read]
    whole = 1
    for bottom in bottoms:
        whole *= bottom
    scaled = [top * (whole // bottom) for top, bottom in zip(tops, bottoms, strict=True)]
    if topic in ("multiply", "part_of_number"):
        return _quotient(tops, bottoms)
    if topic == "divide":
        return _quotient([*tops[:-1], bottoms[-1]], [*bottoms[:-1], tops[-1]])
    if topic == "lowest_terms":
        divisor = _gcd(tops[0], bottoms[0])
        is_top = "numerator" in problem.question
        return Fraction((tops if is_top else bottoms)[0] // divisor)
    if topic == "compare":
        return Fraction(max(scaled) - min(scaled), whole)
    last = -scaled[-1] if " - " in problem.question else scaled[-1]
    return Fraction(sum(scaled[:-1]) + last, whole)


def _quotient(tops: list[int], bottoms: list[int]) -> Fraction:
    above = below = 1
    for top, bottom in zip(tops, bottoms, strict=True):
        above, below = above * top, below * bottom
    return Fraction(above, below)


_BY_FAMILY: Mapping[str, Callable[[Problem], Fraction]] = {
    "arithmetic": _expression,
    "word_problems": _story,
    "number_theory": _number_theory,
    "fractions": _fraction,
}
