"""Expression trees: small, immutable, built by the parser and never executed as code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt


@dataclass(frozen=True, slots=True)
class Node:
    """One node of an expression.

    ``op`` is num, sym, const, add, mul, div, pow, neg, pm, mp, fact or call. A num carries its
    exact ``value`` and, where a decimal point was written, its count of significant ``digits``;
    sym, const and call carry a ``name``.
    """

    op: str
    args: tuple[Node, ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)
    digits: int = 0

    def walk(self) -> Iterator[Node]:
        """This node and all below it."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.args)

    def depth(self) -> int:
        """Levels below and including this node."""
        deepest = 0
        stack: list[tuple[Node, int]] = [(self, 1)]
        while stack:
            node, level = stack.pop()
            deepest = max(deepest, level)
            stack.extend((arg, level + 1) for arg in node.args)
        return deepest


def num(value: Fraction | int, digits: int = 0) -> Node:
    """A number."""
    return Node("num", value=Fraction(value), digits=digits)


def symbols(node: Node) -> set[str]:
    """Names of the free symbols."""
    return {n.name for n in node.walk() if n.op == "sym"}


def is_undone(node: Node) -> bool:
    """Whether arithmetic between plain numbers was left undone: ``15/100*80``, ``3 + 4``.

    Fractions, powers, roots, ``a \\times 10^n`` and ``2 + \\frac{1}{3}`` count as numbers.
    """
    for part in node.walk():
        if _is_scientific(part) or _is_whole_and_fraction(part):
            continue
        if part.op in ("add", "mul") and sum(_is_plain(arg) for arg in part.args) > 1:
            return True
    return False


def is_literal(node: Node) -> bool:
    """Whether a constant is written out: a number, a fraction of two, a multiple of a root or π.

    ``18 / 0.25``, ``2^{20}``, ``5!``, ``\\sqrt{25} \\times \\sqrt{3}`` and ``4^2 π`` are not.
    """
    for part in node.walk():
        if part.op in ("fact", "call") or is_undone(part):
            return False
        if part.op == "pow" and _is_plain(part.args[1]) and not _is_root_or_power_of_ten(part):
            return False
        if part.op == "mul" and sum(_is_root(arg) for arg in part.args) > 1:
            return False
        if part.op == "div" and any(arg.digits for arg in part.args):
            return False
    return True


def _is_root(node: Node) -> bool:
    return node.op == "pow" and node.args[1].op == "div"


def _is_root_or_power_of_ten(node: Node) -> bool:
    base = node.args[0]
    if base.op == "num" and base.value == 10:
        return True
    return _is_root(node) and not (base.op == "num" and _is_square(base.value))


def _is_square(value: Fraction) -> bool:
    root = isqrt(abs(value.numerator))
    return value.denominator == 1 and root * root == abs(value.numerator)


def _is_plain(node: Node) -> bool:
    """Whether a subtree is built of numbers by rational operations alone."""
    rational = ("num", "neg", "add", "mul", "div", "pow")
    return all(part.op in rational and not _is_root(part) for part in node.walk())


def _is_whole_and_fraction(node: Node) -> bool:
    """A mixed number with its plus sign: ``2 + 1/3``."""
    if node.op != "add" or len(node.args) != 2:
        return False
    whole, fraction = node.args
    if whole.op == fraction.op == "neg":
        whole, fraction = whole.args[0], fraction.args[0]
    if fraction.op != "div":
        return False
    numbers = (whole, *fraction.args)
    if not all(n.op == "num" and n.value.denominator == 1 for n in numbers):
        return False
    return 0 < fraction.args[0].value < fraction.args[1].value


def _is_scientific(node: Node) -> bool:
    if node.op != "mul":
        return False
    last = node.args[-1]
    ten = last.op == "pow" and last.args[0].op == "num" and last.args[0].value == 10
    return ten and len(node.args) == 2 and node.args[0].op in ("num", "neg")


def expand_pm(node: Node) -> list[Node]:
    """The one or two expressions that an expression with ± stands for, upper signs first."""
    if not any(part.op in ("pm", "mp") for part in node.walk()):
        return [node]
    return [_with_sign(node, upper=True), _with_sign(node, upper=False)]


def _with_sign(node: Node, *, upper: bool) -> Node:
    args = tuple(_with_sign(arg, upper=upper) for arg in node.args)
    if node.op in ("pm", "mp"):
        positive = (node.op == "pm") == upper
        return args[0] if positive else Node("neg", args)
    return Node(node.op, args, node.name, node.value, node.digits)
