"""The checks' results that a notebook shows, beside those that the checks logged."""

from __future__ import annotations

import ast
import hashlib
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from rlvr_course.grading.evidence.log_rows import CheckCall, LogRow, check_calls
from rlvr_course.grading.evidence.printed_run import PrintedRun
from rlvr_course.grading.evidence.python_cells import python_cell
from rlvr_course.grading.handin.seen import SeenCell, SeenOutput
from rlvr_course.grading.records import Finding
from rlvr_course.verifiers.boundary import describe_value

_CALL = re.compile(r"\bcheck\(")
_SHOWN = re.compile(
    r"^(?P<name>[A-Za-z]\w{0,30}): (?P<summary>open\b|public checks passed \(\d+ of \d+\)"
    r"|\d+ of \d+ public checks failed)",
)
_CASE = re.compile(r"^  (passed|failed) +(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class ShownCheck:
    """One result in the outputs."""

    name: str
    summary: str
    results: dict[str, str]
    output: SeenOutput
    cell: SeenCell


def check_result_findings(
    cells: Sequence[SeenCell], rows: Sequence[LogRow], run: PrintedRun | None
) -> list[Finding]:
    """Shown results that no call logged, that are older than a later call, or of other code."""
    calls: dict[str, list[CheckCall]] = {}
    for call in check_calls(rows):
        calls.setdefault(call.name, []).append(call)
    shown = list(shown_checks(cells))
    found: list[Finding] = []
    logged = [one for one in shown if any(_agrees(one, c) for c in calls.get(one.name, []))]
    latest = max((one.cell.count or 0 for one in logged), default=0)
    for one in shown:
        standing = run.standing(one.cell) if run is not None else "unknown"
        if standing == "unknown" and one.name not in calls and (one.cell.count or 0) > latest:
            standing = "before"  # a new session may have got as far as the last logged check
        if standing == "before":
            message = f"the check of {one.name} ran before the run whose log was handed in"
            place = one.cell.place
            found.append(Finding("check_of_an_earlier_run", "reproducibility", message, place))
            continue
        once = sum(other.name == one.name for other in shown) == 1
        found += _compared(one, calls.get(one.name, []), once=once)
    found += _other_sources(cells, shown, calls)
    return found


def fake_output_findings(cells: Sequence[SeenCell]) -> Iterator[Finding]:
    """Outputs that look like a check's, of cells that call none, and tables that were edited."""
    for cell in cells:
        calls = bool(_CALL.search(cell.source))
        for output in cell.outputs:
            if not calls and output.kind != "error" and _is_result(output):
                message = "its output looks like a check's, and it calls none"
                text = (output.text or output.html)[:200]
                yield Finding("fake_check_output", "integrity", message, cell.place, text)
    for one in shown_checks(cells):
        html, summary = one.output.html, one.output.text.split("\n", 1)[0]
        if html and escape(summary) not in html:
            message = f"the table of {one.name} says other than the text beside it"
            yield Finding("check_output_edited", "integrity", message, one.cell.place, html[:200])
        called = _checked_names(one.cell)
        if called and one.name not in called:
            message = f"it shows a result of {one.name}, and checks {', '.join(sorted(called))}"
            yield Finding("check_output_edited", "integrity", message, one.cell.place)


def shown_checks(cells: Sequence[SeenCell]) -> Iterator[ShownCheck]:
    """The results of checks in the outputs of cells that call one."""
    for cell in cells:
        if not cell.is_code or not _CALL.search(cell.source):
            continue
        for output in cell.outputs:
            match = _SHOWN.match(output.text)
            if match is not None and output.kind in {"execute_result", "display_data"}:
                results = {case: kind for kind, case in _CASE.findall(output.text[:100_000])}
                yield ShownCheck(match["name"], match["summary"], results, output, cell)


def _is_result(output: SeenOutput) -> bool:
    said = re.compile(r"\bq\w{1,20}: public checks passed")
    return bool(said.search(output.text) or said.search(output.html))


def _compared(one: ShownCheck, calls: Sequence[CheckCall], *, once: bool) -> Iterator[Finding]:
    place = one.cell.place
    same = [n for n, call in enumerate(calls) if _agrees(one, call)]
    if not calls:
        message = f"it shows a result of the check {one.name}, which the log has no row of"
        yield Finding("check_not_logged", "integrity", message, place, one.summary)
    elif not same:
        message = f"it shows a result of the check {one.name} that no call of it logged"
        logged = f"shown: {one.summary}; logged last: {calls[-1].summary}"
        yield Finding("check_not_logged", "integrity", message, place, logged)
    elif same[-1] != len(calls) - 1 and once:
        message = f"the check {one.name} ran again after this result, and gave another"
        logged = f"shown: {one.summary}; logged last: {calls[-1].summary}"
        yield Finding("check_output_older", "reproducibility", message, place, logged)


def _agrees(one: ShownCheck, call: CheckCall) -> bool:
    if one.summary != call.summary:
        return False
    # Cases that were not run any more are logged, and not shown.
    return all(call.results.get(case) == result for case, result in one.results.items())


def _other_sources(
    cells: Sequence[SeenCell],
    shown: Sequence[ShownCheck],
    calls: dict[str, list[CheckCall]],
) -> Iterator[Finding]:
    """Results of a function that is not in the notebook as it was handed in."""
    for one in shown:
        name = _checked_name(one)
        logged = {call.source_sha256 for call in calls.get(one.name, []) if _agrees(one, call)}
        hashes = _hashes(cells, name) if name and logged else None
        if hashes and not hashes & logged:
            message = f"what the check of {one.name} saw is not what `{name}` is in the notebook"
            yield Finding("checked_another_source", "reproducibility", message, one.cell.place)


def _checked_name(one: ShownCheck) -> str:
    """The name that was checked; "" if it was another expression."""
    return (_checked_names(one.cell) or {}).get(one.name, "")


def _checked_names(cell: SeenCell) -> dict[str, str] | None:
    """The checks that a cell calls, each with the name it checks; None if that can't be told."""
    tree = python_cell(cell.source).tree
    found = {}
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Call(func=ast.Name("check"), args=[ast.Constant(value=str(name)), checked]):
                found[name] = checked.id if isinstance(checked, ast.Name) else ""
            case ast.Call(func=ast.Name("check")):
                return None
    return found


def _hashes(cells: Sequence[SeenCell], name: str) -> set[str] | None:
    """What ``check`` would log for each definition of a name; None if one can't be told."""
    found = set()
    for cell in cells:
        part = python_cell(cell.source) if cell.is_code else None
        for node in ast.walk(part.tree) if part is not None and part.tree is not None else ():
            text = None
            match node:
                case ast.FunctionDef(name=bound) if bound == name:
                    text = None if node.decorator_list else _block(cell.source, node.lineno)
                case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                    text = _description(value)
                case ast.Name(id=bound, ctx=ast.Store()) if bound == name:
                    continue  # of the assignment above, unless it is of another kind
                case _:
                    continue
            if text is None:
                return None
            found.add(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    return found


def _block(source: str, line: int) -> str | None:
    """A function's source as ``inspect.getsource`` gives it in the kernel."""
    lines = [f"{text}\n" for text in source.split("\n")]
    try:
        return "".join(inspect.getblock(lines[line - 1 :]))
    except (SyntaxError, ValueError, IndexError):
        return None


def _description(value: ast.expr) -> str | None:
    try:
        return describe_value(ast.literal_eval(value))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
