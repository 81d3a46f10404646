"""Answers to the exercises of notebook 06: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

import math
from typing import Any


def loss_without_reference(
    chosen: float, rejected: float, r: float, s: float, beta: float = 0.1
) -> float:
    return math.log1p(math.exp(-max(-700.0, beta * (chosen - rejected))))


def loss_that_overflows(c: float, r: float, ref_c: float, ref_r: float, beta: float = 0.1) -> float:
    return math.log(1 + math.exp(-beta * ((c - ref_c) - (r - ref_r))))


def loss_of_swapped(c: float, r: float, ref_c: float, ref_r: float, beta: float = 0.1) -> float:
    margin = beta * ((r - ref_r) - (c - ref_c))
    return max(-margin, 0.0) + math.log1p(math.exp(-abs(margin)))


def loss_of_fixed_beta(c: float, r: float, ref_c: float, ref_r: float, beta: float = 0.1) -> float:
    return loss_of_swapped(r, c, ref_r, ref_c)


def ungraded_as_losers(verdicts: list[Any]) -> list[tuple[int, int]]:
    winners = [i for i, v in enumerate(verdicts) if v]
    return [(w, i) for w in winners for i, v in enumerate(verdicts) if not v]


def neighbours_only(verdicts: list[Any]) -> list[tuple[int, int]]:
    return [(i, i + 1) for i in range(len(verdicts) - 1) if verdicts[i] and not verdicts[i + 1]]


def loser_first(verdicts: list[Any]) -> list[tuple[int, int]]:
    return [(b, a) for a, b in ungraded_as_losers([v for v in verdicts if v is not None])]


def one_for_each_winner(verdicts: list[Any]) -> list[tuple[int, int]]:
    losers = [i for i, v in enumerate(verdicts) if v is False]
    return [(i, losers[0]) for i, v in enumerate(verdicts) if v is True and losers]


def without_right_losers(pairs: list[Any], right: dict[str, Any]) -> list[Any]:
    return [pair for pair in pairs if not right[pair[1]]]


def without_known_poison(pairs: list[Any], right: dict[str, Any]) -> list[Any]:
    return [p for p in pairs if right[p[0]] is not False and right[p[1]] is not True]


def right_winners(pairs: list[Any], right: dict[str, Any]) -> list[Any]:
    return [pair for pair in pairs if right[pair[0]]]


FATES = ("flagged_winner", "false_winner", "open_winner", "poisoned_loser", "open_loser", "built")


def loss_in_branches(c: float, r: float, ref_c: float, ref_r: float, beta: float = 0.1) -> float:
    margin = beta * (c - r - ref_c + ref_r)
    if margin < 0:
        return math.log1p(math.exp(margin)) - margin
    return math.log1p(math.exp(-margin))


def pairs_in_two_loops(verdicts: list[Any]) -> list[list[int]]:
    found = []
    for loser, lost in enumerate(verdicts):
        for winner, won in enumerate(verdicts):
            if won and lost is not None and not lost:
                found.append([winner, loser])
    return found


WRONG: dict[str, dict[str, Any]] = {
    "q06a": {
        "loss without reference": loss_without_reference,
        "loss that overflows": loss_that_overflows,
        "loss of swapped": loss_of_swapped,
        "loss of fixed beta": loss_of_fixed_beta,
    },
    "q06b": {
        "ungraded as losers": ungraded_as_losers,
        "neighbours only": neighbours_only,
        "loser first": loser_first,
        "one for each winner": one_for_each_winner,
    },
    "q06c": {
        "without right losers": without_right_losers,
        "without known poison": without_known_poison,
        "right winners": right_winners,
    },
    "q06d": {
        "losers counted for each winner": dict(zip(FATES, (4, 4, 0, 3, 3, 2), strict=True)),
        "the ungraded one taken for rejected": dict(zip(FATES, (5, 5, 0, 1, 1, 3), strict=True)),
        "losers looked at first": dict(zip(FATES, (2, 2, 0, 3, 3, 2), strict=True)),
        "the open loser built": dict(zip(FATES, (4, 4, 0, 1, 0, 3), strict=True)),
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q06a": {"in two branches": loss_in_branches},
    "q06b": {"in two loops": pairs_in_two_loops},
    "q06c": {
        "by equality": lambda pairs, right: [
            [a, b] for a, b in pairs if (right.get(a), right.get(b)) == (True, False)
        ]
    },
    "q06d": {"in another order": dict(zip(reversed(FATES), (2, 1, 1, 0, 4, 4), strict=True))},
}
"""Right answers that look unlike the solution."""
