"""Preference pairs as JSON Lines: a whole file or none, or whole lines added to one."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from rlvr_course.errors import DataError
from rlvr_course.records import PreferencePair

BATCH = 1000


def write_preferences(
    path: str | os.PathLike[str],
    pairs: Iterable[PreferencePair | Mapping[str, Any]],
    *,
    append: bool = False,
    progress: bool = False,
) -> int:
    """Write one JSON object a line, which ``datasets.load_dataset("json", ...)`` reads.

    Args:
        path: the file; missing folders are made.
        pairs: records or rows, consumed one at a time.
        append: add to the file. Without it the file is replaced in one step at the end, and
            stays as it was if anything fails; with it a failure takes the added lines off again.
        progress: show a progress bar on standard error.

    Returns:
        The number of pairs written.

    Raises:
        ValueError: a row without ``prompt``, ``chosen`` or ``rejected``, or one that JSON or
            UTF-8 can't hold.
        DataError: the file can't be written, or (``append``) ends in the middle of a line.

    Limits: one writer at a time; nothing is locked.
    """
    file = Path(path)
    lines = _with_progress(pairs) if progress else iter(pairs)
    with _as_data_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    return _append(file, lines) if append else _replace(file, lines)


def _replace(file: Path, pairs: Iterator[PreferencePair | Mapping[str, Any]]) -> int:
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with _as_data_errors(file):
            stream = part.open("wb")
        with stream:
            count = _copy(stream, pairs, file)
        with _as_data_errors(file):
            part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count


def _append(file: Path, pairs: Iterator[PreferencePair | Mapping[str, Any]]) -> int:
    with _as_data_errors(file):
        stream = file.open("a+b")
    with stream:
        size = stream.seek(0, os.SEEK_END)
        _check_whole(stream, size, file)
        try:
            return _copy(stream, pairs, file)
        except BaseException:
            # What is buffered may fail to be written again; the file is cut either way.
            with contextlib.suppress(OSError):
                stream.flush()
            os.ftruncate(stream.fileno(), size)
            raise


def _check_whole(stream: BinaryIO, size: int, file: Path) -> None:
    if size == 0:
        return
    stream.seek(size - 1)
    if stream.read(1) != b"\n":
        raise DataError(
            f"{file} ends in the middle of a line: delete that line, or write to another path"
        )


def _copy(stream: BinaryIO, pairs: Iterator[PreferencePair | Mapping[str, Any]], file: Path) -> int:
    """Write in batches, so that only writing, not making pairs, is answered for by the file."""
    count = 0
    while batch := [_line(pair) for pair in islice(pairs, BATCH)]:
        with _as_data_errors(file):
            stream.write(b"".join(batch))
        count += len(batch)
    with _as_data_errors(file):
        stream.flush()
    return count


def _line(pair: PreferencePair | Mapping[str, Any]) -> bytes:
    row = pair.to_dict() if isinstance(pair, PreferencePair) else dict(pair)
    missing = [name for name in ("prompt", "chosen", "rejected") if name not in row]
    if missing:
        raise ValueError(f"a preference pair has no {missing[0]!r}; it has {sorted(row)}")
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except UnicodeEncodeError as error:
        raise ValueError(
            f"a preference pair holds half a surrogate pair (U+{ord(error.object[error.start]):04X}"
            "), which UTF-8 can't hold: leave that pair out"
        ) from None
    except TypeError as error:
        raise ValueError(f"a preference pair is not JSON ({error}): give plain values") from None


def _with_progress(
    pairs: Iterable[PreferencePair | Mapping[str, Any]],
) -> Iterator[PreferencePair | Mapping[str, Any]]:
    from tqdm import tqdm

    total = len(pairs) if hasattr(pairs, "__len__") else None  # type: ignore[arg-type]
    return iter(tqdm(pairs, total=total, unit="pair"))


@contextlib.contextmanager
def _as_data_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{file} can't be written ({error.strerror}): free space, or give a path in a folder "
            "that you may write to"
        ) from None
