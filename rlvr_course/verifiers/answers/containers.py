"""Containers of the grammar: matrices, unions and differences, sets, tuples, intervals.

Each rule reads its parts with ``one``, the grammar's own reader, and returns None where it does
not apply.
"""

from __future__ import annotations

from collections.abc import Callable

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.evaluate import NotRational, Undefined, exact
from rlvr_course.verifiers.answers.leaves import expression_or_none
from rlvr_course.verifiers.answers.nodes import Node, num
from rlvr_course.verifiers.answers.runs import CLOSING, OPENING, RELATIONS, closes, split
from rlvr_course.verifiers.answers.tokens import Token

Reader = Callable[[list[Token]], "v.Value | None"]


def matrix(tokens: list[Token], one: Reader) -> v.Value | None:
    if len(tokens) < 9 or tokens[-4].kind != r"\end":
        return None
    if tokens[0].kind != r"\begin":
        return _scaled_matrix(tokens, one)
    name = tokens[2].text
    body = tokens[4:-4]
    if name == "array" and body and body[0].kind == "{":
        depth_end = next((i for i, t in enumerate(body) if t.kind == "}"), 0)
        body = body[depth_end + 1 :]
    rows = []
    for row in split(body, {r"\\"}):
        if row:
            entries = [one(entry) for entry in split(row, {"&"})]
            if any(entry is None for entry in entries):
                return None
            rows.append(tuple(e for e in entries if e is not None))
    return v.Matrix(tuple(rows), bars=name.lower().startswith("v")) if rows else None


def _scaled_matrix(tokens: list[Token], one: Reader) -> v.Value | None:
    """A number or expression before a matrix multiplies its entries."""
    start = next((i for i, t in enumerate(tokens) if t.kind == r"\begin"), 0)
    factor = expression_or_none(tokens[:start])
    scaled = matrix(tokens[start:], one) if factor is not None else None
    if factor is None or not isinstance(scaled, v.Matrix) or scaled.bars:
        return None
    rows = []
    for row in scaled.rows:
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


def union(tokens: list[Token], one: Reader) -> v.Value | None:
    if split(tokens, RELATIONS)[1:]:
        return None
    for sign, kind in ((r"\cup", v.Union), (r"\cap", v.Both)):
        parts = split(tokens, {sign})
        if len(parts) > 1:
            read = [one(part) for part in parts]
            return None if None in read else kind(tuple(p for p in read if p is not None))
    named = tokens[0].kind == r"\R" and tokens[1:2] and tokens[1].kind == "-"
    sides = [tokens[:1], tokens[2:]] if named else split(tokens, {r"\setminus"})
    if len(sides) == 2:
        whole, removed = one(sides[0]), one(sides[1])
        return v.Without(whole, removed) if whole and removed else None
    return None


def bracketed(tokens: list[Token], one: Reader) -> v.Value | None:
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
        condition = _set_builder(inner, one)
        if condition is not None:
            return condition
    items: list[v.Value] = []
    for run in runs:
        item = one(run)
        if item is None:
            return None
        flat = left == "{" and isinstance(item, v.Items) and item.left == ""  # 1 ± 2 in a set
        items += item.items if flat and isinstance(item, v.Items) else (item,)
    return v.Items(left, right, tuple(items))


def _set_builder(inner: list[Token], one: Reader) -> v.Value | None:
    """``x : x > 3`` or ``x | x > 3``: the condition."""
    sides = split(inner, {":", "|"})
    if len(sides) != 2 or not sides[0] or sides[0][0].kind != "word":
        return None
    condition = one(sides[1])
    return condition if isinstance(condition, v.Chain | v.Both | v.Union) else None


def named_set(tokens: list[Token]) -> v.Value | None:
    if len(tokens) != 1:
        return None
    names = {r"\R": "R", r"\Z": "Z", r"\N": "N", r"\Q": "Q", r"\C": "C", r"\emptyset": "empty"}
    name = names.get(tokens[0].kind)
    return v.NamedSet(name) if name else None
