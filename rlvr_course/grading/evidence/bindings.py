"""What the names in a notebook stand for, as far as its text tells, and what is stored in what.

import rlvr_course.classroom.check as c
c.run_check = fake                          # stores "rlvr_course.classroom.check.run_check"
vars(c)["run_" + "check"] = fake            # the same
setattr(sys.modules["builtins"], "all", f)  # stores "builtins.all"
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rlvr_course.grading.evidence.folding import fold_text

_FOLLOWED = ("rlvr_course", "IPython", "get_ipython", "builtins", "sys", "os", "gc", "inspect")
_FOLLOWED += ("ctypes", "importlib", "__builtins__", "shutil", "unittest")
_IMPORTERS = {"importlib.import_module", "import_module", "__import__", "importlib.__import__"}
_DICTS = {"vars", "globals", "locals"}
_DICT_WRITERS = {"update", "setdefault", "pop", "__setitem__", "__delitem__", "clear"}
_ATTRIBUTE_WRITERS = {"setattr", "delattr", "__setattr__", "__delattr__"}
_ATTRIBUTE_READERS = {"getattr", "__getattribute__"}
MAX_DEPTH = 60


class Store(NamedTuple):
    """A name or attribute that is bound anew, with the value where it is known."""

    target: str
    value: ast.AST | None
    node: ast.AST


class Bindings:
    """What names stand for: those imported, and other names given to these.

    Args:
        trees: of all cells, in order.
    """

    def __init__(self, trees: Iterable[ast.Module]) -> None:
        self.names: dict[str, str] = {}
        for tree in trees:
            for node in ast.walk(tree):
                self._learn(node)

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    root = alias.name.partition(".")[0]
                    self.names[alias.asname or root] = alias.name if alias.asname else root
            case ast.ImportFrom(module=str(module), names=aliases):
                for alias in aliases:
                    self.names[alias.asname or alias.name] = f"{module}.{alias.name}"
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                meant = self.dotted(value)
                if meant.partition(".")[0] in _FOLLOWED and meant != name:
                    self.names[name] = meant

    def dotted(self, node: ast.AST, depth: int = MAX_DEPTH) -> str:
        """What an expression stands for, such as "sys.modules"; "" if that can't be told.

        A call of ``get_ipython`` and of ``type`` is taken for what it was called on.
        """
        if depth <= 0:
            return ""
        match node:
            case ast.Name(id=name):
                return self.names.get(name, name)
            case ast.Attribute(value=value, attr=attr):
                return self._member(self.dotted(value, depth - 1), attr)
            case ast.Subscript(value=value, slice=index):
                return self._member(self.dotted(value, depth - 1), fold_text(index))
            case ast.Call(func=func, args=args):
                return self._called(func, args, depth)
        return ""

    def _member(self, owner: str, name: str) -> str:
        if not owner or not name:
            return ""
        if name == "__dict__":
            return owner
        if owner == "sys.modules":
            return name
        if owner == "globals":
            return self.names.get(name, name)
        return f"{owner}.{name}"[:300]

    def _called(self, func: ast.AST, args: list[ast.expr], depth: int) -> str:
        name = self.dotted(func, depth - 1)
        last = name.rpartition(".")[2]
        if name in _IMPORTERS and args:
            return fold_text(args[0])
        if last == "get_ipython" or name.endswith("InteractiveShell.instance"):
            return "get_ipython"
        if name in {"globals", "locals"} and not args:
            return "globals"
        if name in {"vars", "type"} and len(args) == 1:
            return self.dotted(args[0], depth - 1)
        if last in _ATTRIBUTE_READERS and len(args) >= 2:
            return self._member(self.dotted(args[-2 if last != "getattr" else 0], depth - 1),
                                fold_text(args[1 if last == "getattr" else -1]))  # fmt: skip
        if last == "get" and name == "sys.modules.get" and args:
            return fold_text(args[0])
        return ""

    def stores(self, tree: ast.Module) -> Iterator[Store]:
        """Every attribute that is bound anew, and every name outside functions."""
        for node in _outside_functions(tree):
            yield from self._bound_names(node)
        for node in ast.walk(tree):
            yield from self._bound_members(node)

    def _bound_names(self, node: ast.AST) -> Iterator[Store]:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield Store(name, node, node)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    bound = alias.asname or alias.name.partition(".")[0]
                    origin = getattr(node, "module", None)
                    known = str(origin or alias.name).partition(".")[0] == "rlvr_course"
                    if not known or alias.asname:
                        yield Store(bound, node, node)
        for target, value in _targets(node):
            if isinstance(target, ast.Name):
                yield Store(target.id, value, node)

    def _bound_members(self, node: ast.AST) -> Iterator[Store]:
        for target, value in _targets(node):
            if isinstance(target, ast.Attribute | ast.Subscript):
                name = self.dotted(target)
                if isinstance(target, ast.Subscript):
                    owner = self.dotted(target.value)
                    whole = owner == "sys.modules" or not name
                    name = f"{owner}[]" if owner and whole else name
                if name:
                    yield Store(name, value, node)
        if isinstance(node, ast.Call):
            yield from self._bound_by_call(node)

    def _bound_by_call(self, node: ast.Call) -> Iterator[Store]:
        name = self.dotted(node.func)
        last = name.rpartition(".")[2]
        if last in _ATTRIBUTE_WRITERS and len(node.args) >= 2:
            target = self._member(self.dotted(node.args[0]), fold_text(node.args[1]) or "?")
            yield Store(target, node.args[2] if len(node.args) > 2 else None, node)
        elif last in _DICT_WRITERS and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            is_namespace = self.dotted(owner) in {"sys.modules", "globals"} or (
                isinstance(owner, ast.Attribute) and owner.attr == "__dict__"
            )
            if is_namespace or _is_vars(owner):
                yield from self._bound_in(self.dotted(owner), node)
        elif name.endswith(("patch", "patch.object", "patch.dict")) and node.args:
            target = fold_text(node.args[0]) or self.dotted(node.args[0])
            yield Store(target, node, node)

    def _bound_in(self, owner: str, node: ast.Call) -> Iterator[Store]:
        keys = [fold_text(arg) for arg in node.args[:1]]
        for arg in node.args[:1]:
            if isinstance(arg, ast.Dict):
                keys = [fold_text(key) for key in arg.keys]
        keys += [keyword.arg or "" for keyword in node.keywords]
        for key in keys or [""]:
            target = self._member(owner, key) if key else f"{owner}[]"
            yield Store(target, node, node)


def _is_vars(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DICTS


def _targets(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Each target of a statement that binds, with its value where there is one."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _flat(target, value)
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            yield from _flat(target, value)
        case ast.AnnAssign(target=target, value=ast.AST() as value):
            yield from _flat(target, value)
        case ast.Delete(targets=targets):
            yield from ((target, None) for target in targets)
        case ast.For(target=target) | ast.AsyncFor(target=target):
            yield from _flat(target, None)
        case ast.withitem(optional_vars=ast.AST() as target):
            yield from _flat(target, None)


def _flat(target: ast.AST, value: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    if isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        same = len(values) == len(target.elts)
        for n, part in enumerate(target.elts):
            yield part, values[n] if same else None
    else:
        yield target, value


def _outside_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """Every node that runs when the cell does; of functions that say ``global``, all of it."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        yield node
        inner = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda)
        if not inner or any(isinstance(child, ast.Global) for child in ast.iter_child_nodes(node)):
            stack.extend(ast.iter_child_nodes(node))
