"""An audit log's file: opened for appending, locked for one writer, refusals as one line."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from rlvr_course.errors import AuditError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_BLOCKED = {errno.ENOTDIR, errno.EEXIST, errno.EISDIR}
_FAR_OFFSET = 1 << 40  # Windows locks bytes against readers too: take one that no log reaches


def open_for_appending(path: Path) -> int:
    """A descriptor of the regular file at ``path``, made with its folders where missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    # A named pipe would wait for a reader without O_NONBLOCK; a regular file ignores it.
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise AuditError(f"the audit log {path} is not a regular file: give another path")
    return descriptor


def lock_or_raise(descriptor: int, path: Path) -> None:
    """Lock an open file until it is closed; the system drops the lock when the process dies.

    Raises:
        AuditError: another writer, in this process or another, holds it.
        OSError: the file system has no locks.
    """
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):
        raise AuditError(
            f"the audit log {path} is open for writing already: close that writer (log.close(), "
            "or restart the kernel that holds it) or give this one another path"
        ) from None


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _FAR_OFFSET, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_file_at(path: Path, inode: tuple[int, int]) -> bool:
    """Is the file at ``path`` the one of this device and inode number?"""
    try:
        found = os.stat(path)  # noqa: PTH116  (called for every record)
    except FileNotFoundError:
        return False
    return (found.st_dev, found.st_ino) == inode


def move_tail_aside(descriptor: int, path: Path, size_bytes: int) -> Path:
    """Copy what follows ``size_bytes`` to a new file, then take it off the log."""
    with path.open("rb") as stream:
        stream.seek(size_bytes)
        tail = stream.read()
    numbers = itertools.count(1)
    aside = next(a for n in numbers if not (a := path.with_name(f"{path.name}.torn-{n}")).exists())
    try:
        with aside.open("xb") as stream:
            stream.write(tail)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError:
        aside.unlink(missing_ok=True)  # the log still has the bytes
        raise
    os.ftruncate(descriptor, size_bytes)
    return aside


@contextlib.contextmanager
def as_audit_errors(path: Path) -> Iterator[None]:
    """The operating system's refusals as one line with the remedy."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            remedy = "free some space, then try again; every earlier record is whole"
        elif error.errno in _FORBIDDEN:
            remedy = "give a path in a folder that you may write to"
        elif error.errno in _BLOCKED:
            remedy = "a part of the path is taken by something else; give another path"
        else:
            remedy = "check the path and its disk"
        raise AuditError(f"can't write the audit log {path} ({error.strerror}): {remedy}") from None
