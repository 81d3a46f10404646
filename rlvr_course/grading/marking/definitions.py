"""What an exercise needs in order to be asked: its own statements and those that they depend on.

A notebook is not run as a whole for that. From the name that is checked, every statement is taken
that binds or changes it, then whatever these read, and so on; in the notebook's order. What the
course gave is taken as it was handed out; what the learner wrote, from the submission.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rlvr_course.grading.evidence.python_cells import python_text
from rlvr_course.grading.handin.handed_in import HandedCell
from rlvr_course.grading.handin.seen import MAX_SOURCE_CHARS
from rlvr_course.verifiers.programs.syntax import parse_python

MAX_CODE, MAX_STATEMENTS = MAX_SOURCE_CHARS, 5_000
"""Characters and top-level statements in all cells up to an exercise: many times what the longest
notebook has, and no more than the search for tricks reads."""

_STAR = frozenset({"*"})
_HARMLESS = {*dir(builtins), "display", "check"} - {"setattr", "delattr", "next", "exec", "eval"}
"""Functions that change nothing of what they are given."""


@dataclass(frozen=True)
class Definitions:
    """What to run before an exercise is asked.

    Args:
        pieces: (the cell's name, its source, which of its statements), in order.
        names: all names that are needed.
        checked: the expression that is checked.
        imports: top-level names of the packages that are imported for it.
        problem: why it can't be run, such as a syntax error; "" otherwise.
        is_missing: whether the learner wrote nothing that defines it.
    """

    pieces: tuple[tuple[str, str, list[int]], ...]
    names: tuple[str, ...]
    checked: str
    imports: frozenset[str] = frozenset()
    problem: str = ""
    is_missing: bool = False


@dataclass(frozen=True)
class _Statement:
    cell: int
    index: int
    node: ast.stmt
    binds: frozenset[str]
    reads: frozenset[str]
    is_learners: bool
    changes: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Piece:
    name: str
    source: str
    is_learners: bool
    only_new: bool = False


def definitions(cells: Sequence[HandedCell], checked: str) -> Definitions:
    """Collect what the expression needs.

    Args:
        cells: up to the one that checks, as ``handed_in`` gives them.
        checked: an expression, such as "last_box".

    Limits: a function that a *given* cell calls by itself, not as a method, is not seen to change
        its arguments; nor is anything that is bound through ``globals()`` or ``exec``. Where a
        learner edited a given cell, only names that the course doesn't give are taken from it.
    """
    problem = _problem(cells)
    pieces = [] if problem else list(_pieces(cells))
    statements = _statements(pieces)
    roots = _names(checked)[1]
    kept, names = _closure(statements, roots)
    places = {(s.cell, s.index) for s in kept}
    learners = {name for s in statements if s.is_learners for name in s.binds}
    return Definitions(
        pieces=tuple(_selected(pieces, places)),
        names=tuple(sorted(names)),
        checked=checked,
        imports=frozenset(_imported(kept, names)),
        problem=problem,
        is_missing=not problem and not roots & learners,
    )


def _problem(cells: Sequence[HandedCell]) -> str:
    """What keeps the exercise from being run: it is the last of the graded cells here."""
    code = [cell for cell in cells if cell.cell_type == "code"]
    if sum(len(cell.source) for cell in code) > MAX_CODE:
        return f"the code cells up to here hold more than {MAX_CODE:,} characters"
    if sum(len(_body(readable(cell.source))) for cell in code) > MAX_STATEMENTS:
        return f"the code cells up to here hold more than {MAX_STATEMENTS:,} statements"
    graded = [cell for cell in cells if cell.released and cell.released.grade_id]
    is_code = bool(graded) and graded[-1].cell_type == "code"
    return syntax_problem(graded[-1].source) if is_code else ""


def _pieces(cells: Sequence[HandedCell]) -> Iterator[_Piece]:
    """The code of each cell; of an edited given cell, the released text and then the new one."""
    for cell in cells:
        name = f"cell {cell.place}" if cell.place else "a given cell"
        given = cell.released
        if given is not None and not given.is_learners and given.cell_type == "code":
            yield _Piece(name, readable(given.source), is_learners=False)
            if cell.place and cell.cell_type == "code" and cell.source != given.source:
                yield _Piece(name, readable(cell.source), is_learners=True, only_new=True)
        elif cell.cell_type == "code":
            yield _Piece(name, readable(cell.source), is_learners=True)


@lru_cache(maxsize=512)
def readable(source: str) -> str:
    """A cell's text as Python: IPython's lines (``%time``, ``!ls``) are blanked if need be, and
    of a cell in another language (``%%html``) nothing is left."""
    plain = source.replace("\r\n", "\n").replace("\r", "\n")
    text = python_text(source)[0] if len(source) <= MAX_CODE else plain
    if text is None:
        return ""
    return text if parse_python(text) is not None else plain


def syntax_problem(source: str) -> str:
    """Why a cell is no Python, for the learner; "" if it is."""
    text = readable(source)
    if parse_python(text) is not None:
        return ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return f"SyntaxError: {error.msg} (line {error.lineno})"
    except (ValueError, MemoryError, RecursionError):
        pass
    return "the cell is too long or too deeply nested to be read"


def _statements(pieces: Sequence[_Piece]) -> list[_Statement]:
    found = [
        _Statement(place, index, *part, piece.is_learners)
        for place, piece in enumerate(pieces)
        for index, part in enumerate(_parts(piece.source))
    ]
    given = {name for s in found if not s.is_learners for name in s.binds}
    found = [s for s in found if not pieces[s.cell].only_new or (s.binds and not s.binds & given)]
    _note_changes(found)
    return found


@lru_cache(maxsize=512)  # given cells come again with every exercise of every submission
def _body(source: str) -> Sequence[ast.stmt]:
    tree = parse_python(source)
    return tree.body if tree else []


@lru_cache(maxsize=512)
def _parts(source: str) -> Sequence[tuple[ast.stmt, frozenset[str], frozenset[str]]]:
    """A cell's statements, each with the names that it binds and reads."""
    lines = source.encode().split(b"\n")
    found = []
    for node in _body(source):
        binds, reads = _names(_text(node, lines))
        is_star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        found.append((node, _STAR if is_star else binds, reads))
    return found


def _text(node: ast.stmt, lines: Sequence[bytes]) -> str:
    """A statement's own text: several may stand on a line."""
    decorators = getattr(node, "decorator_list", ())
    first = min(part.lineno for part in (node, *decorators)) - 1
    last = node.end_lineno or node.lineno
    text = [*lines[first : last - 1], lines[last - 1][: node.end_col_offset]]
    text[0] = text[0][0 if decorators else node.col_offset :]
    return b"\n".join(text).decode()


def _names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a top-level statement binds and what it reads of the module's names."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = symtable.symtable(text, "<cell>", "exec")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return frozenset(), frozenset()
    binds = {s.get_name() for s in table.get_symbols() if _is_bound(s)}
    reads = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    waiting = list(table.get_children())
    while waiting:
        inner = waiting.pop()
        waiting += inner.get_children()
        for symbol in inner.get_symbols():
            if symbol.is_global():
                reads.add(symbol.get_name())
                if symbol.is_declared_global() and symbol.is_assigned():
                    binds.add(symbol.get_name())
    return frozenset(binds), frozenset(reads)


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _note_changes(statements: Sequence[_Statement]) -> None:
    """Fill in which names' objects a statement changes, as far as its text shows it."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    functions = {
        name: s for s in statements if isinstance(s.node, defined) for name in s.binds
    }  # fmt: skip
    plain = (*defined, ast.Import, ast.ImportFrom)
    values = {name for s in statements if not isinstance(s.node, plain) for name in s.binds}
    for statement in statements:
        if not isinstance(statement.node, plain):
            statement.changes.update(_changed(statement, functions, values))


def _changed(
    statement: _Statement, functions: dict[str, _Statement], values: set[str]
) -> Iterator[str]:
    for node in ast.walk(statement.node):
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield _root(node)
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        called = node.value.func
        if isinstance(called, ast.Attribute):
            yield _root(called)
        elif isinstance(called, ast.Name) and statement.is_learners and called.id not in _HARMLESS:
            yield from {a.id for a in node.value.args if isinstance(a, ast.Name)} & values
            if called.id in functions:
                yield from functions[called.id].reads & values


def _root(node: ast.expr) -> str:
    """The name at the left end of ``name.part[0].more()``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _closure(
    statements: Sequence[_Statement], roots: Iterable[str]
) -> tuple[list[_Statement], set[str]]:
    """The statements that the names depend on, and all names on the way."""
    by_name: dict[str, list[_Statement]] = {}
    for statement in statements:
        for name in statement.binds | statement.changes:
            by_name.setdefault(name, []).append(statement)
    kept: dict[tuple[int, int], _Statement] = {}
    needed: set[str] = set()
    waiting = [*roots, *_STAR]
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.add(name)
        for statement in by_name.get(name, ()):
            if (statement.cell, statement.index) not in kept:
                kept[statement.cell, statement.index] = statement
                waiting += statement.reads
    return list(kept.values()), needed


def _imported(statements: Iterable[_Statement], names: set[str]) -> Iterator[str]:
    """The packages behind the imports that are carried out, those inside functions too."""
    for statement in statements:
        for node in ast.walk(statement.node):
            if isinstance(node, ast.ImportFrom):
                yield (node.module or "").partition(".")[0]
            elif isinstance(node, ast.Import):
                used = node.names if node is not statement.node else _used(node.names, names)
                yield from (alias.name.partition(".")[0] for alias in used)


def _used(aliases: Iterable[ast.alias], names: set[str]) -> list[ast.alias]:
    return [a for a in aliases if (a.asname or a.name.partition(".")[0]) in names]


def _selected(
    pieces: Sequence[_Piece], places: set[tuple[int, int]]
) -> Iterator[tuple[str, str, list[int]]]:
    chosen: dict[int, list[int]] = {}
    for cell, index in sorted(places):
        chosen.setdefault(cell, []).append(index)
    for cell, indices in chosen.items():
        yield pieces[cell].name, pieces[cell].source, indices
