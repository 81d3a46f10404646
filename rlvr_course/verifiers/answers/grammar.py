r"""The grammar of accepted answers: from text to values.

    answer    := label? name? body "."*
    label     := words (":" | "is")
    name      := (symbol | f(x) | words | "(" symbols ")") ("=" | ":=" | "\in" | "\approx")
    body      := list | set | bracketed | union | difference | relation | matrix
               | clock | ratio | choice | quantity | expression | words
    list      := answer (("," | ";" | "and" | "or") answer)+            bare: order is free
    set       := "{" list? "}"                                          order and repeats are free
    bracketed := ("(" | "[") list (")" | "]")                           a tuple or an interval
    union     := body ("\cup" body)+          difference := body "\setminus" body
    relation  := expression (("<" | ">" | "\le" | "\ge" | "\ne" | "=") expression)+
    matrix    := "\begin{pmatrix}" entry (("&" | "\\") entry)* "\end{pmatrix}"   also b, v, B, ...
    clock     := hh ":" mm ("am" | "pm")?     ratio := expression (":" expression)+
    choice    := letter | "(" letter ")" | letter ("." | ")" | ":") words
    quantity  := currency? expression scale? (unit | "%" | currency)?  repeated for "2 h 24 min"
    scale     := "hundred" | "thousand" | "million" | "billion" | "trillion" | "dozen"

``expression`` is in ``expressions``, units in ``units``, the folding of characters, digit groups
and spacing in ``surface``. A text can have more than one reading ("5 m": five metres, or 5 times
m); two answers are equal if any pair of readings is. What is outside the grammar but looks like
mathematics is ``Opaque``; a sentence has no reading at all.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.containers import bracketed, matrix, named_set, union
from rlvr_course.verifiers.answers.evaluate import NotRational, Undefined, exact
from rlvr_course.verifiers.answers.leaves import (
    MAX_WORDS,
    choice,
    clock_or_ratio,
    expression_or_none,
    opaque,
    scalar,
    words,
)
from rlvr_course.verifiers.answers.naming import denies, name_of
from rlvr_course.verifiers.answers.nodes import Node, num
from rlvr_course.verifiers.answers.quantities import parse_compound, parse_quantity
from rlvr_course.verifiers.answers.runs import (
    CLOSING,
    OPENING,
    RELATIONS,
    SEPARATORS,
    named_sets,
    split,
    trim,
)
from rlvr_course.verifiers.answers.surface import MAX_LENGTH, fold
from rlvr_course.verifiers.answers.tokens import Token, TooLarge, tokenize

_ORDER = {"<", ">", r"\le", r"\ge", r"\ne"}
_MAX_NESTING = 60


@lru_cache(maxsize=8192)
def readings(text: str) -> tuple[v.Value, ...]:
    """Every reading of an answer, best first; empty if it has none.

    Raises:
        TooLarge: above a cap on length, nesting, digits, exponents or tokens.

    >>> readings("71/6") == readings(r"\\frac{71}{6}"), readings("see the figure above")
    (True, ())
    """
    plain = _plain_number(text)
    if plain is not None:
        return (plain,)
    if len(text) > MAX_LENGTH:
        raise TooLarge("answer_too_long")
    folded = fold(text)
    if not folded:
        return ()
    _check_nesting(folded)
    found: list[v.Value] = []
    for groups in (True, False) if _AMBIGUOUS_COMMA.search(folded) else (True,):
        for value in _read(tokenize(folded, groups=groups)):
            if value not in found:
                found.append(value)
    return tuple(found)


_AMBIGUOUS_COMMA = re.compile(r"[\[({].*\d,\d{3}(?!\d)", re.DOTALL)
_PLAIN = re.compile(r"\s*([-+]?)(?:(\d{1,18})(?:\.(\d{1,18}))?|\\d?frac\{(\d{1,18})\}\{(\d{1,18})\}"
                    r"|(\d{1,18})/(\d{1,18}))\s*")  # fmt: skip


_GROUPED = re.compile(r"\s*[-+]?\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,18})?\s*")


def _plain_number(text: str) -> v.Scalar | None:
    """The commonest answers, without tokens: an integer, a decimal, a fraction of integers."""
    if "," in text and _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    match = _PLAIN.fullmatch(text)
    if match is None or not text.isascii():
        return None
    sign, whole, decimals, top, bottom, left, right = match.groups()
    digits = 0
    if whole is not None:
        value = Fraction(int(whole + (decimals or "")), 10 ** len(decimals or ""))
        digits = len((whole + decimals).lstrip("0")) or len(decimals) if decimals else 0
        node = num(value, digits)
    else:
        low = int(bottom or right)
        if low == 0:
            return None
        node = Node("div", (num(int(top or left)), num(low)))
    return v.Scalar(Node("neg", (node,)) if sign == "-" else node)


def _check_nesting(text: str) -> None:
    depth = 0
    for character in text:
        if character in "([{":
            depth += 1
            if depth > _MAX_NESTING:
                raise TooLarge("nested_too_deep")
        elif character in ")]}":
            depth -= 1


def _read(tokens: list[Token]) -> list[v.Value]:
    tokens = named_sets(trim(tokens))
    if not tokens:
        return []
    found: list[v.Value] = []
    for rule in _RULES:
        value = rule(tokens)
        if value is not None:
            found += value if isinstance(value, list) else [value]
            if rule not in _AMBIGUOUS_RULES:
                break
    return found or opaque(tokens)


def _one(tokens: list[Token]) -> v.Value | None:
    found = _read(tokens)
    return found[0] if found else None


# -- rules, tried in order; each returns None where it does not apply


def _marked_choice(tokens: list[Token]) -> v.Value | None:
    """An option by its marked letter, whatever its text holds: ``(E) 7 or 8``."""
    lettered = tokens[0].kind == "text" and re.match(r"\(?[A-J][.):]", tokens[0].text)
    opened = [t.kind for t in tokens[:3:2]] == ["(", ")"] and len(tokens) > 3
    dotted = [t.kind for t in tokens[:2]] == ["word", "."] and len(tokens) > 2
    return choice(tokens) if lettered or opened or dotted else None


def _mixed_with_and(tokens: list[Token]) -> list[v.Value] | None:
    """``11 and 5/6``: a mixed number, and also a list of two values."""
    kinds = [token.kind for token in tokens]
    if kinds[:2] != ["num", r"\and"] or len(kinds) < 3 or sum(map(_JOINTS.count, kinds)) != 1:
        return None
    if kinds[2:] != ["num", "/", "num"] and kinds[2] != r"\frac":
        return None
    found: list[v.Value] = [*parse_quantity([tokens[0], *tokens[2:]])]
    listed = _list(tokens) if found else None
    return [*found, listed] if listed is not None else found or None


def _compound(tokens: list[Token]) -> v.Value | None:
    """One quantity in two or three units: ``2 hours and 24 minutes``."""
    closed = [token for token in tokens if token.kind not in _JOINTS]
    joints = len(tokens) - len(closed)
    numbers = sum(token.kind == "num" for token in closed)
    if not 0 < joints < 3 or numbers != joints + 1 or tokens[0].kind in OPENING:
        return None
    return parse_compound(closed)


_JOINTS = (r"\and", ",")


def _list(tokens: list[Token]) -> v.Value | None:
    runs = [run for run in split(tokens, SEPARATORS) if run]
    if len(runs) < 2:
        return None
    if _is_label_of_two(tokens, runs):
        return next(iter(parse_quantity(runs[0])), None)
    if _is_clause(runs):
        return None
    items = [_one(run) for run in runs]
    if any(item is None for item in items):
        return None
    chains = all(isinstance(item, v.Chain) and item.signs != ("=",) for item in items)
    if chains and split(tokens, {r"\and"})[1:]:
        return v.Both(tuple(item for item in items if item is not None))
    kept = [item for item in items if item is not None]
    return _collect(kept, alternatives=len(split(tokens, {r"\or"})) > 1)


def _is_label_of_two(tokens: list[Token], runs: list[list[Token]]) -> bool:
    """``42 boys and girls``: a number whose label has an "and" in it."""
    words = all(t.kind in ("word", "text") and len(t.text) > 2 for t in runs[-1])
    counted = any(t.kind == "num" for t in runs[0]) and runs[0][-1].kind in ("word", "text")
    return len(runs) == 2 and words and counted and len(split(tokens, {r"\and"})) == 2


def _is_clause(runs: list[list[Token]]) -> bool:
    """Whether a "list" is words with commas: a phrase, not a list of values."""
    return all(t.kind in ("word", "text") for run in runs for t in run) and any(
        len(run) > MAX_WORDS for run in runs
    )


def _collect(items: list[v.Value], *, alternatives: bool) -> v.Value:
    """A bare list; names in front of its items are moved to where they belong."""
    names = [item.name if isinstance(item, v.Named) else "" for item in items]
    inner = [item.value if isinstance(item, v.Named) else item for item in items]
    flat: list[v.Value] = []
    for item in inner:
        flat += item.items if isinstance(item, v.Items) and item.left == "" else (item,)
    if not names[0]:
        return v.Items("", "", tuple(flat if not any(names) else items))
    if not any(names[1:]) or len({_base(name) for name in names}) == 1:
        symbol = items[0].symbol if isinstance(items[0], v.Named) else None
        return v.Named(_base(names[0]), v.Items("", "", tuple(flat)), symbol)
    if all(names) and len(set(names)) == len(names) and not alternatives:
        ordered = sorted(zip(names, inner, strict=True), key=lambda pair: pair[0])
        name = "(" + ",".join(name for name, _ in ordered) + ")"
        return v.Named(name, v.Items("(", ")", tuple(value for _, value in ordered)))
    return v.Items("", "", tuple(items))


def _base(name: str) -> str:
    return re.sub(r"_\d+$", "", name)


def _relation(tokens: list[Token]) -> list[v.Value] | v.Value | None:
    sides = split(tokens, RELATIONS)
    if len(sides) < 2:
        return None
    signs = _signs_at_top(tokens)
    if set(signs) <= {"=", r"\approx", r"\in"}:
        return _assignment(sides, signs)
    if set(signs) <= _ORDER:
        terms = [expression_or_none(side) for side in sides]
        if all(terms):
            return v.Chain(tuple(t for t in terms if t), tuple(signs))
    return None


def _signs_at_top(tokens: list[Token]) -> list[str]:
    signs, depth = [], 0
    for token in tokens:
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        if depth == 0 and token.kind in RELATIONS:
            signs.append(token.kind)
    return signs


def _assignment(sides: list[list[Token]], signs: list[str]) -> list[v.Value] | v.Value | None:
    """``name = value`` is a value with a name; ``expression = expression`` an equation."""
    if r"\approx" in signs[1:] or (signs == [r"\approx"] and name_of(sides[0]) is None):
        exact = signs.index(r"\approx") + 1  # 5\sqrt{3} \approx 8.66 is the former
        if _contradicts(sides[exact - 1], sides[exact]):
            return None
        if exact == 1:
            return _one(sides[0])
        sides, signs = sides[:exact], signs[: exact - 1]
    value = _one(sides[-1])
    if value is None:
        return None
    if _is_false(sides) or denies(sides[0]):
        return None
    name = name_of(sides[0])
    if name is not None and not isinstance(value, v.Named):
        return v.Named(name, value, expression_or_none(sides[0]))
    left, right = expression_or_none(sides[0]), expression_or_none(sides[-1])
    if left is None or right is None or signs == [r"\in"]:
        return value if left is None and not _has_symbols(sides[0]) else None
    if _mentions_symbol(left):
        return v.Chain((left, right), ("=",))
    if len(sides) > 2 or not _mentions_symbol(right):
        return value  # 12 * 13 = 156
    if right.op == "sym":
        return v.Named(right.name, v.Scalar(left), right)
    return v.Chain((left, right), ("=",))


def _is_false(sides: list[list[Token]]) -> bool:
    """Whether two sides of a chain of equalities are different rational numbers: ``9 = 7``."""
    values = set()
    for side in sides:
        node = expression_or_none(side)
        if node is not None:
            with contextlib.suppress(NotRational, Undefined):
                values.add(exact(node))
    return len(values) > 1


def _contradicts(exact: list[Token], rounded: list[Token]) -> bool:
    """Whether a plain number is said to be about another one: ``45 \\approx 46``."""
    pair = [expression_or_none(side) for side in (exact, rounded)]
    numbers = [node.value for node in pair if node is not None and node.op == "num"]
    return len(numbers) == 2 and numbers[0] != numbers[1]


def _mentions_symbol(node: Node) -> bool:
    known = ("log", "ln", "gcd", "lcm", "abs", "floor", "ceil", "binomial")
    return any(
        part.op == "sym" or (part.op == "call" and len(part.name) == 1 and part.name not in known)
        for part in node.walk()
    )


def _has_symbols(tokens: Sequence[Token]) -> bool:
    return any(t.kind == "word" and len(t.text) == 1 for t in tokens)


_Rule = Callable[[list[Token]], "v.Value | list[v.Value] | None"]
_RULES: tuple[_Rule, ...] = (
    named_set, partial(matrix, one=_one), partial(union, one=_one), partial(bracketed, one=_one),
    _marked_choice, _mixed_with_and, _compound, _list, _relation,
    clock_or_ratio, choice, scalar, words,
)  # fmt: skip
_AMBIGUOUS_RULES = {choice}
