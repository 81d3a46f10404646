"""Checks of notebook 02: expected rewards, break-even, a price, dice, three outcomes."""

from __future__ import annotations

from typing import Any

from rlvr_course.classroom.asking import Ask
from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

SIDES = range(2, 10)
# The break-even as a fraction of whole numbers, so that a die exactly at it is told apart.
ONE_IN = {0.1: 11, 0.25: 5, 1.0: 2}


def _near(reply: Any, value: float, slack: float = 0.005) -> bool:
    return not isinstance(reply, (bool, str)) and abs(float(reply) - value) <= slack


def _expected_case(index: int, cost: str, value: float) -> Case:
    return Case(
        f"c = {cost}",
        (),
        lambda reply: _near(reply[index], value),
        "what 100 answers bring, divided by 100",
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
            Case("three numbers", (), lambda reply: len(reply) == 3, "a list of three"),
            _expected_case(0, "0.1", 0.12),
            _expected_case(1, "0.25", 0.0),
            _expected_case(2, "1", -0.6),
        ],
        hints=[
            "Think of ten answers: how many are right, how many wrong?",
            "Two bring 1 each, and eight cost c each.",
            "0.2 * 1 - 0.8 * c, for each of the three costs.",
        ],
    ),
    "q02b": CheckSpec(
        cases=[
            _break_even_case("as costly as a right answer earns", 1.0, 0.5, "right half the time"),
            _break_even_case("the column c = 0.25", 0.25, 0.2, "where the table says 'either'"),
            _break_even_case("free guesses", 0.0, 0.0, "answering pays at any chance above 0"),
            _break_even_case("dear", 3.0, 0.75, "three gains for one loss"),
        ],
        properties=[
            Property("both actions earn the same there", _earns_nothing, "0 on average"),
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
            Case(
                "a penalty",
                (),
                lambda reply: not isinstance(reply, bool) and float(reply) < 0,
                "a negative number",
            ),
            Case(
                "at 90% both earn the same",
                (),
                lambda reply: _near(0.9 + 0.1 * float(reply), -0.05),
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
                "one list for each cost",
                (),
                lambda reply: set(reply) == set(ONE_IN),
                "keys 0.1, 0.25 and 1.0",
            ),
            *(_dice_case(cost) for cost in ONE_IN),
        ],
        hints=[
            "Compare 1/N with the break-even of the cost.",
            "The break-evens are 1/11, 1/5 and 1/2.",
            "At 1/5: d2, d3 and d4 are easier, d5 lies exactly at it, d6 is harder.",
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
