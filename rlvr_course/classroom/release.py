"""The learner's bundle: all that a learner needs, and nothing that is kept from them.

    rlvr-course/
        README.md  LICENSE  pyproject.toml  uv.lock  .gitignore
        notebooks/      to work in, as the sources give them
        given/          the same, to compare with and to begin afresh from
        rlvr_course/    the package
        docs/           what is for learners
        artifacts/      empty; runs are written here
        RELEASE.json    cohort, fixture seed, version, SHA-256 of every file

The notebooks are built from their sources, whatever lies in ``notebooks/``. Files come in a fixed
order with fixed times and modes, so that the same checkout gives the same bytes (with the same
zlib; RELEASE.json is the same with any).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rlvr_course.classroom.build import make
from rlvr_course.classroom.checkout import Checkout
from rlvr_course.classroom.leaks import LeakTest, refuse
from rlvr_course.errors import NotebookError
from rlvr_course.problems.fixtures import COHORT_FILE, Fixtures

FORMAT = "rlvr-course release 1"
TOP_FILES = ("README.md", "LICENSE", "pyproject.toml", "uv.lock", ".gitignore")
LEARNER_DOCS = ("ANSWERS.md", "API.md", "CHEATSHEET.md", "VERIFIER_CHECKLIST.md")
"""What of ``docs/`` is handed out; a page that is not named here stays with the instructors."""

_MADE_AT = (1980, 1, 1, 0, 0, 0)
_INSTRUCTORS_PART = re.compile(
    r"<!-- for instructors -->\n.*?<!-- end: for instructors -->\n+", re.DOTALL
)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Cohort:
    """Whom a bundle is for.

    Args:
        name: letters, digits, dots, dashes; at most 40. "" for everybody.
        fixtures: how the recorded samples are dealt to them; None for as recorded. Another order
            only, since the notebooks' text names counts.

    Raises:
        ValueError: the name has other characters, or the samples would be drawn anew.
    """

    name: str = ""
    fixtures: Fixtures | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,39}|", self.name):
            raise ValueError(
                f"cohort {self.name!r}: use letters, digits, dots and dashes, at most 40"
            )
        if self.fixtures is not None and self.fixtures.redrawn:
            raise ValueError(
                f"fixture seed {self.fixtures}: the notebooks' text would not fit samples that are "
                f"drawn anew; use {self.fixtures.seed}"
            )

    @property
    def folder(self) -> str:
        """The bundle's one folder."""
        return f"rlvr-course-{self.name}" if self.name else "rlvr-course"


def release(checkout: Checkout, out: Path, *, cohort: Cohort = Cohort()) -> Path:
    """Write the bundle, after the leak test has gone over it.

    Args:
        checkout: an instructor's, with the sources.
        out: the .zip.
        cohort: whom it is for.

    Returns:
        The file.

    Raises:
        NotebookError: something is missing, or would leak, or ``out`` can't be written; nothing is
            written then.
    """
    files = bundle(checkout, cohort)
    refuse(LeakTest(checkout).find(files), "the bundle")
    _write(out, files, cohort.folder)
    return out


def bundle(checkout: Checkout, cohort: Cohort = Cohort()) -> dict[str, bytes]:
    """The bundle's files by their paths in it; not looked at for leaks.

    Raises:
        NotebookError: the checkout has no sources, or a file of it can't be read.
    """
    files: dict[str, bytes] = {"artifacts/.gitkeep": b""}
    for built in make(checkout):
        for folder in ("notebooks", "given"):
            files[f"{folder}/{built.name}.ipynb"] = built.learner.encode()
    try:
        files |= _package(checkout.root / "rlvr_course")
        names = [*TOP_FILES, *(f"docs/{name}" for name in LEARNER_DOCS)]
        files |= {name: (checkout.root / name).read_bytes() for name in names}
    except OSError as error:
        raise NotebookError(
            f"{error.filename} can't be read ({error.strerror}): a release is made in a whole "
            "checkout of the course"
        ) from None
    if cohort.fixtures is not None:
        told = {"cohort": cohort.name, "fixture_seed": str(cohort.fixtures)}
        files[f"rlvr_course/{COHORT_FILE}"] = _json(told)
    for name in [name for name in files if name.endswith(".md")]:
        files[name] = learners_page(files[name].decode("utf-8"), name, files).encode()
    files["RELEASE.json"] = _json(_about(files, cohort))
    return files


def learners_page(text: str, name: str, files: Mapping[str, bytes]) -> str:
    """A document as learners get it: without the parts for instructors and without dead links.

    Args:
        text: Markdown; parts for instructors stand between ``<!-- for instructors -->`` and
            ``<!-- end: for instructors -->``, each on a line.
        name: its path in the bundle.
        files: all that is in the bundle.

    >>> learners_page("[a](b.md), [c](d.md#e)", "docs/x.md", {"docs/d.md": b""})
    'a, [c](d.md#e)'
    """

    def checked(match: re.Match[str]) -> str:
        words, target = match.groups()
        path = target.partition("#")[0]
        if not path or re.match(r"[a-z]+:", target):
            return match[0]
        place = os.path.normpath(Path(name).parent / path).replace(os.sep, "/")
        return match[0] if place in files else words

    return _LINK.sub(checked, _INSTRUCTORS_PART.sub("", text))


def _package(folder: Path) -> dict[str, bytes]:
    """The package's files: no caches, nothing hidden, no editor's copies."""
    found = {}
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        is_left_out = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not is_left_out and not path.name.endswith((".pyc", "~", ".orig")):
            found["/".join((folder.name, *parts))] = path.read_bytes()
    return found


def _about(files: Mapping[str, bytes], cohort: Cohort) -> dict[str, object]:
    project = tomllib.loads(files["pyproject.toml"].decode("utf-8"))["project"]
    return {
        "format": FORMAT,
        "version": project["version"],
        "cohort": cohort.name,
        "fixture_seed": str(cohort.fixtures or ""),
        "sha256": {name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)},
    }


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _write(out: Path, files: Mapping[str, bytes], folder: str) -> None:
    fresh = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        try:
            with zipfile.ZipFile(fresh, "x") as archive:
                for name in sorted(files):
                    archive.writestr(_member(f"{folder}/{name}"), files[name], compresslevel=9)
            fresh.replace(out)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise NotebookError(
            f"can't write {out} ({error.strerror}): choose another place with --out"
        ) from None


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _MADE_AT)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3  # Unix, wherever it is made, so that the mode is read
    member.external_attr = 0o100644 << 16
    return member
