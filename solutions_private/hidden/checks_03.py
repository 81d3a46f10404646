"""Hidden cases of notebook 03: of the public ones' kinds, with other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from numbers import Real
from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

_HINTS = ("The public cases are of the same kinds.",)


def _near(reply: Any, wanted: float) -> bool:
    is_number = isinstance(reply, Real) and not isinstance(reply, bool)
    return is_number and abs(reply - wanted) < 1e-9


def _alike(reply: Any, wanted: Sequence[float | None]) -> bool:
    if not isinstance(reply, (list, tuple)) or len(reply) != len(wanted):
        return False
    pairs = zip(reply, wanted, strict=True)
    return all(got is None if want is None else _near(got, want) for got, want in pairs)


def _list(name: str, rewards: list[float | None], wanted: list[float | None]) -> Case:
    return Case(name, (rewards,), lambda reply: _alike(reply, wanted), "the advantages")


def _number(name: str, args: tuple[float, ...], wanted: float) -> Case:
    return Case(name, args, lambda reply: _near(reply, wanted), "the number")


def _mixed(p: float, n: int) -> float:
    """By the number of right ones: none and all are left out."""
    return sum(comb(n, right) * p**right * (1 - p) ** (n - right) for right in range(1, n))


def _mask_moves_nobody(ask: Any) -> bool:
    return all(
        _alike(ask([*group[:place], None, *group[place:]]), [*plain[:place], None, *plain[place:]])
        for group in ([0.2, 0.9], [-0.1, 1.0, 1.0, 0.3, -0.1])
        for plain in [ask(list(group))]
        for place in range(len(group) + 1)
    )


HIDDEN = {
    "q03b": CheckSpec(
        cases=[
            _list("a uniform group", [1.0, 1.0, 1.0, 1.0], [0.0] * 4),
            _list("equal rewards", [0.5, 0.5, -1.0], [0.75, 0.75, -1.5]),
            _list("two", [1.0, 0.25], [0.75, -0.75]),
            _list("alone in its group", [-0.1], [0.0]),
            _list("all different", [0.0, 1.0, 2.0, 5.0], [-8 / 3, -4 / 3, 0.0, 4.0]),
        ],
        properties=[
            Property(
                "your own reward is not in your baseline",
                lambda ask: _near(ask([0.9, 0.4, 0.1])[1] - ask([0.9, 0.15, 0.1])[1], 0.25),
                "a reward that is 0.25 higher has an advantage that is 0.25 higher",
            ),
            Property(
                "a shift changes nothing",
                lambda ask: _alike(ask([-2.0, -3.0, -2.5]), ask([1.0, 0.0, 0.5])),
                "the same advantages",
            ),
        ],
        hints=_HINTS,
    ),
    "q03c": CheckSpec(
        cases=[
            _list("masked stays masked", [None, 0.5, -0.5, None], [None, 0.5, -0.5, None]),
            _list("without masks", [0.2, 0.8], [-0.3, 0.3]),
            _list("a reward of 0 is no mask", [None, 0.0, 0.0, 0.6], [None, -0.2, -0.2, 0.4]),
            _list("one is known", [None, 0.7, None], [None, 0.0, None]),
            _list("malformed: all masked", [None, None, None], [None, None, None]),
        ],
        properties=[
            Property("a masked sample moves nobody", _mask_moves_nobody, "as without it"),
        ],
        hints=_HINTS,
    ),
    "q03d": CheckSpec(
        cases=[
            _number("one try", (10, 3, 1), 0.3),
            _number("never right", (6, 0, 2), 0.0),
            _number("too few wrong ones to fill a draw", (6, 4, 3), 1.0),
            _number("two of seven", (7, 3, 2), 1 - 6 / 21),
            _number("three of nine", (9, 4, 3), 1 - 10 / 84),
            _number("all but one", (5, 1, 4), 0.8),
        ],
        hints=_HINTS,
    ),
    "q03e": CheckSpec(
        cases=[
            _number("never solved", (0.0, 3), 0.0),
            _number("always solved", (1.0, 5), 0.0),
            _number("alone in its group", (0.6, 1), 0.0),
            _number("three", (0.4, 3), _mixed(0.4, 3)),
            _number("six", (0.15, 6), _mixed(0.15, 6)),
            _number("nearly always", (0.99, 16), _mixed(0.99, 16)),
        ],
        properties=[
            Property(
                "right and wrong can change places",
                lambda ask: _near(ask(0.2, 5), ask(0.8, 5)) and not _near(ask(0.4, 5), ask(0.2, 5)),
                "the same for p and 1 - p",
            ),
        ],
        hints=_HINTS,
    ),
}
