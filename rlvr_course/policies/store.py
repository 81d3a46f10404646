"""Completions kept as they arrive, so that an interrupted group pays for nothing twice.

One JSON line for each finished completion, appended in one write. A line that was cut by a
crash is dropped when the file is next opened; any other damage is an error that names the line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlvr_course.errors import DataError
from rlvr_course.problems.rows import parse_lines


@dataclass(frozen=True)
class Slot:
    """Which completion of which request, from which model: the name that one is kept under."""

    host: str
    model: str
    key: str
    max_tokens: int
    seed: int | None
    index: int


@dataclass(frozen=True)
class Kept:
    """What is kept of a completion."""

    text: str
    finish_reason: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class CompletionStore:
    """Finished completions by slot, in memory and in a file if a path is given.

    Args:
        path: a JSONL file, read if it exists and appended to.

    Raises:
        DataError: the file can't be read, or has a malformed line.

    Limits: one process at a time may append to a file.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._kept: dict[Slot, Kept] = {}
        self._lock = threading.Lock()
        if self.path is not None and self.path.exists():
            self._kept = dict(_read(self.path))

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, slot: Slot) -> Kept | None:
        """The completion kept under a slot, None if there is none."""
        return self._kept.get(slot)

    def keep(self, slot: Slot, kept: Kept) -> None:
        """Keep one completion; safe to call from several threads.

        Raises:
            DataError: the file can't be written; it is left as it was.
        """
        with self._lock:
            if self.path is not None:
                row = dataclasses.asdict(slot) | dataclasses.asdict(kept)
                # Lone surrogates can't be written as UTF-8: escape everything beyond ASCII.
                _append(self.path, json.dumps(row).encode("ascii") + b"\n")
            self._kept[slot] = kept

    def forget(self, slots: Iterable[Slot]) -> None:
        """Drop completions from memory; a file keeps what it has."""
        with self._lock:
            for slot in slots:
                self._kept.pop(slot, None)


def _read(path: Path) -> list[tuple[Slot, Kept]]:
    try:
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) != len(data):
            with path.open("r+b") as file:
                file.truncate(len(whole))
    except OSError as error:
        raise _unusable(path, error) from None
    return parse_lines(whole, str(path), _parse)


def _parse(row: dict[str, Any]) -> tuple[Slot, Kept]:
    parts = []
    for record in (Slot, Kept):
        names = [field.name for field in dataclasses.fields(record)]
        try:
            parts.append(record(**{name: row[name] for name in names}))
        except KeyError as error:
            raise ValueError(f"field {error} is missing") from None
    slot, kept = parts
    if not all(isinstance(value, str | int | None) for value in vars(slot).values()):
        raise ValueError("the name of a completion must be made of texts and whole numbers")
    if not isinstance(kept.text, str) or not isinstance(kept.finish_reason, str):
        raise ValueError("the text and finish_reason of a completion must be texts")
    return slot, kept


def _append(path: Path, line: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            start = file.seek(0, 2)
            try:
                rest = memoryview(line)
                while rest:
                    rest = rest[file.write(rest) :]
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(start)
                raise
    except OSError as error:
        raise _unusable(path, error) from None


def _unusable(path: Path, error: OSError) -> DataError:
    return DataError(
        f"{path} can't hold the completions ({error.strerror}); free space there or choose "
        "another cache_path"
    )
