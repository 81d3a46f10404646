"""A JSON Schema, checked once and applied in bounded time, with nothing fetched.

Validation is jsonschema's, with four keywords of its own: ``pattern``, ``patternProperties`` and
``additionalProperties`` match in linear time (``patterns``), ``uniqueItems`` by hashing. Each
keyword that is applied counts against a budget, so that neither a schema whose branches multiply
nor a deep value can make a verdict take long. ``format`` is an annotation, as by default.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any
from urllib.parse import unquote

from rlvr_course.verifiers.structured.patterns import LinearPattern
from rlvr_course.verifiers.structured.reading import canonical, excess

BUDGET = 50_000
"""Keyword applications for one value; 256 characters of a value count as one more, and so do 100
characters that are matched by one state of a pattern."""
MAX_SCHEMA = 200_000
DRAFTS = ("draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12")

_DATA = frozenset({"const", "enum", "default", "examples"})
"""Keywords whose values are data: what looks like a keyword in them is none."""
_UNSUPPORTED = ("$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor")


class TooMuchWork(Exception):
    """A value on which the schema can't be decided within the budget."""


class _Budget:
    def __init__(self, value: Any) -> None:
        self.left = BUDGET
        self.sizes: dict[int, int] = {}
        self._measure(value)

    def _measure(self, value: Any) -> int:
        if isinstance(value, dict):
            size = sum(len(name) + self._measure(v) for name, v in value.items())
        elif isinstance(value, list):
            size = sum(self._measure(item) for item in value)
        else:
            return len(value) if isinstance(value, str) else 8
        self.sizes[id(value)] = size
        return size

    def spend(self, instance: Any) -> None:
        size = len(instance) if isinstance(instance, str) else self.sizes.get(id(instance), 0)
        self.take(1 + size // 256)

    def take(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise TooMuchWork


_BUDGET: ContextVar[_Budget] = ContextVar("budget")


class BoundedSchema:
    """A schema that values can be checked against.

    Args:
        schema: JSON Schema of a draft in ``DRAFTS``, 2020-12 if it doesn't say. References stay
            inside it (``#/$defs/name``); patterns are in the grammar of ``patterns``.

    Raises:
        ValueError: not JSON, not a valid schema, another draft, a reference out of it or to
            nothing, a pattern outside the grammar, or no end (a schema that refers to itself).
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = _as_json(schema)
        self._as_given = dict(self.schema)
        draft = _draft_of(self.schema)
        self.schema.pop("$schema", None)  # nested validators would take the plain draft by it
        self._patterns: dict[str, LinearPattern] = {}
        _check(draft, self.schema)
        self._inspect(self.schema)
        self._validator = self._bounded(draft)(self.schema, registry=_empty_registry())
        self._try_out()

    def __reduce__(self) -> tuple[Any, ...]:
        """Made anew where it is unpickled, since a validator class can't be sent."""
        return BoundedSchema, (self._as_given,)

    def violation(self, value: Any) -> str:
        """The first rule that a value breaks, as ``path: keyword``; "" if it is valid.

        Args:
            value: JSON as Python has it, within the bounds of ``reading``.

        Raises:
            TooMuchWork: it can't be decided within the budget.
        """
        token = _BUDGET.set(_Budget(value))
        try:
            error = next(iter(self._validator.iter_errors(value)), None)
        except RecursionError:
            raise TooMuchWork from None
        finally:
            _BUDGET.reset(token)
        return f"{_shown_path(error.absolute_path)}: {error.validator or 'false'}" if error else ""

    def resolved(self, subschema: Any) -> Any:
        """A subschema, or what its ``$ref`` points to.

        Raises:
            ValueError: it points to nothing.
        """
        target = subschema.get("$ref") if isinstance(subschema, dict) else None
        if not isinstance(target, str):
            return subschema
        node: Any = self.schema
        try:
            for part in target.split("/")[1:]:
                name = unquote(part).replace("~1", "/").replace("~0", "~")
                node = node[int(name)] if isinstance(node, list) else node[name]
        except (LookupError, TypeError, ValueError):
            raise ValueError(f"reference {target!r} points to nothing in the schema") from None
        return node

    def _inspect(self, node: Any, *, is_schema: bool = True) -> None:
        """Refuse what would leave the schema or its bounds; compile the patterns."""
        if isinstance(node, list):
            for item in node:
                self._inspect(item)
        if not isinstance(node, dict):
            return
        for key, value in node.items():
            if not is_schema:
                self._inspect(value)
            elif key in _DATA or key.startswith("x-"):
                continue
            elif key in _UNSUPPORTED:
                raise ValueError(f"{key!r} isn't supported: refer by '#/$defs/name'")
            elif key == "$ref":
                self._inspect_reference(value)
            elif key in ("$id", "id", "$schema") and node is not self.schema:
                raise ValueError(f"{key!r} inside the schema: only its root may have one")
            elif key == "pattern":
                self._compile(value)
            elif key in ("properties", "patternProperties", "$defs", "definitions"):
                if key == "patternProperties":
                    for pattern in value:
                        self._compile(pattern)
                self._inspect(value, is_schema=False)
            else:
                self._inspect(value, is_schema=key not in ("dependentSchemas", "dependencies"))

    def _inspect_reference(self, target: Any) -> None:
        if not isinstance(target, str) or not target.startswith("#"):
            raise ValueError(f"reference {target!r} leaves the schema: put its target in $defs")
        if target != "#" and not target.startswith("#/"):
            raise ValueError(f"reference {target!r} isn't supported: refer by '#/$defs/name'")
        self.resolved({"$ref": target})

    def _compile(self, pattern: str) -> None:
        if pattern not in self._patterns:
            self._patterns[pattern] = LinearPattern(pattern)

    def _try_out(self) -> None:
        """Apply the schema to small values, which finds one that refers to itself for ever."""
        try:
            for value in (None, True, 0, "", [], {}):
                self.violation(value)
        except TooMuchWork:
            raise ValueError("the schema refers to itself without end") from None

    def _bounded(self, draft: Any) -> Any:
        from jsonschema.validators import extend

        text = json.dumps(self.schema)
        if "unevaluatedProperties" in text and "patternProperties" in text:
            raise ValueError("unevaluatedProperties beside patternProperties isn't supported")
        own = {
            "pattern": self._pattern,
            "patternProperties": self._pattern_properties,
            "additionalProperties": self._additional_properties,
            "uniqueItems": _unique_items,
        }
        keywords = {**draft.VALIDATORS, **own}
        return extend(draft, {name: _counted(keyword) for name, keyword in keywords.items()})

    def _found(self, pattern: str, text: str) -> bool:
        matcher = self._patterns[pattern]
        _BUDGET.get().take(len(text) * matcher.states // 100)
        return matcher.found_in(text)

    def _pattern(self, validator: Any, pattern: str, instance: Any, _: Any) -> Iterator[Any]:
        if isinstance(instance, str) and not self._found(pattern, instance):
            yield _error("does not match the pattern")

    def _pattern_properties(
        self, validator: Any, by_pattern: dict[str, Any], instance: Any, _: Any
    ) -> Iterator[Any]:
        if isinstance(instance, dict):
            for pattern, subschema in by_pattern.items():
                for name, value in instance.items():
                    if self._found(pattern, name):
                        yield from validator.descend(
                            value, subschema, path=name, schema_path=pattern
                        )

    def _additional_properties(
        self, validator: Any, subschema: Any, instance: Any, schema: dict[str, Any]
    ) -> Iterator[Any]:
        if not isinstance(instance, dict):
            return
        named = schema.get("properties", {})
        patterns = schema.get("patternProperties", ())
        for name, value in instance.items():
            if name in named or any(self._found(p, name) for p in patterns):
                continue
            yield from validator.descend(value, subschema, path=name)


def _unique_items(validator: Any, wanted: Any, instance: Any, _: Any) -> Iterator[Any]:
    is_list = wanted and isinstance(instance, list)
    if is_list and len({canonical(item) for item in instance}) < len(instance):
        yield _error("has an item twice")


def _error(message: str) -> Exception:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message)


def _counted(keyword: Callable[..., Any]) -> Callable[..., Any]:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        _BUDGET.get().spend(instance)
        return keyword(validator, value, instance, schema)

    return counted


def _as_json(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy in plain JSON types, so that a later change by the caller changes nothing."""
    if not isinstance(schema, Mapping):
        raise ValueError(f"schema is a {type(schema).__name__}: give a mapping, such as a dict")
    try:
        text = json.dumps(dict(schema), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"schema is not JSON: {error}") from None
    if len(text) > MAX_SCHEMA:
        raise ValueError(f"schema has {len(text)} characters of JSON: {MAX_SCHEMA} at most")
    copy = json.loads(text)
    if excess(copy):
        raise ValueError(f"schema is too large: {excess(copy)}")
    return copy


def _draft_of(schema: dict[str, Any]) -> Any:
    from jsonschema.validators import Draft202012Validator, validator_for

    named = schema.get("$schema")
    if named is None:
        return Draft202012Validator
    if not isinstance(named, str) or not any(draft in named for draft in DRAFTS):
        raise ValueError(f"$schema {named!r} is not one of {', '.join(DRAFTS)}")
    return validator_for(schema, default=Draft202012Validator)


def _check(draft: Any, schema: dict[str, Any]) -> None:
    from jsonschema.exceptions import SchemaError

    try:
        draft.check_schema(schema)
    except SchemaError as error:
        message = " ".join(error.message.split())[:120]
        raise ValueError(f"invalid schema at {_shown_path(error.path)}: {message}") from None
    except RecursionError:
        raise ValueError("schema is nested too deep to be checked") from None


def _empty_registry() -> Any:
    """A registry that holds the drafts' own schemas and retrieves nothing."""
    from referencing import Registry

    return Registry()


def _shown_path(parts: Any) -> str:
    path = "$"
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path if len(path) <= 80 else path[:79] + "…"
