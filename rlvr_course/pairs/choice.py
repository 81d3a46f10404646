"""Which of a group's clean pairs to keep, by a seeded draw that no order of samples can move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from rlvr_course.records import Sample

Duel = tuple[Sample, Sample]
"""A winner and a loser of one group."""


@dataclass(frozen=True)
class PairChoice:
    """Which of a group's clean pairs to keep; by default all of them.

    Args:
        max_pairs_per_group: at least 1, or None for no limit. A group of 8 can give up to 16
            pairs and as few as 7: without a limit, problems solved half of the time weigh most.
        dedupe: keep one of several pairs with the same two texts.
        seed: of the draw. It depends on the seed and the pair alone, so that neither the order
            of samples nor that of groups changes it.

    Raises:
        ValueError: a limit below 1.
    """

    max_pairs_per_group: int | None = None
    dedupe: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        limit = self.max_pairs_per_group
        if limit is not None and limit < 1:
            raise ValueError(f"max_pairs_per_group={limit}: give at least 1, or None for no limit")

    def draw(self, duels: Sequence[Duel]) -> list[Duel]:
        """At most ``max_pairs_per_group`` of the pairs, in their order."""
        limit = self.max_pairs_per_group
        if limit is None or len(duels) <= limit:
            return list(duels)
        ranked = sorted(range(len(duels)), key=lambda place: self._lot(duels[place]))
        return [duels[place] for place in sorted(ranked[:limit])]

    def _lot(self, duel: Duel) -> bytes:
        problem = duel[0].problem
        parts = [str(self.seed), problem.id or problem.question]
        for sample in duel:
            parts += [str(sample.index), sample.response]
        return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def without_repeats(duels: Sequence[Duel]) -> list[Duel]:
    """The first pair of each two texts, in order."""
    first: dict[tuple[str, str], Duel] = {}
    for winner, loser in duels:
        first.setdefault((winner.response, loser.response), (winner, loser))
    return list(first.values())
