"""Exercises that hand the work to the course's own function for it.

The package is there to be read and imported, and a copy of its code can't be told from one's own.
What can be told is an exercise that depends on the course's verifier, extractor or estimator by its
name: it has all points, and a person should look at it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from rlvr_course.classroom.plain import RECORD_TYPES
from rlvr_course.classroom.specs import SPECS
from rlvr_course.grading.evidence.bindings import Bindings
from rlvr_course.grading.handin.handed_in import handed_in
from rlvr_course.grading.marking.definitions import Definitions, definitions
from rlvr_course.grading.records import Finding, Submission
from rlvr_course.grading.released import Released

MEANT: Mapping[str, frozenset[str]] = {"q04c": frozenset({"find_boxes"})}
"""Functions that an exercise tells to use."""

_PACKAGE = "rlvr_course."
_DATA = {"problems", "records", "errors", "modes", "plots"}
_TOOLS = {kind.__name__ for kind in RECORD_TYPES} | {"check", "start", "errors", "plots"}
_TOOLS |= {"load_problems", "load_rollouts", "answer_key"}
"""Recordings, records and what shows them: they do nobody's exercise."""


def borrowed_findings(submission: Submission, released: Released) -> list[Finding]:
    """One finding for each function to be written that depends on a function of the course's.

    Args:
        submission: with a notebook in the shape that ``notebook_json`` guarantees.
        released: the notebook as it was handed out.

    Limits: seen are names, through imports, aliases and given cells; not a module whose name is
        put together while the code runs.
    """
    if submission.notebook is None:
        return []
    cells = handed_in(submission.notebook, released)
    found = []
    for graded in released.graded:
        check = released.check_of(graded.grade_id)
        if check is None or not _asks_a_function(check.check):
            continue
        end = next(n for n, cell in enumerate(cells) if cell.released is check)
        names = set(_borrowed(definitions(cells[:end], check.checked)))
        if names := sorted(names - MEANT.get(graded.grade_id, frozenset())):
            message = f"its {graded.grade_id} depends on the course's own {', '.join(names[:3])}"
            place = next(cell.place for cell in cells if cell.released is graded)
            found.append(Finding("course_does_the_work", "integrity", message, place))
    return found


def _asks_a_function(check: str) -> bool:
    return check in SPECS and any(case.args for case in SPECS[check].cases)


def _borrowed(needed: Definitions) -> Iterator[str]:
    """The last names of the course's functions that the definitions read."""
    statements = [
        ast.parse(source).body[index] for _, source, indices in needed.pieces for index in indices
    ]
    bindings = Bindings([ast.Module(statements, [])])
    read = [node for node in ast.walk(ast.Module(statements, [])) if _is_read(node)]
    names = {bindings.dotted(node) for node in read} | {bindings.names.get(needed.checked, "")}
    for name in names:
        parts = name.split(".")
        if name.startswith(_PACKAGE) and parts[1] not in _DATA and not _TOOLS & set(parts):
            yield parts[-1]


def _is_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Call)
