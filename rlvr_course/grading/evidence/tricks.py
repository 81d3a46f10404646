"""Code that stands in for work: hooks in the kernel, patched checks, answers equal to everything.

The learner's cells are read, never run: their syntax, with names followed through imports, other
names and texts put together from parts. What a reader can't see through (a text that is run as
code) is said to be so.

Limits: a search for known tricks. Whoever writes a new one isn't found here; the grading doesn't
run in the learner's kernel, so a trick there earns nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from rlvr_course.grading.evidence.bindings import Bindings, Store
from rlvr_course.grading.evidence.folding import fold_text
from rlvr_course.grading.evidence.python_cells import PythonCell, parsed, python_cell, source_of
from rlvr_course.grading.evidence.trick_rules import (
    FAKE_RESULT,
    FIXTURE_VARIABLE,
    RULES,
    SHELL_WRITES,
    Sign,
)
from rlvr_course.grading.handin.seen import SeenCell
from rlvr_course.grading.records import Finding, FindingKind

MAX_PARTS = 500
"""Nodes of a call that are looked through."""

MAX_NESTED = 3
"""How many texts inside texts are followed."""

_BUILTINS_TO_KEEP = {
    *("print", "isinstance", "all", "any", "bool", "float", "int", "str", "repr", "len"),
    *("getattr", "AssertionError", "Exception", "BaseException", "__import__"),
}
_OTHER_LINE = re.compile(r"!|%%?(sx|system|bash|sh|script|writefile|javascript|js|html|run|load)\b")
_RUNNERS = {"exec", "eval", "compile", "builtins.exec", "builtins.eval", "builtins.compile"}
_DECODERS = {"b64decode", "b85decode", "b32decode", "fromhex", "decompress", "loads", "decode"}


def trick_findings(
    cells: Sequence[SeenCell], skip: frozenset[int] = frozenset(), *, is_ours: bool = True
) -> list[Finding]:
    """What of known tricks a notebook's cells hold.

    Args:
        cells: all of them; imports anywhere give names their meaning.
        skip: places of cells that are as they were given.
        is_ours: whether names such as ``check`` are the course's.
    """
    code = [(cell, python_cell(cell.source)) for cell in cells if cell.is_code]
    bindings = Bindings(part.tree for _, part in code if part.tree is not None)
    found = []
    for cell, part in code:
        if cell.place in skip or cell.is_injected:
            continue
        signs = list(_lines(part))
        if part.tree is not None:
            signs += _signs(part.tree, bindings, is_ours)
        elif cell.count and not part.lines and not cell.has_failed:
            text = "it is not Python that can be read here, so it was not searched for tricks"
            signs.append(("not_python", "note", text, ast.Pass()))
        found += _as_findings(cell, signs)
    return found


def _as_findings(cell: SeenCell, signs: Iterable[Sign]) -> Iterator[Finding]:
    seen = set()
    for code, kind, message, node in signs:
        if (code, message) not in seen:
            seen.add((code, message))
            shown = node.value if isinstance(node, ast.Constant) else source_of(node)
            yield Finding(code, kind, message, cell.place, str(shown)[:300])


def _signs(tree: ast.Module, bindings: Bindings, is_ours: bool, depth: int = 0) -> list[Sign]:
    found = [sign for store in bindings.stores(tree) for sign in _stored(store, is_ours)]
    for node in ast.walk(tree):
        for rule in RULES:
            found += rule(node, bindings)
        found += _run_text(node, bindings, is_ours, depth)
    return found


def _stored(store: Store, is_ours: bool) -> Iterator[Sign]:
    target, root = store.target, store.target.partition(".")[0]
    last = target.rpartition(".")[2]
    if last in {"__eq__", "__ne__"} and "." in target:
        yield "equal_to_everything", "integrity", "a comparison is replaced", store.node
    elif root in {"builtins", "__builtins__"}:
        yield "builtins_patched", "integrity", f"it replaces {target}", store.node
    elif target.startswith("sys.modules"):
        yield "modules_patched", "integrity", "it replaces an imported module", store.node
    elif target in {"sys.displayhook", "sys.excepthook", "sys.meta_path"}:
        yield "kernel_hook", "integrity", f"it replaces {target}", store.node
    elif root == "rlvr_course":
        yield "course_patched", "integrity", f"it replaces {target}", store.node
    elif root == "check" and target != "check" and is_ours:
        yield "course_patched", "integrity", f"it changes {target}", store.node
    elif target in {"check", "verify_audit", "start"} and is_ours and _stands_in(store):
        message = f"it puts another function in place of {target}"
        yield "course_patched", "integrity", message, store.node
    elif target in _BUILTINS_TO_KEEP and _is_function(store.value):
        kind: FindingKind = "integrity" if is_ours else "note"
        yield "builtins_patched", kind, f"it defines a {target} of its own", store.node


def _is_function(value: ast.AST | None) -> bool:
    return isinstance(value, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda)


def _stands_in(store: Store) -> bool:
    """Whether the new value could be called: a number named ``start`` is a slip, not a trick."""
    if isinstance(store.node, ast.Import | ast.ImportFrom) or _is_function(store.value):
        return True
    called = isinstance(store.value, ast.Call) and store.target == "check"
    return called or (isinstance(store.value, ast.Name | ast.Attribute) and store.target != "start")


def _run_text(node: ast.AST, bindings: Bindings, is_ours: bool, depth: int) -> Iterator[Sign]:
    """A text that is run as code: what it says, if that can be worked out."""
    if not isinstance(node, ast.Call) or not node.args:
        return
    name = bindings.dotted(node.func)
    last = name.rpartition(".")[2]
    if name not in _RUNNERS and not (name.startswith("get_ipython.") and last.startswith("run_")):
        return
    text = fold_text(node.args[-1 if last.startswith("run_") else 0])
    tree = parsed(text) if text else None
    if tree is not None and depth < MAX_NESTED:
        yield from _signs(tree, Bindings([tree]), is_ours, depth + 1)
    parts = islice(ast.walk(node), MAX_PARTS)
    calls = [part for part in parts if isinstance(part, ast.Call)]
    hidden = {bindings.dotted(n.func).rpartition(".")[2] for n in calls} | {
        n.func.attr for n in calls if isinstance(n.func, ast.Attribute)
    }
    if hidden & _DECODERS:
        yield "hidden_code", "integrity", "it decodes a text and runs it as code", node
    elif name in _RUNNERS:
        message = f"it runs a text as code ({last}), which can't be read here"
        yield "runs_text", "note", message, node


def _lines(part: PythonCell) -> Iterator[Sign]:
    """Magics and shell lines: for information, unless they touch the log or fake a result."""
    for line in part.lines:
        text = f"{line}\n{part.body}" if line.startswith("%%") else line
        shown = ast.Constant(text[:300])
        if FAKE_RESULT.search(text):
            yield "fake_check_text", "integrity", "it writes what a passed check says", shown
        elif "verifier.jsonl" in text and SHELL_WRITES.search(text):
            message = "a shell line may write to the audit log's file"
            yield "log_written", "integrity", message, shown
        elif FIXTURE_VARIABLE.search(text):
            message = "it reaches for the seed that the recordings are dealt by"
            yield "fixtures_chosen", "integrity", message, shown
        elif _OTHER_LINE.match(line):
            yield "shell_line", "note", "it runs something that is not the cell's Python", shown
