"""The entries of a zip that somebody handed in: listed and read within bounds, never unpacked."""

from __future__ import annotations

import io
import re
import stat
import zipfile
from collections import Counter
from collections.abc import Callable
from typing import BinaryIO

from rlvr_course.errors import NotebookError

ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
"""How a zip file begins: with an entry, or, without any, with its end."""

MAX_ARCHIVE_BYTES = 90_000_000
MAX_ENTRIES = 1_000

_DIRECTORY_ENTRY = b"PK\x01\x02"
_BOUNDED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1
_UNSAFE = re.compile(r"^/|^[A-Za-z]:|\\|[\x00-\x1f\x7f]|(^|/)\.\.(/|$)")
_REMEDY = "hand in the zip that rlvr-course submit wrote, as it is"


def entries(name: str, stream: BinaryIO) -> tuple[dict[str, Callable[[int], bytes]], list[str]]:
    """The files in a zip.

    Args:
        name: of the archive, for messages.
        stream: its bytes.

    Returns:
        For each entry's name a function that reads its first bytes, as many as it is asked for;
        and a sentence for each entry that is refused and therefore missing.

    Raises:
        NotebookError: it is too large, has too many entries, or is no whole zip. The functions
            raise it for an entry that is damaged.
    """
    data = stream.read(MAX_ARCHIVE_BYTES + 1)
    if len(data) > MAX_ARCHIVE_BYTES:
        size = f"{MAX_ARCHIVE_BYTES // 1_000_000} MB"
        raise NotebookError(f"{name} is over {size}: clear large outputs and pack it again")
    # zipfile builds an object for each of these marks, before any other bound could hold.
    if data.count(_DIRECTORY_ENTRY) > MAX_ENTRIES:
        raise NotebookError(f"{name} has over {MAX_ENTRIES:,} entries: {_REMEDY}")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        infos = [info for info in archive.infolist() if not info.is_dir()]
    except Exception as error:  # zipfile raises a dozen kinds for a damaged directory
        raise NotebookError(_damaged(name, error)) from None
    times = Counter(info.filename for info in infos)
    refusals = {info.filename: _refusal(info, times[info.filename]) for info in infos}
    readers = {i.filename: _reader(archive, i) for i in infos if not refusals[i.filename]}
    refused = [f"{entry[-80:]!r} {reason}" for entry, reason in refusals.items() if reason]
    return readers, refused


def _refusal(info: zipfile.ZipInfo, times: int) -> str:
    """Why an entry is not read; "" if it is."""
    mode = info.external_attr >> 16
    if _UNSAFE.search(info.orig_filename):
        return "is a path that leaves its folder"
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
        return "is a link" if stat.S_ISLNK(mode) else "is not a regular file"
    if info.flag_bits & _ENCRYPTED:
        return "has a password"
    if info.compress_type not in _BOUNDED:
        return "is compressed in another way than zip's usual one"
    if times > 1:
        return f"is there {times} times"
    return ""


def _reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(n_bytes: int) -> bytes:
        try:
            with archive.open(info) as stream:
                return stream.read(n_bytes)
        except Exception as error:  # as above: a wrong checksum, a cut stream, another file's name
            raise NotebookError(_damaged(info.filename[-80:], error)) from None

    return read


def _damaged(name: str, error: Exception) -> str:
    said = " ".join(f"{type(error).__name__}: {error}".split())[:120]
    return f"{name} is damaged or was cut short ({said}): {_REMEDY}"
