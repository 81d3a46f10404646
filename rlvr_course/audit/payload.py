"""Any mapping as JSON values, so that logging never fails on what a verifier or a model returned.

What JSON can't hold is replaced by a marker, an object whose keys begin with ``$``:

    {"$float": "nan"}                                a float that is not finite
    {"$int": "0x1f..."}                              an integer of more than 2,000 bits
    {"$type": "builtins.set", "$repr": "{1}"}        any other value
    {"$type": "builtins.list", "$left_out": "..."}   a value that holds itself, is nested too deep
                                                     or is too large
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

MAX_DEPTH = 100
MAX_VALUES = 1_000_000
MAX_INT_BITS = 2_000  # 603 digits, below the least limit that Python can be set to (640)
MAX_REPR_CHARS = 10_000


def json_payload(record: Any) -> dict[str, Any]:
    """The payload of one audit record, as values that JSON can hold.

    Args:
        record: a mapping, a dataclass instance, or anything with ``keys()`` and ``[]``.

    Returns:
        A new dict. Tuples become lists, arrays and tensors nested lists, keys text; everything
        else that JSON can't hold becomes a marker (see the module's first lines).

    Raises:
        ValueError: ``record`` is none of these.

    Limits:
        A key that isn't text becomes its text, with ``'`` added where that key is taken.
        Two halves of a surrogate pair beside each other are read back as the one character.

    >>> json_payload({"reward": float("nan"), "tags": ("a", "b"), 7: {1}}) == {
    ...     "reward": {"$float": "nan"},
    ...     "tags": ["a", "b"],
    ...     "7": {"$type": "builtins.set", "$repr": "{1}"},
    ... }
    True
    """
    if not _is_mapping(record):
        raise ValueError(
            f"an audit record is a mapping or a dataclass, not {type(record).__name__}: "
            "wrap it, as in {'value': ...}"
        )
    return _Walk().plain(record)


class _Walk:
    """One walk through a payload; it holds what bounds the walk."""

    def __init__(self) -> None:
        self.values_left = MAX_VALUES
        self.open_ids: set[int] = set()

    def plain(self, value: Any) -> Any:
        """``value`` as JSON values; the one place where foreign code's exceptions stop."""
        try:
            return self._plain(value)
        except Exception as error:
            return {"$type": _type_name(value), "$left_out": f"raised {type(error).__name__}"}

    def _plain(self, value: Any) -> Any:
        self.values_left -= 1
        if value is None or isinstance(value, (str, bool)):
            return value
        if isinstance(value, int):
            small = int.bit_length(value) <= MAX_INT_BITS
            return value if small else {"$int": hex(value)}
        if isinstance(value, float):
            return value if math.isfinite(value) else {"$float": float.__repr__(value)}
        if _is_array(value):
            return self._plain(value.tolist())
        if isinstance(value, (list, tuple)) or _is_mapping(value):
            return self._container(value)
        return {"$type": _type_name(value), "$repr": repr(value)[:MAX_REPR_CHARS]}

    def _container(self, value: Any) -> Any:
        reason = self._too_much(value)
        if reason:
            return {"$type": _type_name(value), "$left_out": reason}
        self.open_ids.add(id(value))
        try:
            if isinstance(value, (list, tuple)):
                return [self.plain(item) for item in value]
            return self._object(_pairs(value))
        finally:
            self.open_ids.discard(id(value))

    def _too_much(self, value: Any) -> str:
        if id(value) in self.open_ids:
            return "it holds itself"
        if len(self.open_ids) >= MAX_DEPTH:
            return f"nested deeper than {MAX_DEPTH}"
        if self.values_left <= 0:
            return f"more than {MAX_VALUES} values in one record"
        return ""

    def _object(self, pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            name = key if isinstance(key, str) else str(key)[:MAX_REPR_CHARS]
            while name in found:
                name += "'"
            found[name] = self.plain(value)
        return found


def _is_mapping(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    if isinstance(value, type):
        return False
    return is_dataclass(value) or (hasattr(value, "keys") and hasattr(value, "__getitem__"))


def _is_array(value: Any) -> bool:
    """NumPy's scalars and arrays and PyTorch's tensors, told without importing either."""
    package = type(value).__module__.partition(".")[0]
    return package in {"numpy", "torch"} and hasattr(value, "tolist")


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return value.items()
    if is_dataclass(value):
        return ((field.name, getattr(value, field.name)) for field in fields(value))
    return ((key, value[key]) for key in value.keys())  # noqa: SIM118  (not a Mapping)


def _type_name(value: Any) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}"
