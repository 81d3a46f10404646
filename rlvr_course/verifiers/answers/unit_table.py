"""The units that are known: each a factor to base units and exponents of base dimensions."""

from __future__ import annotations

from fractions import Fraction

Dimensions = dict[str, int]
Entry = tuple[Fraction, Dimensions]

_PREFIXES = {
    "T": 10**12, "G": 10**9, "M": 10**6, "k": 1000, "h": 100, "d": Fraction(1, 10),
    "c": Fraction(1, 100), "m": Fraction(1, 1000), "µ": Fraction(1, 10**6),
    "μ": Fraction(1, 10**6), "u": Fraction(1, 10**6), "n": Fraction(1, 10**9),
    "p": Fraction(1, 10**12),
}  # fmt: skip
_FORCE = {"mass": 1, "length": 1, "time": -2}
_ENERGY = {"mass": 1, "length": 2, "time": -2}
_POWER = {"mass": 1, "length": 2, "time": -3}

# Symbols that take prefixes; masses are in grams, so a newton is 1000 g m / s^2.
_SYMBOLS: dict[str, tuple[Fraction | int, Dimensions]] = {
    "m": (1, {"length": 1}),
    "g": (1, {"mass": 1}),
    "s": (1, {"time": 1}),
    "L": (Fraction(1, 1000), {"length": 3}),
    "l": (Fraction(1, 1000), {"length": 3}),
    "N": (1000, _FORCE),
    "J": (1000, _ENERGY),
    "W": (1000, _POWER),
    "Wh": (3_600_000, _ENERGY),
    "Pa": (1000, {"mass": 1, "length": -1, "time": -2}),
    "Hz": (1, {"time": -1}),
    "A": (1, {"current": 1}),
    "V": (1000, {**_POWER, "current": -1}),
    "ohm": (1000, {**_POWER, "current": -2}),
    "K": (1, {"kelvin": 1}),
    "mol": (1, {"amount": 1}),
    "cal": (Fraction(4184), _ENERGY),
    "eV": (Fraction(1602176634, 10**25), _ENERGY),
    "bar": (100_000_000, {"mass": 1, "length": -1, "time": -2}),
    "atm": (101_325_000, {"mass": 1, "length": -1, "time": -2}),
    "rpm": (Fraction(1, 60), {"time": -1}),
    "bit": (1, {"data": 1}),
    "B": (8, {"data": 1}),
}
_PREFIXED_BY_ALL = {"m", "g", "s", "L", "l", "N", "J", "W", "Wh", "Pa", "Hz", "A", "V", "ohm",
                    "mol", "cal", "eV", "bar", "B"}  # fmt: skip
_WORDS: dict[str, tuple[str, Fraction | int]] = {
    "meter": ("m", 1), "metre": ("m", 1), "kilometer": ("m", 1000), "kilometre": ("m", 1000),
    "centimeter": ("m", Fraction(1, 100)), "centimetre": ("m", Fraction(1, 100)),
    "millimeter": ("m", Fraction(1, 1000)), "millimetre": ("m", Fraction(1, 1000)),
    "inch": ("m", Fraction(254, 10000)), "inche": ("m", Fraction(254, 10000)),
    "in": ("m", Fraction(254, 10000)), "ft": ("m", Fraction(3048, 10000)),
    "foot": ("m", Fraction(3048, 10000)), "feet": ("m", Fraction(3048, 10000)),
    "yd": ("m", Fraction(9144, 10000)), "yard": ("m", Fraction(9144, 10000)),
    "mile": ("m", Fraction(1609344, 1000)), "mi": ("m", Fraction(1609344, 1000)),
    "sec": ("s", 1), "second": ("s", 1), "min": ("s", 60), "minute": ("s", 60), "h": ("s", 3600),
    "hr": ("s", 3600), "hour": ("s", 3600), "day": ("s", 86400), "week": ("s", 604800),
    "millisecond": ("s", Fraction(1, 1000)), "gram": ("g", 1), "gramme": ("g", 1),
    "kilogram": ("g", 1000), "milligram": ("g", Fraction(1, 1000)), "t": ("g", 10**6),
    "tonne": ("g", 10**6), "lb": ("g", Fraction(45359237, 100000)),
    "oz": ("g", Fraction(45359237, 1600000)), "ounce": ("g", Fraction(45359237, 1600000)),
    "liter": ("L", 1), "litre": ("L", 1), "milliliter": ("L", Fraction(1, 1000)),
    "millilitre": ("L", Fraction(1, 1000)), "newton": ("N", 1), "joule": ("J", 1),
    "kilojoule": ("J", 1000), "watt": ("W", 1), "kilowatt": ("W", 1000), "volt": ("V", 1),
    "amp": ("A", 1), "ampere": ("A", 1), "hertz": ("Hz", 1), "kelvin": ("K", 1), "mole": ("mol", 1),
    "calorie": ("cal", 1), "byte": ("B", 1),
}  # fmt: skip
_ALONE: dict[str, tuple[str, Fraction | int]] = {
    "$": ("usd", 1), "usd": ("usd", 1), "dollar": ("usd", 1), "us$": ("usd", 1), "buck": ("usd", 1),
    "cent": ("usd", Fraction(1, 100)), "¢": ("usd", Fraction(1, 100)), "€": ("eur", 1),
    "eur": ("eur", 1), "euro": ("eur", 1), "£": ("gbp", 1), "gbp": ("gbp", 1), "₹": ("inr", 1),
    "inr": ("inr", 1), "rupee": ("inr", 1), "rs": ("inr", 1), "¥": ("jpy", 1), "jpy": ("jpy", 1),
    "yen": ("jpy", 1), "yuan": ("cny", 1), "rmb": ("cny", 1), "degree": ("angle", 1),
    "deg": ("angle", 1), "rad": ("radian", 1), "radian": ("radian", 1), "celsius": ("celsius", 1),
    "C": ("celsius", 1), "F": ("fahrenheit", 1), "fahrenheit": ("fahrenheit", 1),
    "acre": ("acre", 1), "hectare": ("hectare", 1), "ha": ("hectare", 1), "month": ("month", 1),
    "year": ("month", 12), "yr": ("month", 12), "gallon": ("gallon", 1), "pint": ("pint", 1),
    "quart": ("quart", 1), "cup": ("cup", 1),
}  # fmt: skip


def _table() -> dict[str, Entry]:
    table: dict[str, Entry] = {}
    for symbol, (factor, dimensions) in _SYMBOLS.items():
        table[symbol] = (Fraction(factor), dimensions)
        if symbol in _PREFIXED_BY_ALL:
            for prefix, scale in _PREFIXES.items():
                table.setdefault(prefix + symbol, (Fraction(factor) * scale, dimensions))
    for word, (symbol, scale) in _WORDS.items():
        factor, dimensions = _SYMBOLS[symbol]
        table[word] = (Fraction(factor) * scale, dimensions)
    for word, (dimension, factor) in _ALONE.items():
        table[word] = (Fraction(factor), {dimension: 1})
    return table


UNITS = _table()
"""From a unit's symbol or singular word to its factor and dimensions."""

WHOLE = {
    "kph": "km/h", "kmph": "km/h", "kmh": "km/h", "mph": "mile/h", "mps": "m/s", "sqm": "m^2",
    "cc": "cm^3", "sqft": "ft^2",
}  # fmt: skip
"""Abbreviations of compound units."""


def lookup(word: str) -> Entry | None:
    """The unit that a word is: as typed, in lower case, or without a plural s.

    A single letter counts only as typed: M is no metre.
    """
    for form in (word,) if len(word) <= 2 else (word, word.lower()):
        for name in (form, form[:-1] if form.endswith("s") and len(form) > 2 else form):
            if name in UNITS:
                return UNITS[name]
    return None
