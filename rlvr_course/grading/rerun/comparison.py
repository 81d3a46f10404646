"""Hold the outputs that were handed in against those of a rerun, cell by cell.

Both are normalised first (``classroom.outputs``). A difference alone is a matter of
reproducibility. It is one of integrity, for an instructor to look at, where what was handed in
claims more than the rerun shows: a passed check, or figures that code without chance in it does
not print. Given cells run anew as they were handed out, so figures of one that the learner changed,
or that stand below such a one, accuse nobody: the change is told by itself.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rlvr_course.classroom.outputs import IGNORED_TAG, shown
from rlvr_course.grading.evidence.order import order_findings
from rlvr_course.grading.evidence.python_cells import python_cell, tree_text
from rlvr_course.grading.handin.seen import seen_cells
from rlvr_course.grading.records import Finding, FindingKind, Submission
from rlvr_course.grading.rerun.rerun import Reexecution

PASSED = "public checks passed"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CHANCE = re.compile(
    r"\b(random|rng|shuffle|sample|uuid\d?|urandom|secrets|time|datetime|perf_counter|monotonic|"
    r"getpid|hash|id)\b\s*[.(]|\b(import|from) (random|time|secrets)\b"
)
_SHOWN = 300


@dataclass(frozen=True)
class _Pair:
    """A cell as handed in and as it ran anew.

    Args:
        place: in the submission, from 1.
        stored: as handed in.
        fresh: as it ran anew.
        late: whether it was run out of its place.
        is_changed: whether it was given, and other code ran than was handed in.
        follows_change: whether such a cell before it may have changed what it shows.
        is_older: whether its source was changed after it had run.
    """

    place: int
    stored: Mapping[str, Any]
    fresh: Mapping[str, Any]
    late: bool
    is_changed: bool = False
    follows_change: bool = False
    is_older: bool = False

    @property
    def lines(self) -> tuple[list[str], list[str]]:
        return shown(self.stored["outputs"]), shown(self.fresh["outputs"])


def compare(submission: Submission, reexecution: Reexecution) -> list[Finding]:
    """What the rerun shows of a submission's stored outputs.

    Args:
        submission: what was handed in.
        reexecution: of the same submission, with the usual fixtures.

    Returns:
        In the order of cells: "outputs_differ", "stale_output" (the cell was not run in its place,
        or changed after it had run), one "not_run" for all cells that were never run, one
        "rerun_..." if the run was stopped or a cell failed that shows no error in the submission,
        "left_running". None if nothing ran.

    Limits: images are compared by kind only; standard error and cells tagged as showing
    something else each time, not at all. A cell that failed is not told from one that a failure
    before it caused to fail.
    """
    if not reexecution.ran or reexecution.notebook is None or submission.notebook is None:
        return list(_of_run(reexecution, set()))
    pairs = list(_pairs(submission.notebook["cells"], reexecution.notebook["cells"]))
    order = order_findings(seen_cells(submission.notebook))
    older = {finding.cell for finding in order if finding.code == "output_not_of_source"}
    pairs = [
        replace(pair, late=True, is_older=True) if pair.place in older else pair for pair in pairs
    ]
    by_chance = any(
        _CHANCE.search(cell["source"])
        for cell in reexecution.notebook["cells"]
        if cell["metadata"]["learners"]
    )
    unrun = [pair.place for pair in pairs if _never_ran(pair.stored)]
    found = [finding for pair in pairs for finding in _of_pair(pair, by_chance)]
    if unrun:
        found.append(_not_run(unrun))
    failing = {pair.place for pair in pairs if _fails(pair.stored)}
    found += _of_run(reexecution, failing)
    return sorted(found, key=lambda finding: finding.cell or 0)


def _pairs(
    stored: Sequence[Mapping[str, Any]], fresh: Sequence[Mapping[str, Any]]
) -> Iterator[_Pair]:
    """The cells that were handed in and reached by the rerun, in order."""
    highest, is_other = 0, False
    for cell in fresh:
        place = cell["metadata"]["submitted"]
        if place is None or cell["execution_count"] is None:
            continue
        handed = stored[place - 1]
        if handed["cell_type"] != "code":
            continue
        count = handed["execution_count"]
        late = count is None or count < highest
        highest = max(highest, count or 0)
        now, then = handed["source"], cell["source"]
        is_changed = not cell["metadata"]["learners"] and tree_text(now) != tree_text(then)
        if IGNORED_TAG not in cell["metadata"]["tags"]:
            yield _Pair(place, handed, cell, late, is_changed, is_other)
        is_other = is_other or (is_changed and _effects(now) != _effects(then))


def _effects(source: str) -> str | None:
    """The statements that later cells may depend on: all but those that only show something."""
    tree = python_cell(source).tree
    if tree is None:
        return None
    kept = [statement for statement in tree.body if not isinstance(statement, ast.Expr)]
    try:
        return ast.dump(ast.Module(kept, []))
    except RecursionError:
        return None


def _never_ran(cell: Mapping[str, Any]) -> bool:
    return cell["execution_count"] is None and not cell["outputs"]


def _fails(cell: Mapping[str, Any]) -> bool:
    return any(output["output_type"] == "error" for output in cell["outputs"])


def _of_pair(pair: _Pair, by_chance: bool) -> Iterator[Finding]:
    before, after = pair.lines
    if before == after or _never_ran(pair.stored):
        return
    evidence = _difference(before, after)
    is_open = by_chance or pair.is_changed or pair.follows_change or pair.is_older
    if claim := _claim(before, after, is_open):
        yield Finding("outputs_differ", "integrity", claim, pair.place, evidence)
    elif pair.is_changed:
        if not _is_part(after, before):
            message = "The given cell was changed: as it was handed out it shows something else."
            yield Finding("outputs_differ", "reproducibility", message, pair.place, evidence)
    elif pair.late:
        why = "its code was changed since" if pair.is_older else "it was run out of its place"
        message = f"The stored output is of another moment: {why}."
        yield Finding("stale_output", "reproducibility", message, pair.place, evidence)
    else:
        message = "Run anew from top to bottom, the cell shows something else."
        yield Finding("outputs_differ", "reproducibility", message, pair.place, evidence)


def _is_part(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether all of the few are among the many, in the same order."""
    rest = iter(many)
    return all(line in rest for line in few)


def _claim(before: Sequence[str], after: Sequence[str], is_open: bool) -> str:
    """What the stored output says to its learner's advantage; "" if nothing.

    Figures are no claim where chance, a change to a given cell or code that was changed since may
    have made them.
    """
    if _has(before, PASSED) and not _has(after, PASSED):
        return "The stored output says that public checks passed; run anew, they don't."
    claimed, found = _numbers(before), _numbers(after)
    if is_open or not found or not claimed - found:
        return ""
    figure = sorted(claimed - found)[0]
    return f"The stored output has figures, such as {figure}, that its code doesn't give."


def _has(lines: Sequence[str], text: str) -> bool:
    return any(text in line for line in lines)


def _numbers(lines: Sequence[str]) -> set[str]:
    return {number for line in lines for number in _NUMBER.findall(line)}


def _difference(before: Sequence[str], after: Sequence[str]) -> str:
    """The first lines that differ: - as handed in, + as run anew."""
    lines = difflib.unified_diff(before[:200], after[:200], lineterm="", n=0)
    kept = [line[:120] for line in lines if not line.startswith(("---", "+++", "@@"))]
    return "\n".join(kept)[:_SHOWN]


def _not_run(places: Sequence[int]) -> Finding:
    names = ", ".join(map(str, places[:12])) + (" and more" if len(places) > 12 else "")
    cells = "Cell" if len(places) == 1 else f"{len(places)} cells"
    message = f"{cells} handed in without having been run: {names}"
    return Finding("not_run", "reproducibility", message, places[0])


def _of_run(reexecution: Reexecution, failing: set[int]) -> Iterator[Finding]:
    """What is to be said of the whole run."""
    kind: FindingKind = "reproducibility"
    raised = reexecution.status == "failed" and reexecution.cell in failing
    if reexecution.ran and reexecution.status != "ok" and not raised:
        message = f"Run anew, it does not come to its end as handed in: {reexecution.reason}."
        yield Finding(f"rerun_{reexecution.status}", kind, message, reexecution.cell)
    if reexecution.left_running:
        message = f"{reexecution.left_running} processes were left running, and were ended."
        yield Finding("left_running", "note", message)
