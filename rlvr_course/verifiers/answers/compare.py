"""Whether two read answers are the same: by exact value, structure and kind."""

from __future__ import annotations

from collections.abc import Sequence

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.evaluate import proportion, same_expression
from rlvr_course.verifiers.answers.nodes import Node, num, symbols
from rlvr_course.verifiers.answers.regions import same_region, to_region
from rlvr_course.verifiers.answers.scalars import Conventions, same_scalar


def same(gold: v.Value, answer: v.Value, rules: Conventions) -> bool:
    """Whether an answer is the reference.

    Raises:
        TooLarge: a value above a cap of ``evaluate``.
    """
    if gold == answer and not isinstance(gold, v.Words | v.Choice):
        return True
    gold, answer, agree = _without_names(gold, answer)
    if not agree:
        return False
    if type(gold) is type(answer):
        by_kind = _SAME_KIND.get(type(gold))
        if by_kind is not None and by_kind(gold, answer, rules):
            return True
    if isinstance(gold, v.Scalar) and isinstance(answer, v.Items):
        return _all_one(gold, answer, rules)
    alone = isinstance(gold, v.Items) and isinstance(answer, v.Scalar) and len(gold.items) == 1
    if alone and same(gold.items[0], answer, rules):  # type: ignore[union-attr]
        return True
    if isinstance(gold, v.Items | v.Chain | v.Union | v.Both | v.Without | v.NamedSet):
        return _same_region(gold, answer)
    return False


def _all_one(gold: v.Scalar, answer: v.Items, rules: Conventions) -> bool:
    """One value written in several equal forms ("3/10 or 0.3"), or alone in set braces."""
    forms = answer.items if answer.left in ("", "{") and len(answer.items) <= 3 else ()
    return bool(forms) and all(same(gold, form, rules) for form in forms)


def _without_names(gold: v.Value, answer: v.Value) -> tuple[v.Value, v.Value, bool]:
    """Names in front of values drop; two different one-letter names disagree."""
    if isinstance(gold, v.Chain) and gold.signs == ("=",):
        return gold, _as_equation(answer), True
    if isinstance(answer, v.Chain) and answer.signs == ("=",):
        return _as_equation(gold), answer, not _is_solved(gold)
    if isinstance(gold, v.Named) and isinstance(answer, v.Named):
        return _both_named(gold, answer)
    gold = gold.value if isinstance(gold, v.Named) else gold
    answer = answer.value if isinstance(answer, v.Named) else answer
    return gold, answer, True


def _both_named(gold: v.Named, answer: v.Named) -> tuple[v.Value, v.Value, bool]:
    left, right = gold.name.strip("()").split(","), answer.name.strip("()").split(",")
    renamed = left != right and sorted(left) == sorted(right)
    if renamed and isinstance(answer.value, v.Items) and len(answer.value.items) == len(right):
        named = dict(zip(right, answer.value.items, strict=True))
        items = tuple(named[name] for name in left)
        return gold.value, v.Items(answer.value.left, answer.value.right, items), True
    simple = all(side.symbol is not None and side.symbol.op == "sym" for side in (gold, answer))
    if not simple or _letter(gold.name) == _letter(answer.name):
        return gold.value, answer.value, True
    equations = _as_equation(gold), _as_equation(answer)
    solvable = all(isinstance(side, v.Chain) for side in equations)
    return *equations, solvable


def _letter(name: str) -> str:
    return name.split("_")[0]


def _is_solved(gold: v.Value) -> bool:
    """Whether a reference is the solution ``x = 7``, which no other equation may stand for."""
    value = gold.value if isinstance(gold, v.Named) else None
    return isinstance(value, v.Scalar) and not symbols(value.node)


def _as_equation(value: v.Value) -> v.Value:
    if not isinstance(value, v.Named) or value.symbol is None:
        return value
    if isinstance(value.value, v.Scalar) and value.value.unit is None:
        return v.Chain((value.symbol, value.value.node), ("=",))
    return value


# -- structures


def _same_items(gold: v.Items, answer: v.Items, rules: Conventions) -> bool:
    if gold.left == "{" or (gold.left == answer.left == "") or answer.left == "{":
        if "(" in (gold.left, answer.left) or "[" in (gold.left, answer.left):
            return False
        return _same_unordered(gold, answer, rules)
    bare = "" in (gold.left, answer.left)
    if not bare and (gold.left, gold.right) != (answer.left, answer.right):
        tuples = len(gold.items) > 2 and {gold.left, answer.left} == {"(", "["}
        if not tuples or {gold.right, answer.right} != {")", "]"}:
            return False
    if bare and "[" in (gold.left, answer.left) and len(gold.items) == 2:
        return False
    return _all_same(gold.items, answer.items, rules)


def _all_same(gold: Sequence[v.Value], answer: Sequence[v.Value], rules: Conventions) -> bool:
    if len(gold) != len(answer):
        return False
    return all(same(g, a, rules) for g, a in zip(gold, answer, strict=True))


def _same_unordered(gold: v.Items, answer: v.Items, rules: Conventions) -> bool:
    """Each value on one side has its own on the other; in a set repeats count once."""
    left, right = list(gold.items), list(answer.items)
    if len(right) > 4 * len(left) + 8:
        return False
    if "{" in (gold.left, answer.left):
        left, right = _distinct(left, rules), _distinct(right, rules)
    if len(left) != len(right):
        return False
    for item in left:
        match = next((i for i, other in enumerate(right) if same(item, other, rules)), None)
        if match is None:
            return False
        del right[match]
    return True


def _distinct(items: list[v.Value], rules: Conventions) -> list[v.Value]:
    kept: list[v.Value] = []
    for item in items:
        if not any(same(item, other, rules) for other in kept):
            kept.append(item)
    return kept


def _same_matrix(gold: v.Matrix, answer: v.Matrix, rules: Conventions) -> bool:
    if gold.bars != answer.bars or len(gold.rows) != len(answer.rows):
        return False
    return all(_all_same(g, a, rules) for g, a in zip(gold.rows, answer.rows, strict=True))


def _same_chain(gold: v.Chain, answer: v.Chain, rules: Conventions) -> bool:
    """Relations equal up to a factor, which must be positive for inequalities."""
    if len(gold.signs) != 1 or len(answer.signs) != 1:
        return False
    alone = any(term.op == "sym" for term in gold.terms)
    if alone and gold.signs[0] != "=" and not all(symbols(term) for term in gold.terms):
        return False  # solved: equal only to other solved forms, which regions compare
    flip = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}
    left, right = _difference(gold), _difference(answer)
    if gold.signs[0] == answer.signs[0] in ("=", r"\ne"):
        return _proportional(left, right, positive=False)
    if gold.signs[0] == answer.signs[0]:
        return _proportional(left, right, positive=True)
    if flip.get(gold.signs[0]) == answer.signs[0]:
        return _proportional(left, Node("neg", (right,)), positive=True)
    return False


def _difference(chain: v.Chain) -> Node:
    return Node("add", (chain.terms[0], Node("neg", (chain.terms[1],))))


def _proportional(left: Node, right: Node, *, positive: bool) -> bool:
    factor = proportion(left, right)
    return factor is not None and (factor > 0 or not positive)


def _same_region(gold: v.Value, answer: v.Value) -> bool:
    left, right = to_region(gold), to_region(answer)
    return left is not None and right is not None and same_region(left, right)


# -- words


def _same_clock(gold: v.Clock, answer: v.Clock, rules: Conventions) -> bool:
    if gold.half and answer.half:
        return _minutes(gold) == _minutes(answer)
    twelve = [clock.hour % 12 * 60 + clock.minute for clock in (gold, answer)]
    said = gold.half or answer.half
    if said and max(gold.hour, answer.hour) > 12:
        plain, halved = (answer, gold) if gold.half else (gold, answer)
        return plain.hour * 60 + plain.minute == _minutes(halved)
    if said:
        return twelve[0] == twelve[1]
    return (gold.hour, gold.minute) == (answer.hour, answer.minute)


def _minutes(clock: v.Clock) -> int:
    hour = clock.hour if clock.hour > 12 else clock.hour % 12 + (12 if clock.half == "pm" else 0)
    return hour * 60 + clock.minute


def _same_ratio(gold: v.Ratio, answer: v.Ratio, rules: Conventions) -> bool:
    if len(gold.parts) != len(answer.parts):
        return False
    if gold.is_clock and answer.is_clock:
        return gold.parts == answer.parts
    zero = num(0)
    pairs = list(zip(gold.parts, answer.parts, strict=True))
    if any(same_expression(g, zero) != same_expression(a, zero) for g, a in pairs):
        return False
    return all(
        same_expression(Node("mul", (g, other)), Node("mul", (first, a)))
        for first, other in pairs
        for g, a in pairs
    )


def _same_choice(gold: v.Choice, answer: v.Choice, rules: Conventions) -> bool:
    if rules.case_sensitive:
        return gold.letter == answer.letter
    return gold.letter.lower() == answer.letter.lower()


def _same_words(gold: v.Words, answer: v.Words, rules: Conventions) -> bool:
    return gold.exact == answer.exact if rules.case_sensitive else gold.text == answer.text


_SAME_KIND = {
    v.Scalar: same_scalar,
    v.Items: _same_items,
    v.Matrix: _same_matrix,
    v.Chain: _same_chain,
    v.Clock: _same_clock,
    v.Ratio: _same_ratio,
    v.Choice: _same_choice,
    v.Words: _same_words,
    v.Opaque: lambda gold, answer, rules: gold.text == answer.text,
    v.NamedSet: lambda gold, answer, rules: gold.name == answer.name,
    v.Named: lambda gold, answer, rules: False,
}
