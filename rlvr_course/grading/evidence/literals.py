"""Results that were written down where they should have been computed.

Three forms: a solution that holds a table of the inputs its check asks, a figure of a given cell
that was replaced by a number, and a printed text that only looks like a computed one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from rlvr_course.grading.evidence.folding import fold, fold_text
from rlvr_course.grading.evidence.python_cells import is_literal, python_cell, source_of
from rlvr_course.grading.handin.matching import Matching
from rlvr_course.grading.handin.seen import SeenCell
from rlvr_course.grading.records import Finding
from rlvr_course.grading.released import Released, ReleasedCell

MIN_INPUTS = 3
"""So many of a check's inputs in a solution, and at least half of them, are a table."""

MIN_CHARS = 6
"""A shorter text may be in a solution for its own sake."""

MAX_FIELDS = 5
"""Of a printed text whose form is looked for."""


def literal_findings(matching: Matching, released: Released) -> list[Finding]:
    """Tables of a check's inputs, and figures that were typed in."""
    printed = [pattern for cell in released.cells for pattern in _printed_patterns(cell.source)]
    unchanged = matching.unchanged()
    own = [cell for cell in matching.added if cell.is_code]
    own += [seen for seen, _ in matching.pairs.values() if seen.place not in unchanged]
    defined = _definitions(own)
    found: list[Finding] = []
    for seen, given in matching.pairs.values():
        check = released.check_of(given.grade_id) if given.grade_id else None
        if check is not None:
            found += _tables(seen, given, check, defined)
        elif seen in own and seen.cell_type == given.cell_type == "code":
            found += _typed_in(seen, given)
    for cell in own:
        found += _typed_prints(cell, printed)
    return found


def _definitions(cells: Sequence[SeenCell]) -> Mapping[str, Sequence[ast.AST]]:
    """What each function or constant of the learner's is defined as, wherever."""
    found: dict[str, list[ast.AST]] = {}
    for cell in cells:
        tree = python_cell(cell.source).tree if cell.is_code else None
        for node in tree.body if tree is not None else ():
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    found.setdefault(name, []).append(node)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found.setdefault(name, []).append(value)
    return found


def _parts_of(name: str, defined: Mapping[str, Sequence[ast.AST]]) -> Iterator[ast.AST]:
    """Every node of a function, and of the functions and constants that it uses."""
    todo, done = [name], {name}
    while todo:
        for definition in defined.get(todo.pop(), ()):
            for node in ast.walk(definition):
                yield node
                if isinstance(node, ast.Name) and node.id not in done:
                    done.add(node.id)
                    todo.append(node.id)


def _tables(
    seen: SeenCell,
    given: ReleasedCell,
    check: ReleasedCell,
    defined: Mapping[str, Sequence[ast.AST]],
) -> Iterator[Finding]:
    """Constants of a solution that are the inputs of its check; tries beside it don't count."""
    inputs = check_inputs(check.check)
    if len(inputs) < MIN_INPUTS:
        return
    before = _definitions([SeenCell(0, "code", source=given.source)])
    held = _constants(_parts_of(check.checked, defined))
    matched = sorted((held - _constants(_parts_of(check.checked, before))) & inputs)
    if len(matched) >= MIN_INPUTS and 2 * len(matched) >= len(inputs):
        message = f"it holds {len(matched)} of the {len(inputs)} inputs that the check asks"
        yield Finding("table_of_inputs", "integrity", message, seen.place, "; ".join(matched)[:300])


@cache
def check_inputs(name: str) -> frozenset[str]:
    """What a check asks a function, as reprs; of a check of a value, nothing.

    Cases name their arguments; what properties ask shows when a recorder is asked in the
    learner's stead.
    """
    from rlvr_course.classroom.check import run_check
    from rlvr_course.classroom.specs import SPECS

    spec = SPECS.get(name)
    if spec is None:
        return frozenset()
    asked: list[tuple[Any, ...]] = []

    def recorder(*args: Any) -> str:
        asked.append(args)
        return ""

    run_check(name, spec, recorder)
    asked += [case.args for case in spec.cases]
    values = {repr(arg) for args in asked for arg in args if _is_telling(arg)}
    return frozenset(values)


def _is_telling(value: Any) -> bool:
    """Whether a value in a solution can hardly be there by chance."""
    if isinstance(value, str):
        return len(value) >= MIN_CHARS
    if isinstance(value, float):
        return len(repr(value)) >= MIN_CHARS
    return isinstance(value, list | tuple) and len(value) >= 3


def _constants(nodes: Iterable[ast.AST]) -> set[str]:
    found = set()
    for node in nodes:
        match node:
            case ast.Constant(value=str() | float() as value) if _is_telling(value):
                found.add(repr(value))
            case ast.List(elts=items) | ast.Tuple(elts=items) if 3 <= len(items) <= 200:
                try:
                    value = ast.literal_eval(node)
                except (ValueError, TypeError, RecursionError, MemoryError):
                    continue
                found |= {repr(list(value)), repr(tuple(value))}
    return found


def _typed_in(seen: SeenCell, given: ReleasedCell) -> Iterator[Finding]:
    """Names that a given cell computes and that now are a number or a text."""
    before, after = _assigned(given.source), _assigned(seen.source)
    for name, value in after.items():
        was = before.get(name)
        if was is not None and _is_figure(value) and not is_literal(was):
            message = f"`{name}` is computed in the given cell, and written down here"
            yield Finding("literal_for_expression", "integrity", message, seen.place,
                          f"{name} = {source_of(value)}"[:300])  # fmt: skip


def _assigned(source: str) -> Mapping[str, ast.expr]:
    tree = python_cell(source).tree
    found = {}
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
    return found


def _is_figure(node: ast.expr) -> bool:
    value = fold(node)
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _printed_patterns(source: str) -> Iterator[re.Pattern[str]]:
    """Of each text with figures in it that a given cell prints: the form of the text."""
    tree = python_cell(source).tree
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Call(func=ast.Name("print"), args=[ast.JoinedStr(values=values)]):
                form = _form(values)
                if form:
                    yield re.compile(form)


def _form(values: Sequence[ast.expr]) -> str:
    """A pattern for an f-string's text; "" where that has too little fixed text to be known by."""
    fields, fixed, form = 0, 0, ""
    for before, part in zip([None, *values], values, strict=False):
        if isinstance(part, ast.Constant):
            text = str(part.value)
            fixed += len(text.strip())
            form += re.sub(r"(\\ |\s)+", r"\\s+", re.escape(text))
        elif isinstance(before, ast.FormattedValue):
            return ""
        else:
            fields += 1
            form += r"\S{1,24}(?: \S{1,24})?"
    return form if fixed >= MIN_CHARS and fields <= MAX_FIELDS else ""


def _typed_prints(cell: SeenCell, printed: Sequence[re.Pattern[str]]) -> Iterator[Finding]:
    """A constant text that has the form of a computed one, figures and all."""
    tree = python_cell(cell.source).tree
    for node in ast.walk(tree) if tree is not None else ():
        match node:
            case ast.Call(func=ast.Name("print"), args=[argument]):
                text = fold_text(argument)[:160]
                if re.search(r"\d", text) and any(p.fullmatch(text.strip()) for p in printed):
                    message = "it prints a figure that the notebook computes as a fixed text"
                    yield Finding("typed_output", "integrity", message, cell.place, text[:300])
