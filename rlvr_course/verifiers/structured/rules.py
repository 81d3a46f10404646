"""Rules by which one field's value is the reference's: a name, or a mapping with a tolerance.

"exact"              the same JSON value; texts in Unicode normal form C
"caseless"           the same text, whatever its case and its runs of white space
"date"               the same day: 2024-03-05, 2024/3/5, 5 March 2024, March 5th, 2024
"unordered"          the same items, each as often, in any order
"quote"              a passage of the source that holds the reference's text and little more
{"absolute": 0.01}   a number at most that far away
{"relative": 0.001}  a number at most that share of the reference away
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from rlvr_course.verifiers.structured.reading import canonical

Rule = str | Mapping[str, float]

NAMES = ("exact", "caseless", "date", "unordered", "quote")
TOLERANCES = ("absolute", "relative")
MAX_UNORDERED = 200
"""Items of a reference that is compared without order, where its items have rules of their own."""
QUOTE_ROOM = 80
"""Characters that a quotation may have beside the reference's text, at least."""

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_MONTH_OF = {name[:length]: i for i, name in enumerate(_MONTHS, 1) for length in (3, len(name))}
_MONTH_OF["sept"] = 9
_YEAR_FIRST = re.compile(r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})", re.ASCII)
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})\.?,? (\d{4})", re.ASCII)
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})", re.ASCII)


def checked_rule(rule: Any, place: str) -> Rule:
    """The rule, if it is one.

    Raises:
        ValueError: an unknown name, or a tolerance that is no number of 0 or more.
    """
    if isinstance(rule, str) and rule in NAMES:
        return rule
    if isinstance(rule, Mapping) and len(rule) == 1:
        ((name, size),) = rule.items()
        is_number = isinstance(size, int | float) and not isinstance(size, bool)
        if name in TOLERANCES and is_number and 0 <= size < float("inf"):
            return dict(rule)
    names = ", ".join([*map(repr, NAMES), *(f"{{{name!r}: 0.01}}" for name in TOLERANCES)])
    raise ValueError(f"rule {rule!r} of {place!r} is not one of {names}")


@dataclass(frozen=True)
class Rules:
    """Which rule holds where, and the source that quotations come from.

    Args:
        by_path: from a field's path to its rule; "exact" where there is none. ``a.b`` is a member
            of a member, ``a[]`` stands for each item of a list.
        source: folded by ``folded``; "" where there is none.
    """

    by_path: Mapping[str, Rule]
    source: str = ""

    def same(self, value: Any, wanted: Any, path: str) -> bool:
        """Whether a value is the reference's under the rule of its path; deep and symmetric
        but for "quote" and "relative", which go by the reference."""
        rule = self.by_path.get(path, "exact")
        if isinstance(rule, Mapping):
            return _is_near(value, wanted, rule)
        if rule == "unordered":
            return self._same_items(value, wanted, path)
        if rule != "exact":
            if not isinstance(value, str) or not isinstance(wanted, str):
                return False
            if rule == "caseless":
                return folded(value) == folded(wanted)
            if rule == "quote":
                return self._is_quote(value, wanted)
            return (day := day_of(value)) is not None and day == day_of(wanted)
        if isinstance(value, dict) and isinstance(wanted, dict):
            return value.keys() == wanted.keys() and all(
                self.same(value[name], wanted[name], below(path, name)) for name in wanted
            )
        if isinstance(value, list) and isinstance(wanted, list):
            return len(value) == len(wanted) and all(
                self.same(v, w, f"{path}[]") for v, w in zip(value, wanted, strict=True)
            )
        return canonical(value, _composed) == canonical(wanted, _composed)

    def _same_items(self, value: Any, wanted: Any, path: str) -> bool:
        """Each item of one list paired with one of the other."""
        if not isinstance(value, list) or not isinstance(wanted, list) or len(value) != len(wanted):
            return False
        if not any(place.startswith(f"{path}[]") for place in self.by_path):
            found = [hash_of(item) for item in value]
            return sorted(map(hash, found)) == sorted(map(hash, map(hash_of, wanted))) and (
                _counted(found) == _counted(map(hash_of, wanted))
            )
        if len(wanted) > MAX_UNORDERED:
            return False
        fits = [[j for j, v in enumerate(value) if self.same(v, w, f"{path}[]")] for w in wanted]
        return _can_pair_all(fits)

    def _is_quote(self, value: str, wanted: str) -> bool:
        quote, held = folded(value), folded(wanted)
        room = max(2 * len(held), len(held) + QUOTE_ROOM)
        return (
            bool(held) and len(quote) <= room and _holds(quote, held) and _holds(self.source, quote)
        )


def below(path: str, name: str) -> str:
    """The path of a member."""
    return f"{path}.{name}" if path else name


def folded(text: str) -> str:
    """A text without what "caseless" ignores.

    >>> folded("  New\\nYORK ")
    'new york'
    """
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def day_of(text: str) -> date | None:
    """The day that a text names, None if it names none without doubt (5/3/2024 is two).

    >>> day_of("March 5th, 2024")
    datetime.date(2024, 3, 5)
    """
    if len(text) > 40:
        return None
    plain = " ".join(text.casefold().split())
    if match := _YEAR_FIRST.fullmatch(plain):
        year, month, day = match[1], int(match[3]), match[4]
    elif match := _DAY_FIRST.fullmatch(plain):
        year, month, day = match[3], _MONTH_OF.get(match[2], 0), match[1]
    elif match := _MONTH_FIRST.fullmatch(plain):
        year, month, day = match[3], _MONTH_OF.get(match[1], 0), match[2]
    else:
        return None
    try:
        return date(int(year), month, int(day))
    except ValueError:
        return None


def hash_of(value: Any) -> Any:
    """A value's canonical form, texts composed."""
    return canonical(value, _composed)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _is_near(value: Any, wanted: Any, rule: Mapping[str, float]) -> bool:
    """Exact arithmetic, so that a tolerance of 0.01 holds at its edge as written."""
    for number in (value, wanted):
        if isinstance(number, bool) or not isinstance(number, int | float):
            return False
    apart = abs(_exact(value) - _exact(wanted))
    if "absolute" in rule:
        return apart <= _exact(rule["absolute"])
    return apart <= _exact(rule["relative"]) * abs(_exact(wanted))


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def _counted(items: Any) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return counts


def _can_pair_all(fits: list[list[int]]) -> bool:
    """Whether each row can have a column of its own among those that fit it (augmenting paths)."""
    row_of: dict[int, int] = {}
    return all(_place(row, fits, row_of) for row in range(len(fits)))


def _place(row: int, fits: list[list[int]], row_of: dict[int, int]) -> bool:
    """Give a row a column, moving others; breadth first, so that it needs no recursion."""
    came_from: dict[int, tuple[int, int | None]] = {}
    queue: list[tuple[int, int | None]] = [(row, None)]
    for current, via in queue:
        for column in fits[current]:
            if column in came_from:
                continue
            came_from[column] = (current, via)
            if column in row_of:
                queue.append((row_of[column], column))
                continue
            at: int | None = column
            while at is not None:
                owner, before = came_from[at]
                row_of[at] = owner
                at = before
            return True
    return False


def _holds(text: str, part: str) -> bool:
    """Whether a folded text holds another as whole words."""
    start = text.find(part)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(part) : start + len(part) + 1]
        starts = not (before.isalnum() and part[:1].isalnum())
        ends = not (after.isalnum() and part[-1:].isalnum())
        if starts and ends:
            return True
        start = text.find(part, start + 1)
    return False
