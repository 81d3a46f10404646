"""What a batch of groups can teach: mixed groups and usable pairs first.

A group-relative method learns from differences inside a group. Where all samples of a group earn
the same, every advantage is zero and the group costs tokens without moving the policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from rlvr_course.records import Sample
from rlvr_course.stats import Rate

UNIFORM_SHARE_TO_WARN = 0.5
MASKED_SHARE_TO_WARN = 0.05


@dataclass(frozen=True)
class GroupStatistics:
    """Counts over groups; "graded" leaves out samples that the grader could not judge.

    Args:
        groups: number of groups.
        mixed: groups with a correct and an incorrect graded sample.
        usable_pairs: (correct, incorrect) pairs within a group, summed over groups.
        uniform_correct: groups whose graded samples are all correct.
        uniform_incorrect: groups whose graded samples are all incorrect.
        ungraded: groups without a graded sample.
        zero_gradient: groups with fewer than two different rewards, masked ones left out.
        samples: number of samples.
        masked_samples: samples that the grader could not judge.
        solve_rate: share of graded samples that are correct.
    """

    groups: int
    mixed: int
    usable_pairs: int
    uniform_correct: int
    uniform_incorrect: int
    ungraded: int
    zero_gradient: int
    samples: int
    masked_samples: int
    solve_rate: Rate

    @property
    def warnings(self) -> list[str]:
        """What should make a reader stop before training on these groups."""
        notes = []
        if self.zero_gradient > UNIFORM_SHARE_TO_WARN * self.groups:
            notes.append(
                f"{_share(self.zero_gradient, self.groups)} of groups give zero gradient "
                f"({self.uniform_correct} all correct, {self.uniform_incorrect} all incorrect): "
                "choose problems that the policy solves between 20% and 80% of the time"
            )
        if self.masked_samples > MASKED_SHARE_TO_WARN * self.samples:
            notes.append(
                f"{_share(self.masked_samples, self.samples)} of samples are masked: "
                "read their reasons before you trust the rest"
            )
        return notes

    def _rows(self) -> list[tuple[str, str]]:
        return [
            ("mixed groups", f"{self.mixed} of {self.groups}"),
            ("usable pairs", str(self.usable_pairs)),
            ("all correct", str(self.uniform_correct)),
            ("all incorrect", str(self.uniform_incorrect)),
            ("no graded sample", str(self.ungraded)),
            ("zero gradient", f"{self.zero_gradient} of {self.groups}"),
            ("masked samples", f"{self.masked_samples} of {self.samples}"),
            ("solve rate", str(self.solve_rate)),
        ]

    def __str__(self) -> str:
        rows = [f"{name:<17} {value}" for name, value in self._rows()]
        return "\n".join(rows + [f"warning: {note}" for note in self.warnings])

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th><td>{escape(value)}</td></tr>'
            for name, value in self._rows()
        )
        notes = "".join(f"<p><b>Warning:</b> {escape(note)}</p>" for note in self.warnings)
        return f"<table><tbody>{rows}</tbody></table>{notes}"


def group_statistics(groups: Sequence[Sequence[Sample]]) -> GroupStatistics:
    """Count what the groups of a rollout can teach.

    Args:
        groups: samples of one problem each, as ``rollout`` returns them.

    Returns:
        The counts; ``warnings`` says when most groups give no gradient.

    Raises:
        ValueError: a group without samples.

    >>> from rlvr_course.records import Problem
    >>> problem = Problem("2 + 2?", "4")
    >>> right, wrong = (Sample(problem, r, r, reward, reward > 0)
    ...                 for r, reward in (("4", 1.0), ("5", -0.1)))
    >>> statistics = group_statistics([[right, wrong, wrong], [wrong, wrong]])
    >>> statistics.mixed, statistics.usable_pairs, statistics.uniform_incorrect
    (1, 2, 1)
    """
    for index, group in enumerate(groups):
        if len(group) == 0:
            raise ValueError(f"group {index} of {len(groups)} is empty: leave it out")
    correct = [sum(s.verified_correct is True for s in group) for group in groups]
    incorrect = [sum(s.verified_correct is False for s in group) for group in groups]
    counts = list(zip(correct, incorrect, strict=True))
    samples = sum(len(group) for group in groups)
    graded = sum(correct) + sum(incorrect)
    return GroupStatistics(
        groups=len(groups),
        mixed=sum(c > 0 and i > 0 for c, i in counts),
        usable_pairs=sum(c * i for c, i in counts),
        uniform_correct=sum(c > 0 and i == 0 for c, i in counts),
        uniform_incorrect=sum(c == 0 and i > 0 for c, i in counts),
        ungraded=sum(c == i == 0 for c, i in counts),
        zero_gradient=sum(_has_zero_gradient(group) for group in groups),
        samples=samples,
        masked_samples=samples - graded,
        solve_rate=Rate(sum(correct), graded),
    )


def _has_zero_gradient(group: Sequence[Sample]) -> bool:
    return len({sample.reward for sample in group if sample.reward is not None}) < 2


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f}%)"
