"""Irrational numbers and expressions: surds, roots, pi, logarithms, complex, polynomials."""

from __future__ import annotations

import random
from fractions import Fraction

from renderings.family import Family, latex, other, times

SQUARE_FREE = (2, 3, 5, 6, 7, 10, 11, 13, 15, 17, 19)


def surd(rng: random.Random) -> Family:
    """Integer multiples of a square root, simplified or not."""
    k, n = rng.randint(2, 12), rng.choice(SQUARE_FREE)
    sign = rng.choice(["", "", "-"])
    forms = [f"{k}\\sqrt{{{n}}}", f"{k} \\sqrt{{{n}}}", f"\\sqrt{{{k * k * n}}}", f"{k}√{n}"]
    forms += [f"{k}*sqrt({n})", f"sqrt({k * k * n})", f"{k} \\cdot \\sqrt{{{n}}}"]
    forms += [f"\\sqrt{{{n}}} \\cdot {k}", f"{k}\\sqrt {{{n}}}", f"{k}\\times\\sqrt{{{n}}}"]
    if n < 10:
        forms.append(f"{k}\\sqrt{n}")
    near = [
        (f"{sign}{k}", "root dropped"),
        (f"{sign}\\sqrt{{{n}}}", "factor dropped"),
        (f"{sign}{k + 1}\\sqrt{{{n}}}", "factor off by one"),
        (f"{sign}{k}\\sqrt{{{n + 1}}}", "radicand off by one"),
        (f"{sign}\\sqrt{{{k * n}}}", "factor moved under the root unsquared"),
        (f"{sign}{k * n}", "root sign dropped"),
        (f"{'' if sign else '-'}{k}\\sqrt{{{n}}}", "sign flipped"),
        (f"{sign}{k}\\sqrt[3]{{{n}}}", "cube root"),
    ]
    golds = (f"{sign}{k}\\sqrt{{{n}}}", f"{sign}\\sqrt{{{k * k * n}}}", f"{sign}{k}*sqrt({n})")
    return Family("surd", golds, tuple(sign + form for form in forms), tuple(near))


def rationalised(rng: random.Random) -> Family:
    """A root in the denominator, and the same number without one."""
    n, k = rng.choice(SQUARE_FREE), rng.randint(1, 9)
    top, coefficient = times(k, f"\\sqrt{{{n}}}"), Fraction(k, n)
    a, b = coefficient.numerator, coefficient.denominator
    equal = [f"\\frac{{{k}}}{{\\sqrt{{{n}}}}}", f"\\frac{{{top}}}{{{n}}}", f"{k}/\\sqrt{{{n}}}"]
    equal += [f"{k}/sqrt({n})", f"\\dfrac{{{k}}}{{\\sqrt{{{n}}}}}"]
    if b > 1:
        reduced = times(a, f"\\sqrt{{{n}}}")
        equal.append(f"\\frac{{{reduced}}}{{{b}}}")
        equal.append(f"\\frac{{{a}}}{{{b}}}\\sqrt{{{n}}}")
    near = (
        (f"\\frac{{\\sqrt{{{n}}}}}{{{k + n}}}", "another denominator"),
        (f"\\frac{{{k}}}{{{n}}}", "root dropped"),
        (f"{k}\\sqrt{{{n}}}" if k > 1 else f"\\sqrt{{{n}}}", "multiplied instead of divided"),
        (f"-\\frac{{{top}}}{{{n}}}", "sign flipped"),
    )
    return Family("surd", (equal[0], equal[1]), tuple(equal), near)


def root_sum(rng: random.Random) -> Family:
    """``a + b\\sqrt{n}`` in either order."""
    a, b, n = rng.randint(1, 20), rng.randint(2, 9), rng.choice(SQUARE_FREE)
    equal = (f"{a}+{b}\\sqrt{{{n}}}", f"{b}\\sqrt{{{n}}}+{a}", f"{a} + \\sqrt{{{b * b * n}}}")
    equal += (f"{a}+{b}*sqrt({n})", f"{a}+{b}√{n}", f"({a}+{b}\\sqrt{{{n}}})")
    near = (
        (f"{a}-{b}\\sqrt{{{n}}}", "conjugate"),
        (f"{a + b}\\sqrt{{{n}}}", "unlike terms collected"),
        (f"{a}", "one term dropped"),
        (f"{b}\\sqrt{{{n}}}", "one term dropped"),
        (f"\\sqrt{{{a + b * b * n}}}", "root of the sum"),
    )
    return Family("surd", (equal[0], equal[1]), equal, near)


def nth_root(rng: random.Random) -> Family:
    """Cube and fourth roots with a bracketed index or a fractional power."""
    index, n, k = rng.choice([3, 4]), rng.choice([2, 3, 5, 7]), rng.randint(2, 4)
    inside = k**index * n
    equal = (f"{k}\\sqrt[{index}]{{{n}}}", f"\\sqrt[{index}]{{{inside}}}")
    equal += (f"{k} \\cdot {n}^{{1/{index}}}", f"{inside}^{{1/{index}}}")
    equal += (f"{k}\\cdot {n}^{{\\frac{{1}}{{{index}}}}}", f"{k}*{n}**(1/{index})")
    near = (
        (f"{k}\\sqrt{{{n}}}", "square root"),
        (f"\\sqrt[{index}]{{{k * n}}}", "factor moved inside unraised"),
        (f"{k}", "root dropped"),
        (f"{k}\\sqrt[{index + 1}]{{{n}}}", "index off by one"),
        (f"{k + 1}\\sqrt[{index}]{{{n}}}", "factor off by one"),
    )
    return Family("nth root", equal[:2], equal, near)


def pi_multiple(rng: random.Random) -> Family:
    """Integer and rational multiples of pi."""
    value = Fraction(rng.randint(2, 21), rng.choice([1, 1, 2, 3, 4, 6]))
    value += value == 1
    a, b = value.numerator, value.denominator
    if b == 1:
        equal = (f"{a}\\pi", f"{a}π", f"{a}*pi", f"\\pi\\cdot {a}", f"{a} \\pi", f"{a}\\cdot\\pi")
        equal += (f"{a}pi", f"{a}\\times\\pi", f"{a} π", f"{{{a}}}\\pi")
        golds = (f"{a}\\pi", f"{a}*pi")
    else:
        top = times(a, "\\pi")
        equal = (f"\\frac{{{top}}}{{{b}}}", f"{top}/{b}", f"\\frac{{{a}}}{{{b}}}\\pi")
        equal += (f"{a}*pi/{b}", f"\\dfrac{{{top}}}{{{b}}}", f"({a}/{b})\\pi", f"{a}π/{b}")
        equal += (
            f"\\pi\\cdot\\frac{{{a}}}{{{b}}}",
            f"\\frac{{{a}}}{{{b}}} \\cdot \\pi",
            f"({a}/{b})pi",
        )
        golds = (equal[0], f"{a}*pi/{b}", f"\\frac{{{a}}}{{{b}}}\\pi")
    plus = value + 1
    near = (
        (latex(value), "pi dropped"),
        (f"\\frac{{{plus.numerator}\\pi}}{{{plus.denominator}}}", "off by one pi"),
        (f"\\frac{{{b}\\pi}}{{{a}}}", "upside down"),
        (f"\\frac{{{a}}}{{{b + 1}\\pi}}", "pi below the bar"),
        (f"\\frac{{{a}}}{{{b}}}\\pi^2", "pi squared"),
        (f"-{a}\\pi/{b}", "sign flipped"),
    )
    return Family("pi", golds, equal, near)


def logarithm(rng: random.Random) -> Family:
    """Natural logarithms and powers of e."""
    base, power = rng.choice([2, 3, 5, 7]), rng.randint(3, 5)
    equal = (f"{power}\\ln {base}", f"\\ln {base**power}", f"{power} \\ln({base})")
    equal += (f"\\ln({base**power})", f"{power}*ln({base})", f"\\ln{{{base**power}}}")
    near = (
        (f"\\ln {base * power}", "power read as a factor"),
        (f"{power + 1}\\ln {base}", "off by one"),
        (f"\\ln {base}", "factor dropped"),
        (f"-{power}\\ln {base}", "sign flipped"),
        (str(power), "logarithm dropped"),
    )
    return Family("logarithm", equal[:2], equal, near)


def exponential(rng: random.Random) -> Family:
    """Powers of e, and a sum with one."""
    p, a = rng.randint(2, 6), rng.randint(1, 9)
    equal = (f"{a}+e^{{-{p}}}", f"{a}+\\frac{{1}}{{e^{{{p}}}}}", f"\\frac{{1}}{{e^{p}}}+{a}")
    near = (
        (f"{a}-e^{{-{p}}}", "sign flipped"),
        (f"{a}+e^{{{p}}}", "exponent's sign"),
        (f"{a}", "term dropped"),
        (f"{a}+e^{{-{p + 1}}}", "exponent off by one"),
    )
    return Family("exponential", equal[:2], equal, near)


def complex_number(rng: random.Random) -> Family:
    """``a + bi`` in either order, as books and as programs write it."""
    a, b = rng.randint(1, 20), rng.randint(2, 20)
    a += a == b
    equal = (f"{a}+{b}i", f"{a} + {b}i", f"{b}i+{a}", f"({a}+{b}i)")
    near = (
        (f"{a}-{b}i", "conjugate"),
        (f"{b}+{a}i", "parts exchanged"),
        (str(a), "imaginary part dropped"),
        (f"{b}i", "real part dropped"),
        (f"{a + b}", "unit dropped"),
        (f"{a}+{b + 1}i", "off by one"),
    )
    return Family("complex", (equal[0],), equal, near)


def quadratic(rng: random.Random) -> Family:
    """A quadratic expanded, factored, reordered and in Python's notation."""
    r = rng.randint(1, 9)
    s = other(rng, r, 1, 9)
    b, c = r + s, r * s
    golds = (f"x^2+{b}x+{c}", f"(x+{r})(x+{s})", f"x**2 + {b}*x + {c}")
    equal = (*golds, f"{c}+{b}x+x^2", f"(x+{s})(x+{r})", f"x^{{2}} + {b}x + {c}", f"x(x+{b})+{c}")
    equal += (f"(x + {r}) \\cdot (x + {s})", f"\\left(x+{r}\\right)\\left(x+{s}\\right)")
    near = (
        (f"x^2-{b}x+{c}", "sign of the middle term"),
        (f"(x-{r})(x+{s})", "sign of a root"),
        (f"x^2+{b}x+{c + 1}", "constant off by one"),
        (f"x^2+{b + 1}x+{c}", "coefficient off by one"),
        (f"x^3+{b}x+{c}", "degree off by one"),
        (f"(x+{r})", "factor dropped"),
        (f"y^2+{b}y+{c}", "another variable"),
        (str(c), "constant alone"),
    )
    return Family("polynomial", golds, equal, near)


def linear(rng: random.Random) -> Family:
    """Linear expressions in two variables, terms in any order."""
    a, b, c = (rng.randint(2, 12) for _ in range(3))
    b += b == a
    equal = (f"{a}x+{b}y-{c}", f"{b}y+{a}x-{c}", f"-{c}+{a}x+{b}y", f"{a}*x + {b}*y - {c}")
    equal += (f"{a}x - {c} + {b}y", f"{a} x + {b} y - {c}")
    near = (
        (f"{a}x-{b}y-{c}", "sign flipped"),
        (f"{b}x+{a}y-{c}", "coefficients exchanged"),
        (f"{a}x+{b}y", "constant dropped"),
        (f"{a}x+{b}y+{c}", "constant's sign"),
        (f"{a}x+{b + 1}y-{c}", "off by one"),
    )
    return Family("polynomial", (equal[0], equal[3]), equal, near)


def rational_function(rng: random.Random) -> Family:
    """A fraction split over its numerator, and reordered."""
    a, b = rng.randint(1, 9), rng.randint(2, 9)
    a += a == b
    equal = (f"\\frac{{x+{a}}}{{{b}}}", f"\\frac{{x}}{{{b}}}+\\frac{{{a}}}{{{b}}}", f"(x+{a})/{b}")
    equal += (f"\\frac{{{a}+x}}{{{b}}}", f"\\frac{{1}}{{{b}}}(x+{a})", f"\\dfrac{{x+{a}}}{{{b}}}")
    near = (
        (f"\\frac{{x-{a}}}{{{b}}}", "sign flipped"),
        (f"x+\\frac{{{a}}}{{{b}}}", "bar too short"),
        (f"\\frac{{x}}{{{b}}}+{a}", "bar too short"),
        (f"\\frac{{{b}}}{{x+{a}}}", "upside down"),
        (f"\\frac{{x+{a}}}{{{b + 1}}}", "denominator off by one"),
    )
    return Family("rational function", (equal[0], equal[2]), equal, near)


def line(rng: random.Random) -> Family:
    """The equation of a line: solved, rearranged, scaled or with its sides exchanged."""
    a, b, k = rng.randint(2, 9), rng.randint(1, 12), rng.randint(2, 5)
    equal = (f"y = {a}x+{b}", f"{a}x-y+{b}=0", f"{a}x + {b} = y", f"y-{a}x = {b}")
    equal += (f"{k}y = {k * a}x+{k * b}", f"y - {b} = {a}x", f"x = \\frac{{y-{b}}}{{{a}}}")
    near = (
        (f"y = {a}x-{b}", "sign of the constant"),
        (f"y = -{a}x+{b}", "sign of the slope"),
        (f"x = {a}y+{b}", "variables exchanged"),
        (f"{k}y = {a}x+{k * b}", "scaled unevenly"),
        (f"y = {a + 1}x+{b}", "slope off by one"),
        (f"y > {a}x+{b}", "an inequality"),
        ("0 = 0", "an identity"),
        (f"y = {b}", "slope dropped"),
    )
    return Family("equation", (equal[0], equal[1]), equal, near)


def circle(rng: random.Random) -> Family:
    """The equation of a circle, terms and sides in any order."""
    h, r = rng.randint(1, 9), rng.randint(2, 9)
    square = r * r
    equal = (f"(x-{h})^2+y^2={square}", f"y^2+(x-{h})^2={square}", f"{square}=(x-{h})^2+y^2")
    equal += (f"(x-{h})^2+y^2-{square}=0", f"x^2-{2 * h}x+{h * h}+y^2={square}")
    near = (
        (f"(x+{h})^2+y^2={square}", "centre's sign"),
        (f"(x-{h})^2+y^2={r}", "radius unsquared"),
        (f"(x-{h})^2-y^2={square}", "a hyperbola"),
        (f"(x-{h})^2+y^2", "right side dropped"),
        (str(square), "right side alone"),
        (f"x^2+(y-{h})^2={square}", "variables exchanged"),
    )
    return Family("equation", equal[:1], equal, near)


NUMERIC_SYMBOLS = (
    surd,
    surd,
    rationalised,
    root_sum,
    nth_root,
    pi_multiple,
    pi_multiple,
    logarithm,
)
NUMERIC_SYMBOLS += (exponential, complex_number)
EXPRESSIONS = (quadratic, linear, rational_function, line, circle)
