"""Units: what may stand after a number, and which units measure the same thing.

A unit is reduced to a factor and exponents of base dimensions. Words that are not units are
labels ("12 cows"): they never decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


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


_METRE = {
    "m": 1, "km": 1000, "cm": Fraction(1, 100), "mm": Fraction(1, 1000), "dm": Fraction(1, 10),
    "meter": 1, "metre": 1, "kilometer": 1000, "kilometre": 1000, "centimeter": Fraction(1, 100),
    "centimetre": Fraction(1, 100), "millimeter": Fraction(1, 1000),
    "millimetre": Fraction(1, 1000), "inch": Fraction(254, 10000), "in": Fraction(254, 10000),
    "ft": Fraction(3048, 10000), "foot": Fraction(3048, 10000), "feet": Fraction(3048, 10000),
    "yd": Fraction(9144, 10000), "yard": Fraction(9144, 10000), "mile": Fraction(1609344, 1000),
    "mi": Fraction(1609344, 1000), "inche": Fraction(254, 10000),
}  # fmt: skip
_SECOND = {
    "s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600,
    "day": 86400, "week": 604800, "ms": Fraction(1, 1000), "millisecond": Fraction(1, 1000),
}  # fmt: skip
_GRAM = {
    "g": 1, "gram": 1, "kg": 1000, "kilogram": 1000, "mg": Fraction(1, 1000),
    "milligram": Fraction(1, 1000), "t": 1000000, "tonne": 1000000,
    "ounce": Fraction(45359237, 1600000),
    "oz": Fraction(45359237, 1600000), "lb": Fraction(45359237, 100000), "gramme": 1,
}  # fmt: skip
_LITRE = {"l": 1, "L": 1, "liter": 1, "litre": 1, "ml": Fraction(1, 1000), "mL": Fraction(1, 1000),
          "milliliter": Fraction(1, 1000), "millilitre": Fraction(1, 1000), "cl": Fraction(1, 100),
          "gallon": 1, "pint": 1, "quart": 1, "cup": 1}  # fmt: skip
_MONEY = {
    "$": ("usd", 1), "usd": ("usd", 1), "dollar": ("usd", 1), "us$": ("usd", 1), "buck": ("usd", 1),
    "cent": ("usd", Fraction(1, 100)), "¢": ("usd", Fraction(1, 100)), "€": ("eur", 1),
    "eur": ("eur", 1), "euro": ("eur", 1), "£": ("gbp", 1), "gbp": ("gbp", 1), "₹": ("inr", 1),
    "inr": ("inr", 1), "rupee": ("inr", 1), "¥": ("jpy", 1), "jpy": ("jpy", 1), "yen": ("jpy", 1),
    "rs": ("inr", 1), "yuan": ("cny", 1), "rmb": ("cny", 1),
}  # fmt: skip
_OTHER = {
    "degree": ("angle", 1), "deg": ("angle", 1), "rad": ("radian", 1), "radian": ("radian", 1),
    "N": ("newton", 1), "newton": ("newton", 1), "J": ("joule", 1),
    "joule": ("joule", 1), "kJ": ("joule", 1000), "W": ("watt", 1), "watt": ("watt", 1),
    "kW": ("watt", 1000), "V": ("volt", 1), "volt": ("volt", 1), "A": ("ampere", 1),
    "amp": ("ampere", 1), "Hz": ("hertz", 1), "hertz": ("hertz", 1), "kHz": ("hertz", 1000),
    "Pa": ("pascal", 1), "kPa": ("pascal", 1000), "K": ("kelvin", 1), "kelvin": ("kelvin", 1),
    "mol": ("mole", 1), "mole": ("mole", 1), "C": ("celsius", 1), "celsius": ("celsius", 1),
    "F": ("fahrenheit", 1), "fahrenheit": ("fahrenheit", 1), "ohm": ("ohm", 1),
    "acre": ("acre", 1), "hectare": ("hectare", 1), "ha": ("hectare", 1), "month": ("month", 1),
    "year": ("month", 12), "yr": ("month", 12), "square": ("square", 1),
}  # fmt: skip


def _table() -> dict[str, tuple[str, Fraction, int]]:
    table: dict[str, tuple[str, Fraction, int]] = {}
    for dimension, names in (("length", _METRE), ("time", _SECOND), ("mass", _GRAM)):
        table |= {name: (dimension, Fraction(factor), 1) for name, factor in names.items()}
    for name, factor in _LITRE.items():
        customary = name in ("gallon", "pint", "quart", "cup")
        scale = Fraction(1) if customary else Fraction(factor) / 1000
        table[name] = (name, scale, 1) if customary else ("length", scale, 3)
    for name, (dimension, factor) in (_MONEY | _OTHER).items():
        table[name] = (dimension, Fraction(factor), 1)
    return table


_UNITS = _table()
_WHOLE = {
    "kph": "km/h", "kmph": "km/h", "kmh": "km/h", "mph": "mile/h", "mps": "m/s", "sqm": "m^2",
    "sq": "square", "cc": "cm^3", "sqft": "ft^2",
}  # fmt: skip
_PIECE = re.compile(r"\s*(\*|/|·|\^|\(|\)|-?\d+|[^\W\d_]+\$?|[$€£¥₹¢]|\S)")
_POWER_BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_POWER_AFTER = {"squared": 2, "cubed": 3}
# Words that change the number before them: never a label.
_MEANINGFUL = set(
    "or and not than if mod modulo times plus minus over half halves third thirds quarter quarters "
    "fourth fourths fifth fifths sixth sixths seventh sevenths eighth eighths ninth ninths tenth "
    "tenths hundredth hundredths thousandth thousandths root sqrt pi point hundred hundreds "
    "thousand thousands million millions billion billions trillion trillions dozen dozens crore "
    "lakh gross percent to divided power squared cubed doubled tripled halved factorial choose log "
    "ln sin cos tan base infinity nor versus vs wrong incorrect no neither either maybe perhaps "
    "possibly probably alternatively unless except isn aren wasn least most more less fewer "
    "greater smaller larger higher lower below under above remainder one two three four five six "
    "seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety zero "
    "is are was were where when but false true else bn mn "
    "out right rejected reject works work doesn don won".split()
)
_LABEL = re.compile(r"[^\W\d_]+(?:[ '/.\-]+[^\W\d_]+){0,3}\.?")


def _lookup(word: str) -> tuple[str, Fraction, int] | None:
    for form in (word,) if len(word) == 1 else (word, word.lower()):
        for name in (form, form[:-1] if form.endswith("s") and len(form) > 2 else form):
            if name in _UNITS:
                return _UNITS[name]
    return None


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
    known = _known(_WHOLE.get(text.lower(), text))
    if known is not None:
        return Unit(text, *known)
    label = re.sub(r"\^[23]$", "", text)
    words = (
        label.lower()
        .replace("'", " ")
        .replace("-", " ")
        .replace("/", " ")
        .replace(".", " ")
        .split()
    )
    lettered = any(len(word) == 1 and word != "a" for word in words)
    if _LABEL.fullmatch(label) and not lettered and not _MEANINGFUL & set(words):
        return Unit(text)
    return None


def _known(text: str) -> tuple[Fraction, tuple[tuple[str, int], ...]] | None:
    factor, dimensions = Fraction(1), {}
    sign, pending = 1, 1
    last: tuple[str, Fraction, int] | None = None
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
            found = _lookup(piece)
            if found is None or found[0] == "square":
                return None
            factor = _apply(factor, dimensions, found, sign * pending)
            last, pending = found, 1
    kept = tuple(sorted((d, p) for d, p in dimensions.items() if p))
    return (factor, kept) if kept else None


def _apply(
    factor: Fraction, dimensions: dict[str, int], unit: tuple[str, Fraction, int], power: int
) -> Fraction:
    dimension, scale, exponent = unit
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
