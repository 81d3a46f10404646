"""Are a notebook's outputs those of one run from top to bottom?

An honest notebook need not be: cells are run again, in any order. So nothing here is of kind
"integrity": it says what a reader can't rely on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

from rlvr_course.grading.evidence.python_cells import python_cell
from rlvr_course.grading.handin.seen import SeenCell
from rlvr_course.grading.records import Finding

CLOCK_SLACK = timedelta(seconds=1)
"""A clock may be set back a little between two cells."""

MAX_NAMED = 12
"""Cells that a message names."""

_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}m")
_FAILED_LINE = re.compile(r"^-+> *\d+ ?(.*)$", re.MULTILINE)


def order_findings(cells: Sequence[SeenCell]) -> list[Finding]:
    """What the counts, stamps and outputs say of the order of execution."""
    code = [cell for cell in cells if cell.is_code]
    run = [cell for cell in code if cell.count]
    if not code:
        return []
    if not run:
        return [_finding("not_executed", "no cell has been run", None)]
    return [
        *_unrun(code),
        *_counts(run),
        *_stamps(run),
        *(finding for cell in run for finding in _stale(cell)),
    ]


def places(numbers: Iterable[int]) -> str:
    """Cell numbers for a message: "cells 3, 4 and 5 more"."""
    found = list(numbers)
    shown = ", ".join(map(str, found[:MAX_NAMED]))
    more = f" and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
    return f"cell{'s' if len(found) > 1 else ''} {shown}{more}"


def _unrun(code: Sequence[SeenCell]) -> Iterator[Finding]:
    unrun = [cell.place for cell in code if not cell.count and _does_something(cell)]
    if unrun:
        message = f"{places(unrun)} of {len(code)} code cells not run"
        yield _finding("cells_not_run", message, unrun[0])


def _does_something(cell: SeenCell) -> bool:
    tree = python_cell(cell.source).tree
    return tree is None or bool(tree.body)


def _counts(run: Sequence[SeenCell]) -> Iterator[Finding]:
    counts = [cell.count for cell in run]
    if counts == list(range(1, len(run) + 1)):
        return
    wrong = next(cell for n, cell in enumerate(run, start=1) if cell.count != n)
    what = []
    if any(a > b for a, b in pairwise(c or 0 for c in counts)):
        what.append("out of order")
    if len(set(counts)) < len(counts):
        what.append("repeated")
    if not what:
        what.append("with gaps: cells were run again, or deleted after they ran")
    message = f"execution counts are {' and '.join(what)}, not 1 to {len(run)}"
    shown = " ".join(map(str, counts[:60]))
    yield _finding("counts_not_in_order", message, wrong.place, shown)


def _stamps(run: Sequence[SeenCell]) -> Iterator[Finding]:
    """In the order of their counts, cells must begin one after the other."""
    stamped = sorted((c for c in run if c.begun), key=lambda cell: (cell.count, cell.place))
    for before, cell in pairwise(stamped):
        if before.begun and cell.begun and cell.begun < before.begun - CLOCK_SLACK:
            message = (
                f"it ran before cell {before.place} by the clock, after it by the execution "
                "counts: they come from several sessions"
            )
            times = f"[{before.count}] {before.begun}; [{cell.count}] {cell.begun}"
            yield _finding("stamps_out_of_order", message, cell.place, times)
            return


def _stale(cell: SeenCell) -> Iterator[Finding]:
    """Outputs that the source as it stands can't have given."""
    cell_parts = python_cell(cell.source)
    if any(line.startswith("%%") for line in cell_parts.lines):
        return
    reason = _mismatch(cell, cell_parts.tree)
    if reason:
        yield _finding("output_not_of_source", reason[0], cell.place, reason[1])


def _mismatch(cell: SeenCell, tree: ast.Module | None) -> tuple[str, str] | None:
    counts = {o.count for o in cell.outputs if o.kind == "execute_result" and o.count is not None}
    if counts - {cell.count}:
        counted = f"the output is of execution {min(counts)}, the cell of execution {cell.count}"
        return counted, ""
    line = _failed_line(cell)
    if line and line.strip() not in cell.source:
        return "its error shows a line that is not in the cell", line
    if tree is None or not tree.body or cell.is_cut or cell.has_failed:
        return None
    results = [o for o in cell.outputs if o.kind == "execute_result"]
    if results and not isinstance(tree.body[-1], ast.Expr):
        return "it shows a value, but does not end in an expression", results[0].text[:200]
    return _missing(cell, tree)


def _failed_line(cell: SeenCell) -> str:
    """The cell's own line that an error's traceback points at, "" if none does."""
    for output in cell.outputs:
        text = _ANSI.sub("", output.text[:50_000]) if output.kind == "error" else ""
        # The first frame is the cell; what follows are frames of functions from anywhere.
        if found := _FAILED_LINE.search(text):
            return found[1]
    return ""


def _missing(cell: SeenCell, tree: ast.Module) -> tuple[str, str] | None:
    """What every run of the source would have shown, and isn't there."""
    for statement in tree.body:
        for parts in _printed(statement):
            at = 0
            for part in parts:
                at = cell.stdout.find(part, at)
                if at < 0:
                    return "it prints a text that is not in its output", part[:200]
                at += len(part)
    last = tree.body[-1]
    shows = isinstance(last, ast.Expr) and _is_call_of(last.value, "check")
    if shows and not cell.outputs and not cell.source.rstrip().endswith(";"):
        return "it was run, but what it shows is missing", ""
    return None


def _printed(statement: ast.stmt) -> Iterator[list[str]]:
    """Of ``print(...)`` at the top level: the fixed texts that it prints, in order."""
    if not isinstance(statement, ast.Expr) or not _is_call_of(statement.value, "print"):
        return
    call = statement.value
    if isinstance(call, ast.Call) and not any(k.arg in {"file", None} for k in call.keywords):
        yield [text for arg in call.args for text in _texts(arg) if text.strip()]


def _texts(node: ast.expr) -> Iterator[str]:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _finding(code: str, message: str, cell: int | None, evidence: str = "") -> Finding:
    return Finding(code, "reproducibility", message, cell, evidence[:300])
