"""Groups of scored samples into preference pairs, all at once or as a stream."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rlvr_course.pairs.balance import balance_lengths
from rlvr_course.pairs.choice import PairChoice
from rlvr_course.pairs.group import GroupPairs, pair_group
from rlvr_course.pairs.labels import Labels, Records
from rlvr_course.pairs.report import PairReport
from rlvr_course.pairs.write import write_preferences
from rlvr_course.records import PreferencePair, Sample

DEFAULT_PATH = "artifacts/preferences.jsonl"


def build_preferences(
    groups: Iterable[Sequence[Sample]],
    records: Records = None,
    *,
    path: str | os.PathLike[str] | None = DEFAULT_PATH,
    choice: PairChoice | None = None,
    balance: bool = False,
    report: PairReport | None = None,
) -> list[dict[str, Any]]:
    """Pair right with wrong answers of each group, leave the poison out, and write the rest.

    Args:
        groups: samples of one problem each, as ``rollout`` returns them.
        records: what is known of samples besides their verdicts: audit records, or a mapping
            such as ``answer_key()``; see ``Labels``. A winner suspected of a hack, a loser that
            is right, and whatever is open are left out.
        path: where to write the pairs, in place of what is there; nothing is written if None.
        choice: which clean pairs of a group to keep; all if None.
        balance: keep as many longer as shorter winners, see ``balance_lengths``.
        report: filled with what became of every possible pair.

    Returns:
        Rows with ``prompt`` (the exact messages sampled), ``chosen``, ``rejected`` (assistant
        messages) and ``provenance``: TRL's conversational preference format.

    Raises:
        ValueError: a group mixes problems or messages, or a label is unknown.
        DataError: the file can't be written.

    Limits: without ``records`` every error of the verifier goes into the pairs. Nothing is said of
        *how* a winner got there: a right answer after wrong working is a winner. All pairs are
        held in memory; ``iter_preferences`` holds those of one group, up to n²/4 of n samples.

    >>> from rlvr_course.records import Problem
    >>> problem = Problem("2 + 2?", "4", id="sum")
    >>> right, also_right, wrong = (
    ...     Sample(problem, text, text, paid - 0.1, bool(paid), messages=problem.messages, index=i)
    ...     for i, (text, paid) in enumerate([("4", 1), ("Four.", 0), ("5", 0)])
    ... )
    >>> group = [right, also_right, wrong]
    >>> rows = build_preferences([group], {("sum", 1): "verifier_error"}, path=None)
    >>> [(row["chosen"][0]["content"], row["rejected"][0]["content"]) for row in rows]
    [('4', '5')]
    """
    labels, report = Labels(records), PairReport() if report is None else report
    report.labels += len(labels)
    found = [pair_group(group, labels, choice=choice) for group in groups]
    if balance:
        found = _balanced(found)
    for group in found:
        report.add(group)
    rows = [pair.to_dict() for group in found for pair in group.pairs]
    if path is not None:
        write_preferences(path, rows)
    return rows


def iter_preferences(
    groups: Iterable[Sequence[Sample]],
    records: Records = None,
    *,
    choice: PairChoice | None = None,
    report: PairReport | None = None,
) -> Iterator[PreferencePair]:
    """The pairs of ``build_preferences``, one group in memory at a time.

    Args:
        groups: any iterable of groups, consumed as the pairs are.
        records, choice: as for ``build_preferences``. A function as ``records`` keeps labels out
            of memory too.
        report: filled as the pairs are taken; complete once they are all taken.

    Raises:
        ValueError: an unknown label, at the call; a group that mixes problems or messages, when
            it is reached.
    """
    labels, report = Labels(records), PairReport() if report is None else report
    report.labels += len(labels)
    return _stream(groups, labels, choice, report)


def _stream(
    groups: Iterable[Sequence[Sample]],
    labels: Labels,
    choice: PairChoice | None,
    report: PairReport,
) -> Iterator[PreferencePair]:
    for group in groups:
        found = pair_group(group, labels, choice=choice)
        report.add(found)
        yield from found.pairs


def _balanced(groups: Sequence[GroupPairs]) -> list[GroupPairs]:
    kept = iter(balance_lengths([pair for group in groups for pair in group.pairs]))
    return [group.keep([next(kept) for _ in group.pairs], "length_balance") for group in groups]
