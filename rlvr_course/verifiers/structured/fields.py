"""The fields of a reference object: which are right, and which of them are worth credit.

A field is a leaf of the reference, found by its path; a list is one field. A field whose reference
anyone could fill in without the source is *free*: null, "", 0, [], {}, a boolean, the schema's
own default, constant or example, or what an example in the prompt says. A free field earns nothing
when it is right and counts when it is wrong, so that a filled-in form alone is worth nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rlvr_course.verifiers.structured.rules import Rule, Rules, below, checked_rule
from rlvr_course.verifiers.structured.schemas import BoundedSchema

MAX_DECLARED = 2_000
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_IN_PLACE_ONE = ("if", "then", "else", "not")
_ABSENT = object()


@dataclass(frozen=True)
class FieldResult:
    """One field: its path, whether it is right, whether it is free, and both values.

    ``wanted`` or ``got`` is None too where that side lacks the field, as JSON's null is.
    """

    path: str
    is_right: bool
    is_free: bool
    wanted: Any
    got: Any


@dataclass
class Declared:
    """What a schema says of its fields: each path, with its rule and its free values."""

    paths: set[str] = field(default_factory=set)
    rules: dict[str, Rule] = field(default_factory=dict)
    free: dict[str, list[Any]] = field(default_factory=dict)
    constants: dict[str, list[Any]] = field(default_factory=dict)


def declared_by(schema: BoundedSchema) -> Declared:
    """Read the fields of a schema, through its references and branches.

    Raises:
        ValueError: an ``x-compare`` that is no rule.
    """
    found = Declared()
    _walk(schema, schema.schema, "", found, ())
    return found


def _walk(
    schema: BoundedSchema, node: Any, path: str, found: Declared, above: tuple[int, ...]
) -> None:
    if not isinstance(node, dict) or id(node) in above or len(found.paths) > MAX_DECLARED:
        return
    above = (*above, id(node))
    if path:
        found.paths.add(path)
    _note(node, path, found)
    if "$ref" in node:
        _walk(schema, schema.resolved(node), path, found, above)
    for key in _IN_PLACE:
        for branch in node.get(key, ()):
            _walk(schema, branch, path, found, above)
    for key in _IN_PLACE_ONE:
        _walk(schema, node.get(key), path, found, above)
    for name, member in node.get("properties", {}).items():
        _walk(schema, member, below(path, name), found, above)
    items = node.get("items")
    for item in [*node.get("prefixItems", ()), *(items if isinstance(items, list) else [items])]:
        _walk(schema, item, f"{path}[]", found, above)


def _note(node: dict[str, Any], path: str, found: Declared) -> None:
    if "x-compare" in node:
        found.rules[path] = checked_rule(node["x-compare"], path)
    constants = [node["const"]] if "const" in node else []
    if isinstance(node.get("enum"), list) and len(node["enum"]) == 1:
        constants += node["enum"]
    examples = node.get("examples", ())
    free = [*constants, *(examples if isinstance(examples, list) else ())]
    free += [node["default"]] if "default" in node else []
    found.free.setdefault(path, []).extend(free)
    found.constants.setdefault(path, []).extend(constants)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """(path, value) of each field; members of an object are fields of their own.

    >>> list(leaves({"a": {"b": 1}, "c": [2, 3]}))
    [('a.b', 1), ('c', [2, 3])]
    """
    if isinstance(value, dict) and value:
        for name, member in value.items():
            yield from leaves(member, below(path, name))
    else:
        yield path, value


class Comparison:
    """Compares values with references, field by field.

    Args:
        declared, rules: what the schema and the caller say.
        examples: objects that a prompt shows; copying from them earns nothing.
    """

    def __init__(self, declared: Declared, rules: Rules, examples: Sequence[Any]) -> None:
        self.declared = declared
        self.rules = rules
        self._shown: dict[str, list[Any]] = {}
        for shown in [*examples, *declared.free.get("", ())]:
            for path, value in leaves(shown):
                self._shown.setdefault(path, []).append(value)

    def results(self, value: Any, wanted: Any) -> list[FieldResult]:
        """One result for each field of the reference, and for each field that it lacks."""
        return list(self._results(value, wanted, ""))

    def _results(self, value: Any, wanted: Any, path: str) -> Iterator[FieldResult]:
        if isinstance(wanted, dict) and wanted:
            mine: Mapping[str, Any] = value if isinstance(value, dict) else {}
            for name, member in wanted.items():
                yield from self._results(mine.get(name, _ABSENT), member, below(path, name))
            for name in mine.keys() - wanted.keys():
                if mine[name] is not None:
                    yield FieldResult(below(path, name), False, True, None, mine[name])
            return
        got = None if value is _ABSENT else value
        is_right = self.rules.same(got, wanted, path)
        yield FieldResult(path, is_right, self.is_free(wanted, path), wanted, got)

    def is_free(self, wanted: Any, path: str) -> bool:
        """Whether a field can be right without a look at the source."""
        if wanted in (None, "", [], {}) or wanted == 0 or isinstance(wanted, bool):
            return True
        shown = [*self.declared.free.get(path, ()), *self._shown.get(path, ())]
        return any(self.rules.same(value, wanted, path) for value in shown)

    def is_empty(self, wanted: Any, path: str) -> bool:
        """Whether a field says nothing, or what the schema makes every answer say."""
        if wanted is None or wanted in ("", [], {}):
            return True
        constants = self.declared.constants.get(path, ())
        return any(self.rules.same(value, wanted, path) for value in constants)
