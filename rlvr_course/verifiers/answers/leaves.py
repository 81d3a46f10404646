"""Leaves of the grammar: quantities, times, ratios, options, words, and what is none of these."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.expressions import NotAnExpression, parse_expression
from rlvr_course.verifiers.answers.nodes import Node, expand_pm, num
from rlvr_course.verifiers.answers.quantities import parse_quantity
from rlvr_course.verifiers.answers.runs import CLOSING, OPENING, split
from rlvr_course.verifiers.answers.tokens import Token

MAX_WORDS = 3
"""Words of a phrase that can still be an answer rather than prose."""


def expression_or_none(tokens: Sequence[Token]) -> Node | None:
    try:
        return parse_expression(tokens) if tokens else None
    except NotAnExpression:
        return None


_HOUR = re.compile(r"(\d{1,2})\s*(am|pm|a\.\s?m\.?|p\.\s?m\.?)", re.IGNORECASE)


def clock_or_ratio(tokens: list[Token]) -> v.Value | list[v.Value] | None:
    if tokens[0].kind == "num" and len(tokens) > 1:
        text = "".join((" " if t.spaced else "") + t.text.strip() for t in tokens)
        hour = _HOUR.fullmatch(text)
        if hour is not None and 0 < int(hour[1]) <= 12:
            half = "am" if hour[2].lower().startswith("a") else "pm"
            return [v.Clock(int(hour[1]), 0, half), v.Scalar(num(int(hour[1])))]
    runs = split(tokens, {":"})
    if len(runs) < 2 or not all(runs):
        return None
    clock = _clock(tokens)
    terms = [expression_or_none(run) for run in runs]
    if all(terms):
        ratio = v.Ratio(tuple(t for t in terms if t), is_clock=clock is not None)
        return [clock, ratio] if clock else ratio
    return clock


_CLOCK = re.compile(
    r"(\d{1,2}):(\d{2})(?::00)?\s*(?:h|hours?|o'?clock)?\s*\(?(?:in the )?"
    r"(am|pm|a\.\s?m\.?|p\.\s?m\.?|noon|morning|afternoon|evening|at night)?\)?",
    re.IGNORECASE,
)


def _clock(tokens: list[Token]) -> v.Clock | None:
    text = "".join((" " if t.spaced or t.kind == "text" else "") + t.text for t in tokens).strip()
    match = _CLOCK.fullmatch(text)
    if match is None or int(match[1]) > 24 or int(match[2]) > 59:
        return None
    said = (match[3] or "").lower().replace(".", "").replace(" ", "")
    half = "am" if said in ("am", "morning") else "pm" if said else ""
    return v.Clock(int(match[1]), int(match[2]), half)


_SECOND_THOUGHTS = re.compile(
    r"\b(?:wrong|not|incorrect|false)\b|n't\b|\bor\s*\(?[A-J]\b|\( ?[A-J] ?\)|\b[A-J] ?[.):]",
    re.IGNORECASE,
)


def choice(tokens: list[Token]) -> v.Value | None:
    if tokens[0].text.lower() in ("option", "choice") and len(tokens) > 1:
        tokens = tokens[1:]
    named = re.fullmatch(r"(?:option|choice)\s+\(?([A-J])\)?", tokens[0].text, re.IGNORECASE)
    if named is not None and len(tokens) == 1:
        return v.Choice(named[1])
    opened = tokens[0].kind == "("
    body = tokens[1:] if opened else tokens
    if not body or body[0].kind not in ("word", "text"):
        return None
    letter, rest = body[0].text.strip(" ()."), body[1:]
    said_after = re.sub(r"^\W*\w\W*", "", " ".join(t.text for t in body))
    if _SECOND_THOUGHTS.search(said_after):
        return None
    lettered = re.match(r"\(?([A-J])[.):]\s*(\S?)", body[0].text)
    if lettered and body[0].kind == "text" and (lettered[2] or rest):
        return v.Choice(lettered[1])
    if letter not in _LETTERS:
        return None
    if opened:
        if not rest or rest[0].kind != ")":
            return None
        rest = rest[1:]
        return v.Choice(letter) if not rest or letter in "ABCDEFGHIJ" else None
    if not rest:
        return v.Choice(letter)
    marked = rest[0].kind in (".", ":", ")") and letter in "ABCDEFGHIJ"
    return v.Choice(letter) if marked else None


def scalar(tokens: list[Token]) -> list[v.Value] | None:
    found: list[v.Value] = []
    for scalar in parse_quantity(tokens):
        signs = expand_pm(scalar.node)
        if len(signs) == 1:
            found.append(scalar)
        else:
            parts = tuple(v.Scalar(node, scalar.unit, scalar.percent) for node in signs)
            found.append(v.Items("", "", parts))
    return found or None


_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
_SYNONYMS = {"dne": "does not exist", "no solutions": "no solution",
             "no real solutions": "no real solution"}  # fmt: skip
_PHRASES = {"cannot be determined",
            "does not exist", "no solution", "no real solutions", "no solutions", "not defined",
            "infinitely many", "all real numbers", "no real solution"}  # fmt: skip
_PROSE = set(
    "is are was were be see the this that these there it its figure above below proof omitted as "
    "number of for from with has have which what where when because so then if answer find show "
    "null nan n/a na tbd todo unknown none missing".split()
)


_LETTERS = set("ABCDEFGHIJabcdefghij")


def words(tokens: list[Token]) -> v.Value | None:
    kinds = ("word", "text", "-", ".", "'", "/", "num")
    if not all(t.kind in kinds for t in tokens) or sum(t.kind == "num" for t in tokens) > 1:
        return None
    long = any(len(t.text) > 2 for t in tokens if t.kind != "num")
    if not long and tokens[0].text.lower() not in ("no", "up"):
        return None  # letters are symbols, not words
    if tokens[0].kind not in ("word", "text"):
        return None
    exact = " ".join(t.text.strip() for t in tokens if t.kind in ("word", "text", "num"))
    folded = re.sub(r"[^\w\s]", " ", exact.lower())
    parts = folded.split()
    text = " ".join(parts)
    if text == "all real numbers":
        return v.NamedSet("R")
    if text in _NUMBER_WORDS:
        return v.Scalar(num(_NUMBER_WORDS.index(text)))
    if text in ("infinity", "positive infinity"):
        return v.Scalar(Node("const", name="oo"))
    text = _SYNONYMS.get(text, re.sub(r"^(?:an?|the) (?=\w{3})", "", text))
    if text not in _PHRASES and (len(parts) > MAX_WORDS or _PROSE & set(parts)):
        return None
    return v.Words(text, exact) if parts else None


def opaque(tokens: list[Token]) -> list[v.Value]:
    """Mathematics outside the grammar: something with a command, a relation or an operator."""
    prose = sum(t.kind == "word" and len(t.text) > 2 for t in tokens)
    mathematical = any(t.kind[:1] == "\\" or t.kind in "=^_<>" for t in tokens)
    balance = sum((t.kind in OPENING) - (t.kind in CLOSING) for t in tokens if t.kind in "{}")
    if not mathematical or prose > 2 or balance:
        return []
    return [v.Opaque("".join(t.kind if t.kind[:1] == "\\" else t.text for t in tokens))]
