"""Names on the left of "=": what may be called something, as against the side of an equation."""

from __future__ import annotations

import re

from rlvr_course.verifiers.answers.leaves import expression_or_none
from rlvr_course.verifiers.answers.nodes import Node
from rlvr_course.verifiers.answers.runs import closes, split
from rlvr_course.verifiers.answers.tokens import Token

_GEOMETRY = {r"\angle", r"\measuredangle", r"\triangle", r"\overline", r"\overrightarrow", r"\vec",
             r"\hat", r"\widehat"}  # fmt: skip
_DENIES = re.compile(r"\b(?:not|wrong|incorrect|false|never|no)\b|n't\b|\?", re.IGNORECASE)
_SEGMENT = re.compile(r"[A-Z]{2,4}")


def name_of(tokens: list[Token]) -> str | None:
    """The name that a token run is, or None: a symbol, ``f(x)``, words, ``(x, y)``, ``|AB|``."""
    if not tokens or len(tokens) > 24:
        return None
    if denies(tokens):
        return None
    kinds = [token.kind for token in tokens]
    flat = "".join(t.text for t in tokens if t.kind not in ("{", "}"))
    if all(kind in ("word", "text") for kind in kinds):
        return flat if _are_words(tokens) else None
    if kinds[0] == "(" and closes(tokens):
        inner = split(tokens[1:-1], {","})
        single = all(len(run) == 1 and run[0].kind in ("word", "text") for run in inner)
        return flat if single and len(inner) > 1 else None
    if _is_geometric(tokens):
        return flat
    if _is_call_of_letters(tokens):
        return flat
    node = expression_or_none(tokens)
    if node is not None and _is_sum_of_letters(node):
        return flat
    if node is not None and (node.op == "sym" or (node.op == "call" and _is_applied(node))):
        return flat
    if kinds[0] == "text" or (kinds[0] == "word" and len(tokens[0].text) > 3):
        return flat
    return None


def denies(tokens: list[Token]) -> bool:
    """Whether a label takes back what follows it: ``\\text{not the answer} = 7``."""
    return any(_DENIES.search(token.text) for token in tokens)


def _are_words(tokens: list[Token]) -> bool:
    first = tokens[0].text
    if len(tokens) == 1:
        return len(first) == 1 or len(first) > 3 or _SEGMENT.fullmatch(first) is not None
    return any(len(token.text) > 3 for token in tokens)


def _is_call_of_letters(tokens: list[Token]) -> bool:
    """``p(x)``, ``gcd(a, b)``, ``[ABC]``."""
    if tokens[0].kind == "[" and len(tokens) == 3:
        return _SEGMENT.fullmatch(tokens[1].text) is not None
    named = tokens[0].kind == "word" or tokens[0].kind in (r"\gcd", r"\max", r"\min")
    if not named or len(tokens) < 4 or tokens[1].kind != "(" or tokens[-1].kind != ")":
        return False
    return all(t.kind == "," or len(t.text) == 1 for t in tokens[2:-1]) and closes(tokens[1:])


def _is_sum_of_letters(node: Node) -> bool:
    """``m + n``, ``a + b + c``: what contests ask for instead of a fraction."""
    return node.op == "add" and all(arg.op == "sym" for arg in node.args)


def _is_geometric(tokens: list[Token]) -> bool:
    """``\\angle A``, ``m\\angle ABC``, ``|AB|``, ``\\overline{AB}``."""
    start = 1 if tokens[0].text == "m" and len(tokens) > 1 else 0
    if tokens[start].kind in _GEOMETRY:
        return True
    if len(tokens) > 3 and len(tokens[0].text) == 1 and tokens[1].kind == "[":
        return tokens[-1].kind == "]" and tokens[0].text.isalpha()  # E[X]
    bars = len(tokens) == 3 and tokens[0].kind == tokens[2].kind == "|"
    return bars and (len(tokens[1].text) == 1 or _SEGMENT.fullmatch(tokens[1].text) is not None)


def _is_applied(node: Node) -> bool:
    return len(node.name) == 1 and all(arg.op in ("sym", "num") for arg in node.args)
