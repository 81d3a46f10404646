"""Files that hold no work that could be graded, or none of this course's."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat

from sample_class.sessions import HandIn

FLOOD_BYTES = 300_000_000
_CHUNK = b"x" * 1_000_000


def large_output(work: HandIn, path: Path) -> None:
    """A package whose notebook has 300 MB of output; packed it is small."""
    text = json.dumps(work.notebook)
    mark = '"output_type": "stream", "text": ["'
    shape = text.replace('"outputs": []', f'"outputs": [{{"name": "stdout", {mark}@@"]}}]', 1)
    before, after = shape.split("@@")
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("notebook.ipynb", "w", force_zip64=True) as stream,
    ):
        stream.write(before.encode())
        for _ in range(FLOOD_BYTES // len(_CHUNK)):
            stream.write(_CHUNK)
        stream.write(after.encode())


def unreadable(work: HandIn, path: Path) -> None:
    """Bytes of no known kind under a notebook's name."""
    path.write_bytes(bytes(range(256)) * 40)


def malformed(work: HandIn, path: Path) -> None:
    """A notebook whose file was cut off in the middle."""
    text = json.dumps(work.notebook)
    path.write_text(text[: len(text) // 2], encoding="utf-8")


def foreign(work: HandIn, path: Path) -> None:
    """A notebook of another course."""
    cells = [
        nbformat.v4.new_markdown_cell("# Homework 3: sorting"),
        nbformat.v4.new_code_cell("print(sorted([3, 1, 2]))", execution_count=1),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def hostile_zip(work: HandIn, path: Path) -> None:
    """Names that lead out of the folder, a link, and no notebook in its place."""
    link = zipfile.ZipInfo("notebook.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../outside.ipynb", json.dumps(work.notebook))
        archive.writestr("/etc/outside.ipynb", json.dumps(work.notebook))
        archive.writestr(link, "/etc/passwd")


ACCIDENTS: Mapping[str, tuple[str, Callable[[HandIn, Path], None]]] = {
    "300 MB of output, stored": ("zip", large_output),
    "unreadable file": ("ipynb", unreadable),
    "malformed JSON": ("ipynb", malformed),
    "foreign notebook": ("ipynb", foreign),
    "hostile zip": ("zip", hostile_zip),
}
"""By property, the file's suffix and what writes it."""
