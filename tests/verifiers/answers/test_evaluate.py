"""Values of expression trees against Python's own arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rlvr_course.verifiers.answers.evaluate import (
    NotRational,
    Undefined,
    exact,
    has_value,
    numeric,
    proportion,
    same_expression,
    same_number,
)
from rlvr_course.verifiers.answers.leaves import expression_or_none
from rlvr_course.verifiers.answers.nodes import Node, num
from rlvr_course.verifiers.answers.surface import fold
from rlvr_course.verifiers.answers.tokens import TooLarge, tokenize

SMALL = st.fractions(-50, 50, max_denominator=50)


def parse(text: str) -> Node:
    node = expression_or_none(tokenize(fold(text)))
    assert node is not None, text
    return node


def joined(children: st.SearchStrategy[tuple[Node, Fraction]]) -> st.SearchStrategy:
    """Trees with the value that Python's fractions give them; a division by zero is left out."""

    def build(op: str, left: tuple[Node, Fraction], right: tuple[Node, Fraction]):
        (a, x), (b, y) = left, right
        if op == "neg":
            return Node("neg", (a,)), -x
        if op == "pow":
            return Node("pow", (a, num(2))), x**2
        if op == "div" and y == 0:
            return a, x
        value = {"add": x + y, "mul": x * y, "div": x / y if y else x}[op]
        return Node(op, (a, b)), value

    return st.builds(
        build, st.sampled_from(["add", "mul", "div", "neg", "pow"]), children, children
    )


TREES = st.recursive(SMALL.map(lambda value: (num(value), value)), joined, max_leaves=8)
LINES = st.lists(st.integers(-9, 9), min_size=1, max_size=4)


def polynomial(coefficients: list[int], *, descending: bool = False) -> Node:
    terms = [
        Node("mul", (num(c), Node("pow", (Node("sym", name="x"), num(k)))))
        for k, c in enumerate(coefficients)
    ]
    return Node("add", tuple(reversed(terms) if descending else terms))


@given(TREES)
def test_exact_agrees_with_fractions(tree: tuple[Node, Fraction]):
    node, value = tree
    assert exact(node) == value


@given(TREES)
def test_numeric_agrees_with_exact(tree: tuple[Node, Fraction]):
    node, value = tree
    expected = numeric(num(value.numerator), {}) / value.denominator
    assert same_number(numeric(node, {}), expected)


@given(TREES, TREES)
def test_same_expression_is_equality_of_values_for_constants(
    left: tuple[Node, Fraction], right: tuple[Node, Fraction]
):
    assert same_expression(left[0], right[0]) is (left[1] == right[1])
    assert same_expression(right[0], left[0]) is (left[1] == right[1])


@given(LINES, LINES)
def test_same_expression_of_polynomials_is_equality_of_coefficients(a: list[int], b: list[int]):
    size = max(len(a), len(b))
    equal = a + [0] * (size - len(a)) == b + [0] * (size - len(b))
    left, right = polynomial(a), polynomial(b, descending=True)
    assert same_expression(left, right) is same_expression(right, left) is equal


@given(LINES)
def test_same_expression_is_reflexive(coefficients: list[int]):
    assert same_expression(polynomial(coefficients), polynomial(coefficients, descending=True))


@given(LINES, st.fractions(-9, 9, max_denominator=9))
def test_proportion_finds_the_factor(coefficients: list[int], factor: Fraction):
    assume(factor and any(coefficients[1:]))
    node = polynomial(coefficients)
    found = proportion(Node("mul", (num(factor), node)), node)
    assert found is not None
    assert abs(found - factor.numerator / Fraction(factor.denominator)) < 1e-12


EQUAL = {
    "surd": (r"\sqrt{8}", r"2\sqrt{2}"),
    "rationalised": (r"\frac{1}{\sqrt{2}}", r"\frac{\sqrt{2}}{2}"),
    "power": ("x^{-2}", r"\frac{1}{x^2}"),
    "identity": (r"\sin^2 x + \cos^2 x", "1"),
    "double angle": (r"\sin(2x)", r"2 \sin x \cos x"),
    "inverse": (r"\tan^{-1} x", r"\arctan x"),
    "logarithms": (r"\ln 6", r"\ln 2 + \ln 3"),
    "binomial": (r"\binom{5}{2}", "10"),
    "factorial": ("5!", "120"),
    "cube root": (r"\sqrt[3]{-8}", "-2"),
    "imaginary": ("i^2", "-1"),
}
UNEQUAL = {
    "absolute value": (r"\sqrt{x^2}", "x"),
    "logarithm of a square": (r"\ln(x^2)", r"2 \ln(x) + 1"),
    "near": (r"\pi", r"\frac{355}{113}"),
    "nearer": (r"\sqrt{2}", "1.41421356237309504880168872420969807"),
    "inverse is no power": (r"\cot^{-2} x", r"\cot^{-1} x"),
    "names": ("x + 1", "y + 1"),
    "undefined": (r"\frac{1}{0}", "1"),
}


@pytest.mark.parametrize(("left", "right"), EQUAL.values(), ids=EQUAL)
def test_equal_expressions_are_the_same(left: str, right: str):
    assert same_expression(parse(left), parse(right))
    assert same_expression(parse(right), parse(left))


@pytest.mark.parametrize(("left", "right"), UNEQUAL.values(), ids=UNEQUAL)
def test_unequal_expressions_are_not(left: str, right: str):
    assert not same_expression(parse(left), parse(right))
    assert not same_expression(parse(right), parse(left))


@pytest.mark.parametrize("text", ["99999!", "9^{99999}", "9^{9999} * 9^{9999}"])
def test_a_value_above_a_cap_is_refused(text: str):
    with pytest.raises(TooLarge, match="_too_large"):
        exact(parse(text))


@pytest.mark.parametrize("text", [r"e^{99999}", r"\pi^{99999}", r"e^{40000} * e^{40000}"])
def test_an_irrational_value_above_a_cap_is_refused(text: str):
    with pytest.raises(TooLarge, match="_too_large"):
        numeric(parse(text), {})


@pytest.mark.parametrize("text", ["1/0", "0^{-1}", r"\infty - \infty"])
def test_what_has_no_value_is_undefined(text: str):
    assert not has_value(parse(text))
    with pytest.raises(Undefined):
        numeric(parse(text), {})


@pytest.mark.parametrize("text", [r"\sqrt{2}", r"\pi", "x", r"\sin 1", "(1/2)!"])
def test_what_is_not_rational_says_so(text: str):
    with pytest.raises(NotRational):
        exact(parse(text))
