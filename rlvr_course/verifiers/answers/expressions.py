"""Expressions: a precedence parser from tokens to trees, for LaTeX and Python-style text alike.

    sum      := product (("+" | "-" | "\\pm" | "\\mp") product)*
    product  := unary (("*" | "/" | juxtaposition) unary)*
    unary    := ("-" | "+" | "\\pm" | "\\mp")* power
    power    := postfix ("^" unary)?
    postfix  := atom ("!" | "%")*
    atom     := number | mixed number | repeating decimal | symbol with subscripts | constant
              | \\frac{sum}{sum} | \\sqrt[sum]{sum} | \\binom{sum}{sum} | function argument
              | "(" sum ")" | "[" sum "]" | "{" sum "}" | "|" sum "|" | floor | ceiling

Juxtaposition multiplies, except that an integer before a proper fraction is a mixed number
(``2\\frac{1}{2}``, ``11 5/6``) and that two bare numbers side by side are an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rlvr_course.verifiers.answers.nodes import Node, num
from rlvr_course.verifiers.answers.numerals import NotAnExpression, Numerals
from rlvr_course.verifiers.answers.tokens import Token, TooLarge
from rlvr_course.verifiers.answers.vocabulary import (
    ACCENTS,
    CONSTANTS,
    ENGLISH,
    FUNCTIONS,
    GREEK,
    INVERTIBLE,
    PERHAPS_FUNCTIONS,
    SAME_FUNCTION,
    UNKNOWN_FUNCTIONS,
)

MAX_DEPTH = 60

_CLOSING = {"(": ")", "[": "]", "{": "}", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil",
            "|": "|", r"\{": r"\}"}  # fmt: skip


def parse_expression(tokens: Sequence[Token]) -> Node:
    """The tree of a whole token list.

    Raises:
        NotAnExpression: tokens outside the grammar, or left over.
        TooLarge: nested deeper than ``MAX_DEPTH``.
    """
    parser = _Parser(list(tokens))
    node = parser.whole()
    if parser.peek is not None:
        raise NotAnExpression(f"left over at {parser.peek.text!r}")
    if len(tokens) > MAX_DEPTH and node.depth() > MAX_DEPTH:
        raise TooLarge("nested_too_deep")
    return node


class _Parser(Numerals):
    # -- levels of precedence

    def whole(self) -> Node:
        """A sum, or two on either side of TeX's ``\\over`` or ``\\choose``."""
        node = self.sum()
        if self.kind() == r"\over":
            self.take()
            return Node("div", (node, self.sum()))
        if self.kind() == r"\choose":
            self.take()
            return Node("call", (node, self.sum()), "binomial")
        return node

    def sum(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLarge("nested_too_deep")
        terms = [self.product()]
        while self.kind() in ("+", "-", r"\pm", r"\mp"):
            sign = self.take().kind
            term = self.product()
            wrap = {"-": "neg", r"\pm": "pm", r"\mp": "mp"}.get(sign)
            terms.append(Node(wrap, (term,)) if wrap else term)
        self.depth -= 1
        return terms[0] if len(terms) == 1 else Node("add", tuple(terms))

    def product(self) -> Node:
        factors = [self.unary()]
        while True:
            kind = self.kind()
            if kind == "*" or self._is_times_letter(factors[-1]):
                self.take()
                factors.append(self.unary())
            elif kind == "/":
                self.take()
                top = factors[0] if len(factors) == 1 else Node("mul", tuple(factors))
                factors = [Node("div", (top, self.unary()))]
            elif self._starts_atom():
                if kind == "num" and factors[-1].op == "num":
                    raise NotAnExpression("two numbers side by side")
                factors.append(self.power())
            else:
                break
        return factors[0] if len(factors) == 1 else Node("mul", tuple(factors))

    def _is_times_letter(self, before: Node) -> bool:
        """Whether an x stands for a times sign: ``6.02 x 10^{23}``."""
        token, after = self.peek, self.at(1)
        is_x = token is not None and token.text in ("x", "X") and before.op == "num"
        return is_x and after is not None and after.text == "10" and self.kind(2) == "^"

    def _starts_atom(self) -> bool:
        kind = self.kind()
        if kind == "|":
            return self.bars == 0
        return (
            kind in ("num", "word", "text", "(", "[", "{", r"\frac", r"\sqrt", r"\cbrt", r"\binom")
            or kind in (r"\lfloor", r"\lceil", r"\pi", r"\infty")
            or kind in ACCENTS
            or kind[1:] in FUNCTIONS
            or kind[1:] in GREEK
        )

    def unary(self) -> Node:
        signs = []
        while self.kind() in ("-", "+", r"\pm", r"\mp"):
            signs.append(self.take().kind)
            if len(signs) > MAX_DEPTH:
                raise TooLarge("nested_too_deep")
        node = self.power()
        for sign in reversed(signs):
            op = {"-": "neg", r"\pm": "pm", r"\mp": "mp"}.get(sign)
            node = Node(op, (node,)) if op else node
        return node

    def power(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLarge("nested_too_deep")
        node = self.postfix()
        if self.kind() == "^":
            self.take()
            braced = self.kind() == "{"
            if not braced:
                self._split_letters()
            node = Node("pow", (node, self.group() if braced else self.unary()))
        while self.kind() == "!":
            self.take()
            node = Node("fact", (node,))
        self.depth -= 1
        return node

    def _split_letters(self) -> None:
        """As in TeX, an exponent without braces is one letter: ``a^ba^c``."""
        token = self.peek
        if token is None or token.kind != "word" or len(token.text) < 2:
            return
        if token.text not in FUNCTIONS and token.text not in CONSTANTS and token.text not in GREEK:
            first, rest = Token("word", token.text[0]), Token("word", token.text[1:])
            self.tokens[self.position : self.position + 1] = [first, rest]

    def postfix(self) -> Node:
        node = self.atom()
        while self.kind() in ("!", "%", r"\degree"):
            sign = self.take().kind
            if sign == "!":
                node = Node("fact", (node,))
            elif sign == "%":
                node = Node("div", (node, num(100)))
            else:
                half_turn = Node("div", (Node("const", name="pi"), num(180)))
                node = Node("mul", (node, half_turn))
        return node

    # -- atoms

    def atom(self) -> Node:
        kind = self.kind()
        if kind == "num":
            return self.number()
        if kind in ("word", "text"):
            return self.name()
        if kind in ("(", "[", "{", r"\lfloor", r"\lceil", "|"):
            return self.group()
        if kind == r"\frac":
            return self.fraction()
        if kind in (r"\sqrt", r"\cbrt"):
            return self.root()
        if kind == r"\binom":
            self.take()
            return Node("call", (self.argument(), self.argument()), "binomial")
        if kind in ACCENTS:
            self.take()
            inner = self.argument(whole_number=True)
            if inner.op != "sym":
                raise NotAnExpression(f"{kind} over something that is not a symbol")
            return Node("sym", name=f"{ACCENTS[kind]} {inner.name}")
        if kind == r"\pi":
            self.take()
            return Node("const", name="pi")
        if kind == r"\infty":
            self.take()
            return Node("const", name="oo")
        if kind[:1] == "\\" and kind[1:] in FUNCTIONS:
            self.take()
            return self.call(kind[1:])
        if kind[:1] == "\\" and kind[1:] in GREEK:
            self.take()
            return self.symbol(kind[1:])
        raise NotAnExpression(f"no expression starts with {kind or 'nothing'!r}")

    def fraction(self) -> Node:
        self.take(r"\frac")
        return Node("div", (self.argument(), self.argument()))

    def root(self) -> Node:
        cube = self.take().kind == r"\cbrt"
        index = num(3 if cube else 2)
        if self.kind() == "[":
            index = self.group()
        return Node("pow", (self.argument(whole_number=True), Node("div", (num(1), index))))

    def argument(self, *, whole_number: bool = False) -> Node:
        """A braced argument, or as in TeX one token: the first digit of a bare number."""
        token = self.peek
        if token is None:
            raise NotAnExpression("an argument is missing")
        if token.kind == "num" and not whole_number and len(token.text) > 1:
            if not token.text.isdecimal():
                raise NotAnExpression("a bare decimal as an argument")
            rest = token.text[1:]
            self.tokens[self.position] = Token("num", rest, False, Fraction(int(rest)))
            return num(int(token.text[0]))
        if token.kind == "num":
            self.take()
            return num(token.value or 0, token.digits)
        return self.atom()

    def group(self) -> Node:
        opening = self.take().kind
        closing = _CLOSING.get(opening, "")
        self.bars += opening == "|"
        node = self.whole()
        self.bars -= opening == "|"
        self.take(closing)
        wrapper = {"|": "abs", r"\lfloor": "floor", r"\lceil": "ceil"}.get(opening)
        return Node("call", (node,), wrapper) if wrapper else node

    def name(self) -> Node:
        token = self.take()
        text = token.text
        if text in FUNCTIONS:
            return self.call(text)
        if text in CONSTANTS and not (text in "EI" and self.kind() == "_"):
            constant = CONSTANTS[text]
            return self.symbol(text) if constant in ("E", "I") else Node("const", name=constant)
        if len(text) == 1 or text in GREEK:
            return self.symbol(text)
        product = token.kind == "word" and len(text) <= 3 and text.isascii() and text.isalpha()
        if product and text.lower() not in ENGLISH:
            rest = [Token("word", letter) for letter in text[1:]]
            self.tokens[self.position : self.position] = rest  # so that xy^2 is x times y^2
            return self._letter(text[0])
        raise NotAnExpression(f"{text!r} is a word")

    @staticmethod
    def _letter(letter: str) -> Node:
        return Node("const", name=letter) if letter in "ei" else Node("sym", name=letter)

    def symbol(self, name: str) -> Node:
        if self.kind() == "_":
            self.take()
            name += "_" + self.subscript()
        while self.kind() == "'":
            self.take()
            name += "'"
        if self.kind() == "(" and self._is_function(name.rstrip("'")):
            return Node("call", tuple(self.arguments()), name)
        return Node("sym", name=name)

    def _is_function(self, name: str) -> bool:
        if name in UNKNOWN_FUNCTIONS:
            return True
        return name in PERHAPS_FUNCTIONS and self.kind(2) == ")"

    def subscript(self) -> str:
        if self.kind() != "{":
            return self.take().text
        self.take()
        parts = []
        while self.kind() not in ("}", ""):
            parts.append(self.take().text)
        self.take("}")
        return "".join(parts)

    def arguments(self) -> list[Node]:
        self.take("(")
        args = [self.sum()]
        while self.kind() == ",":
            self.take()
            args.append(self.sum())
        self.take(")")
        return args

    def call(self, name: str) -> Node:
        name = SAME_FUNCTION.get(name, name)
        base = power = None
        for _ in range(2):
            if self.kind() == "_" and base is None:
                self.take()
                base = self.argument(whole_number=True)
            elif self.kind() == "^" and power is None:
                self.take()
                power = self.argument(whole_number=True) if self.kind() != "-" else self.unary()
        node = self._applied(name, base)
        if power == Node("neg", (num(1),)) and name in INVERTIBLE:
            return self._applied_inverse(name, node)
        return Node("pow", (node, power)) if power is not None else node

    @staticmethod
    def _applied_inverse(name: str, node: Node) -> Node:
        return Node("call", node.args, f"arc{name}")

    def _applied(self, name: str, base: Node | None) -> Node:
        args = self.arguments() if self.kind() == "(" else [self.bare_argument()]
        if name == "sqrt":
            return Node("pow", (args[0], Node("div", (num(1), num(2)))))
        if name == "cbrt":
            return Node("pow", (args[0], Node("div", (num(1), num(3)))))
        if name == "exp":
            return Node("pow", (Node("const", name="e"), args[0]))
        if name == "factorial":
            return Node("fact", (args[0],))
        if name == "lg":
            name, base = "log", num(10)
        if name == "log" and base is not None:
            args = [args[0], base]
        return Node("call", tuple(args), name)

    def bare_argument(self) -> Node:
        """The argument of a function without parentheses: ``\\sin 2x`` takes ``2x``."""
        factors = [self.power()]
        while self._starts_atom() and self.kind() not in ("(", "[", "text"):
            if self.kind()[1:] in FUNCTIONS or (self.peek and self.peek.text in FUNCTIONS):
                break
            factors.append(self.power())
        return factors[0] if len(factors) == 1 else Node("mul", tuple(factors))
