"""Speed of MathVerifier beside math-verify: ``python benchmarks/math_verifier.py [--blocks N]``.

Both judge the same replies in one process, in small blocks that take turns (A B, B A, A B, ...), so
that a busy moment of the machine falls on both. Half of the replies are right. Each family runs
twice: with the gold answer read beforehand by both, and with it read by neither; no reply is seen
twice. math-verify is called as its documentation does, ``verify(parse(gold), parse(reply))``, with
the gold in a box, which it needs to read many of them.

Exit status 1 if the median ratio of a family is below its target.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from statistics import median
from typing import Any

from math_verify import parse, verify
from tqdm import tqdm

from rlvr_course import MathVerifier
from rlvr_course.verifiers.answers.grammar import readings
from rlvr_course.verifiers.math_answers import _reference

VERIFIER = MathVerifier()
SQUARE_FREE = (2, 3, 5, 6, 7, 10, 11, 13, 14, 15)
SHOWN = 5

Pair = tuple[str, str]
"""A gold answer and what a reply puts into its box."""


@dataclass(frozen=True)
class Case:
    """One reply to judge, and whether its answer is right."""

    gold: str
    reply: str
    is_right: bool


@dataclass(frozen=True)
class Family:
    """One kind of answer; ``make(rng, miss)`` adds ``miss`` (0 or 1) to what makes it right."""

    name: str
    target: float
    make: Callable[[random.Random, int], Pair]


def integers(rng: random.Random, miss: int) -> Pair:
    """``48213``, written as the gold is."""
    value = rng.randrange(1_000, 1_000_000)
    return str(value), str(value + miss)


def grouped_integers(rng: random.Random, miss: int) -> Pair:
    """``48213``, as ``48,213``."""
    value = rng.randrange(1_000, 1_000_000)
    return str(value), f"{value + miss:,}"


def decimals(rng: random.Random, miss: int) -> Pair:
    """``482.13``, half of them with one more zero."""
    hundredths = rng.randrange(100, 1_000_000)
    gold, other = (f"{n // 100}.{n % 100:02}" for n in (hundredths, hundredths + miss))
    return gold, other + rng.choice(["", "0"])


def fractions(rng: random.Random, miss: int) -> Pair:
    """``\\frac{7}{12}``, as ``7/12`` or with both parts multiplied."""
    top, bottom, factor = rng.randrange(1, 200), rng.randrange(201, 400), rng.randrange(2, 9)
    form = rng.choice([r"{}/{}", r"\frac{{{}}}{{{}}}"])
    return rf"\frac{{{top}}}{{{bottom}}}", form.format((top + miss) * factor, bottom * factor)


def surds(rng: random.Random, miss: int) -> Pair:
    r"""``5\sqrt{3}``, as ``\sqrt{75}``."""
    outside, inside = rng.randrange(2, 100), rng.choice(SQUARE_FREE)
    return rf"{outside}\sqrt{{{inside}}}", rf"\sqrt{{{(outside + miss) ** 2 * inside}}}"


def polynomials(rng: random.Random, miss: int) -> Pair:
    """``x^2 + 9x + 20``, as ``(x+4)(x+5)``."""
    left, right = rng.randrange(2, 60), rng.randrange(2, 60)
    return f"x^2 + {left + right}x + {left * right}", f"(x+{left})(x+{right + miss})"


def multiples_of_pi(rng: random.Random, miss: int) -> Pair:
    r"""``\frac{3\pi}{7}``, as ``3\pi/7`` or ``\frac{3}{7}\pi``."""
    top, bottom = rng.randrange(2, 60), rng.randrange(61, 120)
    form = rng.choice([r"{}\pi/{}", r"\frac{{{}}}{{{}}}\pi"])
    return rf"\frac{{{top}\pi}}{{{bottom}}}", form.format(top + miss, bottom)


FAMILIES = (
    Family("integers", 20, integers),
    Family("integers with digit groups", 20, grouped_integers),
    Family("decimals", 20, decimals),
    Family("fractions", 10, fractions),
    Family("surds", 0.9, surds),
    Family("polynomials", 0.9, polynomials),
    Family("multiples of π", 0.9, multiples_of_pi),
)


def fresh_cases(family: Family, rng: random.Random, count: int) -> list[Case]:
    """Replies with figures of their own around the box, right and wrong in turn."""
    cases = []
    for i in range(count):
        gold, answer = family.make(rng, i % 2)
        parts = rng.randrange(10, 10_000), rng.randrange(10, 10_000)
        reply = (
            f"We set up the equation with {parts[0]} and {parts[1]}, and simplify both sides. "
            f"Therefore the final answer is \\boxed{{{answer}}}."
        )
        cases.append(Case(gold, reply, i % 2 == 0))
    return cases


def time_ours(cases: Sequence[Case], *, cached: bool) -> tuple[float, list[bool]]:
    """Seconds and verdicts of MathVerifier."""
    _reference.cache_clear()
    if cached:
        for case in cases:
            _reference(case.gold, VERIFIER.conventions)
    # A reply's answer that is written as its gold is would be found here, already read.
    readings.cache_clear()
    start = time.perf_counter()
    verdicts = [VERIFIER(case.reply, case.gold).status == "correct" for case in cases]
    return time.perf_counter() - start, verdicts


def time_theirs(cases: Sequence[Case], *, cached: bool) -> tuple[float, list[bool]]:
    """Seconds and verdicts of math-verify."""
    boxed = [f"\\boxed{{{case.gold}}}" for case in cases]
    golds: list[Any] = [parse(gold) for gold in boxed] if cached else []
    start = time.perf_counter()
    if cached:
        pairs = zip(golds, cases, strict=True)
        verdicts = [verify(gold, parse(case.reply)) for gold, case in pairs]
    else:
        texts = zip(boxed, cases, strict=True)
        verdicts = [verify(parse(gold), parse(case.reply)) for gold, case in texts]
    return time.perf_counter() - start, verdicts


@dataclass(frozen=True)
class Row:
    """One family's figures: seconds of each block for both, and what they said."""

    family: Family
    cached: bool
    ours_s: list[float]
    theirs_s: list[float]
    cases: list[Case]
    ours: list[bool]
    theirs: list[bool]

    @property
    def ratios(self) -> list[float]:
        """How many times as fast ours is, for each block."""
        return [theirs / ours for ours, theirs in zip(self.ours_s, self.theirs_s, strict=True)]

    @property
    def is_met(self) -> bool:
        """Whether the median ratio reaches the target."""
        return median(self.ratios) >= self.family.target

    @property
    def disagreements(self) -> list[str]:
        """A line for each reply that the two judge differently."""
        rows = zip(self.cases, self.ours, self.theirs, strict=True)
        return [
            f"gold {case.gold}, {'right' if case.is_right else 'wrong'}: {case.reply[-60:]!r}: "
            f"ours {ours}, math-verify {theirs}"
            for case, ours, theirs in rows
            if ours != theirs
        ]

    def __str__(self) -> str:
        """The row of the table."""
        block = len(self.cases) / len(self.ours_s)
        ratios, total = self.ratios, len(self.cases)
        cells = (
            self.family.name,
            "read beforehand" if self.cached else "read each time",
            f"{block / median(self.ours_s):,.0f}",
            f"{block / median(self.theirs_s):,.0f}",
            f"{median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})",
            f"{self.family.target:g}",
            f"{total - len(self.disagreements)} of {total}",
        )
        return f"| {' | '.join(cells)} |"


def measure(family: Family, *, cached: bool, blocks: int, size: int, seed: int) -> Row:
    """Time both on fresh replies; who goes first changes with each block."""
    rng = random.Random(f"{seed} {family.name} {cached}")
    row = Row(family, cached, [], [], [], [], [])
    turns = [
        (time_ours, row.ours_s, row.ours),
        (time_theirs, row.theirs_s, row.theirs),
    ]
    # What either sets up on its first calls is no part of its speed.
    for timed, _, _ in turns:
        timed(fresh_cases(family, rng, 10), cached=cached)
    for _ in range(blocks):
        cases = fresh_cases(family, rng, size)
        row.cases.extend(cases)
        for timed, seconds, said in turns:
            spent, verdicts = timed(cases, cached=cached)
            seconds.append(spent)
            said.extend(verdicts)
        turns.reverse()
    return row


def table(rows: Sequence[Row], *, blocks: int, size: int) -> str:
    """All rows, under a line that says when and where."""
    today = datetime.datetime.now(datetime.UTC).date()
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    lines = [
        f"{today}, {machine}, math-verify {version('math-verify')}, sympy {version('sympy')}; "
        f"{blocks} blocks of {size} replies",
        "",
        "| family | gold | ours/s | math-verify/s | times as fast: median (min–max) | target "
        "| agree |",
        "|---|---|---:|---:|---:|---:|---:|",
        *map(str, rows),
    ]
    apart = [f"{row.family.name}: {line}" for row in rows for line in row.disagreements]
    if apart:
        lines += ["", f"Judged differently ({len(apart)}):", *(f"- {x}" for x in apart[:SHOWN])]
    return "\n".join(lines)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=9, help="blocks a family (9)")
    parser.add_argument("--size", type=int, default=100, help="replies a block (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the replies (0)")
    args = parser.parse_args()
    if min(args.blocks, args.size) < 1:
        parser.error("--blocks and --size must be at least 1")
    plan = [(family, cached) for cached in (True, False) for family in FAMILIES]
    rows = [
        measure(family, cached=cached, blocks=args.blocks, size=args.size, seed=args.seed)
        for family, cached in tqdm(plan, leave=False, disable=None)
    ]
    print(table(rows, blocks=args.blocks, size=args.size))
    below = [row for row in rows if not row.is_met]
    for row in below:
        print(f"below its target: {row}", file=sys.stderr)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
