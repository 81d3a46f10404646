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

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.expressions import NotAnExpression, parse_expression
from rlvr_course.verifiers.answers.nodes import Node, expand_pm, num
from rlvr_course.verifiers.answers.quantities import parse_quantity
from rlvr_course.verifiers.answers.surface import MAX_LENGTH, fold
from rlvr_course.verifiers.answers.tokens import Token, TooLarge, tokenize

_OPENING = {"(", "[", "{", r"\{", r"\langle"}
_CLOSING = {")", "]", "}", r"\}", r"\rangle"}
_SEPARATORS = {",", ";", r"\and", r"\or"}
_RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\ne", r"\approx", r"\in", r"\equiv"}
_ORDER = {"<", ">", r"\le", r"\ge", r"\ne"}
_MAX_NESTING = 60
_MAX_WORDS = 3


@lru_cache(maxsize=8192)
def readings(text: str) -> tuple[v.Value, ...]:
    """Every reading of an answer, best first; empty if it has none.

    Raises:
        TooLarge: above a cap on length, nesting, digits, exponents or tokens.

    >>> readings("11 5/6") == readings(r"\\frac{71}{6}") == readings("71/6")
    True
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


def _plain_number(text: str) -> v.Scalar | None:
    """The commonest answers, without tokens: an integer, a decimal, a fraction of integers."""
    match = _PLAIN.fullmatch(text)
    if match is None or not text.isascii():
        return None
    sign, whole, decimals, top, bottom, left, right = match.groups()
    digits = 0
    if whole is not None:
        value = Fraction(int(whole + (decimals or "")), 10 ** len(decimals or ""))
        digits = len((whole + decimals).lstrip("0")) if decimals else 0
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
    tokens = _named_sets(_trim(tokens))
    if not tokens:
        return []
    found: list[v.Value] = []
    for rule in _RULES:
        value = rule(tokens)
        if value is not None:
            found += value if isinstance(value, list) else [value]
            if rule not in _AMBIGUOUS_RULES:
                break
    return found or _opaque(tokens)


def _one(tokens: list[Token]) -> v.Value | None:
    found = _read(tokens)
    return found[0] if found else None


def _trim(tokens: list[Token]) -> list[Token]:
    """Without final punctuation, a leading "=" or label, and braces around the whole."""
    while tokens:
        if tokens[-1].kind in (".", ",", ";", ":", "?", r"\\", "&"):
            tokens = tokens[:-1]
        elif tokens[0].kind in ("=", ":", r"\approx", r"\Rightarrow", r"\implies", r"\therefore"):
            tokens = tokens[1:]
        elif tokens[0].kind == "{" and _closes(tokens) and not _has_separator(tokens[1:-1]):
            tokens = tokens[1:-1]
        elif tokens[0].kind in "([" and [t.kind for t in tokens[1:2]] == [r"\begin"]:
            if not _closes(tokens):
                return tokens
            tokens = tokens[1:-1]
        else:
            return _without_label(tokens)
    return tokens


def _has_separator(tokens: Sequence[Token]) -> bool:
    return len(_split(list(tokens), _SEPARATORS)) > 1


def _closes(tokens: Sequence[Token]) -> bool:
    """Whether the first token's bracket closes at the last token."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
        if depth == 0:
            return index == len(tokens) - 1
    return False


_LABELS = {"answer", "result", "solution", "total", "value", "ans", "answers", "solutions"}


def _without_label(tokens: list[Token]) -> list[Token]:
    """``The answer is 7`` and ``Answer: 7`` are read as ``7``."""
    for index, token in enumerate(tokens[:8]):
        words = token.text.lower().rstrip(":").split() if token.kind in ("word", "text") else []
        if not words and token.kind != ":":
            return tokens
        ends = token.kind == ":" or words[-1:] in (["is"], ["are"]) or token.text.endswith(":")
        before = {w for t in tokens[: index + 1] for w in t.text.lower().rstrip(":").split()}
        if ends and before & _LABELS and index + 1 < len(tokens):
            return _trim(tokens[index + 1 :])
    return tokens


def _named_sets(tokens: list[Token]) -> list[Token]:
    """``\\mathbb{R}`` becomes one token; "and" and "or" in words or text become separators."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        after = [t.text for t in tokens[index + 1 : index + 4]]
        if token.kind == r"\mathbb" and len(after) == 3 and after[0] == "{" and after[2] == "}":
            out.append(Token("\\" + after[1], token.text, token.spaced))
            index += 4
            continue
        joined = {"and": r"\and", "or": r"\or"}.get(token.text.lower().strip(" ,"))
        if token.kind in ("word", "text") and joined:
            token = Token(joined, token.text, True)
        out.append(token)
        index += 1
    return out


def _split(tokens: list[Token], kinds: set[str]) -> list[list[Token]]:
    """Token runs between separators of these kinds at depth 0."""
    runs: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
        if depth == 0 and token.kind in kinds and token.kind not in _CLOSING:
            runs.append([])
        else:
            runs[-1].append(token)
    return runs


# -- rules, tried in order; each returns None where it does not apply


def _matrix(tokens: list[Token]) -> v.Value | None:
    if tokens[0].kind != r"\begin" or len(tokens) < 9 or tokens[-4].kind != r"\end":
        return None
    name = tokens[2].text
    body = tokens[4:-4]
    if name == "array" and body and body[0].kind == "{":
        depth_end = next((i for i, t in enumerate(body) if t.kind == "}"), 0)
        body = body[depth_end + 1 :]
    rows = []
    for row in _split(body, {r"\\"}):
        if row:
            entries = [_one(entry) for entry in _split(row, {"&"})]
            if any(entry is None for entry in entries):
                return None
            rows.append(tuple(e for e in entries if e is not None))
    return v.Matrix(tuple(rows), bars=name.lower().startswith("v")) if rows else None


def _union(tokens: list[Token]) -> v.Value | None:
    if _split(tokens, _RELATIONS)[1:]:
        return None
    for sign, kind in ((r"\cup", v.Union), (r"\cap", v.Both)):
        parts = _split(tokens, {sign})
        if len(parts) > 1:
            read = [_one(part) for part in parts]
            return None if None in read else kind(tuple(p for p in read if p is not None))
    sides = _split(tokens, {r"\setminus"})
    if len(sides) == 2:
        whole, removed = _one(sides[0]), _one(sides[1])
        return v.Without(whole, removed) if whole and removed else None
    return None


def _joined(tokens: list[Token]) -> list[v.Value] | None:
    """One quantity written with "and" or a comma: ``2 hours and 24 minutes``, ``11 and 5/6``."""
    if not any(t.kind in (r"\and", ",") for t in tokens) or tokens[0].kind in _OPENING:
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
    found = [s for s in parse_quantity(closed) if mixed or (s.unit and s.node.op == "add")]
    return [*found] or None


def _list(tokens: list[Token]) -> v.Value | None:
    runs = [run for run in _split(tokens, _SEPARATORS) if run]
    if len(runs) < 2:
        return None
    if _is_clause(runs):
        return None
    items = [_one(run) for run in runs]
    if any(item is None for item in items):
        return None
    chains = all(isinstance(item, v.Chain) and item.signs != ("=",) for item in items)
    if chains and _split(tokens, {r"\and"})[1:]:
        return v.Both(tuple(item for item in items if item is not None))
    return _collect([item for item in items if item is not None])


def _is_clause(runs: list[list[Token]]) -> bool:
    """Whether a "list" is words with commas: a phrase, not a list of values."""
    return all(t.kind in ("word", "text") for run in runs for t in run) and any(
        len(run) > _MAX_WORDS for run in runs
    )


def _collect(items: list[v.Value]) -> v.Value:
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
    if all(names) and len(set(names)) == len(names):
        ordered = sorted(zip(names, inner, strict=True), key=lambda pair: pair[0])
        name = "(" + ",".join(name for name, _ in ordered) + ")"
        return v.Named(name, v.Items("(", ")", tuple(value for _, value in ordered)))
    return v.Items("", "", tuple(items))


def _base(name: str) -> str:
    return re.sub(r"_\d+$", "", name)


def _relation(tokens: list[Token]) -> list[v.Value] | v.Value | None:
    sides = _split(tokens, _RELATIONS)
    if len(sides) < 2:
        return None
    signs = _signs_at_top(tokens)
    if set(signs) <= {"=", r"\approx", r"\in"}:
        return _assignment(sides, signs)
    if set(signs) <= _ORDER:
        terms = [_expression_or_none(side) for side in sides]
        if all(terms):
            return v.Chain(tuple(t for t in terms if t), tuple(signs))
    return None


def _signs_at_top(tokens: list[Token]) -> list[str]:
    signs, depth = [], 0
    for token in tokens:
        depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
        if depth == 0 and token.kind in _RELATIONS:
            signs.append(token.kind)
    return signs


def _assignment(sides: list[list[Token]], signs: list[str]) -> list[v.Value] | v.Value | None:
    """``name = value`` is a value with a name; ``expression = expression`` an equation."""
    value = _one(sides[-1])
    name = _name(sides[0])
    if value is None:
        return None
    if name is not None and not isinstance(value, v.Named):
        return v.Named(name, value, _expression_or_none(sides[0]))
    left, right = _expression_or_none(sides[0]), _expression_or_none(sides[-1])
    if left is None or right is None or signs == [r"\in"]:
        return value if left is None and not _has_symbols(sides[0]) else None
    if not any(part.op in ("sym", "call") and part.name for part in left.walk()):
        return value
    if len(sides) == 2 and not _mentions_symbol(left):
        return value
    return v.Chain((left, right), ("=",))


def _mentions_symbol(node: Node) -> bool:
    return any(part.op == "sym" for part in node.walk())


def _has_symbols(tokens: Sequence[Token]) -> bool:
    return any(t.kind == "word" and len(t.text) == 1 for t in tokens)


def _name(tokens: list[Token]) -> str | None:
    """The name on the left of "=": a symbol, a call of one, words, or a tuple of symbols."""
    if not tokens or len(tokens) > 24:
        return None
    kinds = [t.kind for t in tokens]
    flat = "".join(t.text for t in tokens if t.kind not in ("{", "}"))
    if all(kind in ("word", "text") for kind in kinds):
        single = len(tokens) == 1 and (len(tokens[0].text) == 1 or len(tokens[0].text) > 3)
        return flat if single or any(len(t.text) > 3 for t in tokens) else None
    if kinds[0] == "(" and _closes(tokens):
        inner = _split(tokens[1:-1], {","})
        single = all(len(run) == 1 and run[0].kind in ("word", "text") for run in inner)
        return flat if single and len(inner) > 1 else None
    node = _expression_or_none(tokens)
    if node is not None and (node.op == "sym" or (node.op == "call" and _is_applied(node))):
        return flat
    if kinds[0] == "text" or (kinds[0] == "word" and len(tokens[0].text) > 3):
        return flat
    return None


def _is_applied(node: Node) -> bool:
    return len(node.name) == 1 and all(arg.op in ("sym", "num") for arg in node.args)


def _expression_or_none(tokens: Sequence[Token]) -> Node | None:
    try:
        return parse_expression(tokens) if tokens else None
    except NotAnExpression:
        return None


def _bracketed(tokens: list[Token]) -> v.Value | None:
    left, right = tokens[0].kind, tokens[-1].kind
    if left not in _OPENING or right not in _CLOSING or not _closes(tokens):
        return None
    inner = tokens[1:-1]
    left = {"{": "{", r"\{": "{", r"\langle": "("}.get(left, left)
    right = {"}": "}", r"\}": "}", r"\rangle": ")"}.get(right, right)
    runs = _split(inner, {",", ";"})
    if left == "{" and not inner:
        return v.NamedSet("empty")
    if left != "{" and len(runs) < 2:
        return None
    items = [_one(run) for run in runs]
    if any(item is None for item in items):
        return None
    return v.Items(left, right, tuple(item for item in items if item is not None))


def _named_set(tokens: list[Token]) -> v.Value | None:
    if len(tokens) != 1:
        return None
    names = {r"\R": "R", r"\Z": "Z", r"\N": "N", r"\Q": "Q", r"\C": "C", r"\emptyset": "empty"}
    name = names.get(tokens[0].kind)
    return v.NamedSet(name) if name else None


def _clock_or_ratio(tokens: list[Token]) -> v.Value | list[v.Value] | None:
    runs = _split(tokens, {":"})
    if len(runs) < 2 or not all(runs):
        return None
    clock = _clock(tokens)
    terms = [_expression_or_none(run) for run in runs]
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


def _choice(tokens: list[Token]) -> v.Value | None:
    if tokens[0].text.lower() in ("option", "choice") and len(tokens) > 1:
        tokens = tokens[1:]
    opened = tokens[0].kind == "("
    body = tokens[1:] if opened else tokens
    if not body or body[0].kind not in ("word", "text"):
        return None
    letter, rest = body[0].text.strip(" ()."), body[1:]
    lettered = re.match(r"\(?([A-J])[.):]\s*\S", body[0].text)
    if lettered and body[0].kind == "text":
        return v.Choice(lettered[1])
    if len(letter) != 1 or not letter.isascii() or not letter.isalpha():
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


def _scalar(tokens: list[Token]) -> list[v.Value] | None:
    found: list[v.Value] = []
    for scalar in parse_quantity(tokens):
        signs = expand_pm(scalar.node)
        if len(signs) == 1:
            found.append(scalar)
        else:
            parts = tuple(v.Scalar(node, scalar.unit, scalar.percent) for node in signs)
            found.append(v.Items("", "", parts))
    return found or None


_PHRASES = {"does not exist", "no solution", "no real solutions", "no solutions", "not defined",
            "infinitely many", "all real numbers", "no real solution"}  # fmt: skip
_PROSE = set(
    "is are was were be see the this that these there it its figure above below proof omitted as "
    "number of for from with has have which what where when because so then if answer find show "
    "null nan n/a na tbd todo unknown none missing".split()
)


def _words(tokens: list[Token]) -> v.Value | None:
    if not all(t.kind in ("word", "text", "-", ".", "'", "/") for t in tokens):
        return None
    exact = " ".join(t.text.strip() for t in tokens if t.kind in ("word", "text"))
    folded = re.sub(r"[^\w\s]", " ", exact.lower())
    words = folded.split()
    text = " ".join(words)
    if text == "all real numbers":
        return v.NamedSet("R")
    if text not in _PHRASES and (len(words) > _MAX_WORDS or _PROSE & set(words)):
        return None
    return v.Words(text, exact) if words else None


def _opaque(tokens: list[Token]) -> list[v.Value]:
    """Mathematics outside the grammar: something with a command, a relation or an operator."""
    prose = sum(t.kind == "word" and len(t.text) > 2 for t in tokens)
    mathematical = any(t.kind[:1] == "\\" or t.kind in "=^_<>" for t in tokens)
    balance = sum((t.kind in _OPENING) - (t.kind in _CLOSING) for t in tokens if t.kind in "{}")
    if not mathematical or prose > 2 or balance:
        return []
    return [v.Opaque("".join(t.kind if t.kind[:1] == "\\" else t.text for t in tokens))]


_Rule = Callable[[list[Token]], "v.Value | list[v.Value] | None"]
_RULES: tuple[_Rule, ...] = (
    _named_set, _matrix, _union, _bracketed, _joined, _list, _relation, _clock_or_ratio, _choice, _scalar,
    _words,
)  # fmt: skip
_AMBIGUOUS_RULES = {_choice, _scalar}
