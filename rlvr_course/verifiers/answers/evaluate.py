"""Values of expression trees: exact rational where possible, else 60 digits of mpmath.

Evaluation is bounded by caps on exponents, factorials and magnitudes, so its cost is limited by
the size of the tree; nothing is simplified and nothing is executed.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rlvr_course.verifiers.answers.nodes import Node, symbols
from rlvr_course.verifiers.answers.tokens import TooLarge

MAX_BITS = 50_000
MAX_FACTORIAL = 4_000
DECIMALS = 60
AGREEMENT = 40
"""Digits that two values must share to be one value, of ``DECIMALS`` computed."""


class Undefined(ArithmeticError):
    """The expression has no value here: division by zero, infinity minus infinity, ..."""


class NotRational(Exception):
    """The expression needs more than rational arithmetic."""


def exact(node: Node, values: Mapping[str, Fraction] = {}) -> Fraction:
    """The exact rational value.

    Raises:
        NotRational: an irrational operation or a symbol without a value.
        Undefined: division by zero.
        TooLarge: above a cap.
    """
    op = node.op
    if op == "num":
        return node.value
    if op == "sym":
        if node.name in values:
            return values[node.name]
        raise NotRational(node.name)
    if op in ("const", "call", "pm", "mp"):
        raise NotRational(op)
    args = [exact(arg, values) for arg in node.args]
    if op in ("add", "mul"):
        total = Fraction(op == "mul")
        for arg in args:
            total = _capped(total + arg if op == "add" else total * arg)
        return total
    if op == "neg":
        return -args[0]
    if op == "div":
        if args[1] == 0:
            raise Undefined("division by zero")
        return _capped(args[0] / args[1])
    if op == "fact":
        return Fraction(_factorial(args[0]))
    return _exact_power(*args)


def _capped(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise TooLarge("value_too_large")
    return value


def _factorial(value: Fraction) -> int:
    if value.denominator != 1 or value < 0:
        raise NotRational("factorial of a non-integer")
    if value > MAX_FACTORIAL:
        raise TooLarge("factorial_too_large")
    return math.factorial(int(value))


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        root = _exact_root(base, exponent.denominator)
        if root is None:
            raise NotRational("power")
        return _exact_power(root, Fraction(exponent.numerator))
    power = int(exponent)
    if base == 0 and power < 0:
        raise Undefined("division by zero")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(power) * bits > MAX_BITS and base not in (0, 1, -1):
        raise TooLarge("power_too_large")
    if base in (0, 1, -1):
        power = power % 2 + 2 if power > 1 else power
    return base**power


def _exact_root(base: Fraction, index: int) -> Fraction | None:
    if base < 0 or index > 64:
        return None
    top, bottom = _integer_root(base.numerator, index), _integer_root(base.denominator, index)
    return Fraction(top, bottom) if top is not None and bottom else None


def _integer_root(value: int, index: int) -> int | None:
    if index == 2:
        root = math.isqrt(value)
        return root if root * root == value else None
    if value.bit_length() > 900:
        return None
    guess = round(value ** (1 / index))
    return next((g for g in (guess - 1, guess, guess + 1) if g >= 0 and g**index == value), None)


def numeric(node: Node, values: Mapping[str, Any]) -> Any:
    """The value as a number of this thread's ``context()``.

    Raises:
        Undefined: no value here.
        TooLarge: above a cap.
    """
    mp = context()
    try:
        result = _numeric(node, values, mp)
    except (ZeroDivisionError, ValueError, OverflowError) as error:
        if isinstance(error, TooLarge):
            raise
        raise Undefined(str(error)) from None
    if mp.isnan(result):
        raise Undefined("not a number")
    return result


_threads = threading.local()


def context() -> Any:
    """This thread's own mpmath context of ``DECIMALS`` digits: the global one has one precision."""
    if not hasattr(_threads, "context"):
        import mpmath

        _threads.context = mpmath.MPContext()
        _threads.context.dps = DECIMALS
    return _threads.context


def _numeric(node: Node, values: Mapping[str, Any], mp: Any) -> Any:
    op = node.op
    if op == "num":
        return mp.mpf(node.value.numerator) / node.value.denominator
    if op == "sym":
        return values[node.name]
    if op == "const":
        return {"pi": mp.pi, "e": mp.e, "i": mp.j, "oo": mp.inf}[node.name] * 1
    args = [_numeric(arg, values, mp) for arg in node.args]
    if op == "add":
        result = mp.fsum(args)
    elif op == "mul":
        result = mp.fprod(args)
    elif op == "neg":
        result = -args[0]
    elif op == "div":
        result = args[0] / args[1]
    elif op == "pow":
        result = _numeric_power(args[0], args[1], mp)
    elif op == "fact":
        if abs(args[0]) > MAX_FACTORIAL:
            raise TooLarge("factorial_too_large")
        result = mp.factorial(args[0])
    elif op == "call":
        result = _call(node.name, args, mp)
    else:
        raise Undefined(op)
    return _bounded(result, mp)


def _bounded(value: Any, mp: Any) -> Any:
    if mp.isfinite(value) and value != 0 and abs(mp.mag(value)) > MAX_BITS:
        raise TooLarge("value_too_large")
    return value


def _numeric_power(base: Any, exponent: Any, mp: Any) -> Any:
    if mp.isfinite(exponent) and abs(exponent) > MAX_BITS:
        raise TooLarge("power_too_large")
    if isinstance(base, mp.mpf) and base < 0 and isinstance(exponent, mp.mpf):
        root = mp.nint(1 / exponent) if exponent else 0
        odd_root = root % 2 == 1 and abs(1 / exponent - root) < mp.mpf(10) ** -30
        if odd_root:  # the real root, as in school: cbrt(-8) = -2
            return -(mp.power(-base, exponent))
    return mp.power(base, exponent)


def _call(name: str, args: list[Any], mp: Any) -> Any:
    one_argument = {
        "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "cot": mp.cot, "sec": mp.sec, "csc": mp.csc,
        "arcsin": mp.asin, "arccos": mp.acos, "arctan": mp.atan, "sinh": mp.sinh,
        "cosh": mp.cosh, "tanh": mp.tanh, "ln": mp.log, "abs": abs, "floor": mp.floor,
        "ceil": mp.ceil, "arccot": mp.acot, "arcsec": mp.asec, "arccsc": mp.acsc,
        "arcsinh": mp.asinh, "arccosh": mp.acosh, "arctanh": mp.atanh,
    }  # fmt: skip
    if name in one_argument and len(args) == 1:
        return one_argument[name](args[0])
    if name == "log" and len(args) <= 2:
        return mp.log(*args)
    if name == "binomial" and len(args) == 2:
        if any(abs(arg) > MAX_FACTORIAL for arg in args):
            raise TooLarge("factorial_too_large")
        return mp.binomial(*args)
    if name in ("max", "min"):
        return {"max": max, "min": min}[name](args)
    if name in ("gcd", "lcm") and all(mp.isint(arg) for arg in args):
        return mp.mpf({"gcd": math.gcd, "lcm": math.lcm}[name](*(int(arg) for arg in args)))
    return _unknown_function(name, args, mp)


def _unknown_function(name: str, args: list[Any], mp: Any) -> Any:
    """A repeatable arbitrary value, so that ``f(x)`` equals ``f(x)`` and not ``f(2x)``."""
    text = name + "|" + "|".join(mp.nstr(arg, AGREEMENT - 10) for arg in args)
    digest = hashlib.sha256(text.encode()).digest()
    return mp.mpf(int.from_bytes(digest[:16], "big")) / 2**120


def has_value(node: Node) -> bool:
    """Whether a constant has a value; one above a cap counts as having one."""
    try:
        try:
            exact(node)
        except NotRational:
            numeric(node, {})
    except TooLarge:
        return True
    except Undefined:
        return False
    return True


def same_number(left: Any, right: Any) -> bool:
    """Whether two mpmath values agree to ``AGREEMENT`` digits, relative to the larger."""
    mp = context()
    if not (mp.isfinite(left) and mp.isfinite(right)):
        return bool(left == right)
    scale = max(abs(left), abs(right))
    return bool(abs(left - right) <= scale * mp.mpf(10) ** -AGREEMENT)


def same_expression(left: Node, right: Node) -> bool:
    """Whether two expressions have the same value wherever both have one.

    Symbols stand for real numbers. Both are evaluated at three positive points, where both or
    neither must have a value, and at points of mixed sign, where real values must agree.
    The points come from a hash of both trees, so no answer can be made to fit them.

    Raises:
        TooLarge: above a cap.
    """
    if left == right:
        return True
    names = sorted(symbols(left) | symbols(right))
    seed = hashlib.sha256(repr((left, right)).encode("utf-8", "replace")).digest()
    points = [_point(names, seed, k, negative=False) for k in range(3 if names else 1)]
    mixed = [_point(names, seed, k, negative=True) for k in range(3, 6)] if names else []
    try:
        return all(_same_exact(left, right, point) for point in points + mixed)
    except NotRational:
        pass
    return _same_numeric(left, right, points, mixed)


def _same_exact(left: Node, right: Node, point: Mapping[str, Fraction]) -> bool:
    sides = []
    for node in (left, right):
        try:
            sides.append(exact(node, point))
        except Undefined:
            sides.append(None)
    return sides[0] == sides[1] and sides[0] is not None


def _same_numeric(left: Node, right: Node, points: list, mixed: list) -> bool:
    mp = context()
    compared = 0
    for index, point in enumerate(points + mixed):
        pair = [_value_or_none(node, _as_mp(point)) for node in (left, right)]
        if index >= len(points) and any(p is None or mp.im(p) != 0 for p in pair):
            continue
        if pair[0] is None and pair[1] is None:
            continue
        if pair[0] is None or pair[1] is None or not same_number(pair[0], pair[1]):
            return False
        compared += 1
    return compared > 0


def _as_mp(point: Mapping[str, Fraction]) -> dict[str, Any]:
    mp = context()
    return {name: mp.mpf(v.numerator) / v.denominator for name, v in point.items()}


def _value_or_none(node: Node, values: Mapping[str, Any]) -> Any:
    try:
        return numeric(node, values)
    except Undefined:
        return None


_SCALES = (4, 40, 400)
"""Sizes of sample points: an identity that holds only near zero is none."""


def _point(names: list[str], seed: bytes, index: int, *, negative: bool) -> dict[str, Fraction]:
    """The index-th sample point; with ``negative`` all values are, or every other draw some."""
    point = {}
    for name in names:
        digest = hashlib.sha256(seed + bytes([index]) + name.encode("utf-8", "replace")).digest()
        value = Fraction(int.from_bytes(digest[:5], "big") + 1, 2**40) * _SCALES[index % 3]
        flips = negative and (index % 2 == 1 or digest[5] % 2)
        point[name] = -value if flips else value
    return point


def proportion(left: Node, right: Node) -> Any | None:
    """The constant c with left = c · right at every point, None if there is none.

    Raises:
        TooLarge: above a cap.
    """
    mp = context()
    names = sorted(symbols(left) | symbols(right))
    if symbols(left) != symbols(right) or not names:
        return None
    seed = hashlib.sha256(repr((left, right)).encode("utf-8", "replace")).digest()
    factors = []
    for index in range(8):
        point = _as_mp(_point(names, seed, index, negative=index >= 4))
        pair = [_value_or_none(node, point) for node in (left, right)]
        if pair[0] is None or pair[1] is None or mp.im(pair[0]) or mp.im(pair[1]):
            continue
        if pair[1] == 0 or pair[0] == 0:
            return None
        factors.append(pair[0] / pair[1])
    same = len(factors) > 1 and all(same_number(factors[0], other) for other in factors[1:])
    return factors[0] if same else None
