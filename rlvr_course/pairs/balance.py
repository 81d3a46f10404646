"""As many longer as shorter winners, by about the same lengths.

Right answers are often shorter (or longer) than wrong ones for reasons of their own. A policy
trained on such pairs learns the length first, since it is the easiest thing to learn.
"""

from __future__ import annotations

from collections.abc import Sequence

from rlvr_course.pairs.report import characters
from rlvr_course.records import PreferencePair

TOLERANCE = 0.1


def balance_lengths(pairs: Sequence[PreferencePair]) -> list[bool]:
    """Which pairs to keep so that the winner's length says nothing.

    A pair whose winner is longer by d characters stays if it is matched with one whose winner is
    shorter by d, give or take 10%; each serves one match. Pairs of equal length stay.

    Args:
        pairs: all of them at once, since the match of a pair may be in any group.

    Returns:
        For each pair whether it stays. Over those that stay the mean difference of lengths is
        within 6% of their mean size, and as many winners are longer as shorter.

    Limits: lengths are in characters, not tokens. Pairs of a policy whose right answers are all
        shorter have no counterparts, and none stays.
    """
    differences = [characters(pair.chosen) - characters(pair.rejected) for pair in pairs]
    order = sorted(
        range(len(pairs)), key=lambda place: (abs(differences[place]), _name(pairs[place]))
    )
    longer = [place for place in order if differences[place] > 0]
    shorter = [place for place in order if differences[place] < 0]
    kept = [difference == 0 for difference in differences]
    while longer and shorter:
        up, down = differences[longer[-1]], -differences[shorter[-1]]
        if abs(up - down) <= TOLERANCE * max(up, down):
            kept[longer.pop()] = kept[shorter.pop()] = True
        else:
            (longer if up > down else shorter).pop()
    return kept


def _name(pair: PreferencePair) -> str:
    """Decides between pairs of the same difference, whatever their order."""
    return repr((pair.prompt, pair.chosen, pair.rejected, sorted(pair.provenance.items())))
