"""Numbers inside expressions: mixed numbers and decimals that repeat, over a cursor of tokens."""

from __future__ import annotations

from fractions import Fraction

from rlvr_course.verifiers.answers.nodes import Node, num
from rlvr_course.verifiers.answers.tokens import Token


class NotAnExpression(ValueError):
    """The tokens are not an expression of the grammar."""


class Cursor:
    """A place in a list of tokens."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.depth = 0
        self.bars = 0

    @property
    def peek(self) -> Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def at(self, offset: int) -> Token | None:
        index = self.position + offset
        return self.tokens[index] if index < len(self.tokens) else None

    def kind(self, offset: int = 0) -> str:
        token = self.at(offset)
        return token.kind if token else ""

    def take(self, kind: str | None = None) -> Token:
        token = self.peek
        if token is None or (kind is not None and token.kind != kind):
            raise NotAnExpression(f"expected {kind or 'a token'}, found {token and token.text!r}")
        self.position += 1
        return token


class Numerals(Cursor):
    """The part of the expression parser that reads numbers."""

    def fraction(self) -> Node:
        """A LaTeX fraction; the parser's own."""
        raise NotImplementedError

    def group(self) -> Node:
        """An expression in brackets; the parser's own."""
        raise NotImplementedError

    def number(self) -> Node:
        token = self.take("num")
        assert token.value is not None
        if self.kind() in (r"\overline", r"\bar", r"\dot") or self._is_period(token):
            return self.repeating(token)
        if self.kind() == r"\ldots" and "." in token.text:
            return self._continued(token)
        whole = token.digits == 0 and "." not in token.text
        if whole and self.kind() == r"\frac":
            return self.mixed(token)
        slash = self.kind() == "num" and self.kind(1) == "/" and self.kind(2) == "num"
        if whole and slash:
            top, bottom = self.take(), self.take("/") and self.take()
            return self._mixed(token.value, num(top.value or 0), num(bottom.value or 0))
        return num(token.value, token.digits)

    def _is_period(self, token: Token) -> bool:
        """``0.1(6)``: a decimal, and at once digits in parentheses."""
        kinds = [self.kind(0), self.kind(1), self.kind(2)]
        if "." not in token.text or kinds != ["(", "num", ")"]:
            return False
        opening, inner = self.at(0), self.at(1)
        return not (opening and opening.spaced) and bool(inner and inner.text.isdecimal())

    def repeating(self, token: Token) -> Node:
        """``0.1\\overline{6}``: digits, then a bar over the part that repeats."""
        if self.kind() != "(":
            self.take()
        inner = self.group()
        text = self.tokens[self.position - 2].text
        if "." not in token.text or inner.op != "num" or not text.isdecimal():
            raise NotAnExpression("a bar over something that is not a decimal's digits")
        shift = len(token.text) - token.text.index(".") - 1
        tail = Fraction(int(text), 10**shift * (10 ** len(text) - 1))
        return num((token.value or Fraction(0)) + tail)

    def _continued(self, token: Token) -> Node:
        """``0.3636\\ldots``: a decimal that goes on with the block that it repeats."""
        decimals = token.text.partition(".")[2]
        for size in (1, 2, 3):
            block = decimals[-size:]
            if len(decimals) >= max(3, 2 * size) and decimals.endswith(block * 2):
                self.take()
                shift = Fraction(1, 10 ** len(decimals))
                tail = Fraction(int(block), 10**size - 1) * shift
                return num((token.value or Fraction(0)) + tail)
        raise NotAnExpression("a decimal that goes on in an unknown way")

    def mixed(self, token: Token) -> Node:
        fraction = self.fraction()
        if fraction.op == "div" and all(a.op == "num" for a in fraction.args):
            return self._mixed(token.value or Fraction(0), *fraction.args)
        return Node("mul", (num(token.value or 0), fraction))

    @staticmethod
    def _mixed(whole: Fraction, top: Node, bottom: Node) -> Node:
        if not 0 <= top.value < bottom.value or bottom.value.denominator != 1:
            raise NotAnExpression("a whole number before an improper fraction")
        return num(whole + top.value / bottom.value)
