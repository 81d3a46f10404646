"""Checks of notebook 02: expected rewards, break-even, a price, dice, three outcomes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rlvr_course.classroom.asking import Ask
from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

SIDES = range(2, 16)
# The break-even as a fraction of whole numbers, so that a die exactly at it is told apart.
ONE_IN = {0.1: 11, 0.25: 5, 1.0: 2}


def _near(reply: Any, value: float, slack: float = 0.005) -> bool:
    return _is_number(reply) and abs(float(reply) - value) <= slack


def _is_number(reply: Any) -> bool:
    """A plain number; text that spells one is none, and neither is True."""
    return type(reply) in (int, float, Fraction)


def _is_dice(reply: Any) -> bool:
    is_list = isinstance(reply, (list, tuple))
    return is_list and all(type(sides) is int and sides in SIDES for sides in reply)


def _expected_case(index: int, cost: str, value: float) -> Case:
    return Case(
        f"c = {cost}",
        (),
        lambda reply: _near(reply[index], value),
        "what ten answers bring, divided by ten",
    )


def _break_even_case(name: str, cost: float, value: float, expected: str) -> Case:
    return Case(name, (cost,), lambda reply: _near(reply, value, 1e-6), expected)


def _earns_nothing(ask: Ask) -> bool:
    """Whether answering earns 0 on average at the break-even of several costs."""
    costs = (0.02, 0.4, 0.7, 1.5, 9.0)
    return all(_near(p - (1 - p) * c, 0.0, 1e-6) for c in costs for p in [ask(c)])


def _dice_case(cost: float) -> Case:
    limit = ONE_IN[cost]

    def holds(reply: Any) -> bool:
        answered = list(reply[cost])
        sure = {n for n in SIDES if n < limit}
        return len(answered) == len(set(answered)) and sure <= set(answered) <= sure | {limit}

    return Case(f"c = {cost}", (), holds, "the dice whose chance 1/N is above the break-even")


def _least_case(name: str, args: tuple[float, float, float], value: float, expected: str) -> Case:
    return Case(name, args, lambda reply: _near(reply, value, 1e-6), expected)


def _least_p_earns_nothing(ask: Ask) -> bool:
    settings = ((0.1, 0.5, 1.0), (0.25, 0.1, 0.5), (0.5, 0.3, 2.0))
    least = [(ask(*args), *args) for args in settings]
    return all(_near(p + q * part - (1 - p - q) * c, 0.0, 1e-6) for p, q, part, c in least)


CHECKS_02 = {
    "q02a": CheckSpec(
        cases=[
            Case(
                "three numbers",
                (),
                lambda reply: len(reply) == 3 and all(map(_is_number, reply)),
                "a list of three numbers, not text",
            ),
            _expected_case(0, "0.1", 0.12),
            _expected_case(1, "0.25", 0.0),
            _expected_case(2, "1", -0.6),
        ],
        hints=[
            "Think of ten answers at p = 0.2: how many are right, how many wrong?",
            "Two of the ten bring 1 each, and eight cost c each.",
            "0.2 * 1 - 0.8 * c, for each of the three costs.",
        ],
    ),
    "q02b": CheckSpec(
        cases=[
            _break_even_case(
                "c = 1", 1.0, 0.5, "a loss as large as the gain: as often right as wrong"
            ),
            _break_even_case("c = 0.25", 0.25, 0.2, "the p for which the table says 'either'"),
            _break_even_case("c = 0", 0.0, 0.0, "a wrong answer is free: any chance above 0 pays"),
            _break_even_case("c = 3", 3.0, 0.75, "three right ones make up for one wrong"),
        ],
        properties=[
            Property("at that p both actions earn 0", _earns_nothing, "p * 1 - (1 - p) * c is 0"),
            Property(
                "a higher cost asks for more",
                lambda ask: ask(0.1) < ask(0.5) < ask(5.0) < 1,
                "rises with c and stays below 1",
            ),
        ],
        hints=[
            "Write down what answering earns on average, and set it equal to 0.",
            "p * 1 - (1 - p) * c = 0. Collect the terms with p.",
            "p * (1 + c) = c.",
        ],
    ),
    "q02c": CheckSpec(
        cases=[
            Case("one number", (), _is_number, "a number such as -2.0, not text or a list"),
            Case("a penalty", (), lambda reply: reply < 0, "below 0"),
            Case(
                "at 90% both earn the same",
                (),
                lambda reply: _near(0.9 + 0.1 * reply, -0.05),
                "answering earns what handing over earns",
            ),
        ],
        hints=[
            "At the break-even answering earns as much as refusing, and that is not 0 here.",
            "0.9 * 1 + 0.1 * wrong = -0.05.",
            "wrong = (-0.05 - 0.9) / 0.1.",
        ],
    ),
    "q02d": CheckSpec(
        cases=[
            Case(
                "a dict with three costs",
                (),
                lambda reply: isinstance(reply, dict) and set(reply) == set(ONE_IN),
                "the keys 0.1, 0.25 and 1.0, as numbers",
            ),
            Case(
                "a list for each cost",
                (),
                lambda reply: all(map(_is_dice, reply.values())),
                "lists of whole numbers from 2 to 15, not a range, a set or text",
            ),
            *(_dice_case(cost) for cost in ONE_IN),
        ],
        hints=[
            "Compare 1/N with the break-even of the cost.",
            "The break-evens are 1/11, 1/5 and 1/2.",
            "At 1/5: d2, d3 and d4 are easier, d5 lies exactly at it, all others are harder.",
        ],
    ),
    "q02e": CheckSpec(
        cases=[
            _least_case("no partial answers", (0.0, 0.5, 0.25), 0.2, "as with two outcomes"),
            _least_case("partial earns nothing", (0.1, 0.0, 0.1), 0.09 / 1.1, "fewer are wrong"),
            _least_case("partial earns a little", (0.2, 0.2, 1.0), 0.38, "less than without"),
            _least_case("partial carries it", (0.4, 0.5, 0.1), 0.0, "0, never below"),
            _least_case("free guesses", (0.3, 0.5, 0.0), 0.0, "0"),
        ],
        properties=[
            Property("both actions earn the same there", _least_p_earns_nothing, "0 on average"),
        ],
        hints=[
            "There are three terms now; the chance of a wrong answer is what is left.",
            "p + q * partial - (1 - p - q) * c = 0. Solve for p.",
            "p * (1 + c) = c * (1 - q) - q * partial; a chance below 0 is 0.",
        ],
    ),
}
