"""The leak test: does anything that learners get show what is kept from them?

It looks into every file of a folder, wheel, zip or set of pages, through the encodings that
``disguises.py`` undoes, for the lines that ``leak_lines.py`` lists; and for files that have no
business there at all, whatever is in them.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rlvr_course.classroom.checkout import Checkout
from rlvr_course.classroom.disguises import skeleton, views
from rlvr_course.classroom.leak_lines import LEAST_TEXT, Secret, published, secrets_of
from rlvr_course.errors import NotebookError

_KEY = LEAST_TEXT
"""Letters by which patterns are looked up; no pattern is shorter."""
_PRIVATE_PARTS = {"solutions_private", ".git", "__pycache__", ".ipynb_checkpoints"}
_PRIVATE_NAMES = {"INSTRUCTORS.md", "published.toml"}
_PYC_FLAGS = {bytes([flags, 0, 0, 0]) for flags in (0, 1, 3)}


@dataclass(frozen=True)
class Leak:
    """One thing that must not be where it is.

    Args:
        file: in which.
        what: one line for people.
        secret: whose line it is; None for a file that must not be there.
    """

    file: str
    what: str
    secret: Secret | None = None

    def __str__(self) -> str:
        return f"{self.file}: {self.what}"


class LeakTest:
    """Knows the secrets of one checkout and looks for them.

    Raises:
        NotebookError: the checkout has no sources, or one can't be read.
    """

    def __init__(self, checkout: Checkout) -> None:
        self.secrets = secrets_of(checkout)
        self.published = published(checkout)
        self._found: dict[bytes, list[tuple[Secret, str]]] = {}
        self._patterns: dict[str, list[tuple[str, Secret]]] = {}
        for secret in self.secrets:
            for pattern in secret.patterns:
                self._patterns.setdefault(pattern[:_KEY], []).append((pattern, secret))

    def find(self, files: Mapping[str, bytes]) -> list[Leak]:
        """Leaks in files, given by their paths; each secret once for a file.

        Limits: it finds lines that are repeated, however they are encoded, not what was reworded,
        and no line with fewer letters than ``leak_lines.LEAST``.
        """
        return [leak for name in sorted(files) for leak in self._in_file(name, files[name])]

    def _in_file(self, name: str, data: bytes) -> Iterator[Leak]:
        if (reason := _not_for_learners(name, data)) is not None:
            yield Leak(name, reason)
        seen: set[Secret] = set()
        for secret, how in self._in_bytes(data):
            if secret not in seen and not self._may_stand(secret, name, how):
                seen.add(secret)
                seen_as = f" ({how})" if how else ""
                line = f"{secret.line[:80]!r}"
                what = f"a {secret.kind}'s line of {secret.source}{seen_as}: {line}"
                yield Leak(name, what, secret)

    def _in_bytes(self, data: bytes) -> list[tuple[Secret, str]]:
        """Secrets and what was undone to see them; the same bytes are searched once."""
        digest = hashlib.sha256(data).digest()
        if digest not in self._found:
            self._found[digest] = [
                (secret, view.how)
                for view in views(data)
                for secret in self._in_text(skeleton(view.text))
            ]
        return self._found[digest]

    def _in_text(self, bare: str) -> Iterator[Secret]:
        known = self._patterns
        for start in range(len(bare) - _KEY + 1):
            for pattern, secret in known.get(bare[start : start + _KEY], ()):
                if bare.startswith(pattern, start):
                    yield secret

    def _may_stand(self, secret: Secret, name: str, how: str) -> bool:
        """Whether the line is published in this file, which may be in an archive."""
        places = [name, *(step.removeprefix("in ") for step in how.split(", "))]
        bare = skeleton(secret.line)
        return any(
            bare in lines and any(f"/{place}".endswith(f"/{file}") for place in places)
            for file, lines in self.published.items()
        )


def _not_for_learners(name: str, data: bytes) -> str | None:
    """Why a file must not be handed out, whatever it says; None if it may."""
    path = PurePosixPath(name)
    if _PRIVATE_PARTS & set(path.parts) or path.name in _PRIVATE_NAMES:
        return "is not for learners"
    if path.suffix in {".pyc", ".pyo"} or (data[2:4] == b"\r\n" and data[4:8] in _PYC_FLAGS):
        return "is compiled Python"
    if data.startswith((b"PACK\0", b"# v2 git bundle", b"# v3 git bundle")):
        return "is a git history"
    return None


def read_files(path: Path) -> dict[str, bytes]:
    """The files of a folder, of a wheel or zip, or the one file that ``path`` is.

    Raises:
        NotebookError: there is none.
    """
    if path.is_dir():
        return {
            file.relative_to(path).as_posix(): file.read_bytes()
            for file in sorted(path.rglob("*"))
            if file.is_file()
        }
    if not path.is_file():
        raise NotebookError(f"there is no {path}: check the path")
    data = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return {path.name: data}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {m.filename: archive.read(m) for m in archive.infolist() if not m.is_dir()}
        return {**members, "(comment)": archive.comment}


def refuse(leaks: Sequence[Leak], what: str) -> None:
    """Raise if there is a leak.

    Raises:
        NotebookError: with the first of them and their number.
    """
    if leaks:
        more = f" (and {len(leaks) - 1} more)" if len(leaks) > 1 else ""
        raise NotebookError(
            f"{what} would leak: {leaks[0]}{more}; reword it, or, if it is meant to be seen, add "
            "it to solutions_private/published.toml; nothing was written"
        )
