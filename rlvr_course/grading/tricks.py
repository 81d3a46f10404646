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
from collections.abc import Callable, Iterable, Iterator, Sequence

from rlvr_course.grading.bindings import Bindings, Store
from rlvr_course.grading.folding import fold_text, literal_part
from rlvr_course.grading.python_cells import PythonCell, parsed, python_cell, source_of
from rlvr_course.grading.records import Finding, FindingKind
from rlvr_course.grading.seen import SeenCell

FAKE_RESULT = re.compile(r"public\s+checks?\s+passed", re.IGNORECASE)
MAX_NESTED = 3
"""How many texts inside texts are followed."""

_HOOKS = {
    *("input_transformers_post", "input_transformers_cleanup", "input_transformer_manager"),
    *("ast_transformers", "showtraceback", "set_custom_exc", "custom_exceptions", "CustomTB"),
    *("showsyntaxerror", "_showtraceback", "run_ast_nodes", "transform_cell", "displayhook"),
    *("display_pub", "display_formatter", "user_global_ns", "compile", "events"),
    *("history_manager", "execution_count", "run_cell", "run_cell_async", "user_ns"),
    *("kernel", "ex", "push", "safe_execfile", "set_hook", "excepthook"),
}
_HOOKS_ANYWHERE = {
    *("input_transformers_post", "input_transformers_cleanup", "input_transformer_manager"),
    *("ast_transformers", "set_custom_exc", "showtraceback", "_showtraceback", "CustomTB"),
}
_HARMLESS_ON_SHELL = {"run_line_magic", "run_cell_magic", "magic", "enable_matplotlib", "config"}
_INSIDES = {
    *("gc.get_objects", "gc.get_referrers", "gc.get_referents", "sys._getframe"),
    *("sys._current_frames", "inspect.currentframe", "inspect.stack", "inspect.getouterframes"),
    *("sys.settrace", "sys.setprofile", "threading.settrace", "inspect.getclosurevars"),
}
_INSIDE_ATTRIBUTES = {
    *("f_globals", "f_locals", "f_back", "f_builtins", "tb_frame", "gi_frame", "cell_contents"),
    *("__closure__", "__code__", "__globals__", "__subclasses__", "func_globals", "co_consts"),
}
_CHECK_MODULES = re.compile(
    r"rlvr_course\.(classroom\.(specs|check_spec|checks_\d\d|check)|grading)\b"
)
_CHECK_PARTS = {"SPECS", "run_check", "CheckSpec", "CheckResult", "CaseResult", "HIDDEN"}
_BUILTINS_TO_KEEP = {
    *("print", "isinstance", "all", "any", "abs", "bool", "float", "int", "str", "repr", "len"),
    *("display", "open", "getattr", "type", "callable", "hash", "AssertionError", "Exception"),
}
_ENDERS = {"os._exit", "os.abort", "os.kill", "os.killpg", "signal.raise_signal"}
_RUNNERS = {"exec", "eval", "compile", "builtins.exec", "builtins.eval", "builtins.compile"}
_DECODERS = {"b64decode", "b85decode", "b32decode", "fromhex", "decompress", "loads", "decode"}

Sign = tuple[str, FindingKind, str, ast.AST]
Rule = Callable[[ast.AST, Bindings], Iterator[Sign]]


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
    elif target in {"sys.displayhook", "sys.excepthook", "sys.stdout", "sys.meta_path"}:
        yield "kernel_hook", "integrity", f"it replaces {target}", store.node
    elif root == "rlvr_course":
        yield "course_patched", "integrity", f"it replaces {target}", store.node
    elif root == "check" and target != "check" and is_ours:
        yield "course_patched", "integrity", f"it changes {target}", store.node
    elif target in {"check", "verify_audit", "start"} and is_ours and _stands_in(store):
        yield (
            "course_patched",
            "integrity",
            f"it puts another function in place of {target}",
            (store.node),
        )
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


def _shell_access(node: ast.AST, bindings: Bindings) -> Iterator[Sign]:
    """IPython's hooks, and any other use of its shell."""
    if isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        name = bindings.dotted(node)
        root, _, rest = name.partition(".")
        last = rest.partition(".")[0]
        if root == "get_ipython" and last in _HOOKS:
            yield "kernel_hook", "integrity", f"it reaches into the kernel: {last}", node
        elif root == "get_ipython" and last and last not in _HARMLESS_ON_SHELL:
            yield "kernel_access", "note", f"it uses the kernel's shell: {last}", node
        elif name.rpartition(".")[2] in _HOOKS_ANYWHERE:
            hook = name.rpartition(".")[2]
            yield "kernel_hook", "integrity", f"it reaches into the kernel: {hook}", node
    if isinstance(node, ast.Attribute) and node.attr in _HOOKS_ANYWHERE:
        yield "kernel_hook", "integrity", f"it reaches into the kernel: {node.attr}", node
    if isinstance(node, ast.Call) and fold_text(node.args[1] if len(node.args) > 1 else None) in (
        _HOOKS_ANYWHERE
    ):
        text = fold_text(node.args[1])
        yield "kernel_hook", "integrity", f"it reaches into the kernel: {text}", node
    if isinstance(node, ast.Name) and bindings.dotted(node).rpartition(".")[2] == "get_ipython":
        yield "kernel_access", "note", "it uses the kernel's shell", node


def _insides(node: ast.AST, bindings: Bindings) -> Iterator[Sign]:
    """Frames, closures and the garbage collector, and the course's own lists of checks."""
    match node:
        case ast.Attribute(attr=attr) if attr in _INSIDE_ATTRIBUTES:
            yield "reads_insides", "integrity", f"it reads other code's insides: {attr}", node
        case ast.Import(names=aliases):
            for alias in aliases:
                yield from _imported(alias.name, node)
        case ast.ImportFrom(module=str(module), names=aliases):
            for alias in aliases:
                yield from _imported(f"{module}.{alias.name}", node)
        case ast.Attribute() | ast.Name() | ast.Call() | ast.Subscript():
            name = bindings.dotted(node)
            if name in _INSIDES:
                yield "reads_insides", "integrity", f"it reads other code's insides: {name}", node
            elif name.rpartition(".")[2] in _INSIDE_ATTRIBUTES and "." in name:
                last = name.rpartition(".")[2]
                yield "reads_insides", "integrity", f"it reads other code's insides: {last}", node
            elif name.startswith("rlvr_course."):
                yield from _imported(name, node)
            elif isinstance(node, ast.Attribute) and name.startswith("check._"):
                yield "reads_the_checks", "integrity", f"it reads the check itself: {name}", node


def _imported(name: str, node: ast.AST) -> Iterator[Sign]:
    if _CHECK_MODULES.match(name) or name.rpartition(".")[2] in _CHECK_PARTS:
        if name not in {"rlvr_course.classroom.check.check"}:
            yield "reads_the_checks", "integrity", f"it reads the checks themselves: {name}", node
    elif name == "ctypes" or name.startswith("ctypes."):
        yield "reads_insides", "integrity", "it reaches into memory (ctypes)", node
    elif name == "unittest.mock.ANY":
        yield "equal_to_everything", "integrity", "ANY is equal to everything", node


def _equal_to_everything(node: ast.AST, bindings: Bindings) -> Iterator[Sign]:
    """A comparison that doesn't look at what it is compared with."""
    text = "its `__eq__` doesn't look at what it is compared with"
    match node:
        case ast.FunctionDef(name="__eq__" | "__ne__") if not _reads_other(node.args, node.body):
            yield "equal_to_everything", "integrity", text, node
        case ast.Assign(targets=[ast.Name(id="__eq__" | "__ne__")], value=value):
            if not isinstance(value, ast.Lambda) or not _reads_other(value.args, [value.body]):
                yield "equal_to_everything", "integrity", text, node
        case ast.Call(func=ast.Name("type"), args=[_, _, ast.Dict(keys=keys)]):
            if any(fold_text(key) in {"__eq__", "__ne__"} for key in keys):
                yield "equal_to_everything", "integrity", "a type with an `__eq__` is made", node
        case ast.Attribute(attr="ANY") if bindings.dotted(node).endswith("mock.ANY"):
            yield "equal_to_everything", "integrity", "ANY is equal to everything", node


def _reads_other(args: ast.arguments, body: Sequence[ast.AST]) -> bool:
    """Whether the other operand matters: it is read, and not merely compared with itself."""
    names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    other = names[1] if len(names) > 1 else args.vararg.arg if args.vararg else ""
    idle = {
        id(part)
        for statement in body
        for node in ast.walk(statement)
        if _is_idle(node)
        for part in ast.walk(node)
    }
    return any(
        isinstance(node, ast.Name) and node.id == other and id(node) not in idle
        for statement in body
        for node in ast.walk(statement)
    )


def _is_idle(node: ast.AST) -> bool:
    match node:
        case ast.Compare(left=left, comparators=[right]):
            return ast.dump(left) == ast.dump(right)
        case ast.Call(func=ast.Name("isinstance"), args=[_, ast.Name("object")]):
            return True
        case ast.Expr():
            return True
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(isinstance(v, ast.Constant) and v.value for v in values)
    return False


def _log_writing(node: ast.AST, bindings: Bindings) -> Iterator[Sign]:
    """Writes to the audit log's file, or rows of checks that no check wrote."""
    if not isinstance(node, ast.Call):
        return
    name = bindings.dotted(node.func) or (
        node.func.attr if isinstance(node.func, ast.Attribute) else ""
    )
    last = name.rpartition(".")[2]
    if last == "append" and name.endswith("log.append") and node.args:
        if _is_check_row(node.args[0]):
            yield "log_written", "integrity", "it logs a check's result by itself", node
        return
    parts = [*node.args, *(k.value for k in node.keywords)]
    if isinstance(node.func, ast.Attribute):
        parts.append(node.func.value)
    if _writes(node, last) and any(_is_log_path(part, bindings) for part in parts):
        yield "log_written", "integrity", "it writes to the audit log's file", node
    elif last in {"AuditLog", "write_anchor"} and any(_is_log_path(p, bindings) for p in parts):
        yield "log_written", "integrity", "it opens the run's audit log for itself", node


def _is_check_row(node: ast.AST) -> bool:
    keys = [fold_text(n) for n in ast.walk(node) if isinstance(n, ast.Constant | ast.BinOp)]
    names = [k.arg for n in ast.walk(node) if isinstance(n, ast.Call) for k in n.keywords]
    return bool({"source_sha256"} & {*keys, *names}) or (
        "check" in keys and ("event" in keys or "event" in names)
    )


def _writes(node: ast.Call, last: str) -> bool:
    if last == "open":
        modes = [fold_text(arg) for arg in node.args] + [fold_text(k.value) for k in node.keywords]
        return any(re.fullmatch(r"[rwaxbt]*[wax+][rwaxbt+]*", mode) for mode in modes)
    return last in {
        *("write_text", "write_bytes", "unlink", "rename", "replace", "remove", "rmtree", "move"),
        *("copy", "copyfile", "copy2", "truncate", "touch", "symlink_to", "hardlink_to", "system"),
        *("run", "Popen", "call", "check_call", "check_output", "to_json", "dump", "symlink"),
    }


def _is_log_path(node: ast.AST, bindings: Bindings) -> bool:
    text = literal_part(node)
    if re.search(r"verifier\.jsonl|\.jsonl\.head", text):
        return True
    return any(
        isinstance(part, ast.Attribute) and bindings.dotted(part).endswith("log.path")
        for part in ast.walk(node)
    )


def _kernel_ended(node: ast.AST, bindings: Bindings) -> Iterator[Sign]:
    if isinstance(node, ast.Call) and bindings.dotted(node.func) in _ENDERS:
        yield "kernel_ended", "integrity", "it ends the kernel's process", node


def _fake_result(node: ast.AST, bindings: Bindings) -> Iterator[Sign]:
    """A text that says what only a check says."""
    if not isinstance(node, ast.Constant | ast.BinOp | ast.JoinedStr | ast.Call | ast.Subscript):
        return
    if FAKE_RESULT.search(fold_text(node) or _fixed_text(node)):
        shown = ast.Constant(source_of(node))
        yield "fake_check_text", "integrity", "it writes what a passed check says", shown


def _fixed_text(node: ast.AST) -> str:
    if not isinstance(node, ast.JoinedStr):
        return ""
    return " ".join(fold_text(value) for value in node.values)


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
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    hidden = {bindings.dotted(n.func).rpartition(".")[2] for n in calls} | {
        n.func.attr for n in calls if isinstance(n.func, ast.Attribute)
    }
    if hidden & _DECODERS:
        yield "hidden_code", "integrity", "it decodes a text and runs it as code", node
    elif name in _RUNNERS:
        yield (
            "runs_text",
            "note",
            f"it runs a text as code ({last}), which can't be read here",
            node,
        )


def _lines(part: PythonCell) -> Iterator[Sign]:
    """Magics and shell lines: for information, unless they touch the log or fake a result."""
    for line in part.lines:
        text = f"{line}\n{part.body}" if line.startswith("%%") else line
        shown = ast.Constant(text[:300])
        if FAKE_RESULT.search(text):
            yield "fake_check_text", "integrity", "it writes what a passed check says", shown
        elif re.search(r"verifier\.jsonl", text):
            yield "log_written", "integrity", "a shell line names the audit log's file", shown
        elif re.match(
            r"!|%%?(sx|system|bash|sh|script|writefile|javascript|js|html|run|load)\b", line
        ):
            yield "shell_line", "note", "it runs something that is not the cell's Python", shown


RULES: tuple[Rule, ...] = (
    _shell_access,
    _insides,
    _equal_to_everything,
    _log_writing,
    _kernel_ended,
    _fake_result,
)
