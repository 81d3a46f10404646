"""Are the cells that were given still the ones that were given?

Learners may try things out in any cell, and editors rewrite layout, metadata and ids. What is
looked for is a change to what the grading rests on: a check, the start of the run, the import of
either. Any other change is told as what it is.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence

from rlvr_course.grading.evidence.order import places
from rlvr_course.grading.evidence.python_cells import python_cell
from rlvr_course.grading.handin.matching import Matching, is_same
from rlvr_course.grading.handin.seen import SeenCell
from rlvr_course.grading.records import Finding, FindingKind
from rlvr_course.grading.released import ReleasedCell

_BEARING_CALLS = {"check", "start", "verify_audit"}
MAX_DIFF_LINES = 400
MANY_CHANGES, MANY_SHARE = 8, 0.12
"""So many changed cells, and such a share of all, speak of another release."""


def given_cell_findings(cells: Sequence[SeenCell], matching: Matching) -> list[Finding]:
    """What became of the released cells: changed, missing, copied; and how many were added.

    Args:
        cells: all of the submission's; a check may have been moved from its cell to another.
        matching: of them with the released ones.
    """
    held = _Statements()
    for cell in cells:
        if cell.is_code:
            held.update(_bearing(cell.source))
    changes = [
        *(found for pair in matching.pairs.values() for found in _changed(*pair, held)),
        *_missing(matching.missing, held),
        *_copies(matching.copies),
    ]
    return [*_as_one(changes, matching), *_regraded(matching), *_added(matching.added)]


def _changed(cell: SeenCell, given: ReleasedCell, held: _Statements) -> Iterator[Finding]:
    if given.is_learners or is_same(cell.source, given):
        return
    if given.cell_type != "code" or cell.cell_type != "code":
        if cell.cell_type != given.cell_type:
            message = f"a given {given.cell_type} cell was made a {cell.cell_type} cell"
            lost = _bearing(given.source) - held
            kind: FindingKind = "integrity" if lost else "reproducibility"
            yield Finding("given_cell_changed", kind, message, cell.place)
        else:
            yield Finding("given_text_changed", "note", "a given text was changed", cell.place)
        return
    lost = _bearing(given.source) - held
    if lost:
        what = min(lost.values())
        message = f"a given cell no longer holds `{what[:80]}`"
        yield Finding("given_cell_changed", "integrity", message, cell.place, _diff(cell, given))
    elif python_cell(given.source).tree is not None:
        yield _harmless_change(cell, given)


def _as_one(changes: Sequence[Finding], matching: Matching) -> Sequence[Finding]:
    """Where much differs, the learner was given another release of the notebook."""
    total = len(matching.pairs) + len(matching.missing)
    if len(changes) < MANY_CHANGES or len(changes) < total * MANY_SHARE:
        return changes
    message = (
        f"{len(changes)} of {total} cells are not as they were given: another version of the "
        "notebook? Compare with the release that this learner was given"
    )
    checks = [f for f in changes if f.kind == "integrity" and "check" in f.message]
    return [Finding("another_version", "reproducibility", message), *checks]


class _Statements(dict[str, str]):
    """Statements by their syntax, so that layout doesn't count, with their text."""

    def __sub__(self, other: _Statements) -> _Statements:
        return _Statements({key: text for key, text in self.items() if key not in other})


def _bearing(source: str) -> _Statements:
    """The calls and imports of a cell that grading rests on."""
    tree = python_cell(source).tree
    found = _Statements()
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _BEARING_CALLS:
                found[ast.dump(node)] = ast.unparse(node)
            case ast.ImportFrom(module="rlvr_course", names=aliases):
                for alias in aliases:
                    if alias.name in _BEARING_CALLS:
                        found[f"{alias.name} as {alias.asname}"] = f"import {alias.name}"
    return found


def _harmless_change(cell: SeenCell, given: ReleasedCell) -> Finding:
    old, new = _shape(given.source), _shape(cell.source)
    if old == new:
        return Finding(
            "given_values_changed",
            "note",
            "a given cell has other values than it was given with",
            cell.place,
            _diff(cell, given),
        )
    if new is not None and old is not None and _is_part(old, new):
        return Finding(
            "given_cell_extended", "note", "lines were added to a given cell", cell.place,
            _diff(cell, given),
        )  # fmt: skip
    return Finding(
        "given_cell_changed",
        "reproducibility",
        "the code of a given cell was changed, so its output is not the course's",
        cell.place,
        _diff(cell, given),
    )


def _shape(source: str) -> list[str] | None:
    """The statements' syntax without the values of their constants; None if it doesn't parse."""
    tree = python_cell.__wrapped__(source).tree  # a tree of our own, which is changed below
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = type(node.value).__name__
    try:
        return [ast.dump(statement) for statement in tree.body]
    except RecursionError:
        return None


def _is_part(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether all of the few occur among the many in the same order."""
    rest = iter(many)
    return all(any(item == one for one in rest) for item in few)


def _missing(missing: Sequence[ReleasedCell], held: _Statements) -> Iterator[Finding]:
    bearing = [c for c in missing if c.cell_type == "code" and _bearing(c.source) - held]
    graded = [cell for cell in missing if cell.grade_id]
    code = [
        cell
        for cell in missing
        if cell.cell_type == "code" and cell not in bearing and cell not in graded
    ]
    for cell in bearing:
        what = f"the check {cell.check!r}" if cell.check else "a call that grading rests on"
        message = f"the given cell {cell.place} with {what} is missing"
        yield Finding("given_cell_missing", "integrity", message, None, cell.source[:200])
    for cell in graded:
        message = f"the cell of {cell.grade_id} (place {cell.place} as given) is missing"
        yield Finding("graded_cell_missing", "reproducibility", message)
    if code:
        message = f"given code is missing: {places(cell.place for cell in code)} as given"
        yield Finding("given_cell_missing", "reproducibility", message)
    texts = len(missing) - len(bearing) - len(graded) - len(code)
    if texts:
        yield Finding("given_text_missing", "note", f"{texts} given texts are missing")


def _copies(copies: Sequence[tuple[SeenCell, ReleasedCell]]) -> Iterator[Finding]:
    """Copying a cell in an editor copies its metadata, and in some its id."""
    for cell, given in copies:
        if given.grade_id:
            message = f"a second cell has the grade id {given.grade_id}; the first is graded"
            yield Finding("grade_id_twice", "note", message, cell.place, cell.source[:200])
        else:
            message = f"a second cell has the id of given cell {given.place}"
            yield Finding("cell_copied", "note", message, cell.place, cell.source[:200])


def _regraded(matching: Matching) -> Iterator[Finding]:
    for cell, given in matching.pairs.values():
        if cell.grade_id and cell.grade_id != given.grade_id:
            was = given.grade_id or "none"
            message = f"it says that it is {cell.grade_id}, and was given as {was}"
            yield Finding("grading_metadata_changed", "integrity", message, cell.place)
        elif cell.grade_id and cell.points is not None and cell.points != given.points:
            message = (
                f"it says that it is worth {cell.points:g} points; as given it is "
                f"{given.points:g}, and that counts"
            )
            yield Finding("grading_metadata_changed", "integrity", message, cell.place)


def _added(added: Sequence[SeenCell]) -> Iterator[Finding]:
    if added:
        one = "a cell" if len(added) == 1 else f"{len(added)} cells"
        message = f"{one} of the learner's own: {places(c.place for c in added)}"
        yield Finding("cells_added", "note", message, added[0].place)


def _diff(cell: SeenCell, given: ReleasedCell) -> str:
    """The lines that differ, the given ones with a minus sign."""
    old = given.source.splitlines()[:MAX_DIFF_LINES]
    new = [line[:200] for line in cell.source.splitlines()[:MAX_DIFF_LINES]]
    lines = difflib.unified_diff(old, new, lineterm="", n=0)
    return "\n".join(line for line in lines if line[:3] not in {"---", "+++", "@@ "})[:300]
