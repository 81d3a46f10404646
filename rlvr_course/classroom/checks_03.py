"""Checks of notebook 03: advantages, masks, pass@k, the chance of a mixed group."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import prod
from numbers import Real
from typing import Any, TypeGuard

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property


def _is_number(value: Any) -> TypeGuard[float]:
    """Any real number, such as a ``Fraction`` or one of numpy's; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _near(value: Any, wanted: float) -> bool:
    return _is_number(value) and abs(value - wanted) < 1e-9


def _alike(reply: Any, wanted: Sequence[float | None]) -> bool:
    """Equal lists up to rounding, None only where None is wanted."""
    if not isinstance(reply, (list, tuple)) or len(reply) != len(wanted):
        return False
    pairs = zip(reply, wanted, strict=True)
    return all(got is None if want is None else _near(got, want) for got, want in pairs)


def _sums_to_zero(reply: Any) -> bool:
    return isinstance(reply, (list, tuple)) and bool(reply) and abs(sum(reply)) < 1e-9


def _own_reward_is_not_in_the_baseline(ask: Any) -> bool:
    before, after = ask([0.25, 1.0, 0.0]), ask([0.75, 1.0, 0.0])
    return _near(after[0] - before[0], 0.5)


def _shift_changes_nothing(ask: Any) -> bool:
    plain = ask([0.0, 1.0, 0.25])
    return any(plain) and _alike(ask([5.0, 6.0, 5.25]), plain)


def _mask_moves_nobody(ask: Any) -> bool:
    groups = [[1.0, -0.1, 0.5], [-0.1, -0.1, 1.0, 1.0], [-2.0, -1.0]]
    for group in groups:
        plain = ask(group)
        for place in range(len(group) + 1):
            masked = ask([*group[:place], None, *group[place:]])
            if not any(plain) or not _alike(masked, [*plain[:place], None, *plain[place:]]):
                return False
    return True


def _share_of_draws(n: int, c: int, k: int) -> float:
    """By writing down every draw."""
    draws = list(combinations([True] * c + [False] * (n - c), k))
    return sum(map(any, draws)) / len(draws)


def _agrees_with_all_draws(ask: Any) -> bool:
    tried = [(8, 2, 4), (8, 5, 3), (6, 1, 5), (5, 3, 2)]
    return all(_near(ask(*one), _share_of_draws(*one)) for one in tried)


def _share_of_groups(p: float, n: int) -> float:
    """By writing down every group."""
    groups = [group for group in product((True, False), repeat=n) if len(set(group)) == 2]
    return sum(prod(p if right else 1 - p for right in group) for group in groups)


def _agrees_with_all_groups(ask: Any) -> bool:
    tried = [(0.5, 2), (0.2, 4), (0.7, 8), (0.05, 3)]
    return all(_near(ask(*one), _share_of_groups(*one)) for one in tried)


CHECKS_03 = {
    "q03a": CheckSpec(
        cases=[
            Case(
                "four numbers",
                (),
                lambda r: len(r) == 4 and all(map(_is_number, r)),
                "a list of four numbers",
            ),
            Case("they balance", (), _sums_to_zero, "a sum of 0"),
            Case(
                "the gap stays",
                (),
                lambda r: all(abs(r[0] - other - 1.1) < 1e-3 for other in r[1:]),
                "between right and wrong the same gap as in the rewards",
            ),
        ],
        hints=[
            "What did the four earn on average?",
            "The mean is (1 - 0.1 - 0.1 - 0.1) / 4.",
            "Take 0.175 from each of the four rewards.",
        ],
    ),
    "q03b": CheckSpec(
        cases=[
            Case("balance", ([1.0, 0.0, 0.5, -0.1],), _sums_to_zero, "values that sum to 0"),
            Case(
                "a uniform group",
                ([0.5, 0.5, 0.5],),
                lambda r: _alike(r, [0.0, 0.0, 0.0]),
                "no advantage for anybody",
            ),
            Case(
                "equal rewards",
                ([1.0, -0.1, -0.1, -0.1],),
                lambda r: _alike(r, [1.1, -1.1 / 3, -1.1 / 3, -1.1 / 3]),
                "the others include those that earned the same",
            ),
            Case(
                "alone in its group",
                ([1.0],),
                lambda r: _alike(r, [0.0]),
                "nobody to be compared with: [0]",
            ),
        ],
        properties=[
            Property(
                "your own reward is not in your baseline",
                _own_reward_is_not_in_the_baseline,
                "a reward that is 0.5 higher has an advantage that is 0.5 higher",
            ),
            Property("a shift changes nothing", _shift_changes_nothing, "the same advantages"),
        ],
        hints=[
            "For each completion: what did the others earn on average?",
            "The others' sum is the group's sum less the own reward; how many are they?",
            "r - (total - r) / (n - 1), and [0.0] where n is 1.",
        ],
    ),
    "q03c": CheckSpec(
        cases=[
            Case(
                "masked stays masked",
                ([1.0, None, 0.0],),
                lambda r: len(r) == 3 and [a is None for a in r] == [False, True, False],
                "None at its place, and numbers around it",
            ),
            Case(
                "without masks",
                ([1.0, 0.0, 0.5],),
                lambda r: _alike(r, [0.5, -0.5, 0.0]),
                "reward less the mean",
            ),
            Case(
                "a reward of 0 is no mask",
                ([0.0, 1.0, None],),
                lambda r: _alike(r, [-0.5, 0.5, None]),
                "0 is a reward like any other",
            ),
            Case(
                "malformed: all masked",
                ([None, None],),
                lambda r: isinstance(r, list) and r == [None, None],
                "nothing but None",
            ),
        ],
        properties=[
            Property(
                "a masked sample moves nobody",
                _mask_moves_nobody,
                "the others' advantages are as they would be without it",
            ),
        ],
        hints=[
            "Whose rewards belong into the mean?",
            "Collect the rewards that are not None first; they may be none at all.",
            "[None if r is None else r - mean for r in rewards], mean over the known ones.",
        ],
    ),
    "q03d": CheckSpec(
        cases=[
            Case("one try", (8, 2, 1), lambda r: _near(r, 0.25), "the solve rate"),
            Case("never right", (8, 0, 4), lambda r: _near(r, 0), "no draw holds a right one"),
            Case(
                "too few wrong ones to fill a draw",
                (8, 5, 4),
                lambda r: _near(r, 1),
                "every draw holds a right one",
            ),
        ],
        properties=[
            Property(
                "agrees with writing down every draw",
                _agrees_with_all_draws,
                "the share of draws, without putting samples back",
            ),
        ],
        hints=[
            "Count the draws that hold no right sample: they come from the wrong ones only.",
            "There are n - c wrong ones, so math.comb(n - c, k) such draws.",
            "1 - comb(n - c, k) / comb(n, k)",
        ],
    ),
    "q03e": CheckSpec(
        cases=[
            Case("never solved", (0.0, 8), lambda r: _near(r, 0), "no group is mixed"),
            Case("always solved", (1.0, 8), lambda r: _near(r, 0), "no group is mixed"),
            Case("alone in its group", (0.3, 1), lambda r: _near(r, 0), "one can't be mixed"),
        ],
        properties=[
            Property(
                "agrees with writing down every group",
                _agrees_with_all_groups,
                "the chances of all mixed groups, added up",
            ),
            Property(
                "right and wrong can change places",
                lambda ask: abs(ask(0.3, 4) - ask(0.7, 4)) < 1e-9 and ask(0.3, 4) != ask(0.5, 4),
                "the same for p and 1 - p",
            ),
        ],
        hints=[
            "Which two kinds of group are not mixed?",
            "All n are right with chance p ** n. And all wrong?",
            "1 - p**n - (1 - p)**n",
        ],
    ),
}
