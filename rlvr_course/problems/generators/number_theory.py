"""Number theory: divisors, multiples, primes, remainders, digits and powers.

The dial sets how large the numbers are; the topics come up equally often at every setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rlvr_course.problems.generators.drafts import Dial, Draft, series


def draft_number_theory(dial: Dial) -> Draft:
    """Draw a topic, then its numbers."""
    return dial.rng.choice(_TOPICS)(dial)


def _gcd(dial: Dial) -> Draft:
    shared = dial.whole(2, 6, 60)
    numbers = [shared * factor for factor in _different(dial, dial.steps(2, 3), 9, 60)]
    return Draft(
        topic="gcd",
        question=f"What is the greatest common divisor of {_listed(numbers)}?",
        answer=str(math.gcd(*numbers)),
        steps=len(numbers) - 1,
        operands={"numbers": numbers},
    )


def _lcm(dial: Dial) -> Draft:
    numbers = _different(dial, dial.steps(2, 3), 15, 90)
    return Draft(
        topic="lcm",
        question=f"What is the least common multiple of {_listed(numbers)}?",
        answer=str(math.lcm(*numbers)),
        steps=len(numbers) - 1,
        operands={"numbers": numbers},
    )


def _divisor_count(dial: Dial) -> Draft:
    number = dial.whole(4, 40, 4000)
    factors = prime_factors(number)
    # d(p^a q^b ...) = (a + 1)(b + 1)...
    count = math.prod(factors.count(prime) + 1 for prime in set(factors))
    return Draft(
        topic="divisor_count",
        question=f"How many positive divisors does {number} have, counting 1 and {number} itself?",
        answer=str(count),
        steps=len(set(factors)),
        operands={"number": number},
    )


def _prime_count(dial: Dial) -> Draft:
    first = dial.whole(2, 40, 900)
    last = first + dial.whole(8, 20, 120)
    count = sum(len(prime_factors(n)) == 1 for n in range(first, last + 1))
    return Draft(
        topic="prime_count",
        question=f"How many prime numbers are there from {first} to {last}, both included?",
        answer=str(count),
        steps=1,
        operands={"first": first, "last": last},
    )


def _largest_prime_factor(dial: Dial) -> Draft:
    number = dial.whole(2, 9, 90) * dial.whole(2, 9, 90)
    return Draft(
        topic="largest_prime_factor",
        question=f"What is the largest prime factor of {number}?",
        answer=str(prime_factors(number)[-1]),
        steps=len(prime_factors(number)) - 1,
        operands={"number": number},
    )


def _remainder(dial: Dial) -> Draft:
    divisor = dial.whole(3, 12, 200)
    number = divisor + dial.whole(1, 90, 90_000)
    return Draft(
        topic="remainder",
        question=f"What is the remainder when {number} is divided by {divisor}?",
        answer=str(number % divisor),
        steps=1,
        operands={"number": number, "divisor": divisor},
    )


def _digit_sum(dial: Dial) -> Draft:
    left, right = dial.whole(4, 20, 2000), dial.whole(4, 20, 2000)
    return Draft(
        topic="digit_sum",
        question=f"What is the sum of the decimal digits of {left} * {right}?",
        answer=str(sum(map(int, str(left * right)))),
        steps=2,
        operands={"factors": [left, right]},
    )


def _modular_power(dial: Dial) -> Draft:
    base, exponent = dial.whole(2, 6, 40), dial.whole(2, 5, 60)
    modulus = dial.whole(3, 12, 100)
    return Draft(
        topic="modular_power",
        question=f"What is the remainder when {base}^{exponent} is divided by {modulus}?",
        answer=str(pow(base, exponent, modulus)),
        steps=2,
        operands={"base": base, "exponent": exponent, "modulus": modulus},
    )


_TOPICS: tuple[Callable[[Dial], Draft], ...] = (
    _gcd,
    _lcm,
    _divisor_count,
    _prime_count,
    _largest_prime_factor,
    _remainder,
    _digit_sum,
    _modular_power,
)


def prime_factors(number: int) -> list[int]:
    """Prime factors with their multiplicity, ascending, by trial division.

    >>> prime_factors(360), prime_factors(1)
    ([2, 2, 2, 3, 3, 5], [])
    """
    factors, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return [*factors, number] if number > 1 else factors


def _different(dial: Dial, count: int, easy: int, hard: int) -> list[int]:
    """Different whole numbers from 2 up."""
    return dial.rng.sample(range(2, dial.top(easy, hard) + 1), count)


def _listed(numbers: list[int]) -> str:
    return series([str(number) for number in numbers])
