"""Hidden cases of notebook 03: of the public ones' kinds, with other numbers."""

from __future__ import annotations

from math import comb
from typing import Any

from rlvr_course.classroom.check_spec import CheckSpec, Property
from rlvr_course.grading.marking.hidden import HINTS, known


def _mixed(p: float, n: int) -> float:
    """By the number of right ones: none and all are left out."""
    return sum(comb(n, right) * p**right * (1 - p) ** (n - right) for right in range(1, n))


def _mask_moves_nobody(ask: Any) -> bool:
    return all(
        known("", (), [*plain[:place], None, *plain[place:]]).property(
            ask([*group[:place], None, *group[place:]])
        )
        for group in ([0.2, 0.9], [-0.1, 1.0, 1.0, 0.3, -0.1])
        for plain in [ask(list(group))]
        for place in range(len(group) + 1)
    )


HIDDEN = {
    "q03b": CheckSpec(
        cases=[
            known("a uniform group", ([1.0, 1.0, 1.0, 1.0],), [0.0] * 4),
            known("equal rewards", ([0.5, 0.5, -1.0],), [0.75, 0.75, -1.5]),
            known("two", ([1.0, 0.25],), [0.75, -0.75]),
            known("alone in its group", ([-0.1],), [0.0]),
            known("all different", ([0.0, 1.0, 2.0, 5.0],), [-8 / 3, -4 / 3, 0.0, 4.0]),
        ],
        properties=[
            Property(
                "your own reward is not in your baseline",
                lambda ask: abs(ask([0.9, 0.4, 0.1])[1] - ask([0.9, 0.15, 0.1])[1] - 0.25) < 1e-9,
                "a reward that is 0.25 higher has an advantage that is 0.25 higher",
            ),
            Property(
                "a shift changes nothing",
                lambda ask: known("", (), [0.75, -0.75, 0.0]).property(ask([-2.0, -3.0, -2.5])),
                "the same advantages",
            ),
        ],
        hints=HINTS,
    ),
    "q03c": CheckSpec(
        cases=[
            known("masked stays masked", ([None, 0.5, -0.5, None],), [None, 0.5, -0.5, None]),
            known("without masks", ([0.2, 0.8],), [-0.3, 0.3]),
            known("a reward of 0 is no mask", ([None, 0.0, 0.0, 0.6],), [None, -0.2, -0.2, 0.4]),
            known("one is known", ([None, 0.7, None],), [None, 0.0, None]),
            known("malformed: all masked", ([None, None, None],), [None, None, None]),
        ],
        properties=[
            Property("a masked sample moves nobody", _mask_moves_nobody, "as without it"),
        ],
        hints=HINTS,
    ),
    "q03d": CheckSpec(
        cases=[
            known("one try", (10, 3, 1), 0.3),
            known("never right", (6, 0, 2), 0.0),
            known("too few wrong ones to fill a draw", (6, 4, 3), 1.0),
            known("two of seven", (7, 3, 2), 1 - 6 / 21),
            known("three of nine", (9, 4, 3), 1 - 10 / 84),
            known("all but one", (5, 1, 4), 0.8),
        ],
        hints=HINTS,
    ),
    "q03e": CheckSpec(
        cases=[
            known("never solved", (0.0, 3), 0.0),
            known("always solved", (1.0, 5), 0.0),
            known("alone in its group", (0.6, 1), 0.0),
            known("three", (0.4, 3), _mixed(0.4, 3)),
            known("six", (0.15, 6), _mixed(0.15, 6)),
            known("nearly always", (0.99, 16), _mixed(0.99, 16)),
        ],
        properties=[
            Property(
                "right and wrong can change places",
                lambda ask: abs(ask(0.2, 5) - ask(0.8, 5)) < 1e-9 < abs(ask(0.4, 5) - ask(0.2, 5)),
                "the same for p and 1 - p",
            ),
        ],
        hints=HINTS,
    ),
}
