"""Answers with parts: tuples, sets, lists, intervals, inequalities, plus-minus, matrices, text."""

from __future__ import annotations

import random
from collections.abc import Sequence

from renderings.family import Family, latex, other, proper_fraction

OPEN_CLOSED = tuple((left, right) for left in "([" for right in ")]")
WORDS = (
    "even",
    "odd",
    "Tuesday",
    "Evelyn",
    "hexagon",
    "infinitely many",
    "no solution",
    "parabola",
)
OPTIONS = ("a steady state", "the polygenic score", "12 metres", "none of these", "$x=3$")


def _entries(rng: random.Random, count: int, low: int = -9, high: int = 40) -> list[int]:
    return rng.sample(range(low, high), count)


def ordered(rng: random.Random) -> Family:
    """Points and tuples: order and length count."""
    parts = _entries(rng, rng.choice([2, 2, 3]))
    half = proper_fraction(rng, 9)
    texts = [str(n) for n in parts]
    if rng.random() < 0.4:
        texts[-1] = latex(half)

    def joined(items: Sequence[str], separator: str = ",") -> str:
        return f"({separator.join(items)})"

    equal = [joined(texts), joined(texts, ", "), joined(texts, ",\\ "), joined(texts, " , ")]
    equal += [f"\\left{joined(texts)[:-1]}\\right)", f"\\left( {', '.join(texts)} \\right)"]
    equal.append(joined([t.replace("\\frac", "\\dfrac") for t in texts], ", "))
    equal.append(joined([t.replace("-", "\u2212") for t in texts], ", "))
    bumped = [str(parts[0] + 1), *texts[1:]]
    near = [
        (joined(texts[::-1]), "order reversed"),
        (joined(bumped), "first entry off by one"),
        (joined([*texts, "0"]), "an entry too many"),
        (joined([str(-parts[0] or 1), *texts[1:]]), "sign of an entry"),
        (texts[0], "first entry alone"),
        (f"[{','.join(texts)}]" if len(texts) == 2 else joined(texts[:2]), "another object"),
    ]
    return Family("tuple", (joined(texts), joined(texts, ", ")), tuple(equal), tuple(near))


def unordered(rng: random.Random) -> Family:
    """Sets in braces: order is free, membership is not."""
    parts = _entries(rng, rng.choice([2, 3, 4]))
    texts = [str(n) for n in parts]
    shuffled = rng.sample(texts, len(texts))

    def braced(items: Sequence[str], separator: str = ",") -> str:
        return f"\\{{{separator.join(items)}\\}}"

    equal = [
        braced(texts),
        braced(texts[::-1]),
        braced(shuffled, ", "),
        braced(sorted(texts), ",\\ "),
    ]
    equal += [f"\\left\\{{{', '.join(shuffled)}\\right\\}}", f"\\{{ {' , '.join(texts)} \\}}"]
    new = str(max(parts) + 1)
    near = [
        (braced(texts[1:]), "an element missing"),
        (braced([*texts, new]), "an element too many"),
        (braced([new, *texts[1:]]), "an element replaced"),
        (braced([str(-n) for n in parts]), "signs flipped"),
        (texts[0], "one element alone"),
        ("\\emptyset", "the empty set"),
    ]
    if set(parts) == {-n for n in parts}:
        del near[3]
    return Family("set", (braced(texts), braced(shuffled, ", ")), tuple(equal), tuple(near))


def listed(rng: random.Random) -> Family:
    """A find-all answer: all of the values and no others, with commas or "and"."""
    parts = sorted(_entries(rng, rng.choice([2, 3, 4]), 1, 99))
    texts = [str(n) for n in parts]
    head, last = ", ".join(texts[:-1]), texts[-1]
    equal = [
        f"{head}, {last}",
        ",".join(texts),
        f"{head} and {last}",
        f"{head} \\text{{ and }} {last}",
    ]
    equal += [f"{head}, \\text{{ and }} {last}", ",\\ ".join(texts), f"x = {head}, {last}"]
    boxes = "}, \\boxed{".join(texts[:-1])
    equal.append(f"{boxes}}} and \\boxed{{{last}")
    if len(texts) > 2:
        equal += [f"{head}, and {last}", f"{boxes}}}, and \\boxed{{{last}"]
    new = str(max(parts) + 1)
    near = [
        (head, "the last one missing"),
        (last, "the last one alone"),
        (f"{head}, {new}", "the last one replaced"),
        (f"{head}, {last}, {new}", "one too many"),
        (f"{head} \\text{{ or }} {new}", "another value"),
        (f"{texts[0]}, {texts[0]}" if len(texts) == 2 else f"{texts[0]}, {last}", "some missing"),
        (str(sum(parts)), "their sum"),
    ]
    golds = (f"{head}, {last}", f"{head} \\text{{ and }} {last}")
    return Family("list", golds, tuple(equal), tuple(near))


def interval(rng: random.Random) -> Family:
    """Finite intervals; each end is open or closed."""
    low, high = sorted(_entries(rng, 2))
    left, right = rng.choice(OPEN_CLOSED)
    below, above = ("<" if left == "(" else "\\le"), ("<" if right == ")" else "\\le")
    body, opposite = f"{low},{high}", ("\\le" if below == "<" else "<")
    equal = [
        f"{left}{body}{right}",
        f"{left}{low}, {high}{right}",
        f"\\left{left}{body}\\right{right}",
    ]
    equal += [f"\\left{left} {low}, {high} \\right{right}", f"x \\in {left}{low}, {high}{right}"]
    near = [
        (f"{a}{body}{b}", "an end opened or closed")
        for a, b in OPEN_CLOSED
        if (a, b) != (left, right)
    ]
    near += [
        (f"{left}{low},{high + 1}{right}", "right end off by one"),
        (f"{left}{low - 1},{high}{right}", "left end off by one"),
        (f"{left}{low},\\infty)", "unbounded"),
        (f"{low} {opposite} x {above} {high}", "inequality of another end"),
    ]
    golds = (equal[0], equal[1])
    return Family("interval", golds, tuple(equal), tuple(near))


def ray(rng: random.Random) -> Family:
    """Half lines as intervals, and as the inequality that the reference gives."""
    n = rng.randint(-20, 40)
    if rng.random() < 0.5:
        left = rng.choice("([")
        gold, sign = f"{left}{n},\\infty)", (">" if left == "(" else "\\ge")
        equal = [
            f"{left}{n}, \\infty)",
            f"\\left{left}{n},\\infty\\right)",
            f"{left}{n}, +\\infty)",
        ]
        equal += [f"{left}{n}, ∞)"]
        flipped = "[("[left == "["]
        near = [
            (f"{flipped}{n},\\infty)", "end opened or closed"),
            (f"(-\\infty,{n})", "other side"),
        ]
        near.append((f"{left}{n + 1},\\infty)", "off by one"))
    else:
        right = rng.choice(")]")
        gold, sign = f"(-\\infty,{n}{right}", ("<" if right == ")" else "\\le")
        equal = [f"(-\\infty, {n}{right}", f"\\left(-\\infty,{n}\\right{right}", f"(−∞, {n}{right}"]
        flipped = "])"[right == "]"]
        near = [
            (f"(-\\infty,{n}{flipped}", "end opened or closed"),
            (f"({n},\\infty)", "other side"),
        ]
        near.append((f"(-\\infty,{n - 1}{right}", "off by one"))
    near += [(str(n), "the end alone"), ("(-\\infty,\\infty)", "all reals")]
    golds = (f"x {sign} {n}",) if rng.random() < 0.4 else (gold,)
    return Family("ray", golds, (gold, *equal), tuple(near))


def union(rng: random.Random) -> Family:
    """Two disjoint intervals, in either order."""
    a, b, c, d = sorted(_entries(rng, 4))
    one, two = f"({a},{b})", f"[{c},{d})"
    equal = (f"{one} \\cup {two}", f"{two}\\cup{one}", f"({a}, {b}) ∪ [{c}, {d})")
    equal += (f"\\left({a},{b}\\right)\\cup\\left[{c},{d}\\right)",)
    near = (
        (f"({a},{d})", "the gap is filled"),
        (one, "one part"),
        (f"{one}\\cup({c},{d})", "an end opened"),
        (f"{one}\\cup[{c},{d + 1})", "an end off by one"),
        (f"{one}\\cap{two}", "intersection"),
    )
    return Family("union", (equal[0], equal[2].replace("∪", "\\cup")), equal, near)


def inequality(rng: random.Random) -> Family:
    """One-sided inequalities: direction and strictness count, the side of x does not."""
    n, index = rng.randint(-20, 40), rng.randint(0, 3)
    signs = (("<", "\\lt"), ("\\le", "≤", "\\leq", "<=", "\\leqslant"), (">", "\\gt"))
    signs += (("\\ge", "≥", "\\geq", ">=", "\\geqslant"),)
    mine, flipped = signs[index], signs[(index + 2) % 4]
    equal = [f"x {s} {n}" for s in mine] + [f"{n} {s} x" for s in flipped] + [f"x{mine[0]} {n}"]
    near = [
        (f"x {flipped[0]} {n}", "direction"),
        (f"{n} {mine[0]} x", "direction by swapped sides"),
    ]
    near += [(f"x {signs[index ^ 1][0]} {n}", "strictness"), (f"x {mine[0]} {n + 1}", "off by one")]
    near += [(f"x = {n}", "equation"), (str(n), "bound alone")]
    return Family("inequality", (f"x {mine[0]} {n}",), tuple(equal), tuple(near))


def plus_minus(rng: random.Random) -> Family:
    """Both signs, and neither alone."""
    n, a, b = rng.randint(1, 30), rng.randint(1, 9), rng.choice([2, 3, 5, 7])
    if rng.random() < 0.5:
        equal = (
            f"\\pm {n}",
            f"\\pm{n}",
            f"±{n}",
            f"x = \\pm {n}",
            f"{n}, -{n}",
            f"-{n} \\text{{ and }} {n}",
        )
        near = ((str(n), "one sign"), (f"-{n}", "one sign"), (f"\\pm {n + 1}", "off by one"))
        near += ((f"{n}, -{n + 1}", "signs do not pair"), (f"\\pm {n}0", "ten times larger"))
        return Family("plus-minus", (f"\\pm {n}", f"±{n}"), equal, near)
    equal = (f"{a} \\pm \\sqrt{{{b}}}", f"{a}\\pm\\sqrt{{{b}}}", f"x = {a} \\pm \\sqrt{{{b}}}")
    equal += (f"{a}+\\sqrt{{{b}}}, {a}-\\sqrt{{{b}}}", f"{a} ± \\sqrt{{{b}}}")
    near = ((f"{a}+\\sqrt{{{b}}}", "one root"), (f"{a + 1} \\pm \\sqrt{{{b}}}", "off by one"))
    near += ((f"{a} \\pm {b}", "root dropped"), (f"-{a} \\pm \\sqrt{{{b}}}", "sign of the centre"))
    return Family("plus-minus", equal[:1], equal, near)


def matrix(rng: random.Random) -> Family:
    """Vectors and square matrices, whatever their brackets."""
    side = rng.choice([1, 2, 2])
    rows = [_entries(rng, side) for _ in range(2)]
    rows[1][0] = other(rng, rows[0][-1], -9, 40)

    def laid(table: Sequence[Sequence[int]], name: str = "pmatrix", gap: str = "") -> str:
        lines = f"{gap}\\\\{gap}".join(f"{gap}&{gap}".join(map(str, row)) for row in table)
        return f"\\begin{{{name}}}{gap}{lines}{gap}\\end{{{name}}}"

    bumped = [[rows[0][0] + 1, *rows[0][1:]], rows[1]]
    columns = "c" * side
    array = laid(rows, "array").replace("{array}", f"{{array}}{{{columns}}}", 1)
    equal = (laid(rows), laid(rows, "bmatrix"), laid(rows, gap=" "), laid(rows, "bmatrix", "\n"))
    equal += (f"\\left({array}\\right)",)
    near = (
        (laid([list(column) for column in zip(*rows, strict=True)]), "transposed"),
        (laid(bumped), "an entry off by one"),
        (laid([*rows, rows[0]]), "a row too many"),
        (laid(rows[:1]), "a row missing"),
        (str(rows[0][0]), "an entry alone"),
    )
    return Family("matrix", (laid(rows), laid(rows, "bmatrix")), equal, near)


def letter(rng: random.Random) -> Family:
    """Multiple choice: the letter decides, the option's text may follow it."""
    right, wrong = rng.sample("ABCDE", 2)
    option = rng.choice(OPTIONS[:-1])

    def forms(c: str) -> list[str]:
        plain = [c, f"\\text{{{c}}}", f"({c})", f"\\textbf{{({c})}}", f"{c}.", f"\\mathrm{{{c}}}"]
        return [*plain, f"{c}: {option}", f"{c}) {option}", f"({c}) {option}", f"\\textbf{{{c}}}"]

    near = [(form, "another letter") for form in forms(wrong)]
    near += [
        (f"{right}, {wrong}", "two letters"),
        (f"{wrong}: vitamin {right}", "letter in the text"),
    ]
    near += [(f"{right} \\text{{ or }} {wrong}", "a hedge"), (f"{right}{wrong}", "two letters")]
    return Family("letter", (right, f"\\text{{{right}}}"), tuple(forms(right)), tuple(near))


def words(rng: random.Random) -> Family:
    """Words in any font."""
    right, wrong = rng.sample(WORDS, 2)
    equal = (
        right,
        f"\\text{{{right}}}",
        f"\\textbf{{{right}}}",
        f"\\mathrm{{{right}}}",
        f"\\text{{ {right} }}",
    )
    near = (
        (wrong, "another word"),
        (f"\\text{{{wrong}}}", "another word"),
        (right[:-1], "a prefix"),
    )
    near += ((f"\\text{{not {right}}}", "denied"), (f"\\text{{{right} or {wrong}}}", "a hedge"))
    if " " in right:
        equal = tuple(form for form in equal if "mathrm" not in form)
    golds = (f"\\text{{{right}}}",) if " " in right else (f"\\text{{{right}}}", right)
    return Family("words", golds, equal, near)


def clock(rng: random.Random) -> Family:
    """Times of day, to the minute and the half of the day."""
    hour, minute = rng.randint(1, 12), rng.randint(10, 59)
    half, wrong = rng.sample(["am", "pm"], 2)
    at = f"{hour}:{minute}"
    equal = (
        f"{at} {half}",
        f"{at}\\text{{ {half}}}",
        f"{at} \\text{{ {half[0]}.m.}}",
        f"\\text{{{at} {half}}}",
    )
    near = (
        (f"{at} {wrong}", "other half of the day"),
        (f"{hour}:{minute - 1} {half}", "a minute off"),
        (f"{hour % 12 + 1}:{minute} {half}", "an hour off"),
        (f"{hour} {half}", "minutes dropped"),
        (f"{minute}", "minutes alone"),
    )
    return Family("time", (f"{at} {half}", f"{at} \\text{{ {half}}}"), equal, near)


def ratio_or_base(rng: random.Random) -> Family:
    """Ratios, and numerals with a base."""
    if rng.random() < 0.5:
        a, b = rng.sample([2, 3, 5, 7, 11, 13], 2)
        equal = (f"{a}:{b}", f"{a} : {b}", f"\\text{{{a}:{b}}}")
        near = ((f"{b}:{a}", "exchanged"), (f"{a}:{b + 1}", "off by one"), (str(a), "one side"))
        return Family("ratio", (f"{a}:{b}",), equal, near)
    base = rng.choice([2, 3, 5, 7])
    digits = (
        str(rng.randint(1, base - 1)) + "".join(str(rng.randrange(base)) for _ in range(4)) + "1"
    )
    equal = (f"{digits}_{base}", f"{digits}_{{{base}}}", f"{digits}_{{\\text{{{base}}}}}")
    near = ((f"{digits}_{{9}}", "another base"), (f"{digits[:-1]}0_{base}", "last digit"))
    near += ((f"{digits}0_{base}", "shifted"), (str(base), "the base"))
    return Family("base", equal[:2], equal, near)


STRUCTURES = (ordered, unordered, listed, interval, ray, union, inequality, plus_minus, matrix)
TEXTS = (letter, words, clock, ratio_or_base)
