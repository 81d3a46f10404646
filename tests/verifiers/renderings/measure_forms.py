"""Numbers that carry something: units, degrees, money, an assignment, LaTeX decoration."""

from __future__ import annotations

import random

from renderings.family import Family, other

UNITS = ("cm", "kg", "miles", "hours", "apples", "square units", "km/h", "mph", "pounds", "minutes")
SYMBOLS = ("cm", "kg", "m", "km", "g", "mm", "s")
SLASHED = ("km/h", "m/s", "miles/hour", "kg/m", "words/minute")
POWERED = ("cm", "m", "km", "in", "ft")


def unit(rng: random.Random) -> Family:
    """A quantity whose reference has no unit, or the same one."""
    n = rng.randint(2, 990)
    word, symbol, slashed = rng.choice(UNITS), rng.choice(SYMBOLS), rng.choice(SLASHED)
    powered, power = rng.choice(POWERED), rng.choice([2, 3])
    over, under = slashed.split("/")

    def forms(text: str) -> list[str]:
        return [
            f"{text}\\text{{ {word}}}",
            f"{text} \\text{{ {symbol}}}",
            f"{text}\\ \\text{{{symbol}}}",
            f"{text}~\\mathrm{{{symbol}}}",
            f"{text}\\,\\mathrm{{{powered}}}^{power}",
            f"{text} \\text{{ {powered}}}^{power}",
            f"{text} \\text{{ {powered}}}^{{{power}}}",
            f"{text} {symbol}",
            f"{text} {word}",
            f"{text}\\text{{ {slashed}}}",
            f"{text} {slashed}",
            f"{text}\\ \\mathrm{{{over}/{under}}}",
            f"{text}\\,\\frac{{\\text{{{over}}}}}{{\\text{{{under}}}}}",
        ]

    wrong = str(other(rng, n, max(1, n - 3), n + 3))
    near = [(form, "another quantity, same unit") for form in forms(wrong)]
    near += [(form, "sign flipped") for form in forms(f"-{n}")[:4]]
    near += [(form, "ten times larger") for form in forms(f"{n}0")[4:9]]
    golds = (str(n), str(n), f"{n}.0")
    return Family("unit", golds, (str(n), *forms(str(n)), *forms(f"{n}.0")), tuple(near))


def unit_fragment(rng: random.Random) -> Family:
    """The reference is the power or a part of the unit, not the quantity."""
    power, n = rng.choice([2, 3]), rng.randint(4, 90)
    symbol = rng.choice(POWERED)
    near = (
        (f"{n}\\,\\mathrm{{{symbol}}}^{power}", "the unit's power is not the answer"),
        (f"{n} \\text{{ {symbol}}}^{power}", "the unit's power is not the answer"),
        (f"{n} {symbol}^{power}", "the unit's power is not the answer"),
    )
    return Family("unit", (str(power),), (f"{power} {symbol}",), near)


def unit_in_gold(rng: random.Random) -> Family:
    """Both sides name the same unit, or only the reference does."""
    n, symbol = rng.randint(2, 500), rng.choice(SYMBOLS)
    equal = (str(n), f"{n} \\text{{ {symbol}}}", f"{n}\\,\\mathrm{{{symbol}}}", f"{n} {symbol}")
    near = ((str(n + 1), "off by one"), (f"{n * 10} \\text{{ {symbol}}}", "ten times larger"))
    near += ((f"-{n}", "sign flipped"),)
    golds = (f"{n} \\text{{ {symbol}}}", f"{n}\\ \\mathrm{{{symbol}}}", f"{n}\\text{{ {symbol}}}")
    return Family("unit", golds, equal, near)


def degrees(rng: random.Random) -> Family:
    """Angles and temperatures with the degree written in any way, or left out."""
    n = rng.randint(1, 359)
    equal = [str(n), f"{n}^\\circ", f"{n}^{{\\circ}}", f"{n}°", f"{n} degrees", f"{n} ^\\circ"]
    equal += [f"{n}\\text{{ degrees}}", f"{n}^\\circ\\text{{C}}", f"{n}°C", f"{n}.0^\\circ"]
    near = [
        (f"{n + 1}^\\circ", "off by one"),
        (f"{n}0^\\circ", "ten times larger"),
        (f"-{n}°", "sign flipped"),
        (f"{n + 10} degrees", "off by ten"),
    ]
    golds = (str(n), f"{n}^\\circ", f"{n}^{{\\circ}}")
    return Family("degrees", golds, tuple(equal), tuple(near))


def money(rng: random.Random) -> Family:
    """Amounts with a currency sign or word, grouped or not, with cents or without."""
    whole, cents = rng.randint(1, 99_999), rng.choice([0, 0, 25, 50, 99])
    tail, fixed_tail = (f".{cents:02d}" if cents else ""), f".{cents:02d}"
    plain, grouped, fixed = f"{whole}{tail}", f"{whole:,}{tail}", f"{whole:,}{fixed_tail}"
    near = [(form, "another amount") for form in _dollars(whole + 1, tail, fixed_tail)]
    near += [(f"\\${whole * 1000:,}", "a thousand times larger"), (f"-\\${plain}", "sign flipped")]
    equal = [plain, *_dollars(whole, tail, fixed_tail)]
    if rng.random() < 0.5:
        golds = (f"\\${plain}", f"\\${grouped}")
    else:
        golds = (plain, fixed)
        equal += [f"€{grouped}", f"£{fixed}", f"{plain}€", f"{plain} euros", f"EUR {plain}"]
    return Family("money", golds, tuple(equal), tuple(near))


def _dollars(whole: int, tail: str, fixed_tail: str) -> list[str]:
    """One amount of dollars in many forms; ``fixed_tail`` always has its cents."""
    latex_group = f"{whole:,}".replace(",", "{,}")
    return [
        f"\\${whole}{tail}",
        f"\\${whole:,}{tail}",
        f"\\${latex_group}{tail}",
        f"\\${whole:,}{fixed_tail}",
        f"\\$ {whole}{tail}",
        f"{whole}{tail} dollars",
        f"{whole:,}{tail}\\text{{ dollars}}",
        f"USD {whole}{tail}",
        f"{whole}{tail} USD",
        f"\\text{{\\${whole}{tail}}}",
        f"${whole:,}{tail}",
    ]


def assignment(rng: random.Random) -> Family:
    """The variable before the value is not part of the value."""
    n, name = rng.randint(-40, 90), rng.choice("xynkt")
    equal = (str(n), f"{name} = {n}", f"{name}={n}", f"{name} = {n}.0")
    near = (
        (f"{name} = {n + 1}", "off by one"),
        (f"{name} = {-n or 5}", "sign flipped"),
        (f"{name} \\ne {n}", "denied"),
        (f"{name} > {n}", "an inequality"),
        (f"{name} = {n + 100}", "off by a hundred"),
    )
    return Family("assignment", (str(n), f"{name} = {n}", f"{name}={n}"), equal, near)


def function_value(rng: random.Random) -> Family:
    """``f(2) = 5``: the value is 5, and never the argument."""
    n = rng.randint(10, 90)
    argument = other(rng, n, 2, 9)
    equal = (str(n), f"f({argument}) = {n}", f"f({argument})={n}")
    near = (
        (f"f({n}) = {argument}", "argument and value exchanged"),
        (str(argument), "the argument"),
    )
    near += ((f"f({argument}) = {n + 1}", "off by one"),)
    return Family("assignment", (str(n),), equal, near)


def labelled(rng: random.Random) -> Family:
    """A name before the value: a segment, an angle, a term of a sequence, a word."""
    n, index = rng.randint(20, 170), rng.randint(2, 9)

    def forms(text: str) -> tuple[str, ...]:
        return (
            f"AB = {text}",
            f"|AB| = {text}",
            f"\\angle A = {text}^\\circ",
            f"m\\angle ABC = {text}^\\circ",
            f"\\theta = {text}^\\circ",
            f"a_{index} = {text}",
            f"a_{{{index}}} = {text}",
            f"\\text{{Area}} = {text}",
            f"S = {text} \\text{{ cm}}^2",
            f"P({index}) = {text}",
        )

    near = tuple((form, "off by one") for form in forms(str(n + 1)))
    near += ((f"a_{n} = {index}", "index and value exchanged"), (f"AB > {n}", "an inequality"))
    return Family("label", (str(n),), forms(str(n)), near)


def decorated(rng: random.Random) -> Family:
    """Braces, fonts, spaces and dollar signs around a number change nothing."""
    n = rng.randint(1, 9999)

    def forms(text: str) -> tuple[str, ...]:
        return (
            f" {text} ",
            f"{{{text}}}",
            f"${text}$",
            f"\\text{{{text}}}",
            f"\\mathbf{{{text}}}",
            f"\\displaystyle {text}",
            f"\\,{text}\\,",
            f"\u00a0{text}\u00a0",
            f"\\textbf{{{text}}}",
            f"\\mathrm{{{text}}}",
            f"\n{text}\n",
            f"\\left({text}\\right)",
            f"**{text}**",
        )

    near = tuple((form, "off by one") for form in forms(str(n + 1)))
    near += tuple((form, "sign flipped") for form in forms(f"-{n}")[:6])
    return Family("decoration", (str(n),), forms(str(n)), near)


MEASURES = (
    unit,
    unit_fragment,
    unit_in_gold,
    degrees,
    money,
    assignment,
    function_value,
    labelled,
    decorated,
)
