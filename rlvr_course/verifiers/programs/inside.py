"""The end of a function test that runs in the sandbox: call the function, send its value out.

The text of this module is the sandboxed program, so it uses the standard library alone; the same
``encode`` and ``decode`` serve outside.

What a candidate may patch (builtins, ``json``, ``os``, ``sys.stdout``) is bound here before its
code runs, and values are taken apart by the methods of built-in types alone, so that no ``__eq__``,
``__iter__`` or ``__class__`` of the candidate's is ever asked. A candidate shares this process all
the same: it can find the nonce and write a reply of its own. What it can forge is a *value*, and
the comparison is outside: it has to know the answer.
"""

import json
import os
import sys
import types
from collections.abc import Iterable
from typing import Any

MAX_DEPTH = 100
MAX_NODES = 200_000
MAX_SAME_HASH = 64
NAME = "candidate"

_type, _id, _hex, _write, _exit, _base_error = type, id, hex, os.write, os._exit, BaseException
_bool, _int, _float, _complex, _str, _dict = bool, int, float, complex, str, dict
_float_hex, _bytes_hex = float.hex, bytes.hex
_quote = json.encoder.encode_basestring_ascii
_name_of = type.__dict__["__name__"].__get__
_mro_of = type.__dict__["__mro__"].__get__
_real_of, _imag_of = complex.__dict__["real"].__get__, complex.__dict__["imag"].__get__
_SEQUENCES = {
    list: ("l", list.__iter__),
    tuple: ("t", tuple.__iter__),
    set: ("s", set.__iter__),
    frozenset: ("z", frozenset.__iter__),
}
_SCALARS = (type(None), bool, int, float, complex, str, bytes)
_PLAIN = {id(kind) for kind in (*_SCALARS, dict, *_SEQUENCES)}
_items = dict.items
_BUILD = {"l": list, "t": tuple, "s": set, "z": frozenset}


class NotPlain(Exception):
    """A value that is not made of built-in types, or is too deep or too large."""


def encode(value: Any) -> str:
    """A plain value as JSON text in which each value carries its type.

    What is of a subclass (a named tuple, a ``Counter``, an ``IntEnum``) goes out as its built-in
    base holds it; a number of numpy's as Python's.

    Raises:
        NotPlain: another type than None, bool, int, float, complex, str, bytes, list, tuple, set,
            frozenset and dict; or a value too deep or too large.

    >>> encode((1, 0.5)), decode(encode((1, 0.5)))
    ('["t",[["i","0x1"],["f","0x1.0000000000000p-1"]]]', (1, 0.5))
    """
    parts: list[str] = []
    _encode(value, parts, 0)
    return "".join(parts)


def _encode(value: Any, parts: list[str], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise NotPlain("nested too deep")
    kind = _plain_type(value)
    if value is None or kind is _bool:
        parts.append("null" if value is None else "true" if value else "false")
    elif kind is None:
        parts.append(_encode_number(value))
    elif kind is _str:
        parts.append(_quote(value))
    elif kind in _SEQUENCES:
        tag, iterate = _SEQUENCES[kind]
        _encode_all(tag, iterate(value), parts, depth)
    elif kind is _dict:
        _encode_all("d", (part for item in _items(value) for part in item), parts, depth)
    else:
        parts.append(_encode_scalar(value, kind))


def _plain_type(value: Any) -> type | None:
    """The first plain type among a value's own and its bases; None if there is none."""
    for base in _mro_of(_type(value)):
        if _id(base) in _PLAIN:  # by identity: == and hash() of a class ask its metaclass
            return base
    return None


def _encode_all(tag: str, values: Iterable[Any], parts: list[str], depth: int) -> None:
    parts.append(f'["{tag}",[')
    separate = False
    for value in values:
        if separate:
            parts.append(",")
        separate = True
        _encode(value, parts, depth + 1)
        # Shared references make a small value endless when it is written out.
        if parts.__len__() > MAX_NODES:
            raise NotPlain("too large")
    parts.append("]]")


def _encode_scalar(value: Any, kind: type) -> str:
    if kind is _int:
        return f'["i","{_hex(value)}"]'  # hexadecimal has no limit on digits and takes linear time
    if kind is _float:
        return f'["f","{_float_hex(value)}"]'
    if kind is _complex:
        return f'["c","{_float_hex(_real_of(value))}","{_float_hex(_imag_of(value))}"]'
    return f'["b","{_bytes_hex(value)}"]'


def _encode_number(value: Any) -> str:
    """A number of numpy's by its ``item()``."""
    kind, numpy = _type(value), sys.modules.get("numpy")
    if numpy is not None and numpy.generic in _mro_of(kind):
        number = value.item()
        if _type(number) is _bool:
            return "true" if number else "false"
        if _type(number) in (_int, _float, _complex):
            return _encode_scalar(number, _type(number))
    raise NotPlain(_plain_name(kind))


def _plain_name(kind: type) -> str:
    name = _name_of(kind)
    return name[:60] if _type(name) is _str else "unnamed"


def decode(text: str) -> Any:
    """Inverse of ``encode``, for text that may be forged.

    Raises:
        ValueError: not such a text.
    """
    try:
        return _decode(json.loads(text), 0)
    except (LookupError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"not an encoded value: {error}") from None


def _decode(node: Any, depth: int) -> Any:
    if node is None or type(node) in (bool, str):
        return node
    if type(node) is not list or depth > MAX_DEPTH:
        raise ValueError("not an encoded value")
    tag, first = node[0], node[1]
    if tag in _BUILD or tag == "d":
        parts = [_decode(item, depth + 1) for item in first]
        if tag in "szd":
            _check_hashes(parts if tag != "d" else parts[::2])
        return dict(zip(parts[::2], parts[1::2], strict=True)) if tag == "d" else _BUILD[tag](parts)
    if tag == "i":
        return int(first, 16)
    if tag == "f":
        return float.fromhex(first)
    if tag == "c":
        return complex(float.fromhex(first), float.fromhex(node[2]))
    if tag == "b":
        return bytes.fromhex(first)
    raise ValueError(f"unknown tag {tag!r}")


def _check_hashes(members: list[Any]) -> None:
    """Refuse members that were chosen to share a hash: sets of them take quadratic time."""
    counts: dict[int, int] = {}
    for member in members:
        own = hash(member)
        counts[own] = counts.get(own, 0) + 1
    if counts and max(counts.values()) > MAX_SAME_HASH:
        raise ValueError("members that share a hash")


def _value(source: str, call: str, args: list[Any]) -> str:
    """What the candidate's function returns, encoded after a "v"; after an "e" why it does not."""
    try:
        module = types.ModuleType(NAME)
        module.__file__ = f"{NAME}.py"
        sys.modules[NAME] = module
        text = source.removeprefix("\ufeff")
        exec(compile(text, module.__file__, "exec", dont_inherit=True), module.__dict__)
        function = _function(module.__dict__, call)
        return "eundefined" if function is None else f"v{encode(function(*args))}"
    except NotPlain as error:
        return f"enot_plain: {error}"
    except _base_error as error:  # SystemExit and KeyboardInterrupt too
        return f"eraised: {_plain_name(_type(error))}"


def _function(names: dict[str, Any], call: str) -> Any:
    """What the tests call: a name of the program's, or a method of its class ``Solution``."""
    if call in names or "Solution" not in names:
        return names.get(call)
    return getattr(names["Solution"](), call, None)


def main() -> None:
    """Read the request from standard input, write the reply after the nonce, and end at once."""
    request = json.loads(sys.stdin.buffer.read())
    args = decode(request["args"])
    reply = _value(request["source"], request["call"], args)
    data = f"\n{request['nonce']}{reply}\n".encode("ascii", "replace")
    while data:
        data = data[_write(1, data) :]
    _exit(0)  # no atexit hook, thread or excepthook of the candidate's has the last word
