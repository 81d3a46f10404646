"""Hand-ins as they come: find them in a teacher's folder, and read each without trusting it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from rlvr_course.errors import NotebookError
from rlvr_course.grading.handin.notebook_json import parse_json, parse_notebook
from rlvr_course.grading.handin.package import HEAD, LOG, MANIFEST, NOTEBOOK, Parts, read_parts
from rlvr_course.grading.records import Submission
from rlvr_course.grading.released import released, released_names

MAX_LOG_LINES = 200_000
MIN_SHARE = 0.3
"""The part of a released notebook's cells that a submission has to have to count as that one."""

_NOTEBOOK_NAME = re.compile(r"\d\d_[a-z0-9_]{1,60}")
_NAME_AT_END = re.compile(r"[ _-]*(\d\d_[a-z0-9_]{1,60})$")
_COPY_MARK = re.compile(r"\s*\(\d+\)$")
_HANDED_IN = {".zip", ".ipynb"}
_WRONG_KIND = {".7z", ".rar", ".tar", ".gz", ".tgz", ".xz", ".pdf", ".html", ".py", ".docx"}


def read_submission(path: Path, *, learner: str = "", notebooks: Path | None = None) -> Submission:
    """Read one hand-in.

    Args:
        path: a zip made by ``rlvr-course submit``, an executed notebook, or a folder with either.
        learner: who handed it in; told by the name of the file or folder if "".
        notebooks: folder of released notebooks, to recognise it by; those of the checkout around
            the current directory if None.

    Returns:
        The submission. Whatever is wrong with it is in its ``problem``; nothing is raised for
        what is inside. Its notebook has the shape that ``notebook_json.py`` describes, its log's
        lines end as on disk, in a newline but for a last one that was cut.

    Limits: whether the log holds and agrees with the manifest is not looked at here.
    """
    path = Path(path)
    claimed = _claimed_name(path)
    who = learner or _learner(path)
    try:
        parts = read_parts(path)
    except NotebookError as error:
        return Submission(who, path, claimed, problem=str(error), received=_written(path))
    remarks = list(parts.remarks)
    manifest = _manifest(parts, remarks)
    claimed = _manifest_text(manifest, "notebook", _NOTEBOOK_NAME) or claimed
    notebook, problem = None, ""
    try:
        notebook = parse_notebook(parts.files[NOTEBOOK])
    except NotebookError as error:
        problem = f"its notebook can't be read: {error}"
    return Submission(
        learner=learner or named_in(manifest, path) or who,
        path=path,
        notebook_name=claimed if notebook is None else _recognised(notebook, claimed, notebooks),
        notebook=notebook,
        log=_log_lines(parts, remarks),
        manifest=manifest,
        problem=problem,
        received=parts.received,
        head_file=parts.files.get(HEAD, b"").decode("ascii", "replace").strip(),
        sha256={name: hashlib.sha256(data).hexdigest() for name, data in parts.files.items()},
        remarks=remarks,
    )


def find_submissions(folder: Path) -> list[tuple[str, Path]]:
    """The hand-ins in a teacher's folder, each with its learner, sorted.

    Found are ``LEARNER.zip``, ``LEARNER.ipynb``, ``LEARNER_NN_name.ipynb``, folders named after
    learners with any of these or loose files in them, and nbgrader's
    ``submitted/LEARNER/ASSIGNMENT/NOTEBOOK.ipynb``. A folder without a notebook, a link and a file
    of another kind (``ada.pdf``) are found too, so that nobody is passed over in silence; reading
    them says what is wrong.

    Raises:
        NotebookError: there is no such folder, or nothing in it.
    """
    root = folder / "submitted" if (folder / "submitted").is_dir() else folder
    if not root.is_dir():
        raise NotebookError(f"{folder} is not a folder: give the one that holds the submissions")
    found = sorted(_found_in(root), key=lambda pair: (pair[0], str(pair[1])))
    if not found:
        raise NotebookError(
            f"no submissions in {folder}: each is a .zip, an .ipynb, or a folder with one"
        )
    return found


def _found_in(root: Path) -> Iterator[tuple[str, Path]]:
    for item in root.iterdir():
        if _is_hidden(item):
            continue
        if item.is_dir() and not item.is_symlink():
            yield from ((item.name, path) for path in _found_of_learner(item))
        elif item.is_symlink() or item.suffix.lower() in _HANDED_IN | _WRONG_KIND:
            yield _learner(item), item


def _found_of_learner(folder: Path) -> list[Path]:
    """The hand-ins in one learner's folder; the folder itself if it is one, or holds none."""
    own = [item for item in sorted(folder.iterdir()) if not _is_hidden(item)]
    zips = [item for item in own if item.suffix.lower() == ".zip" and not item.is_dir()]
    packed = {item.stem for item in zips}
    loose = [item for item in own if item.suffix.lower() == ".ipynb" and item.stem not in packed]
    files = [item for item in loose if not item.is_dir()]
    if len(files) == 1 and not zips:
        return [folder]  # with whatever lies beside the notebook
    below = [item for item in own if item.is_dir() and not item.is_symlink()]
    deeper = [path for item in below for path in _notebook_folders(item)]
    return [*zips, *files, *deeper] or [folder]


def _notebook_folders(folder: Path) -> list[Path]:
    """What an assignment's folder holds; nothing of a folder that has no hand-in."""
    own = [item for item in sorted(folder.iterdir()) if not _is_hidden(item)]
    files = [item for item in own if item.suffix.lower() in _HANDED_IN and not item.is_dir()]
    return [folder] if len(files) == 1 else files


def _is_hidden(path: Path) -> bool:
    return path.name.startswith((".", "__MACOSX"))


def _learner(path: Path) -> str:
    """Who a file's or folder's name says it is from; the name itself where it says nothing."""
    stem = path.stem if path.suffix.lower() in _HANDED_IN | _WRONG_KIND else path.name
    stem = _COPY_MARK.sub("", stem)
    return _NAME_AT_END.sub("", stem) or stem


def _claimed_name(path: Path) -> str:
    """The notebook that the names of the file and of its folder speak of; "" if none does."""
    for part in (path.stem, path.name, path.parent.name):
        match = _NAME_AT_END.search(_COPY_MARK.sub("", part))
        if match:
            return match[1]
    return ""


def _written(path: Path) -> float | None:
    try:
        return path.lstat().st_mtime
    except (OSError, ValueError):
        return None


def _manifest(parts: Parts, remarks: list[str]) -> Mapping[str, Any]:
    if MANIFEST not in parts.files:
        return {}
    try:
        manifest = parse_json(parts.files[MANIFEST])
    except NotebookError as error:
        remarks.append(f"{MANIFEST} can't be read: {error}")
        return {}
    if not isinstance(manifest, dict):
        remarks.append(f"{MANIFEST} is a {type(manifest).__name__}, not an object")
        return {}
    return manifest


def _manifest_text(manifest: Mapping[str, Any], key: str, pattern: re.Pattern[str]) -> str:
    value = manifest.get(key)
    return value if isinstance(value, str) and pattern.fullmatch(value) else ""


def named_in(manifest: Mapping[str, Any], path: Path) -> str:
    """The manifest's learner, where the file has kept the name that it was packed under; or ""."""
    if _NOTEBOOK_NAME.fullmatch(_COPY_MARK.sub("", path.stem)) is None:
        return ""
    return _manifest_text(manifest, "learner", re.compile(r"[^\x00-\x1f/\\]{1,100}"))


def _log_lines(parts: Parts, remarks: list[str]) -> Sequence[bytes] | None:
    data = parts.files.get(LOG)
    if data is None:
        return None
    if data.count(b"\n") > MAX_LOG_LINES:
        remarks.append(f"{LOG} has over {MAX_LOG_LINES:,} lines and was not read")
        return None
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _recognised(notebook: Mapping[str, Any], claimed: str, folder: Path | None) -> str:
    """Which of the released notebooks this is a copy of; "" for a foreign one."""
    try:
        originals = _originals(folder, Path.cwd())
    except NotebookError:  # nothing to compare with, outside of a checkout
        return claimed
    ids = {cell["id"] for cell in notebook["cells"]}
    sources = {cell["source"].strip() for cell in notebook["cells"]}

    def share(name: str) -> float:
        cells = originals[name]
        return sum(id_ in ids or source in sources for id_, source in cells) / max(1, len(cells))

    likeliest = max(originals, key=share)
    return likeliest if share(likeliest) >= MIN_SHARE else ""


@lru_cache(maxsize=4)
def _originals(folder: Path | None, _where: Path) -> dict[str, list[tuple[str, str]]]:
    """Id and source of every cell of every released notebook; read once for a batch."""
    return {
        name: [(cell.id, cell.source.strip()) for cell in released(name, folder).cells]
        for name in released_names(folder)
    }
