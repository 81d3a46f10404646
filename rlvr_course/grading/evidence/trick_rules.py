"""The tricks themselves: one rule each, which looks at one node of a cell's syntax.

A rule yields signs: a finding's code, kind and message, and the node that shows it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from rlvr_course.grading.evidence.bindings import Bindings
from rlvr_course.grading.evidence.folding import fold_text, literal_part
from rlvr_course.grading.evidence.python_cells import source_of
from rlvr_course.grading.records import FindingKind
from rlvr_course.problems.fixtures import VARIABLE

FAKE_RESULT = re.compile(r"public\s+checks?\s+passed", re.IGNORECASE)
SHELL_WRITES = re.compile(
    r"\bsed\s+(-\w+\s+)*-\w*i|(?<![0-9&])>(?!\s*(/dev/null|&))|\b(tee|rm|mv|cp|truncate|dd|perl)\b"
)
"""What a shell line that changes a file has."""

MAX_PARTS = 500
"""Nodes of an expression that are looked through for a path."""

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
FIXTURE_VARIABLE = re.compile(rf"\b{VARIABLE}\b")
_FIXTURES = "rlvr_course.problems.fixtures."
_ENDERS = {"os._exit", "os.abort", "os.kill", "os.killpg", "signal.raise_signal"}

Sign = tuple[str, FindingKind, str, ast.AST]
Rule = Callable[[ast.AST, Bindings], Iterator[Sign]]


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
    if any(_is_log_path(part, bindings) for part in _written(node, name)):
        yield "log_written", "integrity", "it writes to the audit log's file", node


def _is_check_row(node: ast.AST) -> bool:
    parts = list(islice(ast.walk(node), MAX_PARTS))
    keys = {fold_text(part) for part in parts if isinstance(part, ast.Constant | ast.BinOp)}
    keys |= {key.arg or "" for part in parts if isinstance(part, ast.Call) for key in part.keywords}
    return "source_sha256" in keys or {"check", "event"} <= keys


_WRITING_METHODS = {"write_text", "write_bytes", "unlink", "touch", "symlink_to", "hardlink_to"}
_WRITING_CALLS = {"os.remove", "os.unlink", "os.truncate", "AuditLog", "write_anchor"}
_MOVING_CALLS = {"os.rename", "os.replace", "shutil.move"}
_COPYING_CALLS = {"shutil.copy", "shutil.copy2", "shutil.copyfile", "os.link", "os.symlink"}
_SHELLS = {"os.system", "os.popen", *(
    f"subprocess.{name}" for name in ("run", "Popen", "call", "check_call", "check_output")
)}  # fmt: skip


def _written(node: ast.Call, name: str) -> list[ast.expr]:
    """The parts of a call that name a file which it writes, moves or removes."""
    last = name.rpartition(".")[2]
    args = [*node.args, *(keyword.value for keyword in node.keywords)]
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    if last == "open":
        modes = map(fold_text, args)
        is_written = any(re.fullmatch(r"[rwaxbt]*[wax+][rwaxbt+]*", mode) for mode in modes)
        return [*args, *owner] if is_written else []
    if last in _WRITING_METHODS or (last in {"rename", "replace"} and len(args) == 1):
        return [*args, *owner]
    if name in _WRITING_CALLS or last in {"AuditLog", "write_anchor"} or name in _MOVING_CALLS:
        return args
    if name in _COPYING_CALLS:
        return args[1:]
    if name in _SHELLS:
        said = " ".join(literal_part(arg).replace("/", " ") for arg in args)
        return args if SHELL_WRITES.search(said) else []
    return []


def _is_log_path(node: ast.AST, bindings: Bindings) -> bool:
    text = literal_part(node)
    if re.search(r"verifier\.jsonl|\.jsonl\.head", text):
        return True
    return any(
        isinstance(part, ast.Attribute) and bindings.dotted(part).endswith("log.path")
        for part in islice(ast.walk(node), MAX_PARTS)
    )


def _kernel_ended(node: ast.AST, bindings: Bindings) -> Iterator[Sign]:
    if isinstance(node, ast.Call) and bindings.dotted(node.func) in _ENDERS:
        yield "kernel_ended", "integrity", "it ends the kernel's process", node


def _chosen_fixtures(node: ast.AST, bindings: Bindings) -> Iterator[Sign]:
    """The course's own recordings dealt as the learner likes."""
    message = "it reaches for the seed that the recordings are dealt by"
    if isinstance(node, ast.Constant | ast.BinOp) and FIXTURE_VARIABLE.search(fold_text(node)):
        yield "fixtures_chosen", "integrity", message, node
    elif isinstance(node, ast.ImportFrom | ast.Import):
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name}" for name in names]
        if any(f"{name}.".startswith(_FIXTURES) for name in names):
            yield "fixtures_chosen", "integrity", message, node
    elif isinstance(node, ast.Attribute) and bindings.dotted(node).startswith(_FIXTURES):
        yield "fixtures_chosen", "integrity", message, node


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


RULES: tuple[Rule, ...] = (
    _shell_access,
    _insides,
    _equal_to_everything,
    _log_writing,
    _kernel_ended,
    _chosen_fixtures,
    _fake_result,
)
