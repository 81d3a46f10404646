"""Reading a response for evidence: its visible prose, its numbers, its operations.

Patterns only: nothing here parses a formula, and nothing executes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

# Repeats are bounded so that no text takes quadratic time, or has a number too long for Python.
NUMBER = re.compile(r"(?<![\w.])-?\d{1,40}(?:,\d{3}){0,12}(?:\.\d{1,40})?(?!\d)")
WORD = re.compile(r"[^\W\d_]+")
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{2,200}`", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?:;…])\s+|\n+")
_SIMPLE_FRACTION = re.compile(r"\\[dt]?frac\s*\{([\w.,]{1,30})\}\s*\{([\w.,]{1,30})\}")
_WRAPPER = re.compile(r"\\(?:boxed|fbox|text\w*|math\w*|operatorname)\s*\{([^{}]{0,300})\}")
_SYMBOLS = {
    **{r"\times": "*", r"\cdot": "*", r"\div": "/", "×": "*", "·": "*", "⋅": "*", "÷": "/"},
    **{"−": "-", "–": "-", "{,}": ",", r"\pi": "π", r"\sqrt": "√", r"\%": "%", r"\$": "$"},
    **{r"\dfrac": r"\frac", r"\left": "", r"\right": "", "**": "*"},
}
_SYMBOL = re.compile("|".join(sorted(map(re.escape, _SYMBOLS), key=len, reverse=True)))
_MARKUP = re.compile(r"\\[()\[\]]|\$|\\[a-zA-Z]+|\\.|&|[*_]{2,}|\^\{?\\circ\}?")
_MARKED = re.compile(r"[\\${}&*_^×·⋅÷−–]")  # each substitution of `plain` needs one of these
_OPERAND = r"(?:(?<![\d.,])\d[\d.,]{0,40}\s?(?:%|°|[A-Za-zπ]{1,8}[²³]?)?|\b[A-Za-z]\b|[πθ²³)])"
_BLANKS = re.compile(r"[ \t]{2,}")
_UNIT_QUOTIENT = re.compile(r"\d[\d.,]*\s?[A-Za-z]{1,8}\s?/\s?[A-Za-z]")  # 80 km/h
_RIGHT = r"(?:\d[\d.,]{0,40}|\b[A-Za-z]|[πθ√(])"
_OPERATION = re.compile(rf"(?:{_OPERAND}\s{{0,3}}[-+*/^]|√)\s{{0,3}}[($€{{\[]{{0,3}}-?{_RIGHT}")


def plain(text: str) -> str:
    """The text with LaTeX markup taken off and one symbol for each operation.

    >>> plain("$ 12 \\\\times \\\\frac{3}{4} = \\\\boxed{9} $").split()
    ['12', '*', '3/4', '=', '9']
    """
    if not _MARKED.search(text):  # most sentences, and the rest is slow
        return _BLANKS.sub(" ", text)
    text = _SIMPLE_FRACTION.sub(r"\1/\2", text)
    for _ in range(3):  # a box may hold a text
        text = _WRAPPER.sub(r"\1", text)
    text = _SYMBOL.sub(lambda match: _SYMBOLS[match[0]], text)
    bare = _MARKUP.sub(" ", text.replace(r"\frac", "(").replace("}{", ")/("))
    return _BLANKS.sub(" ", bare)


def squeezed(text: str) -> str:
    """``plain`` without blanks and braces: formulas as they compare."""
    return re.sub(r"[\s{}]+", "", plain(text)).lower()


def numbers(text: str) -> list[Fraction]:
    """The numbers written in digits, in order.

    >>> [str(n) for n in numbers("1,200 people at 2.5 each, -3")]
    ['1200', '5/2', '-3']
    """
    return [Fraction(match.replace(",", "")) for match in NUMBER.findall(plain(text))]


def number_of(text: str) -> Fraction | None:
    """The value of a text that is one number or simple fraction, its unit aside; else None."""
    match = re.fullmatch(
        r"[^\w-]*(-?)\s*[$€£]?(\d[\d,]{0,40}(?:\.\d{1,40})?|\.\d{1,40})(?:/(\d{1,40}))?\s*(%|[^\d=+*/^]{0,30})",
        plain(text).strip(),
    )
    if match is None:
        return None
    bottom = int(match[3] or 1) * (100 if match[4] == "%" else 1)
    value = Fraction(match[2].replace(",", "")) / bottom if bottom else None
    return -value if value is not None and match[1] else value


def same_answer(one: str, other: str) -> bool:
    """Whether two answers are the same text or number; 25, 25% and 0.25 count as one."""
    if squeezed(one) == squeezed(other):
        return True
    a, b = number_of(one), number_of(other)
    return a is not None and b is not None and (a == b or a * 100 == b or b * 100 == a)


def sentences(text: str) -> list[str]:
    """Sentences and lines, without the empty ones."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def words(text: str) -> list[str]:
    """Words in lower case; no numbers, no symbols."""
    return [word.lower() for word in WORD.findall(plain(text))]


def stems(text: str) -> set[str]:
    """The first five letters of each word of four letters or more: enough to meet a plural."""
    return {word[:5] for word in words(text) if len(word) >= 4}


def operations(text: str) -> Iterator[str]:
    """Operations on numbers or variables: ``12 * 13``, ``2x + 3``; not ``x = 7``, ``80 km/h``.

    >>> list(operations("So 3.5 + 2x = 9 and x = 7"))
    ['3.5 + 2']
    """
    for match in _OPERATION.finditer(plain(text)):
        if not _UNIT_QUOTIENT.fullmatch(match[0]):
            yield match[0].strip()


def shortened(text: str, limit: int = 80) -> str:
    """One line of at most ``limit`` characters, to be quoted as evidence."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
