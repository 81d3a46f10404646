"""One process at a time in a run's folder; the system lets go when the process dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rlvr_course.audit.file import lock_or_raise, open_for_appending
from rlvr_course.errors import AuditError, TrainingError


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder, which is made if missing.

    Raises:
        TrainingError: another process holds it.
        OSError: the folder can't be written.
    """
    path = folder / ".lock"
    try:
        descriptor = open_for_appending(path)
    except AuditError:
        raise TrainingError(f"{path} is not a file: remove it, or give another folder") from None
    try:
        _lock(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    try:
        lock_or_raise(descriptor, path)
    except AuditError:
        raise TrainingError(
            f"another process trains the run {path.parent}: wait for it, or give another folder"
        ) from None
