"""Rational numbers: integers, decimals, fractions, mixed numbers, percents, e-notation."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction

from renderings.family import Family, latex, other, proper_fraction

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def integer(rng: random.Random) -> Family:
    """Small and large integers of either sign, with thousands groups where they have them."""
    size = rng.choice([99, 999, 99_999, 9_999_999, 10**12])
    n = rng.randint(1, size)
    digits, sign = f"{n:,}", rng.choice(["", "-"])
    forms = [str(n), f"{n}.0", f"{n}.00", f"{n}.", f"0{n}"]
    if n >= 1000:
        for separator in (",", "{,}", "\\,", ",\\!", "\u2009", "\u202f"):
            forms.append(digits.replace(",", separator))
    equal = [sign + form for form in forms]
    if sign:
        equal += [f"\u2212{n}", f"- {n}", f"-\\,{n}"]
    else:
        equal.append(f"+{n}")
    wrong = "" if sign else "-"
    near = [
        (f"{sign}{n + 1}", "off by one"),
        (f"{sign}{n * 10}", "a zero more"),
        (f"{wrong}{n}", "sign flipped"),
        (f"{sign}{n}.5", "a half more"),
        (f"{sign}{n + 10 ** (len(str(n)) - 1)}", "leading digit off by one"),
        (f"\\frac{{1}}{{{n + 1}}}", "a reciprocal"),
    ]
    if not sign:
        near.append((f"\u2212{n}", "sign flipped, unicode minus"))
    swapped = str(n)[:-2] + str(n)[:-3:-1]
    if len(swapped) == len(str(n)) and int(swapped) != n:
        near.append((sign + swapped, "last two digits swapped"))
    golds = [f"{sign}{n}", f"{sign}{n}.0"]
    if n >= 1000:
        golds.append(sign + digits)
    return Family("integer", tuple(golds), tuple(equal), tuple(near), plain=True)


def long_integer(rng: random.Random) -> Family:
    """More digits than a float holds: every one of them counts."""
    n = rng.randint(10**19, 10**40)
    grouped = f"{n:,}"
    equal = (str(n), grouped, grouped.replace(",", "{,}"), f"{n}.0", f"+{n}")
    near = (
        (str(n + 1), "last digit"),
        (str(n - 1), "last digit"),
        (str(n + 10**9), "middle digit"),
        (f"{n}0", "a zero more"),
        (f"{float(n):.0f}" if int(float(n)) != n else str(n + 2), "through a float"),
    )
    return Family("long integer", (str(n),), equal, near, plain=True)


def decimal(rng: random.Random) -> Family:
    """Terminating decimals, their trailing zeros and their fractions."""
    places = rng.randint(1, 4)
    units = rng.randint(1, 999 * 10**places)
    units += units % 10 == 0
    value = Fraction(units, 10**places)
    text = f"{units // 10**places}.{units % 10**places:0{places}d}"
    equal = [text, f"{text}0", f"{text}000", f"+{text}", latex(value), f"{text}."]
    equal += [f"{value.numerator}/{value.denominator}", f"{{{text}}}"]
    if text.startswith("0."):
        equal.append(text[1:])
    if value > 1000:
        equal.append(f"{units // 10**places:,}{text[text.index('.') :]}")
    step = Fraction(1, 10)
    near = [
        (_plain(value + step), "first decimal off by one"),
        (_plain(value * 10), "point moved right"),
        (_plain(value / 10), "point moved left"),
        (f"-{text}", "sign flipped"),
        (latex(1 / value), "reciprocal"),
    ]
    if value > 1:
        near.append((text.split(".")[0], "fraction part dropped"))
    golds = (text, f"{text}0", latex(value))
    return Family("decimal", golds, tuple(equal), tuple(near), plain=True)


def _plain(value: Fraction) -> str:
    """A terminating fraction as a plain decimal."""
    return format(Decimal(value.numerator) / Decimal(value.denominator), "f")


def fraction(rng: random.Random) -> Family:
    """Proper and improper fractions of either sign in LaTeX, slash and decimal form."""
    value = proper_fraction(rng, 60) + rng.choice([0, 0, 1, 3, 12])
    a, b, k = value.numerator, value.denominator, rng.randint(2, 9)
    forms = [f"\\{c}{{{a}}}{{{b}}}" for c in ("frac", "dfrac", "tfrac", "cfrac")]
    forms += [f"{a}/{b}", f"{a} / {b}", f"{{{a}}}/{{{b}}}", f"\\frac{{{a * k}}}{{{b * k}}}"]
    forms += [f"\\frac {{{a}}} {{{b}}}", f"{a * k}/{b * k}", f"\\left(\\frac{{{a}}}{{{b}}}\\right)"]
    if a < 10 and b < 10:
        forms += [f"\\frac{a}{b}", f"\\frac{a}{{{b}}}", f"\\dfrac {a} {b}", f"\\frac{{{a}}}{b}"]
    forms.append(_decimal_of(value))
    sign = rng.choice(["", "-"])
    equal = [sign + form for form in forms]
    if sign:
        equal += [f"\\frac{{-{a}}}{{{b}}}", f"\\frac{{{a}}}{{-{b}}}", f"-{a}/{b}", f"(-{a})/{b}"]
        equal += [f"\u2212\\frac{{{a}}}{{{b}}}", f"\u2212{a}/{b}"]
    tail = f"{a % 10}{b}"
    wrong = [
        (Fraction(b, a), "upside down"),
        (Fraction(a + 1, b), "numerator off by one"),
        (Fraction(a, b + 1), "denominator off by one"),
        (Fraction(a), "numerator alone"),
        (Fraction(b), "denominator alone"),
        (-value, "sign flipped"),
        (value / 10, "ten times smaller"),
        (Fraction(a // 10, int(tail)), "a digit on the other side of the bar"),
    ]
    near = [(sign + latex(v), why) for v, why in wrong if v != value]
    near = [(form.removeprefix("--"), why) for form, why in near]
    golds = (f"{sign}\\frac{{{a}}}{{{b}}}", f"{sign}{a}/{b}", f"{sign}\\dfrac{{{a}}}{{{b}}}")
    return Family("fraction", golds, tuple(equal), tuple(near), plain=True)


def _decimal_of(value: Fraction) -> str:
    """Exact where it terminates soon, else 16 significant digits."""
    scaled = value * 10**6
    return _plain(value) if scaled.denominator == 1 else repr(float(value))


def mixed(rng: random.Random) -> Family:
    """Mixed numbers: the whole is added to the fraction, and the sign covers both."""
    part, whole = proper_fraction(rng, 12), rng.randint(1, 40)
    a, b = part.numerator, part.denominator
    sign, value = rng.choice(["", "", "-"]), whole + part
    top = value.numerator
    inner = "-" if sign else "+"
    forms = [f"{whole}\\frac{{{a}}}{{{b}}}", f"{whole} \\frac{{{a}}}{{{b}}}", f"{whole} {a}/{b}"]
    forms += [f"{whole}\\dfrac{{{a}}}{{{b}}}", f"{whole}\\tfrac{{{a}}}{{{b}}}"]
    forms += [f"{whole}\\,\\frac{{{a}}}{{{b}}}", f"\\frac{{{top}}}{{{b}}}", f"{top}/{b}"]
    forms.append(f"{whole}{inner}\\frac{{{a}}}{{{b}}}")
    if a < 10 and b < 10:
        forms += [f"{whole}\\frac{a}{b}", f"{whole} \\frac{a}{b}"]
    near = [
        (f"{sign}{whole}", "whole part alone"),
        (f"{sign}{latex(part)}", "fraction part alone"),
        (f"{sign}{latex(whole * part)}", "read as a product"),
        (f"{sign}{whole + 1} {a}/{b}", "whole off by one"),
        (f"{sign}{whole}\\frac{{{a}}}{{{b + 1}}}", "denominator off by one"),
        (f"{sign}{whole}{a}/{b + 1}", "digits run together"),
        (f"{'' if sign else '-'}{whole} {a}/{b}", "sign flipped"),
        (f"{sign}{top}", "numerator alone"),
    ]
    if sign:
        near.append((latex(-whole + part), "sign on the whole part only"))
    golds = (
        f"{sign}\\frac{{{top}}}{{{b}}}",
        f"{sign}{top}/{b}",
        f"{sign}{whole}\\frac{{{a}}}{{{b}}}",
    )
    return Family("mixed number", golds, tuple(sign + f for f in forms), tuple(near), plain=True)


def mixed_fragment(rng: random.Random) -> Family:
    """The reference is one fragment of a mixed number: no form of it may be paid."""
    part, whole = proper_fraction(rng, 12), rng.randint(2, 30)
    a, b = part.numerator, part.denominator
    gold = rng.choice([whole, b])
    near = (
        (f"{whole} {a}/{b}", "a fragment of a mixed number"),
        (f"{whole}\\frac{{{a}}}{{{b}}}", "a fragment of a mixed number"),
        (f"{whole} \\frac{{{a}}}{{{b}}}", "a fragment of a mixed number"),
    )
    return Family("mixed number", (str(gold),), (str(gold),), near, plain=True)


def percent(rng: random.Random) -> Family:
    """A percentage against a percentage; against a bare fraction it is contested and left out."""
    value = Fraction(rng.randint(1, 400), rng.choice([1, 1, 2, 4, 10]))
    text = _plain(value)
    exact = text if "." in text else f"{text}.0"
    equal = [f"{text}\\%", f"{text} \\%", f"{text}\\,\\%", f"{text} percent", f"{exact}0\\%"]
    equal += [f"{text}\\text{{ percent}}", f"{text}%", f"{exact}\\%"]
    near = (
        (f"{_plain(value / 100)}\\%", "a hundred times smaller"),
        (f"{_plain(value * 10)}\\%", "ten times larger"),
        (f"{_plain(value + 1)}\\%", "off by one"),
        (f"-{text}\\%", "sign flipped"),
        (f"{_plain(value * 10000)}\\%", "a factor of ten thousand"),
    )
    return Family("percent", (f"{text}\\%", f"{text}%"), tuple(equal), near, plain=True)


def e_notation(rng: random.Random) -> Family:
    """Powers of ten, as programs and as books write them."""
    mantissa = Fraction(rng.randint(11, 99), 10)
    if mantissa.denominator == 1:
        mantissa += Fraction(1, 10)
    power = rng.choice([-6, -4, -3, -2, 2, 3, 4, 6, 9])
    m = _plain(mantissa)
    value = _plain(mantissa * Fraction(10) ** power)
    raised = str(power).translate(SUPERSCRIPTS)
    equal = [
        f"{m}e{power}",
        f"{m}E{power}",
        f"{m}\\times10^{{{power}}}",
        f"{m} \\times 10^{{{power}}}",
    ]
    equal += [f"{m}\\cdot 10^{{{power}}}", f"{m}*10^{{{power}}}", f"{m}×10{raised}", value]
    equal += [f"{m} \\cdot 10^{{{power}}}", f"{m} × 10^{{{power}}}", f"{m}*10**{power}"]
    if power > 0:
        equal += [f"{m}e+{power}", f"{m}e{power:02d}", f"{m}\\times 10^{power}"]
    near = (
        (f"{m}e{power + 1}", "exponent off by one"),
        (f"{m}\\times10^{{{power - 1}}}", "exponent off by one"),
        (f"{m}\\times10^{{{-power}}}", "exponent's sign"),
        (f"-{m}e{power}", "sign flipped"),
        (f"{_plain(mantissa + 1)}e{power}", "mantissa off by one"),
        (m, "power dropped"),
        (f"{m}\\times 10", "exponent dropped"),
    )
    golds = (value, f"{m}e{power}", f"{m} \\times 10^{{{power}}}")
    return Family("e-notation", golds, tuple(equal), near)


def zero(rng: random.Random) -> Family:
    """Zero and near zero: a relative tolerance pays nothing but zero itself."""
    n = other(rng, 0, 1, 9)
    equal = ("0", "0.0", "-0", "0.000", "\\frac{0}{7}", "0/3", "+0")
    near = (
        (f"0.0{n}", "small but not zero"),
        (f"{n}e-12", "tiny but not zero"),
        (str(n), "one digit"),
    )
    near += ((f"\\frac{{1}}{{{n + 1}00000000}}", "tiny fraction"), ("", "empty box"))
    return Family("zero", ("0", "0.0"), equal, near)


NUMBERS = (integer, integer, long_integer, decimal, fraction, fraction, mixed, mixed_fragment)
NUMBERS += (percent, e_notation, zero)
