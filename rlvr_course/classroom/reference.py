"""The API reference, made from the source: signatures and docstrings of the public names.

    uv run python -m rlvr_course.classroom.reference           write docs/API.md
    uv run python -m rlvr_course.classroom.reference --check   only say whether it is up to date

It reads the source as text and imports none of it, so that the page is the same on every machine.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rlvr_course.classroom.docstrings import anchors, escape, to_markdown
from rlvr_course.classroom.signatures import (
    class_signature,
    constant_signature,
    function_signature,
)

PACKAGE = Path(__file__).parents[1]
COMMAND = "uv run python -m rlvr_course.classroom.reference"

MODULES: dict[str, tuple[str, ...]] = {
    "records": (),
    "errors": (),
    "problems.recorded": (),
    "policies.protocol": (),
    "policies.replay": (),
    "policies.simulated": (),
    "policies.api": (),
    "policies.failures": ("Limits",),
    "policies.cost": (),
    "policies.record": (),
    "verifiers.protocol": (),
    "verifiers.extract": (),
    "verifiers.math_answers": (),
    "verifiers.answers.scalars": ("Conventions",),
    "verifiers.boundary": (),
    "verifiers.attack": (),
    "verifiers.candidates": (),
    "verifiers.fake": (),
    "rewards": (),
    "rollouts": (),
    "advantages": (),
    "audit": (),
    "stats": (),
    "plots": (),
    "modes": (),
    "training.execute": (),
    "training.recipes": (),
    "training.run": (),
    "training.measure": (),
    "training.plan": (),
    "training.recorded": (),
    "training.bands": (),
    "training.health.panel": (),
    "training.health.findings": (),
    "training.health.vitals": (),
    "training.health.watch": (),
    "training.health.limits": (),
    "training.health.sick": (),
    "training.health.scores": (),
    "training.tasks.task": (),
    "training.tasks.verifiers": (),
    "training.tiny": (),
    "training.reward_model": (),
    "training.over_optimise": (),
    "adapters.scored": (),
    "adapters.domains": (),
    "adapters.answer_text": (),
    "adapters.trl_reward": (),
    "adapters.verl_score": (),
    "adapters.openrlhf_server": (),
    "adapters.verifiers_v1": (),
    "adapters.inspect_task": (),
    "classroom.check": (),
}
"""Modules in reading order, each with the names to show: all documented public ones if none."""

_HEAD = f"""\
# API reference

Signatures and docstrings of the public names. This page is generated: edit the docstrings, then

```
{COMMAND}
```

A name in the first table can be imported from `rlvr_course`, every other one from the module that
it stands under.

## `rlvr_course`
"""


@dataclass(frozen=True)
class Item:
    """One public name: the module it is shown under, its definition and its docstring."""

    module: str
    name: str
    definition: ast.stmt
    doc: str

    @property
    def heading(self) -> str:
        """The item's heading, which no other item has."""
        return f"`{self.module}.{self.name}`"

    @property
    def summary(self) -> str:
        """The docstring's first sentence, on one line."""
        return " ".join(self.doc.split("\n\n")[0].split()).split(". ")[0].rstrip(".")


def page() -> str:
    """The text of docs/API.md.

    Raises:
        ValueError: a name that ``rlvr_course`` exports has no docstring.
    """
    exports: dict[str, tuple[str, ...]] = _literal("", "_NAMES_BY_MODULE")
    extra = {module: names for module, names in exports.items() if module not in MODULES}
    items = {module: _items(module, only) for module, only in (MODULES | extra).items()}
    body = "\n".join(_module_section(module, found) for module, found in items.items())
    place = dict(anchors(f"{_HEAD}{body}"))
    shown = {(item.module, item.name): item for found in items.values() for item in found}
    rows = ["| name | what it is |", "|---|---|"]
    for name in _literal("", "__all__"):
        module = next((module for module, names in exports.items() if name in names), name)
        if (module, name) in shown:
            item = shown[module, name]
            anchor, summary = place[item.heading], escape(item.summary).replace("|", "\\|")
        elif module in items:
            anchor, summary = place[f"`rlvr_course.{module}`"], f"the module `{module}`"
        else:
            raise ValueError(f"{module}.{name} is exported and has no docstring: write one")
        rows.append(f"| [`{name}`](#{anchor}) | {summary} |")
    return "\n".join([_HEAD, *rows, "", body])


def _module_section(module: str, items: Sequence[Item]) -> str:
    parts = [f"## `rlvr_course.{module}`", to_markdown(ast.get_docstring(_tree(module)) or "")]
    for item in items:
        parts += [f"### {item.heading}", *_item_parts(item)]
    return "\n\n".join(parts) + "\n"


def _item_parts(item: Item) -> Iterator[str]:
    node = item.definition
    if isinstance(node, ast.ClassDef):
        yield _code(class_signature(node))
        yield to_markdown(item.doc)
        yield from _members(node)
    elif isinstance(node, ast.FunctionDef):
        yield _code(function_signature(node))
        yield to_markdown(item.doc)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        yield _code(constant_signature(item.name, node))
        yield to_markdown(item.doc)


def _members(definition: ast.ClassDef) -> Iterator[str]:
    """The public methods and properties that have a docstring."""
    for node in definition.body:
        doc = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
        if not isinstance(node, ast.FunctionDef) or not doc:
            continue
        if node.name.startswith("_") and node.name != "__call__":
            continue
        marks = {ast.unparse(mark) for mark in node.decorator_list}
        name = f"{definition.name}.{node.name}"
        if "property" in marks:
            returns = f": {ast.unparse(node.returns)}" if node.returns else ""
            yield _code(f"{name}{returns}")
        else:
            yield _code(function_signature(node, name=name, bound="staticmethod" not in marks))
        yield to_markdown(doc)


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


# -- from the source to items


@cache
def _tree(module: str) -> ast.Module:
    path = PACKAGE.joinpath(*module.split(".")) if module else PACKAGE
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def _literal(module: str, name: str) -> Any:
    """The value of a module's constant; None if there is no such constant."""
    definition = _definitions(module).get(name)
    value = definition.value if isinstance(definition, ast.Assign | ast.AnnAssign) else None
    return None if value is None else ast.literal_eval(value)


def _definitions(module: str) -> dict[str, ast.stmt]:
    """What a module defines at its top, by name, in order."""
    found: dict[str, ast.stmt] = {}
    for node in _tree(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return found


def _items(module: str, only: Sequence[str]) -> list[Item]:
    """The documented public names of a module, ``__all__`` if it has one, in source order."""
    defined = _definitions(module)
    public = _literal(module, "__all__") or [name for name in defined if not name.startswith("_")]
    order = {name: index for index, name in enumerate(defined)}
    names = sorted(only or public, key=lambda name: order.get(name, -1))
    found = (_find(module, name, shown_under=module) for name in names)
    return [item for item in found if item is not None and item.doc]


def _find(module: str, name: str, *, shown_under: str) -> Item | None:
    """A name's definition, here or in the module of this package that it is imported from."""
    definition = _definitions(module).get(name)
    if definition is not None:
        return Item(shown_under, name, definition, _doc(module, definition))
    for node in _tree(module).body:
        if not isinstance(node, ast.ImportFrom) or all(a.name != name for a in node.names):
            continue
        if node.module and node.module.startswith("rlvr_course."):
            source = node.module.removeprefix("rlvr_course.")
            return _find(source, name, shown_under=shown_under)
    return None


def _doc(module: str, definition: ast.stmt) -> str:
    """A docstring; of a constant the text below it, of an instance what its class says."""
    if isinstance(definition, ast.FunctionDef | ast.ClassDef):
        return ast.get_docstring(definition) or ""
    body = _tree(module).body
    after = body[body.index(definition) + 1 : body.index(definition) + 2]
    if after and isinstance(after[0], ast.Expr) and isinstance(after[0].value, ast.Constant):
        return inspect.cleandoc(str(after[0].value.value))
    value = definition.value if isinstance(definition, ast.Assign) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        maker = _definitions(module).get(value.func.id)
        if isinstance(maker, ast.ClassDef):
            doc = (ast.get_docstring(maker) or "").split("\n\n")[0]
            return f"An instance of ``{maker.name}``: {doc[:1].lower()}{doc[1:]}"
    return ""


def main(arguments: Sequence[str]) -> int:
    """Write docs/API.md, or compare it; the exit status says whether it is (now) up to date."""
    target = PACKAGE.parent / "docs" / "API.md"
    text = page()
    if list(arguments) == ["--check"]:
        same = target.is_file() and target.read_text(encoding="utf-8") == text
        print(f"{target.name} is up to date" if same else f"{target.name} is not: run {COMMAND}")
        return 0 if same else 1
    if arguments:
        print(f"unknown argument {arguments[0]!r}: {COMMAND} [--check]", file=sys.stderr)
        return 2
    if not target.parent.is_dir():
        print(f"no folder {target.parent}: run this in a checkout of the course", file=sys.stderr)
        return 1
    target.write_text(text, encoding="utf-8")
    print(f"wrote {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
