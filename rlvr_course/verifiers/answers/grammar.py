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
from functools import lru_cache

from rlvr_course.verifiers.answers import values as v
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
from rlvr_course.verifiers.answers.quantities import parse_quantity
from rlvr_course.verifiers.answers.runs import (
    CLOSING,
    OPENING,
    SEPARATORS,
    closes,
    named_sets,
    split,
    trim,
)
from rlvr_course.verifiers.answers.surface import MAX_LENGTH, fold
from rlvr_course.verifiers.answers.tokens import Token, TooLarge, tokenize

_RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\ne", r"\approx", r"\in", r"\equiv"}
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


def _matrix(tokens: list[Token]) -> v.Value | None:
    if len(tokens) < 9 or tokens[-4].kind != r"\end":
        return None
    if tokens[0].kind != r"\begin":
        return _scaled_matrix(tokens)
    name = tokens[2].text
    body = tokens[4:-4]
    if name == "array" and body and body[0].kind == "{":
        depth_end = next((i for i, t in enumerate(body) if t.kind == "}"), 0)
        body = body[depth_end + 1 :]
    rows = []
    for row in split(body, {r"\\"}):
        if row:
            entries = [_one(entry) for entry in split(row, {"&"})]
            if any(entry is None for entry in entries):
                return None
            rows.append(tuple(e for e in entries if e is not None))
    return v.Matrix(tuple(rows), bars=name.lower().startswith("v")) if rows else None


def _scaled_matrix(tokens: list[Token]) -> v.Value | None:
    """A number or expression before a matrix multiplies its entries."""
    start = next((i for i, t in enumerate(tokens) if t.kind == r"\begin"), 0)
    factor = expression_or_none(tokens[:start])
    matrix = _matrix(tokens[start:]) if factor is not None else None
    if factor is None or not isinstance(matrix, v.Matrix) or matrix.bars:
        return None
    rows = []
    for row in matrix.rows:
        nodes = [entry.node for entry in row if isinstance(entry, v.Scalar)]
        if len(nodes) < len(row):
            return None
        rows.append(tuple(v.Scalar(_product(factor, node)) for node in nodes))
    return v.Matrix(tuple(rows))


def _product(factor: Node, node: Node) -> Node:
    product = Node("mul", (factor, node))
    try:
        return num(exact(product))
    except (NotRational, Undefined):
        return product


def _union(tokens: list[Token]) -> v.Value | None:
    if split(tokens, _RELATIONS)[1:]:
        return None
    for sign, kind in ((r"\cup", v.Union), (r"\cap", v.Both)):
        parts = split(tokens, {sign})
        if len(parts) > 1:
            read = [_one(part) for part in parts]
            return None if None in read else kind(tuple(p for p in read if p is not None))
    named = tokens[0].kind == r"\R" and tokens[1:2] and tokens[1].kind == "-"
    sides = [tokens[:1], tokens[2:]] if named else split(tokens, {r"\setminus"})
    if len(sides) == 2:
        whole, removed = _one(sides[0]), _one(sides[1])
        return v.Without(whole, removed) if whole and removed else None
    return None


def _joined(tokens: list[Token]) -> list[v.Value] | None:
    """One quantity written with "and" or a comma: ``2 hours and 24 minutes``, ``11 and 5/6``."""
    if not any(t.kind in (r"\and", ",") for t in tokens) or tokens[0].kind in OPENING:
        return None
    closed = [t for t in tokens if t.kind not in (r"\and", ",")]
    count = len(tokens) - len(closed)
    numbers = [t for t in closed if t.kind == "num"]
    mixed = (
        [t.kind for t in tokens[:2]] == ["num", r"\and"]
        and ([t.kind for t in tokens[2:]] == ["num", "/", "num"] or tokens[2:3][0].kind == r"\frac")
        if count == 1 and len(tokens) > 2
        else False
    )
    if not mixed and not (count < 3 and len(numbers) == count + 1):
        return None
    found: list[v.Value] = [s for s in parse_quantity(closed) if mixed or s.unit]
    if mixed and found:  # "3 and 1/2" may also be two values
        listed = _list(tokens)
        found += [listed] if listed is not None else []
    return found or None


def _list(tokens: list[Token]) -> v.Value | None:
    runs = [run for run in split(tokens, SEPARATORS) if run]
    if len(runs) < 2:
        return None
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
    sides = split(tokens, _RELATIONS)
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
        if depth == 0 and token.kind in _RELATIONS:
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


def _bracketed(tokens: list[Token]) -> v.Value | None:
    left, right = tokens[0].kind, tokens[-1].kind
    if left not in OPENING or right not in CLOSING or not closes(tokens):
        return None
    inner = tokens[1:-1]
    left = {"{": "{", r"\{": "{", r"\langle": "("}.get(left, left)
    right = {"}": "}", r"\}": "}", r"\rangle": ")"}.get(right, right)
    runs = split(inner, {",", ";"})
    if left == "{" and not inner:
        return v.NamedSet("empty")
    if left != "{" and len(runs) < 2:
        return None
    if left == "{" and len(runs) == 1:
        condition = _set_builder(inner)
        if condition is not None:
            return condition
    items: list[v.Value] = []
    for run in runs:
        item = _one(run)
        if item is None:
            return None
        flat = left == "{" and isinstance(item, v.Items) and item.left == ""  # 1 ± 2 in a set
        items += item.items if flat and isinstance(item, v.Items) else (item,)
    return v.Items(left, right, tuple(items))


def _set_builder(inner: list[Token]) -> v.Value | None:
    """``x : x > 3`` or ``x | x > 3``: the condition."""
    sides = split(inner, {":", "|"})
    if len(sides) != 2 or not sides[0] or sides[0][0].kind != "word":
        return None
    condition = _one(sides[1])
    return condition if isinstance(condition, v.Chain | v.Both | v.Union) else None


def _named_set(tokens: list[Token]) -> v.Value | None:
    if len(tokens) != 1:
        return None
    names = {r"\R": "R", r"\Z": "Z", r"\N": "N", r"\Q": "Q", r"\C": "C", r"\emptyset": "empty"}
    name = names.get(tokens[0].kind)
    return v.NamedSet(name) if name else None


_Rule = Callable[[list[Token]], "v.Value | list[v.Value] | None"]
_RULES: tuple[_Rule, ...] = (
    _named_set, _matrix, _union, _bracketed, _joined, _list, _relation, clock_or_ratio, choice,
    scalar, words,
)  # fmt: skip
_AMBIGUOUS_RULES = {choice}
