"""Sets of real numbers: intervals, inequalities, unions and complements in one normal form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rlvr_course.verifiers.answers import values as v
from rlvr_course.verifiers.answers.evaluate import Undefined, context, numeric, same_number
from rlvr_course.verifiers.answers.nodes import Node, symbols


@dataclass(frozen=True)
class Interval:
    """From ``low`` to ``high`` (mpmath numbers), each end closed or open."""

    low: Any
    high: Any
    low_closed: bool
    high_closed: bool


Region = list[Interval]


def to_region(value: v.Value) -> Region | None:
    """The region that a value means, None if it does not mean one.

    A bracket with two items is read as an interval; a relation must have one symbol alone on
    one side and numbers on the other.
    """
    region = _region(value)
    return None if region is None else _merged(region)


def _region(value: v.Value) -> Region | None:
    if isinstance(value, v.Named):
        return _region(value.value)
    if isinstance(value, v.NamedSet):
        return {"R": [_everything()], "empty": []}.get(value.name)
    if isinstance(value, v.Items):
        return _items(value)
    if isinstance(value, v.Chain):
        return _chain(value)
    if isinstance(value, v.Union):
        return _united([_region(part) for part in value.parts])
    if isinstance(value, v.Both):
        return _crossed([_region(part) for part in value.parts])
    if isinstance(value, v.Without):
        whole, removed = _region(value.whole), _region(value.removed)
        return None if whole is None or removed is None else _without(_merged(whole), removed)
    return None


def _united(parts: list[Region | None]) -> Region | None:
    regions = [part for part in parts if part is not None]
    joined = [interval for region in regions for interval in region]
    return joined if len(regions) == len(parts) else None


def _crossed(parts: list[Region | None]) -> Region | None:
    region = [_everything()]
    for part in parts:
        if part is None:
            return None
        pairs = [_intersection(a, b) for a in region for b in part]
        region = _merged([cut for cut in pairs if cut is not None])
    return region


def _everything() -> Interval:
    return Interval(-context().inf, context().inf, False, False)


def _number(value: v.Value | Node) -> Any:
    node = value.node if isinstance(value, v.Scalar) else value
    if not isinstance(node, Node) or symbols(node):
        return None
    try:
        number = numeric(node, {})
    except Undefined:
        return None
    return number if context().im(number) == 0 else None


def _items(value: v.Items) -> Region | None:
    if value.left == "" and all(isinstance(item, v.Chain) for item in value.items):
        return _united([_region(item) for item in value.items])
    if value.left == "{":
        points = [_number(item) for item in value.items]
        return None if None in points else [Interval(p, p, True, True) for p in points]
    if value.left not in ("(", "[") or len(value.items) != 2:
        return None
    low, high = (_number(item) for item in value.items)
    if low is None or high is None or low > high:
        return None
    if low == high and (value.left, value.right) != ("[", "]"):
        return None  # a point (1, 1), not an empty interval
    return [Interval(low, high, value.left == "[", value.right == "]")]


def _chain(value: v.Chain) -> Region | None:
    if "=" in value.signs:
        return None
    names = set().union(*(symbols(term) for term in value.terms))
    if len(names) != 1 or not any(term.op == "sym" for term in value.terms):
        return None
    region = [_everything()]
    for left, sign, right in zip(value.terms, value.signs, value.terms[1:], strict=False):
        if right.op == "sym":
            sign = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}.get(sign, sign)
            left, right = right, left
        bound = _number(right)
        if left.op != "sym" or bound is None:
            return None
        if sign == r"\ne":
            region = _without(region, [Interval(bound, bound, True, True)])
            continue
        closed = sign in (r"\le", r"\ge")
        if sign in ("<", r"\le"):
            part = Interval(-context().inf, bound, False, closed)
        elif sign in (">", r"\ge"):
            part = Interval(bound, context().inf, closed, False)
        else:
            part = Interval(bound, bound, True, True)
        region = [cut for old in region if (cut := _intersection(old, part))]
    return region


def _intersection(a: Interval, b: Interval) -> Interval | None:
    low, low_closed = max((a.low, not a.low_closed), (b.low, not b.low_closed))
    high, high_closed = min((a.high, a.high_closed), (b.high, b.high_closed))
    interval = Interval(low, high, not low_closed, high_closed)
    return None if _is_empty(interval) else interval


def _is_empty(interval: Interval) -> bool:
    if interval.low == interval.high:
        return not (interval.low_closed and interval.high_closed)
    return interval.low > interval.high


def _without(region: Region, removed: Region) -> Region:
    for hole in removed:
        below = Interval(-context().inf, hole.low, False, not hole.low_closed)
        above = Interval(hole.high, context().inf, not hole.high_closed, False)
        cuts = [_intersection(part, side) for part in region for side in (below, above)]
        region = [cut for cut in cuts if cut is not None]
    return region


def _merged(region: Region) -> Region:
    """Sorted, with overlapping and touching intervals joined and empty ones dropped."""
    kept: Region = []
    for part in sorted(region, key=lambda i: (i.low, not i.low_closed)):
        if _is_empty(part):
            continue
        last = kept[-1] if kept else None
        touches = last is not None and (
            part.low < last.high
            or (part.low == last.high and (part.low_closed or last.high_closed))
        )
        if last is None or not touches:
            kept.append(part)
            continue
        high, closed = max((last.high, last.high_closed), (part.high, part.high_closed))
        kept[-1] = Interval(last.low, high, last.low_closed, closed)
    return kept


def same_region(left: Region, right: Region) -> bool:
    """Whether two merged regions have the same ends, open and closed alike."""
    return len(left) == len(right) and all(
        (a.low_closed, a.high_closed) == (b.low_closed, b.high_closed)
        and same_number(a.low, b.low)
        and same_number(a.high, b.high)
        for a, b in zip(left, right, strict=True)
    )
