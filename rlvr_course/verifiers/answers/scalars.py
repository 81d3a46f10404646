"""Whether two quantities are the same number: exactly, or under a declared convention.

``Conventions`` holds what competent graders disagree about, as arguments with defaults.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import floor, log10
from typing import Literal

from rlvr_course.verifiers.answers.evaluate import (
    NotRational,
    Undefined,
    context,
    exact,
    numeric,
    same_expression,
)
from rlvr_course.verifiers.answers.nodes import Node, is_undone, num
from rlvr_course.verifiers.answers.units import compatible
from rlvr_course.verifiers.answers.values import Scalar

FLOAT_DIGITS = 15
"""Decimals with no more significant digits than this are taken at their word."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """Declared policy for what is contested.

    Args:
        rel_tol: relative tolerance where a decimal stands for a number that it can't write out
            (``0.0833333333333333`` for 1/12) or has more digits than a float holds. Integers and
            decimals of up to 15 digits compare exactly.
        rounding: accept an answer that rounds to the reference's decimals (1/3 for ``0.33``).
        percent: "either" takes ``50%`` for a reference ``0.5`` and ``-15`` or ``-0.15`` for a
            reference ``-15%``; "lenient" also ``60%`` for a reference ``60``, as data sets of
            word problems want it; "value" only equal values; "sign" only equal numbers where
            both or neither have the sign.
        unit_conversion: ``5 km`` for ``5000 m``, 30° for π/6.
        decimal_comma: read ``3,5`` as 3.5 and ``1.234,5`` as 1234.5.
        case_sensitive: compare words and option letters as typed.
        log_base: what ``\\log`` without a base means.
        unevaluated: accept ``3 + 4`` for a reference ``7``.

    Raises:
        ValueError: a tolerance out of range, or an option that is not listed.
    """

    rel_tol: float = 1e-9
    rounding: bool = False
    percent: Literal["either", "lenient", "value", "sign"] = "either"
    unit_conversion: bool = True
    decimal_comma: bool = False
    case_sensitive: bool = False
    log_base: Literal["e", "10"] = "e"
    unevaluated: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.rel_tol < 1:
            raise ValueError(f"rel_tol={self.rel_tol}: give a relative tolerance from 0 to below 1")
        if self.percent not in ("either", "value", "sign"):
            raise ValueError(f"percent={self.percent!r} is not 'either', 'value' or 'sign'")
        if self.log_base not in ("e", "10"):
            raise ValueError(f"log_base={self.log_base!r} is not 'e' or '10'")


def same_scalar(gold: Scalar, answer: Scalar, rules: Conventions) -> bool:
    if gold.percent or answer.percent:
        return _same_percent(gold, answer, rules)
    left, right = gold.node, answer.node
    if gold.unit and answer.unit:
        if not compatible(gold.unit, answer.unit):
            return False
        if gold.unit.dimensions == answer.unit.dimensions:
            ratio = answer.unit.factor / gold.unit.factor
            if ratio != 1 and not rules.unit_conversion:
                return False
            right = _scaled(right, ratio)
    elif answer.unit and answer.unit.text.startswith("base"):
        return False  # 45_6 is not 45; a reference's base may be left out, since problems name it
    elif rules.unit_conversion and _is_angle(gold, answer):
        return True
    return same_number(left, right, rules)


def _scaled(node: Node, factor: Fraction) -> Node:
    if factor == 1:
        return node
    value = _rational(node)
    if value is None:
        return Node("mul", (node, num(factor)))
    decimal = _decimal(node)
    return num(value * factor, decimal.digits if decimal else 0)


def _is_angle(gold: Scalar, answer: Scalar) -> bool:
    """One side in degrees, the other without a unit and written with π: compare in radians."""
    for degrees, radians in ((gold, answer), (answer, gold)):
        with_pi = any(part.op == "const" and part.name == "pi" for part in radians.node.walk())
        if degrees.unit and degrees.unit.dimensions == (("angle", 1),) and with_pi:
            half_turn = Node("div", (Node("const", name="pi"), num(180)))
            return same_expression(Node("mul", (degrees.node, half_turn)), radians.node)
    return False


def _same_percent(gold: Scalar, answer: Scalar, rules: Conventions) -> bool:
    if gold.percent and answer.percent:
        return same_number(gold.node, answer.node, rules)
    if any(s.unit is not None and not s.unit.is_label for s in (gold, answer)):
        return False
    if rules.percent == "sign":
        return False
    unsigned = rules.percent == "lenient" or (gold.percent and rules.percent == "either")
    if unsigned and same_number(gold.node, answer.node, rules):
        return True
    sides = [Node("div", (s.node, num(100))) if s.percent else s.node for s in (gold, answer)]
    return same_number(sides[0], sides[1], rules)


def same_number(gold: Node, answer: Node, rules: Conventions) -> bool:
    """Whether two expressions are one number or one function, under the conventions."""
    if gold == answer:
        return True
    if rules.log_base == "10":
        gold, answer = _with_log_base(gold), _with_log_base(answer)
    left, right = _rational(gold), _rational(answer)
    if left is not None and right is not None:
        if not rules.unevaluated and is_undone(answer) and not is_undone(gold):
            return False
        if left == right:
            return True
        return _same_decimal(gold, answer, left, right, rules)
    if left is not None and not rules.unevaluated and any(n.op == "call" for n in answer.walk()):
        return False  # gcd(462, 1071) echoes the question
    if (left is None) != (right is None) and _decimal(gold if right is None else answer):
        return _near_irrational(gold, answer, rules)
    return same_expression(gold, answer)


def _with_log_base(node: Node) -> Node:
    args = tuple(_with_log_base(arg) for arg in node.args)
    if node.op == "call" and node.name == "log" and len(args) == 1:
        args = (*args, num(10))
    return Node(node.op, args, node.name, node.value, node.digits)


def _rational(node: Node) -> Fraction | None:
    try:
        return exact(node)
    except (NotRational, Undefined):
        return None


def _decimal(node: Node) -> Node | None:
    """The decimal that a node is, under its signs and powers of ten."""
    while node.op == "neg" or (node.op == "mul" and len(node.args) == 2):
        node = node.args[0]
    return node if node.op == "num" and node.digits else None


def _same_decimal(
    gold: Node, answer: Node, left: Fraction, right: Fraction, rules: Conventions
) -> bool:
    written = [d for d in (_decimal(gold), _decimal(answer)) if d is not None]
    if rules.rounding and _decimal(gold) is not None:
        places = _places(gold, left)
        if abs(right - left) <= Fraction(1, 2) / Fraction(10) ** places:
            return True
    if not written or any(
        _is_whole(node, value) for node, value in ((gold, left), (answer, right))
    ):
        return False
    plain = all(_terminates(value) for value in (left, right))
    if plain and all(d.digits <= FLOAT_DIGITS or _fits_a_float(d.value) for d in written):
        return False
    return abs(left - right) <= Fraction(rules.rel_tol) * max(abs(left), abs(right))


def _is_whole(node: Node, value: Fraction) -> bool:
    """Whether a node was written as a whole number: those compare exactly."""
    return value.denominator == 1 and _decimal(node) is None


def _terminates(value: Fraction) -> bool:
    """Whether a fraction has a finite decimal expansion."""
    bottom = value.denominator
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    return bottom == 1


def _fits_a_float(value: Fraction) -> bool:
    """Whether a number has at most ``FLOAT_DIGITS`` digits, final zeros aside."""
    context = Context(prec=FLOAT_DIGITS)
    return Fraction(context.divide(Decimal(value.numerator), value.denominator)) == value


def _places(node: Node, value: Fraction) -> int:
    decimal = _decimal(node)
    digits = decimal.digits if decimal else 0
    return digits - (floor(log10(abs(value))) + 1) if value else digits


def _near_irrational(gold: Node, answer: Node, rules: Conventions) -> bool:
    try:
        left, right = numeric(gold, {}), numeric(answer, {})
    except (Undefined, KeyError):
        return False
    if not (context().isfinite(left) and context().isfinite(right)):
        return False  # no tolerance reaches from a number to infinity
    return bool(abs(left - right) <= rules.rel_tol * abs(right))
