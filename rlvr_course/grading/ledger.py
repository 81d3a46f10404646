"""What has been graded already, kept in a file for each submission.

A grade is used again while everything that it depends on is unchanged: the bytes handed in, the
notebook as released, the checks (public and hidden), the package, and how it was to be graded.
A grade that could not be given is never used again: the reason may have gone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import rlvr_course
from rlvr_course.classroom.build import write_whole
from rlvr_course.grading.records import Grade

FORMAT = "rlvr-course grade 1"
FOLDER = "graded"
PACKAGE = Path(rlvr_course.__file__).parent
CHUNK_BYTES = 1 << 20
DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}
"""Names that mean a device on some systems, whatever comes after a dot."""

MARK_CHARS = 16
"""Of the hash in a name: with 8, somebody who chooses an id finds one that has another's name."""

MARKED = re.compile(rf"-[0-9a-f]{{{MARK_CHARS}}}")


class Ledger:
    """The grades kept in a folder.

    Args:
        out: the folder of the results; grades are in ``graded`` within it.
        notebooks: the folder of released notebooks.
        how: how submissions are graded, as plain JSON values; part of the key.
    """

    def __init__(self, out: Path, notebooks: Path, how: Mapping[str, Any]) -> None:
        self._folder = out / FOLDER
        self._notebooks = notebooks
        self._how = dict(how)

    def kept(self, learner: str, path: Path) -> Grade | None:
        """The grade that still holds; None if there is none, or something has changed."""
        try:
            record = json.loads(self._file(learner, path).read_text(encoding="utf-8"))
            grade = Grade.from_dict(record["grade"])
            holds = record["key"] == self._key(learner, path, grade.notebook_name)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        return grade if holds and grade.status != "could_not_grade" else None

    def keep(self, learner: str, path: Path, grade: Grade, traces: Sequence[str] = ()) -> None:
        """Write a grade down.

        Raises:
            NotebookError: it can't be written.
        """
        try:
            key = self._key(learner, path, grade.notebook_name)
        except OSError:  # unreadable, so that it has no key: it is graded anew each time
            key = None
        record = {"format": FORMAT, "key": key, "grade": grade.to_dict(), "traces": list(traces)}
        write_whole(self._file(learner, path), json.dumps(record, indent=1) + "\n")

    def _file(self, learner: str, path: Path) -> Path:
        place = hashlib.sha256(f"{learner}\0{path.name}".encode("utf-8", "replace")).hexdigest()
        return self._folder / f"{file_name(learner)}.{place[:MARK_CHARS]}.json"

    def _key(self, learner: str, path: Path, notebook_name: str) -> dict[str, Any]:
        return {
            "submission": digest_of(path),
            "learner": learner,
            "release": self._release(notebook_name),
            "code": self._code(notebook_name),
            "version": version("rlvr-course"),
            "how": self._how,
        }

    def _release(self, notebook_name: str) -> str:
        path = self._notebooks / f"{Path(notebook_name).name}.ipynb"
        return _digest([path]) if notebook_name and path.is_file() else "none"

    def _code(self, notebook_name: str) -> str:
        """Package and hidden checks, but for what belongs to other notebooks alone."""
        number = notebook_name[:2]
        return _digest_cached(tuple(p for p in self._sources if _concerns(p, number)))

    @cached_property
    def _sources(self) -> list[Path]:
        hidden = self._notebooks.parent / "solutions_private" / "hidden"
        found = [*PACKAGE.rglob("*.py"), *(p for p in hidden.rglob("*") if p.suffix != ".pyc")]
        return sorted(path for path in found if path.is_file())


def _concerns(path: Path, number: str) -> bool:
    """Whether a source file matters to a notebook: ``checks_03.py`` does to 03 only."""
    own = next((part for part in path.stem.split("_") if len(part) == 2 and part.isdigit()), None)
    return own is None or own == number


@cache
def _digest_cached(paths: tuple[Path, ...]) -> str:
    return _digest(paths)


def digest_of(path: Path) -> str:
    """SHA-256 of a file, or of a folder's names and files; links are not followed.

    Raises:
        OSError: something can't be read.
    """
    if path.is_symlink() or not path.is_dir():
        return _digest([path])
    inside = [
        Path(folder) / name
        for folder, _, names in os.walk(path)
        for name in names
        if name != ".DS_Store"
    ]
    return _digest(sorted(inside), relative_to=path)


def _digest(paths: Iterable[Path], relative_to: Path | None = None) -> str:
    total = hashlib.sha256()
    for path in paths:
        name = path.relative_to(relative_to) if relative_to else path.name
        total.update(os.fsencode(name) + b"\0" + _content(path))
    return total.hexdigest()


def _content(path: Path) -> bytes:
    """The digest of a regular file; what a link says; the kind of anything else, unopened."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return b"link " + os.fsencode(path.readlink())
    if not stat.S_ISREG(mode):
        return b"special %d" % stat.S_IFMT(mode)
    content = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            content.update(chunk)
    return content.digest()


def file_name(learner: str) -> str:
    """A safe file name for a learner's id, the same each time and different for different ids.

    >>> file_name("ada.lovelace-2")
    'ada.lovelace-2'
    >>> file_name("../../etc/passwd")
    'etc_passwd-3754d6cb3a38e118'
    """
    allowed = "abcdefghijklmnopqrstuvwxyz0123456789.-_"
    safe = "".join(char if char in allowed else "_" for char in learner).strip("._-")[:60]
    is_device, is_marked = safe.split(".")[0] in DEVICES, MARKED.search(safe)
    if safe and safe == learner and not is_device and not is_marked:
        return safe
    # Capitals count as changed: "Ada" and "ada" are one file on some systems. And an id may be
    # chosen to look like the name that another one is given.
    mark = hashlib.sha256(learner.encode("utf-8", "surrogatepass")).hexdigest()[:MARK_CHARS]
    return f"{safe or 'learner'}-{mark}"
