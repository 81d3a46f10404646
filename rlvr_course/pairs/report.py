"""What became of every possible pair, why groups gave none, and how long the winners are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from rlvr_course.pairs.clusters import ClusteredMean
from rlvr_course.pairs.group import FATES, REASONS, GroupPairs
from rlvr_course.records import Message

BIAS_TO_WARN = 0.1
EMPTY_SHARE_TO_WARN = 0.5


@dataclass
class PairReport:
    """Running counts over groups, in constant memory.

    Intervals take groups as independent, never pairs: those of a group share its samples.

    Args:
        groups, samples: seen so far.
        labels: how many labels were given (0 for a function of labels, which has no count).
        labelled: samples that had one.
        fates: what became of each right × wrong pair (``group.FATES``).
        reasons: why groups gave no pair (``group.REASONS``).
        rejected_chars: characters of all losers in pairs, each as often as it loses.
        lengths: characters(chosen) − characters(rejected), over all pairs.
        longer: 1 where the winner is the longer one and 0 where the loser is, over pairs of
            unequal length.

    Limits: each group counts as one draw; one problem in two groups counts as two.
    """

    groups: int = 0
    samples: int = 0
    labels: int = 0
    labelled: int = 0
    fates: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    rejected_chars: int = 0
    lengths: ClusteredMean = field(default_factory=ClusteredMean)
    longer: ClusteredMean = field(default_factory=ClusteredMean)

    def add(self, group: GroupPairs) -> None:
        """Count one group."""
        self.groups += 1
        self.samples += group.samples
        self.labelled += group.labelled
        for fate, n in group.fates.items():
            self.fates[fate] += n
        if group.reason:
            self.reasons[group.reason] += 1
        total = longer = shorter = 0
        for pair in group.pairs:
            chosen, rejected = characters(pair.chosen), characters(pair.rejected)
            self.rejected_chars += rejected
            total += chosen - rejected
            longer += chosen > rejected
            shorter += chosen < rejected
        self.lengths.add(total, len(group.pairs))
        self.longer.add(longer, longer + shorter)

    @property
    def pairs(self) -> int:
        """Pairs given."""
        return self.fates["built"]

    @property
    def possible_pairs(self) -> int:
        """Right × wrong pairs of the verdicts, whatever became of them."""
        return sum(self.fates.values())

    @property
    def groups_with_pairs(self) -> int:
        """Groups that gave at least one pair."""
        return self.groups - sum(self.reasons.values())

    @property
    def mean_length_difference(self) -> float | None:
        """Mean of characters(chosen) − characters(rejected), None without pairs.

        Far from 0, the pairs teach a length beside whatever else they teach.
        """
        return self.lengths.value

    @property
    def length_interval(self) -> tuple[float, float] | None:
        """Cluster-robust 95% bounds of that mean; None with fewer than two groups in pairs."""
        return self.lengths.interval()

    @property
    def longer_winners(self) -> float | None:
        """Share of pairs whose winner is the longer one, among those of unequal length."""
        return self.longer.value

    @property
    def longer_winners_interval(self) -> tuple[float, float]:
        """95% bounds of that share, as wide as if all pairs of a group said the same."""
        return self.longer.share_interval()

    @property
    def warnings(self) -> list[str]:
        """What should make a reader stop before training on these pairs."""
        notes = []
        empty = self.groups - self.groups_with_pairs
        if empty > EMPTY_SHARE_TO_WARN * self.groups:
            common = ", ".join(f"{name} {n}" for name, n in self.reasons.most_common(3))
            notes.append(
                f"{empty} of {self.groups} groups give no pair ({common}): choose problems that "
                "the policy solves between 20% and 80% of the time"
            )
        if self.labels and self.groups and not self.labelled:
            notes.append(
                f"none of the {self.labels} labels belongs to a sample here: compare problem ids, "
                "indices and texts, or poisoned pairs stay in"
            )
        if self._teaches_length():
            difference = self.mean_length_difference or 0.0
            way = "longer" if difference > 0 else "shorter"
            notes.append(
                f"winners are {abs(difference):.0f} characters {way} on average: the pairs teach "
                "length too; see balance_lengths"
            )
        return notes

    def _teaches_length(self) -> bool:
        """Whether the mean difference is large for a loser's length, and more than chance."""
        mean, bounds = self.mean_length_difference, self.length_interval
        if not mean or (bounds is not None and bounds[0] <= 0 <= bounds[1]):
            return False
        return abs(mean) > BIAS_TO_WARN * self.rejected_chars / self.pairs

    def _rows(self) -> list[tuple[str, str]]:
        reasons = [(name, self.reasons[name]) for name in REASONS if self.reasons[name]]
        return [
            ("pairs", f"{self.pairs} of {self.possible_pairs} possible"),
            *(
                (f"  {_words(fate)}", str(self.fates[fate]))
                for fate in FATES[1:]
                if self.fates[fate]
            ),
            ("groups with pairs", f"{self.groups_with_pairs} of {self.groups}"),
            *((f"  {_words(name)}", str(n)) for name, n in reasons),
            ("samples", f"{self.samples}, {self.labelled} of them labelled"),
            ("chosen − rejected", self._length_words()),
            ("winner is longer", self._longer_words()),
        ]

    def _length_words(self) -> str:
        mean, bounds = self.mean_length_difference, self.length_interval
        if mean is None:
            return "no pairs"
        shown = "" if bounds is None else f" [{bounds[0]:.0f}, {bounds[1]:.0f}]"
        return f"{mean:+.0f} characters on average{shown} {_n(self.lengths)}"

    def _longer_words(self) -> str:
        if self.longer_winners is None:
            return "no pairs of unequal length"
        low, high = self.longer_winners_interval
        return f"{self.longer_winners:.2f} [{low:.2f}, {high:.2f}] {_n(self.longer)}"

    def __str__(self) -> str:
        rows = [f"{name:<24} {value}" for name, value in self._rows()]
        return "\n".join(rows + [f"warning: {note}" for note in self.warnings])

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align:left;padding-left:{1 + name.count("  ")}em">'
            f"{escape(name.strip())}</th><td>{escape(value)}</td></tr>"
            for name, value in self._rows()
        )
        notes = "".join(f"<p><b>Warning:</b> {escape(note)}</p>" for note in self.warnings)
        return f"<table><tbody>{rows}</tbody></table>{notes}"


def characters(messages: Iterable[Message]) -> int:
    """Characters of all contents."""
    return sum(len(message["content"]) for message in messages)


def _n(mean: ClusteredMean) -> str:
    return f"(pairs {mean.pairs}, groups {mean.groups})"


def _words(name: str) -> str:
    return name.replace("_", " ")
