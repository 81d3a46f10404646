"""One line of an audit log, its hash, and the anchor that fixes a log's length and head."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

GENESIS = "0" * 64
"""What the first line holds in place of a hash."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A reader's memory is bounded by this; a longer record is logged as its length and hash."""

ENTRY_KEYS = ["prev", "seq", "run", "at", "record"]

_ANCHOR = re.compile(r"(0|[1-9][0-9]{0,17}):([0-9a-f]{64})")


class Anchor(NamedTuple):
    """How many records a log held, and the hash of the last one: ``COUNT:HASH`` as text.

    >>> str(Anchor(0, GENESIS))[:8]
    '0:000000'
    """

    count: int
    head: str

    def __str__(self) -> str:
        return f"{self.count}:{self.head}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Inverse of ``str``; space around it is ignored.

        Raises:
            ValueError: not ``COUNT:HASH``.
        """
        match = _ANCHOR.fullmatch(text.strip())
        if match is None:
            raise ValueError(
                f"anchor {text.strip()[:80]!r} is not COUNT:HASH, a number of records and 64 hex "
                "digits, as log.anchor gives it"
            )
        return cls(int(match[1]), match[2])


def line_hash(line: bytes) -> str:
    """SHA-256, in hex, of a line's raw bytes, its newline included."""
    return hashlib.sha256(line).hexdigest()


def encode_entry(entry: Mapping[str, Any]) -> bytes:
    """An entry (keys ``ENTRY_KEYS``, JSON values) as one line of ASCII with its newline."""
    text = json.dumps(entry, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def decode_entry(line: bytes) -> dict[str, Any]:
    """Inverse of ``encode_entry``.

    Raises:
        ValueError: not an audit log's line; the message says how.
    """
    try:
        entry = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({type(error).__name__})") from None
    if not isinstance(entry, dict) or list(entry) != ENTRY_KEYS:
        raise ValueError(f"not an object with the keys {', '.join(ENTRY_KEYS)}")
    return entry


def head_path(path: Path) -> Path:
    """Where the anchor of the log at ``path`` lies: ``PATH.head``."""
    return path.with_name(path.name + ".head")


def read_anchor(path: Path) -> Anchor | None:
    """The anchor beside the log at ``path``; None where there is no head file.

    Raises:
        ValueError: the head file doesn't hold an anchor.
        OSError: it can't be read.
    """
    try:
        with head_path(path).open("rb") as stream:
            text = stream.read(200)
    except FileNotFoundError:
        return None
    return Anchor.parse(text.decode("ascii", "replace"))


def write_anchor(path: Path, anchor: Anchor, *, durable: bool = False) -> None:
    """Replace the anchor beside the log at ``path``: the old one or the new one, never half.

    Args:
        durable: wait until the disk has the new one before it takes the old one's place.

    Raises:
        OSError: it can't be written; the old one stands.
    """
    target = head_path(path)
    fresh = f"{target}.tmp"  # the log's lock makes this writer the only one
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        text = f"{anchor}\n".encode("ascii")
        if os.write(descriptor, text) != len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # what a short write means
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(fresh, target)  # noqa: PTH105  (called for every record)
