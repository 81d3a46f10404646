"""Tokens of an answer: numbers, names, commands, text runs and single signs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_TOKENS = 600
MAX_DIGITS = 4_000
"""Digits of one number; more is refused, since turning digits into an integer is quadratic."""


class TooLarge(ValueError):
    """An answer above a cap: it is judged as a wrong answer, never as a grader fault."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token: ``kind`` is num, word, text, or the sign or command itself.

    ``value`` and ``digits`` belong to numbers: the exact value, and the count of significant
    digits where a decimal point was written, final zeros among them (0 for an integer); of a
    zero, its decimals.
    """

    kind: str
    text: str
    spaced: bool = False
    value: Fraction | None = None
    digits: int = 0


_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<num>(?<!\d,)\d{1,3}(?:,\d{3})+(?![\d]|,\d)(?:\.\d+)?"
    r"|(?<!\d,)\d{1,2}(?:,\d{2})+,\d{3}(?![\d]|,\d)(?:\.\d+)?"
    r"|\d+(?:\.\d*)?|\.\d+)"
    r"|(?P<exp>[eE][-+]?\d{1,9}(?![\d.A-Za-z]))"
    r"|(?P<command>\\[A-Za-z]+|\\[^A-Za-z])"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)?)"
    r"|(?P<sign>\*\*|<=|>=|!=|==|:=|->|.)",
    re.DOTALL,
)
_UNGROUPED = re.compile(r"\d+(?:\.\d*)?|\.\d+")
_TEXT_COMMANDS = {
    r"\text", r"\mathrm", r"\textbf", r"\mathbf", r"\operatorname", r"\mbox", r"\textit",
    r"\mathit", r"\textrm", r"\mathsf", r"\textsf", r"\texttt", r"\mathtt", r"\hbox",
    r"\textnormal", r"\boldsymbol", r"\bm", r"\emph", r"\underline", r"\boxed", r"\fbox",
}  # fmt: skip
_ALIASES = {
    r"\dfrac": r"\frac", r"\tfrac": r"\frac", r"\cfrac": r"\frac", r"\leq": r"\le",
    r"\geq": r"\ge", r"\leqslant": r"\le", r"\geqslant": r"\ge", r"\neq": r"\ne", "<=": r"\le",
    ">=": r"\ge", "!=": r"\ne", "==": "=", ":=": "=", r"\lt": "<", r"\gt": ">", "**": "^",
    r"\times": "*", r"\cdot": "*", r"\ast": "*", r"\div": "/", r"\lbrace": r"\{",
    r"\rbrace": r"\}", r"\lbrack": "[", r"\rbrack": "]", r"\lvert": "|", r"\rvert": "|",
    r"\vert": "|", r"\mid": "|", r"\|": "|", r"\binom": r"\binom", r"\dbinom": r"\binom",
    r"\tbinom": r"\binom", r"\varnothing": r"\emptyset", r"\Reals": r"\R",
    r"\backslash": r"\setminus",
    r"\%": "%", r"\land": r"\and", r"\wedge": r"\and", r"\lor": r"\or", r"\vee": r"\or",
    r"\infin": r"\infty", r"\thinspace": "", r"\hline": "",
    r"\bf": "", r"\rm": "", r"\it": "", r"\sf": "", r"\tt": "", r"\cal": "", r"\sl": "",
    r"\large": "", r"\Large": "",
    r"\huge": "", r"\Huge": "", r"\small": "", r"\tiny": "", r"\normalsize": "",
    r"\dots": r"\ldots", r"\cdots": r"\ldots", r"\varphi": r"\phi",
    r"\varepsilon": r"\epsilon", r"\&": "&", r"\#": "#", r"\_": "_", r"\textdollar": r"\$",
}  # fmt: skip


def _number(text: str, spaced: bool) -> Token:
    plain = text.replace(",", "")
    if len(plain) > MAX_DIGITS:
        raise TooLarge("too_many_digits")
    digits = 0
    if "." in plain:
        plain = plain.rstrip(".") if plain[-1] == "." else plain
        decimals = plain.partition(".")[2]
        digits = len(plain.replace(".", "").lstrip("0")) or len(decimals) if decimals else 0
    return Token("num", text, spaced, Fraction(plain), digits)


def _scale(token: Token, exponent: str) -> Token:
    power = int(exponent[1:])
    if abs(power) > MAX_DIGITS:
        raise TooLarge("exponent_too_large")
    assert token.value is not None
    value = token.value * Fraction(10) ** power
    return Token("num", token.text + exponent, token.spaced, value, token.digits)


def tokenize(text: str, *, groups: bool = True) -> list[Token]:
    """Tokens of a folded answer (see ``surface.fold``).

    Args:
        text: at most ``surface.MAX_LENGTH`` characters, folded.
        groups: read ``1,234`` as one number; False reads every comma as a separator.

    Raises:
        TooLarge: above a cap on tokens, digits or decimal exponents.
    """
    tokens: list[Token] = []
    spaced = False
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None  # the last alternative takes any character
        if match.lastgroup == "num" and not groups:
            match = _UNGROUPED.match(text, position) or match
        kind, lexeme = match.lastgroup or "num", match[0]
        position = match.end()
        if kind == "space":
            spaced = True
            continue
        if kind == "num":
            tokens.append(_number(lexeme, spaced))
        elif kind == "exp" and tokens and tokens[-1].kind == "num" and not spaced:
            tokens[-1] = _scale(tokens[-1], lexeme)
        elif kind == "exp":
            tokens.append(Token("word", lexeme[0], spaced))
            position = match.start() + 1
        elif lexeme in (r"\textcolor", r"\color"):
            _, position = _argument(text, position)
        elif lexeme in _TEXT_COMMANDS:
            inner, position = _argument(text, position)
            tokens += _text_tokens(inner, spaced, lexeme, groups)
        else:
            kind = "word" if kind == "word" else _ALIASES.get(lexeme, lexeme)
            if kind:
                tokens.append(Token(kind, lexeme, spaced))
        spaced = False
        if len(tokens) > MAX_TOKENS:
            raise TooLarge("too_many_tokens")
    return tokens


def _argument(text: str, position: int) -> tuple[str, int]:
    """The braced argument at ``position`` (or nothing), and the position after it."""
    while position < len(text) and text[position] == " ":
        position += 1
    if position >= len(text) or text[position] != "{":
        return "", position
    depth = 0
    for index in range(position, len(text)):
        if text[index] in "{}" and text[index - 1] != "\\":
            depth += 1 if text[index] == "{" else -1
            if depth == 0:
                return text[position + 1 : index], index + 1
    return text[position + 1 :], len(text)


_WORDS_ONLY = re.compile(r"\(?[^\W\d_][^\d\\{}^$=<>]*", re.DOTALL)


def _text_tokens(inner: str, spaced: bool, command: str, groups: bool) -> list[Token]:
    """``\\text{km/h}`` is one text token; ``\\mathbf{73}`` is the 73 that it wraps."""
    stripped = inner.strip()
    if not stripped:
        return []
    if command == r"\mathrm" and "^" in stripped:
        unit = re.sub(r"\\[,; ]|[{}]", " ", stripped).replace(" -", "-").replace("^ ", "^")
        if re.fullmatch(r"[A-Za-z\s^\d/-]+", unit) and any(c.isalpha() for c in unit):
            return [Token("text", " ".join(unit.split()), True)]
    if command not in (r"\boxed", r"\fbox") and _WORDS_ONLY.fullmatch(stripped):
        gap = spaced or inner[:1] == " "
        pieces = [piece.strip() for piece in stripped.split(",")]
        return [
            token
            for index, piece in enumerate(pieces)
            for token in ([Token(",", ",")] if index else [])
            + ([Token("text", piece, gap)] if piece else [])
        ]
    tokens = tokenize(stripped, groups=groups)
    return (
        [Token("(", "("), *tokens, Token(")", ")")]
        if len(tokens) > 1 and command in (r"\boxed", r"\fbox", r"\underline")
        else tokens
    )
