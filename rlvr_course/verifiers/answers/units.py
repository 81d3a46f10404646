"""Units: what may stand after a number, and which units measure the same thing.

A unit is reduced to a factor and exponents of base dimensions. Words that are not units are
labels ("12 cows"): they never decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from rlvr_course.verifiers.answers.unit_table import WHOLE, Entry, lookup


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: exact ``factor`` to base units, exponents by dimension; a label has neither."""

    text: str
    factor: Fraction = Fraction(1)
    dimensions: tuple[tuple[str, int], ...] = ()

    @property
    def is_label(self) -> bool:
        """Whether this is only a word, of no known dimension."""
        return not self.dimensions


_PIECE = re.compile(r"\s*(\*|/|·|\^|\(|\)|-?\d+|[^\W\d_]+\$?|[$€£¥₹¢]|\S)")
_POWER_BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_POWER_AFTER = {"squared": 2, "cubed": 3}
# Words that change the number before them: never a label.
_MEANINGFUL = set(
    "or and not than if mod modulo plus minus over half halves third thirds quarter quarters "
    "fourth fourths fifth fifths sixth sixths seventh sevenths eighth eighths ninth ninths tenth "
    "tenths hundredth hundredths thousandth thousandths root sqrt pi point hundred hundreds "
    "thousand thousands million millions billion billions trillion trillions dozen dozens crore "
    "lakh gross percent divided power squared cubed doubled tripled halved factorial choose log "
    "ln sin cos tan base infinity nor versus vs wrong incorrect no neither either maybe perhaps "
    "possibly probably alternatively unless except isn aren wasn least most "
    "greater smaller larger higher lower below under above remainder one two three four five six "
    "seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety zero "
    "is are was were where when but false true else bn mn "
    "out rejected reject doesn don".split()
)
_LABEL = re.compile(r"[^\W\d_]+(?:[ '/.\-]+[^\W\d_]+){0,3}\.?")


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit | None:
    """The unit or label that a text after a number means; None if it is neither.

    >>> parse_unit("km/h") == parse_unit("km/h"), parse_unit("cows").is_label
    (True, True)
    >>> parse_unit("or 7") is None
    True
    """
    text = text.strip().strip("()").strip().rstrip(".")
    if not text or len(text) > 80:
        return None
    known = _known(WHOLE.get(text.lower(), text))
    if known is not None:
        return Unit(text, *known)
    label = re.sub(r"\^[23]$", "", text)
    words = re.sub(r"['\-/.]", " ", label.lower()).split()
    lettered = any(len(word) == 1 and word != "a" for word in words)
    if _LABEL.fullmatch(label) and not lettered and not _MEANINGFUL & set(words):
        return Unit(text)
    return None


def _known(text: str) -> tuple[Fraction, tuple[tuple[str, int], ...]] | None:
    factor, dimensions = Fraction(1), {}
    sign, pending = 1, 1
    last: Entry | None = None
    pieces = _PIECE.findall(text.replace("per cent", "percent"))
    for index, piece in enumerate(pieces):
        low = piece.lower()
        if low in ("/", "per"):
            sign, last = -1, None
        elif low in ("*", "·", "(", ")", "^", "a", "an", "of"):
            last = last if low == "^" else None
        elif low in _POWER_BEFORE and index + 1 < len(pieces):
            pending = _POWER_BEFORE[low]
        elif low in _POWER_AFTER or piece.lstrip("-").isdecimal():
            power = _POWER_AFTER.get(low) or int(piece[:3])
            if last is None or not -4 <= power <= 4:
                return None
            factor = _apply(factor, dimensions, last, sign * (power - 1))
        else:
            last = lookup(piece)
            if last is None:
                return None
            factor = _apply(factor, dimensions, last, sign * pending)
            pending = 1
    kept = tuple(sorted((d, p) for d, p in dimensions.items() if p))
    return (factor, kept) if kept else None


def _apply(factor: Fraction, dimensions: dict[str, int], unit: Entry, power: int) -> Fraction:
    scale, exponents = unit
    for dimension, exponent in exponents.items():
        dimensions[dimension] = dimensions.get(dimension, 0) + exponent * power
    return factor * scale**power


_ANGLE = (("angle", 1),)
_TEMPERATURE = ((("celsius", 1),), (("fahrenheit", 1),), (("kelvin", 1),))


def compatible(left: Unit, right: Unit) -> bool:
    """Whether two units can measure the same quantity; labels fit anything."""
    if left.is_label or right.is_label or left.dimensions == right.dimensions:
        return True
    pair = (left.dimensions, right.dimensions)
    return any(a == _ANGLE and b in _TEMPERATURE for a, b in (pair, pair[::-1]))
