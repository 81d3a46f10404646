"""Plain values: what a learner's reply is reduced to before anything is compared.

A reply whose ``__eq__`` always says True would pass any comparison. So a reply is taken over by
its exact type, never by what it says of itself, and whatever is left is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, MappingView, Set
from dataclasses import fields
from fractions import Fraction
from typing import Any

from rlvr_course.records import Completion, Problem, Reward, Sample, Verdict
from rlvr_course.stats import Confusion, Rate

RECORD_TYPES = (Problem, Completion, Verdict, Reward, Sample, Rate, Confusion)
DEPTH_LIMIT = 20


class NotPlain(ValueError):
    """A value that is not made of plain types alone."""


def as_plain(value: Any, *, depth: int = DEPTH_LIMIT) -> Any:
    """A copy of the value, made of exact plain types.

    Args:
        value: None, bool, int, float, str, Fraction; lists, tuples and dicts of such; records;
            a range, which becomes a list; numpy's numbers and arrays, which become Python's.
        depth: how many levels of nesting are allowed.

    Raises:
        NotPlain: any other type, subclasses of the plain ones too, or deeper nesting.

    >>> as_plain({"score": 1.0, "tags": ("a", None)})
    {'score': 1.0, 'tags': ('a', None)}
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if depth == 0:
        raise NotPlain(f"it is nested more than {DEPTH_LIMIT} levels deep")
    if kind is range:
        return list(value)
    if kind in (list, tuple):
        return kind(as_plain(item, depth=depth - 1) for item in value)
    if kind is dict:
        return {_key(key): as_plain(item, depth=depth - 1) for key, item in value.items()}
    if kind is Fraction and type(value.numerator) is type(value.denominator) is int:
        return Fraction(value.numerator, value.denominator)
    if kind in RECORD_TYPES:
        parts = {f.name: as_plain(getattr(value, f.name), depth=depth - 1) for f in fields(value)}
        return kind(**parts)
    if kind.__module__ == "numpy" and hasattr(value, "tolist"):
        return as_plain(value.tolist(), depth=depth - 1)
    remedy = "; give a list" if issubclass(kind, (Set, Iterator, MappingView)) else ""
    raise NotPlain(f"it is of type {kind.__name__}{remedy}")


def _key(key: Any) -> Any:
    if key is None or type(key) in (bool, int, float, str):
        return key
    if type(key) is tuple:
        return tuple(_key(item) for item in key)
    raise NotPlain(f"it has a key of type {type(key).__name__}")
