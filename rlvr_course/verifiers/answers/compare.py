"""Whether two read answers are the same: by exact value, by structure, by kind; never by text alone.

``Conventions`` holds what competent graders disagree about, as arguments with defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import Literal

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.evaluate import (
    DECIMALS,
    NotRational,
    Undefined,
    exact,
    numeric,
    proportion,
    same_expression,
)
from rlvr_course.verifiers.answers.nodes import Node, is_undone, num
from rlvr_course.verifiers.answers.regions import same_region, to_region
from rlvr_course.verifiers.answers.units import compatible

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
            reference ``-15%``; "value" only equal values; "sign" only equal numbers where both
            or neither have the sign.
        unit_conversion: ``5 km`` for ``5000 m``, 30° for π/6.
        decimal_comma: read ``3,5`` as 3.5 and ``1.234,5`` as 1234.5.
        case_sensitive: compare words and option letters as typed.
        log_base: what ``\\log`` without a base means.
        unevaluated: accept ``3 + 4`` for a reference ``7``.
    """

    rel_tol: float = 1e-9
    rounding: bool = False
    percent: Literal["either", "value", "sign"] = "either"
    unit_conversion: bool = True
    decimal_comma: bool = False
    case_sensitive: bool = False
    log_base: Literal["e", "10"] = "e"
    unevaluated: bool = False


def same(gold: v.Value, answer: v.Value, rules: Conventions) -> bool:
    """Whether an answer is the reference.

    Raises:
        TooLarge: a value above a cap of ``evaluate``.
    """
    gold, answer, agree = _without_names(gold, answer)
    if not agree:
        return False
    if type(gold) is type(answer):
        by_kind = _SAME_KIND.get(type(gold))
        if by_kind is not None and by_kind(gold, answer, rules):
            return True
    if isinstance(gold, v.Items | v.Chain | v.Union | v.Both | v.Without | v.NamedSet):
        return _same_region(gold, answer)
    if isinstance(gold, v.Scalar) and isinstance(answer, v.Items):
        return len(answer.items) == 1 and answer.left in "{" and same(gold, answer.items[0], rules)
    if isinstance(gold, v.Items) and isinstance(answer, v.Scalar):
        return len(gold.items) == 1 and same(gold.items[0], answer, rules)
    return False


def _without_names(gold: v.Value, answer: v.Value) -> tuple[v.Value, v.Value, bool]:
    """Names in front of values drop; two different one-letter names disagree."""
    if isinstance(gold, v.Chain) and gold.signs == ("=",):
        return gold, _as_equation(answer), True
    if isinstance(answer, v.Chain) and answer.signs == ("=",):
        return _as_equation(gold), answer, True
    if isinstance(gold, v.Named) and isinstance(answer, v.Named):
        short = gold.symbol is not None and answer.symbol is not None
        simple = short and gold.symbol.op == answer.symbol.op == "sym"  # type: ignore[union-attr]
        agree = not simple or _letter(gold.name) == _letter(answer.name)
        return gold.value, answer.value, agree
    gold = gold.value if isinstance(gold, v.Named) else gold
    answer = answer.value if isinstance(answer, v.Named) else answer
    return gold, answer, True


def _letter(name: str) -> str:
    return name.split("_")[0]


def _as_equation(value: v.Value) -> v.Value:
    if isinstance(value, v.Named) and value.symbol is not None:
        if isinstance(value.value, v.Scalar) and value.value.unit is None:
            return v.Chain((value.symbol, value.value.node), ("=",))
    return value


# -- scalars


def _same_scalar(gold: v.Scalar, answer: v.Scalar, rules: Conventions) -> bool:
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


def _is_angle(gold: v.Scalar, answer: v.Scalar) -> bool:
    """One side in degrees, the other without a unit and written with π: compare in radians."""
    for degrees, radians in ((gold, answer), (answer, gold)):
        with_pi = any(part.op == "const" and part.name == "pi" for part in radians.node.walk())
        if degrees.unit and degrees.unit.dimensions == (("angle", 1),) and with_pi:
            half_turn = Node("div", (Node("const", name="pi"), num(180)))
            return same_expression(Node("mul", (degrees.node, half_turn)), radians.node)
    return False


def _same_percent(gold: v.Scalar, answer: v.Scalar, rules: Conventions) -> bool:
    if gold.percent and answer.percent:
        return same_number(gold.node, answer.node, rules)
    if rules.percent == "sign":
        return False
    if gold.percent and rules.percent == "either" and same_number(gold.node, answer.node, rules):
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
    if not written:
        return False
    plain = all(_terminates(value) for value in (left, right))
    if plain and all(d.digits <= FLOAT_DIGITS for d in written):
        return False
    return abs(left - right) <= Fraction(rules.rel_tol) * max(abs(left), abs(right))


def _terminates(value: Fraction) -> bool:
    """Whether a fraction has a finite decimal expansion."""
    bottom = value.denominator
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    return bottom == 1


def _places(node: Node, value: Fraction) -> int:
    decimal = _decimal(node)
    digits = decimal.digits if decimal else 0
    return digits - (floor(log10(abs(value))) + 1) if value else digits


def _near_irrational(gold: Node, answer: Node, rules: Conventions) -> bool:
    import mpmath

    with mpmath.workdps(DECIMALS):
        try:
            left, right = numeric(gold, {}), numeric(answer, {})
        except (Undefined, KeyError):
            return False
        return bool(abs(left - right) <= rules.rel_tol * abs(right))


# -- structures


def _same_items(gold: v.Items, answer: v.Items, rules: Conventions) -> bool:
    if gold.left == "{" or (gold.left == answer.left == "") or answer.left == "{":
        if "(" in (gold.left, answer.left) or "[" in (gold.left, answer.left):
            return False
        return _same_unordered(gold, answer, rules)
    bare = "" in (gold.left, answer.left)
    if not bare and (gold.left, gold.right) != (answer.left, answer.right):
        tuples = len(gold.items) > 2 and {gold.left, answer.left} == {"(", "["}
        if not tuples or {gold.right, answer.right} != {")", "]"}:
            return False
    if bare and "[" in (gold.left, answer.left) and len(gold.items) == 2:
        return False
    return _all_same(gold.items, answer.items, rules)


def _all_same(gold: Sequence[v.Value], answer: Sequence[v.Value], rules: Conventions) -> bool:
    if len(gold) != len(answer):
        return False
    return all(same(g, a, rules) for g, a in zip(gold, answer, strict=True))


def _same_unordered(gold: v.Items, answer: v.Items, rules: Conventions) -> bool:
    """Each value on one side has its own on the other; in a set repeats count once."""
    left, right = list(gold.items), list(answer.items)
    if "{" in (gold.left, answer.left):
        left, right = _distinct(left, rules), _distinct(right, rules)
    if len(left) != len(right):
        return False
    for item in left:
        match = next((i for i, other in enumerate(right) if same(item, other, rules)), None)
        if match is None:
            return False
        del right[match]
    return True


def _distinct(items: list[v.Value], rules: Conventions) -> list[v.Value]:
    kept: list[v.Value] = []
    for item in items:
        if not any(same(item, other, rules) for other in kept):
            kept.append(item)
    return kept


def _same_matrix(gold: v.Matrix, answer: v.Matrix, rules: Conventions) -> bool:
    if gold.bars != answer.bars or len(gold.rows) != len(answer.rows):
        return False
    return all(_all_same(g, a, rules) for g, a in zip(gold.rows, answer.rows, strict=True))


def _same_chain(gold: v.Chain, answer: v.Chain, rules: Conventions) -> bool:
    """Relations equal up to a factor, which must be positive for inequalities."""
    if len(gold.signs) != 1 or len(answer.signs) != 1:
        return False
    flip = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}
    left, right = _difference(gold), _difference(answer)
    if gold.signs[0] == answer.signs[0] in ("=", r"\ne"):
        return _proportional(left, right, positive=False)
    if gold.signs[0] == answer.signs[0]:
        return _proportional(left, right, positive=True)
    if flip.get(gold.signs[0]) == answer.signs[0]:
        return _proportional(left, Node("neg", (right,)), positive=True)
    return False


def _difference(chain: v.Chain) -> Node:
    return Node("add", (chain.terms[0], Node("neg", (chain.terms[1],))))


def _proportional(left: Node, right: Node, *, positive: bool) -> bool:
    factor = proportion(left, right)
    return factor is not None and (factor > 0 or not positive)


def _same_region(gold: v.Value, answer: v.Value) -> bool:
    left, right = to_region(gold), to_region(answer)
    return left is not None and right is not None and same_region(left, right)


# -- words


def _same_clock(gold: v.Clock, answer: v.Clock, rules: Conventions) -> bool:
    if gold.half and answer.half:
        return _minutes(gold) == _minutes(answer)
    twelve = [clock.hour % 12 * 60 + clock.minute for clock in (gold, answer)]
    said = gold.half or answer.half
    if said and max(gold.hour, answer.hour) > 12:
        plain, halved = (answer, gold) if gold.half else (gold, answer)
        return plain.hour * 60 + plain.minute == _minutes(halved)
    if said:
        return twelve[0] == twelve[1]
    return (gold.hour, gold.minute) == (answer.hour, answer.minute)


def _minutes(clock: v.Clock) -> int:
    hour = clock.hour if clock.hour > 12 else clock.hour % 12 + (12 if clock.half == "pm" else 0)
    return hour * 60 + clock.minute


def _same_ratio(gold: v.Ratio, answer: v.Ratio, rules: Conventions) -> bool:
    if len(gold.parts) != len(answer.parts):
        return False
    if gold.is_clock and answer.is_clock:
        return gold.parts == answer.parts
    first, other = gold.parts[0], answer.parts[0]
    return all(
        same_expression(Node("mul", (first, a)), Node("mul", (other, g)))
        for g, a in zip(gold.parts, answer.parts, strict=True)
    )


def _same_choice(gold: v.Choice, answer: v.Choice, rules: Conventions) -> bool:
    if rules.case_sensitive:
        return gold.letter == answer.letter
    return gold.letter.lower() == answer.letter.lower()


def _same_words(gold: v.Words, answer: v.Words, rules: Conventions) -> bool:
    return gold.exact == answer.exact if rules.case_sensitive else gold.text == answer.text


_SAME_KIND = {
    v.Scalar: _same_scalar,
    v.Items: _same_items,
    v.Matrix: _same_matrix,
    v.Chain: _same_chain,
    v.Clock: _same_clock,
    v.Ratio: _same_ratio,
    v.Choice: _same_choice,
    v.Words: _same_words,
    v.Opaque: lambda gold, answer, rules: gold.text == answer.text,
    v.NamedSet: lambda gold, answer, rules: gold.name == answer.name,
    v.Named: lambda gold, answer, rules: False,
}
