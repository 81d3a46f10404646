"""Figures that a notebook prints of its own run, computed anew from its log.

One rule for each: the notebook, a pattern of the printed text, and what it must agree with. A run
may be in the log several times, when its cell was run again: any of them will do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rlvr_course.grading.evidence.log_rows import LogRow, sample_groups
from rlvr_course.grading.evidence.printed_run import PrintedRun, Standing
from rlvr_course.grading.handin.seen import SeenCell
from rlvr_course.grading.records import Finding

Groups = Sequence[Sequence[LogRow]]


class Figure(NamedTuple):
    """A printed figure: which notebook prints it, how it looks, and whether it fits the log."""

    notebook: str
    what: str
    pattern: re.Pattern[str]
    fits: Callable[[re.Match[str], Groups], bool]


def figure_findings(
    name: str, cells: Sequence[SeenCell], rows: Sequence[LogRow], run: PrintedRun | None
) -> Iterator[Finding]:
    """Printed figures that the log doesn't bear out."""
    figures = [figure for figure in FIGURES if figure.notebook == name]
    groups = sample_groups(rows) if figures else []
    for cell in cells:
        if not cell.is_code or not figures:
            continue
        texts = [cell.stdout[:100_000], *(o.text[:100_000] for o in cell.outputs if not o.name)]
        for figure in figures:
            for text in texts:
                match = figure.pattern.search(text)
                if match is not None and not figure.fits(match, groups):
                    yield _finding(figure, match, cell, _standing(cell, run, bool(groups)))


def _standing(cell: SeenCell, run: PrintedRun | None, is_logged: bool) -> Standing:
    """A cell's standing; where it can't be told and nothing of its kind was logged, "before"."""
    standing = run.standing(cell) if run is not None else "unknown"
    return "before" if standing == "unknown" and not is_logged else standing


def _finding(figure: Figure, match: re.Match[str], cell: SeenCell, standing: Standing) -> Finding:
    if standing == "before":
        message = f"{figure.what}: of a run before the one whose log was handed in"
        return Finding("figure_of_an_earlier_run", "reproducibility", message, cell.place)
    message = f"{figure.what}: the printed figure is not what the log gives"
    return Finding("figure_not_of_log", "integrity", message, cell.place, match[0][:300])


def _right(group: Sequence[LogRow]) -> int:
    return sum(row.record.get("verified_correct") is True for row in group)


def _wrong(group: Sequence[LogRow]) -> int:
    return sum(row.record.get("verified_correct") is False for row in group)


def _one_group(match: re.Match[str], groups: Groups) -> bool:
    """So many right in some group of that size that was sampled by itself."""
    right, size = int(match["right"]), int(match["size"])
    alone = _sampled_alone(groups)
    return any(len(group) == size and _right(group) == right for group in alone)


def _sampled_alone(groups: Groups) -> Groups:
    """Groups of one problem, not of a loop over many; where none is, those that a loop began with.

    What was sampled without another entry between lies on consecutive lines.
    """
    stretches: list[list[Sequence[LogRow]]] = []
    for group in groups:
        if not stretches or stretches[-1][-1][-1].line + 1 != group[0].line:
            stretches.append([])
        stretches[-1].append(group)
    begun = [
        [group for group in stretch if _problem(group) == _problem(stretch[0])]
        for stretch in stretches
    ]
    pairs = zip(begun, stretches, strict=True)
    alone = [group for some, all_ in pairs if len(some) == len(all_) for group in some]
    return alone or [group for some in begun for group in some]


def _problem(group: Sequence[LogRow]) -> object:
    return group[0].record["problem"]


def _statistics(match: re.Match[str], groups: Groups) -> bool:
    """The sums over some run of so many groups."""
    size = int(match["groups"])
    columns = {
        "samples": [len(g) for g in groups],
        "right": [_right(g) for g in groups],
        "mixed": [bool(_right(g) and _wrong(g)) for g in groups],
        "pairs": [_right(g) * _wrong(g) for g in groups],
    }
    sums = zip(*(_sums(column, size) for column in columns.values()), strict=True)
    return tuple(int(match[name]) for name in columns) in set(sums)


def _sums(values: Sequence[float], size: int) -> list[float]:
    """The sum of every run of ``size`` values."""
    totals = [0.0, *accumulate(values)]
    if not 0 < size <= len(values):
        return []
    return [high - low for low, high in zip(totals, totals[size:], strict=False)]


def _mixed(match: re.Match[str], groups: Groups) -> bool:
    kinds = [bool(_right(group) and _wrong(group)) for group in groups]
    return int(match["mixed"]) in _sums(kinds, int(match["groups"]))


def _rate(match: re.Match[str], groups: Groups) -> bool:
    """A printed rate, with its interval, of some run of so many samples."""
    from rlvr_course.stats import Rate

    size = int(match["n"])
    right = [row.record.get("verified_correct") is True for group in groups for row in group]
    counts = {int(n) for n in _sums(right, size)}
    return any(str(Rate(n, size)) == match["rate"] for n in counts)


def _mean_reward(match: re.Match[str], groups: Groups) -> bool:
    size = int(match["n"])
    rewards = [_number(row.record.get("reward")) for group in groups for row in group]
    means = [total / size for total in _sums(rewards, size)]
    # Sums of floats, each in its own order: what rounds to the last digit may differ.
    return any(abs(mean - float(match["mean"])) < 0.00051 for mean in means)


def _reason(match: re.Match[str], groups: Groups) -> bool:
    shown = " ".join(match["reason"].split())
    reasons = {str(row.record.get("reason")) for group in groups for row in group}
    return any(" ".join(reason.split()).startswith(shown) for reason in reasons)


def _number(value: object) -> float:
    """A reward; nothing can be the mean of a run in which one is missing."""
    is_small = isinstance(value, int | float) and abs(value) < 1e9
    return float(value) if is_small and isinstance(value, int | float) else math.nan


FIGURES = (
    Figure(
        "00_start_here",
        "right answers in the group",
        re.compile(r"^right: (?P<right>\d{1,4}) of (?P<size>\d{1,4}) +your guess:", re.MULTILINE),
        _one_group,
    ),
    Figure(
        "00_start_here",
        "statistics of the groups",
        re.compile(
            r"GroupStatistics\(groups=(?P<groups>\d{1,5}), mixed=(?P<mixed>\d{1,5}), "
            r"usable_pairs=(?P<pairs>\d{1,7}),.{0,200}?\bsamples=(?P<samples>\d{1,6}),"
            r".{0,100}?successes=(?P<right>\d{1,6}),"
        ),
        _statistics,
    ),
    Figure(
        "03_groups_and_advantages",
        "mixed groups by the package's verifier",
        re.compile(r"^package +(?P<mixed>\d{1,4}) mixed = .{1,40}n=(?P<groups>\d{1,5})\)", re.M),
        _mixed,
    ),
    Figure(
        "03_groups_and_advantages",
        "rate by samples",
        re.compile(r"^by samples: +(?P<rate>\d\.\d\d \[.{1,20}\] \(n=(?P<n>\d{1,6})\))", re.M),
        _rate,
    ),
    Figure(
        "05_sandboxed_code",
        "mean reward",
        re.compile(r"^(?P<n>\d{1,5}) samples, mean reward (?P<mean>-?\d\.\d{3}), log holds", re.M),
        _mean_reward,
    ),
    Figure(
        "05_sandboxed_code",
        "the last sample's reason",
        re.compile(r"^one line's reason: (?P<reason>[^\n]{1,80})", re.MULTILINE),
        _reason,
    ),
)
"""What the notebooks print of their own log; a new figure needs a line here."""
