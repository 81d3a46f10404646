"""Quantities: an expression with a currency, a scale word, a percent sign or a unit around it."""

from __future__ import annotations

from collections.abc import Sequence

from rlvr_course.verifiers.answers.expressions import NotAnExpression, parse_expression
from rlvr_course.verifiers.answers.nodes import Node, is_literal, num, symbols
from rlvr_course.verifiers.answers.tokens import Token
from rlvr_course.verifiers.answers.unit_table import lookup
from rlvr_course.verifiers.answers.units import Unit, parse_unit
from rlvr_course.verifiers.answers.values import Scalar
from rlvr_course.verifiers.answers.vocabulary import FUNCTIONS

_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9,
           "trillion": 10**12, "dozen": 12}  # fmt: skip
_CURRENCY_SIGNS = {r"\$", "$", "€", "£", "¥", "₹"}
_CURRENCY_WORDS = {"USD", "US", "EUR", "GBP", "INR", "JPY", "CAD", "AUD", "Rs"}
_UNIT_KINDS = {"word", "text", "^", "{", "}", "num", "/", "*", "-", "(", ")", ".", r"\degree", "%",
               "¢", "'", r"\Omega", r"\mu"} | _CURRENCY_SIGNS  # fmt: skip
_TEMPERATURES = {"C": "celsius", "F": "fahrenheit", "K": "kelvin", "Celsius": "celsius",
                 "celsius": "celsius", "Fahrenheit": "fahrenheit"}  # fmt: skip
_SPELLED = {r"\degree": "degree", r"\$": "$", "*": "·", r"\Omega": "ohm", r"\mu": "µ"}
_ATTACHED_UNITS = set("mghsL")
_MAX_SPLITS = 24


def parse_quantity(tokens: Sequence[Token]) -> list[Scalar]:
    """Every reading of tokens as one quantity, with a unit before without; empty if none.

    "5 m" is five metres and also 5 times m; "5 or 7" and "5 squared" are no quantity.
    """
    tokens, currency = _without_currency(_flat_unit_fractions(list(tokens)))
    if not tokens:
        return []
    based = _based(tokens)
    if based is not None:
        return [based]
    found: list[Scalar] = []
    measured = _measured(tokens)
    if measured is not None:
        found.append(_with_currency(measured, currency))
        if measured.percent:
            return found
        if tokens[-1].kind in ("%", r"\degree") and is_literal(measured.node):
            return found  # "15%" is no bare 0.15: whether it may stand for it is a convention
    if not _only_words(tokens):
        node = _expression(tokens)
        if node is not None:
            found.append(_with_currency(Scalar(node), currency))
    return found


def _based(tokens: Sequence[Token]) -> Scalar | None:
    """``1011_2``: digits in a base. The base is kept as a unit, since problems often name it."""
    kinds = [t.kind for t in tokens if t.kind not in ("{", "}", "(", ")")]
    plain = [t for t in tokens if t.kind not in ("{", "}", "(", ")")]
    if kinds != ["num", "_", "num"] or not plain[2].text.isdecimal() or plain[0].value is None:
        return None
    if plain[2].text == "10":
        return Scalar(num(plain[0].value))
    base = f"base{plain[2].text}"
    return Scalar(num(plain[0].value), Unit(base, dimensions=((base, 1),)))


def _flat_unit_fractions(tokens: list[Token]) -> list[Token]:
    """``\\frac{\\text{km}}{\\text{h}}`` as the text ``km/h``."""
    out: list[Token] = []
    index = 0
    while index < len(tokens):
        run = tokens[index : index + 9]
        kinds = [t.kind for t in run]
        if kinds[:7] == [r"\frac", "{", "text", "}", "{", "text", "}"] or (
            kinds[:7] == [r"\frac", "{", "word", "}", "{", "word", "}"] and _are_units(run)
        ):
            out.append(Token("text", f"{run[2].text}/{run[5].text}", True))
            index += 7
        elif kinds == [r"\frac", "{", "text", "}", "{", "text", "^", "num", "}"]:
            out.append(Token("text", f"{run[2].text}/{run[5].text}^{run[7].text}", True))
            index += 9
        else:
            out.append(tokens[index])
            index += 1
    return out


def _are_units(run: Sequence[Token]) -> bool:
    """Whether letters in a fraction are a unit over a unit: ``\\frac{km}{h}``."""
    return len(run[2].text) > 1 and all(lookup(run[i].text) is not None for i in (2, 5))


def _with_currency(scalar: Scalar, currency: Unit | None) -> Scalar:
    if currency is None or (scalar.unit is not None and not scalar.unit.is_label):
        return scalar
    return Scalar(scalar.node, currency, scalar.percent)


def _only_words(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are words too long to be a product of letters."""
    return all(t.kind in ("word", "text") for t in tokens) and any(len(t.text) > 2 for t in tokens)


def _without_currency(tokens: list[Token]) -> tuple[list[Token], Unit | None]:
    """``-$5``, ``US$ 5`` and ``USD 5`` without their currency, and the currency."""
    sign = tokens[:1] if tokens and tokens[0].kind in ("-", "+") else []
    rest = tokens[len(sign) :]
    name = ""
    while rest and (rest[0].kind in _CURRENCY_SIGNS or rest[0].text in _CURRENCY_WORDS):
        word = rest[0].text.replace("\\", "")
        followed = len(rest) > 1 and (rest[1].kind in _CURRENCY_SIGNS | {"num", "-", "."})
        if not followed:
            return tokens, None
        name = name or ("$" if word == "US" else word)
        rest = rest[1:]
    if not name:
        return tokens, None
    if rest and rest[0].kind == "-" and not sign:
        sign, rest = rest[:1], rest[1:]
    return sign + rest, parse_unit(name)


def _expression(tokens: Sequence[Token]) -> Node | None:
    try:
        return parse_expression(tokens)
    except NotAnExpression:
        return None


def _measured(tokens: Sequence[Token]) -> Scalar | None:
    """An expression followed by a unit, a percent sign, a scale word or a label."""
    splits = 0
    for index in range(_unit_start(tokens), len(tokens)):
        if not _can_start_unit(tokens, index):
            continue
        if all(token.kind in ("word", "text") for token in tokens[:index]):
            continue
        splits += 1
        if splits > _MAX_SPLITS:
            return None
        node = _expression(tokens[:index])
        if node is None or (symbols(node) and tokens[index].kind == "word"):
            continue
        scalar = _suffixed(node, tokens[index:])
        if scalar is not None:
            return scalar
    return None


def _unit_start(tokens: Sequence[Token]) -> int:
    """Index after which every token could belong to a unit, never the first token."""
    start = len(tokens)
    while start > 1 and tokens[start - 1].kind in _UNIT_KINDS:
        start -= 1
    return start


def _can_start_unit(tokens: Sequence[Token], index: int) -> bool:
    token, text = tokens[index], tokens[index].text
    if token.kind in (r"\degree", "%", "¢", r"\Omega") or token.kind in _CURRENCY_SIGNS:
        return True
    if token.kind == r"\mu":
        return index + 1 < len(tokens) and tokens[index + 1].kind == "text"
    if token.kind == "(":
        return (
            token.spaced and index + 1 < len(tokens) and tokens[index + 1].kind in ("word", "text")
        )
    if token.kind not in ("word", "text") or text in FUNCTIONS or text in ("pi", "e", "i"):
        return False
    if token.kind == "text" or token.spaced:
        return True
    unit = parse_unit(text)
    known = unit is not None and not unit.is_label
    return known and (len(text) > 1 or text in _ATTACHED_UNITS)


def _suffixed(node: Node, suffix: Sequence[Token]) -> Scalar | None:
    first = suffix[0]
    words = first.text.lower().split() if first.kind in ("word", "text") else []
    if first.kind == "%" or words[:1] == ["percent"] or words == ["per", "cent"]:
        rest = suffix[1:]
        return Scalar(node, percent=True) if not rest or _unit(rest) else None
    if [t.text for t in suffix[:2]] == ["per", "cent"]:
        return Scalar(node, percent=True) if not suffix[2:] or _unit(suffix[2:]) else None
    if words and words[0] in _SCALES:
        scaled = num(node.value * _SCALES[words[0]]) if node.op == "num" else None
        if scaled is None:
            return None
        left = [Token("text", " ".join(words[1:]))] if words[1:] else []
        rest = left + list(suffix[1:])
        return (_suffixed(scaled, rest) if rest else Scalar(scaled)) or None
    unit = _unit(suffix)
    if unit is not None:
        short = unit.is_label and len(first.text.strip("() ")) < 3
        return None if short or _are_letters(suffix) else Scalar(node, unit)
    return _compound(node, suffix)


def _are_letters(suffix: Sequence[Token]) -> bool:
    """Whether a suffix is a product of letters, such as ``g t^2``, rather than a unit."""
    words = [token for token in suffix if token.kind == "word"]
    if len(suffix) > 1 and suffix[1].kind == "^" and words[:1] == [suffix[0]]:
        return len(words) == 1 and len(words[0].text) == 1 and words[0].text != "m"
    return (
        len(words) > 1
        and all(len(w.text) == 1 for w in words)
        and not any(token.kind in ("/", "*") for token in suffix)
    )


def _unit(tokens: Sequence[Token]) -> Unit | None:
    """The unit that a token run spells: ``\\mathrm{cm} ^ {2}`` is cm^2, ``\\degree C`` celsius."""
    parts: list[str] = []
    for token, after in zip(tokens, [*tokens[1:], None], strict=False):
        if token.kind in ("{", "}"):
            continue
        if token.kind == "-" and (token.spaced or (after is not None and after.spaced)):
            return None  # "km/h - 1" goes on calculating, "m s^-1" and "m s-1" do not
        if token.kind == "num" and token.spaced:
            return None  # "ft 3" is no power
        text = _SPELLED.get(token.kind, token.text.strip())
        if parts and parts[-1] in ("degree", "degrees") and text in _TEMPERATURES:
            parts[-1] = _TEMPERATURES[text]
            continue
        if parts and parts[-1] not in ("^", "µ") and token.kind in ("word", "text"):
            parts.append(" ")
        parts.append(text)
    return parse_unit("".join(parts))


def parse_compound(tokens: Sequence[Token]) -> Scalar | None:
    """``2 hours 24 minutes`` as one quantity, or None: see ``_compound``."""
    if len(tokens) < 4 or tokens[0].value is None:
        return None
    return _compound(num(tokens[0].value), tokens[1:])


def _compound(node: Node, suffix: Sequence[Token]) -> Scalar | None:
    """``2 hours and 24 minutes`` is 2.4 hours: whole numbers in descending units of one kind."""
    runs: list[list[Token]] = [[]]
    for token in suffix:
        runs.append([token]) if token.kind == "num" else runs[-1].append(token)
    first = _unit(runs[0]) if 1 < len(runs) <= 4 and node.op == "num" else None
    if first is None or first.is_label:
        return None
    total, smallest = node.value, first.factor
    for count, *rest in runs[1:]:
        unit = _unit(rest) if rest else None
        if unit is None or unit.dimensions != first.dimensions or unit.factor >= smallest:
            return None
        total += (count.value or 0) * unit.factor / first.factor
        smallest = unit.factor
    return Scalar(num(total), first)
