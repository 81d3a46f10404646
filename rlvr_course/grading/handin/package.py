"""The files of one hand-in, out of a zip, a folder or a bare notebook: bounded, and never unpacked.

    notebook.ipynb         at most 20 MB; by any name if it is the only .ipynb
    verifier.jsonl         at most 64 MB, from the notebook's own folder, as what follows
    verifier.jsonl.head    at most 200 bytes
    manifest.json          at most 1 MB

Threats covered: an archive that unpacks to far more than it is (each file is read up to its limit,
nothing is written), an endless directory, names with ``..`` or from the root, links, devices and
pipes, doubled names, passwords, compressions whose output can't be bounded, a file cut short.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rlvr_course.errors import NotebookError
from rlvr_course.grading.handin.archive import ZIP_STARTS, entries

NOTEBOOK, LOG, MANIFEST = "notebook.ipynb", "verifier.jsonl", "manifest.json"
HEAD = f"{LOG}.head"
LIMITS = {NOTEBOOK: 20_000_000, LOG: 64_000_000, HEAD: 200, MANIFEST: 1_000_000}
"""The longest that each file may be, in bytes; the worst notebook takes half a GB to parse."""

Reader = Callable[[int], bytes]
"""Gives a file's first bytes, at most as many as it is asked for."""


@dataclass(frozen=True)
class Parts:
    """The bytes of one hand-in.

    Args:
        files: of ``NOTEBOOK``, ``LOG``, ``HEAD`` and ``MANIFEST`` those that are there and could
            be read; the notebook always is.
        remarks: a sentence for each thing that was left out.
        received: when the notebook's file, or the archive, was last written, POSIX seconds.
    """

    files: Mapping[str, bytes]
    remarks: Sequence[str] = ()
    received: float | None = None


def read_parts(path: Path) -> Parts:
    """Read what was handed in at ``path``: a zip, a folder, or a notebook by itself.

    A file's first bytes say which it is; its name need not.

    Raises:
        NotebookError: no notebook can be read there; the message says why, and what to do.
    """
    try:
        found = path.lstat()
        if stat.S_ISDIR(found.st_mode):
            return _from_folder(path)
        return _from_file(path, found)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise NotebookError(f"{path.name} can't be read ({reason}): hand it in again") from None


def _from_file(path: Path, found: os.stat_result) -> Parts:
    if not stat.S_ISREG(found.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not a regular file"
        raise NotebookError(f"{path.name} is {kind}: hand in the file itself")
    with path.open("rb") as stream:
        start = stream.read(4)
        stream.seek(0)
        if start in ZIP_STARTS:
            inside, refused = entries(path.name, stream)
            return _chosen(path.name, inside, refused, found.st_mtime)
        if path.suffix.lower() == ".zip" and not start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
            raise NotebookError(
                f"{path.name} is not a zip file, or was cut short: hand in the file that "
                "rlvr-course submit wrote, as it is"
            )
        files = {NOTEBOOK: _bounded(stream.read, NOTEBOOK, path.name)}
        return Parts(files, received=found.st_mtime)


def _from_folder(path: Path) -> Parts:
    items = {item.name: item for item in sorted(path.iterdir())}
    regular = {name: item for name, item in items.items() if stat.S_ISREG(item.lstat().st_mode)}
    zips = [item for item in regular.values() if item.suffix.lower() == ".zip"]
    if len(zips) == 1 and not any(map(_is_notebook, regular)):
        return read_parts(zips[0])
    readers = {name: _file_reader(item) for name, item in regular.items()}
    refused = [f"{n} is no regular file" for n in items if n not in regular and _is_wanted(n)]
    newest = max((item.stat().st_mtime for item in regular.values()), default=None)
    return _chosen(path.name, readers, refused, newest)


def _file_reader(path: Path) -> Reader:
    def read(n_bytes: int) -> bytes:
        with path.open("rb") as stream:
            return stream.read(n_bytes)

    return read


def _chosen(
    source: str,
    readers: Mapping[str, Reader],
    refused: Sequence[str],
    received: float | None,
) -> Parts:
    """The notebook and what lies beside it, read."""
    name = _notebook_among(source, list(readers), refused)
    files = {NOTEBOOK: _bounded(readers[name], NOTEBOOK, name)}
    remarks = list(refused)
    for part in (LOG, HEAD, MANIFEST):
        beside = str(PurePosixPath(name).with_name(part))
        if beside in readers:
            try:
                files[part] = _bounded(readers[beside], part, beside)
            except NotebookError as error:
                remarks.append(str(error))
    return Parts(files, remarks, received)


def _notebook_among(source: str, names: Sequence[str], refused: Sequence[str]) -> str:
    found = [name for name in names if _is_notebook(name)]
    exact = [name for name in found if PurePosixPath(name).name == NOTEBOOK]
    chosen = exact if len(exact) == 1 else found
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        some = ", ".join(name[-60:] for name in chosen[:3])
        raise NotebookError(f"{source} holds {len(chosen)} notebooks ({some}): hand in one")
    because = f" ({'; '.join(refused[:3])})" if refused else ""
    raise NotebookError(
        f"{source} holds no notebook{because}: hand in the zip that rlvr-course submit wrote, or "
        "the executed .ipynb"
    )


def _is_notebook(name: str) -> bool:
    """Whether a name is a notebook's, and not one of an editor's or a system's own copies."""
    parts = PurePosixPath(name).parts
    hidden = any(part.startswith((".", "__MACOSX")) for part in parts)
    return name.lower().endswith(".ipynb") and not hidden


def _is_wanted(name: str) -> bool:
    return _is_notebook(name) or name in LIMITS


def _bounded(read: Reader, part: str, name: str) -> bytes:
    limit = LIMITS[part]
    data = read(limit + 1)
    if len(data) > limit:
        size = f"{limit // 1_000_000} MB" if limit >= 1_000_000 else f"{limit} bytes"
        remedy = "clear its large outputs and save it" if part == NOTEBOOK else "pack it again"
        raise NotebookError(f"{name[-80:]} is over {size}: {remedy}")
    return data
