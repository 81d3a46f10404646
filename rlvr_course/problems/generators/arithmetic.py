"""Arithmetic: one expression of whole numbers with + - * / and parentheses.

The dial sets how many operations there are (1 to 4) and how large the operands are (9 to 999;
those that multiply or divide, 9 to 99). Divisions come out even, so every answer is a whole
number; below 0.5 none is negative.
"""

from __future__ import annotations

from rlvr_course.problems.generators.drafts import Dial, Draft

_ASK = ("What is {}?", "Compute {}.", "Find the value of {}.")
_NEGATIVE_FROM = 0.5


def draft_arithmetic(dial: Dial) -> Draft:
    """Draw one expression; ``operands`` and ``operators`` are in the order of its making."""
    value = dial.whole(2, 9, 999)
    text, is_sum = str(value), False
    operands, operators = [value], []
    for _ in range(dial.steps(1, 4)):
        operator = _operator(dial, value)
        operand = _operand(dial, value, operator)
        value = _apply(value, operator, operand)
        text = f"{_wrapped(text, is_sum, operator)} {operator} {operand}"
        is_sum = operator in "+-"
        operands.append(operand)
        operators.append(operator)
    return Draft(
        topic="expression",
        question=dial.rng.choice(_ASK).format(text),
        answer=str(value),
        steps=len(operators),
        operands={"operands": operands, "operators": operators},
    )


def _operator(dial: Dial, value: int) -> str:
    possible = ["+", "*"]
    if value > 2 or dial.difficulty >= _NEGATIVE_FROM:
        possible.append("-")
    if _divisors(dial, value):
        possible.append("/")
    return dial.rng.choice(possible)


def _operand(dial: Dial, value: int, operator: str) -> int:
    if operator == "/":
        return dial.rng.choice(_divisors(dial, value))
    if operator == "*":
        return dial.whole(2, 9, 99)
    operand = dial.whole(2, 9, 999)
    if operator == "-" and dial.difficulty < _NEGATIVE_FROM:
        return min(operand, value - 1)
    return operand


def _divisors(dial: Dial, value: int) -> list[int]:
    """What ``value`` can be divided by: smaller than it, and within the dial."""
    largest = min(abs(value) - 1, dial.top(9, 99))
    return [n for n in range(2, largest + 1) if value % n == 0]


def _apply(value: int, operator: str, operand: int) -> int:
    if operator == "+":
        return value + operand
    if operator == "-":
        return value - operand
    return value * operand if operator == "*" else value // operand


def _wrapped(text: str, is_sum: bool, operator: str) -> str:
    """Parentheses only where precedence needs them."""
    return f"({text})" if is_sum and operator in "*/" else text
