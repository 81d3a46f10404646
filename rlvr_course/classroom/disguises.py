"""What a file says, however it is written: escaped, marked up, encoded, packed.

Texts are compared by their letters and digits alone. Indentation, quotes, line breaks, JSON's
backslashes and a highlighter's tags then make no difference, and what is left to undo are the
encodings that change letters.

>>> skeleton('return "[]"  # None')
'returnnone'
>>> [view.how for view in views(b'{"a": "\\\\u0041"}')]
['', 'escaped']
"""

from __future__ import annotations

import base64
import binascii
import bz2
import html
import io
import lzma
import re
import tarfile
import urllib.parse
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 4
"""Layers of packing and encoding that are undone."""
MAX_BYTES = 200_000_000
"""Of one unpacked file; what is longer is looked at as far as this."""

_APART = re.compile(r"[\W_]+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrt]))")
_TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL)
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/_-]{60,}(?:\\n|\s)+)+[A-Za-z0-9+/_-]+={0,2}|[A-Za-z0-9+/_-]{24,}={0,2}"
)
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){16,}")
_COMPRESSED: dict[bytes, tuple[str, Callable[[], Any]]] = {
    b"\x1f\x8b": ("gzip", lambda: zlib.decompressobj(31)),
    b"\x78": ("zlib", zlib.decompressobj),  # as git keeps its objects
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
    b"\xfd7zXZ": ("xz", lzma.LZMADecompressor),
}


@dataclass(frozen=True)
class View:
    """One reading of a file: the text, and what was undone to get it ("" for nothing)."""

    how: str
    text: str


def skeleton(text: str) -> str:
    """The letters and digits of a text in lower case."""
    return _APART.sub("", text).lower()


def views(data: bytes, how: str = "", depth: int = 0) -> Iterator[View]:
    """Every reading of a file's bytes.

    Args:
        data: the bytes.
        how: what was undone to get them.
        depth: how many layers that were.

    Limits: encryption, and text that is cut up or spelled by a program.
    """
    packed = list(_unpacked(data)) if depth < MAX_DEPTH else []
    for step, inner in packed:
        yield from views(inner, _joined(how, step), depth + 1)
    if packed:
        return
    text = data.replace(b"\0", b"").decode("utf-8", "replace")
    yield View(how, text)
    plain = [(how, text)]
    if _ESCAPE.search(text):
        plain.append((_joined(how, "escaped"), _ESCAPE.sub(_unescaped, text)))
        yield View(*plain[-1])
    for step, each in plain:
        if "</" in each or "&" in each:
            yield View(_joined(step, "markup"), html.unescape(_TAG.sub("", each)))
    if re.search(r"%[0-9a-fA-F]{2}", text):
        yield View(_joined(how, "percent-encoded"), urllib.parse.unquote(text))
    if depth < MAX_DEPTH:
        for step, inner in _decoded(text):
            yield from views(inner, _joined(how, step), depth + 1)


def _joined(how: str, step: str) -> str:
    return f"{how}, {step}" if how else step


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else " "


def _decoded(text: str) -> Iterator[tuple[str, bytes]]:
    """Runs of base64 and of hexadecimal digits, decoded."""
    for match in _BASE64.finditer(text):
        run = re.sub(r"\\n|\s|=", "", match[0]).replace("-", "+").replace("_", "/")
        try:
            yield "base64", base64.b64decode(run[: len(run) - (len(run) % 4 == 1)] + "==")
        except binascii.Error:
            continue
    for match in _HEX.finditer(text):
        yield "hexadecimal", bytes.fromhex(match[0])


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The members of an archive, or what a compressed file holds; nothing for any other file."""
    if data[:4] == b"PK\x03\x04":
        yield from _zip_members(data)
    elif data[257:262] == b"ustar":
        yield from _tar_members(data)
    for magic, (name, decompressor) in _COMPRESSED.items():
        if data.startswith(magic):
            try:
                yield name, decompressor().decompress(data, MAX_BYTES)
            except (OSError, EOFError, lzma.LZMAError, zlib.error):
                return


def _zip_members(data: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                with archive.open(member) as file:
                    yield f"in {member.filename}", file.read(MAX_BYTES)
            yield "comment", archive.comment
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, EOFError):
        return


def _tar_members(data: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None:
                    yield f"in {member.name}", file.read(MAX_BYTES)
    except (tarfile.TarError, EOFError):
        return
