"""AuditLog: the single writer of an audit log.

A record is one ``write`` to a file opened for appending, so that a writer killed at any moment
leaves whole lines and at most one unfinished last line. Then the anchor is replaced. The order
means that a log may be ahead of its anchor, and is cut when it is behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import threading
import weakref
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from rlvr_course.audit.chain import (
    MAX_LINE_BYTES,
    Anchor,
    encode_entry,
    line_hash,
    read_anchor,
    write_anchor,
)
from rlvr_course.audit.file import (
    as_audit_errors,
    is_file_at,
    lock_or_raise,
    move_tail_aside,
    open_for_appending,
)
from rlvr_course.audit.payload import json_payload
from rlvr_course.audit.verify import verify_audit
from rlvr_course.errors import AuditError, AuditTampered


class _Tail(NamedTuple):
    """Where the log ends."""

    count: int
    head: str
    size_bytes: int


class AuditLog:
    """An append-only, hash-chained log, held by one writer at a time.

    Opening verifies the whole log (about 100,000 records a second) and goes on only from one that
    holds. An unfinished last line is moved to ``PATH.torn-1`` (2, 3, ...), see ``recovered``.

    Args:
        path: the log's file; missing folders are made. ``PATH.head`` beside it holds the anchor.
        run_id: written into every line; made from the time and six random hex digits if None.
        durable: wait for the disk after every record. Without it a record outlives the process
            (``kill -9`` too) but maybe not a power cut; with it both, at milliseconds a record.
        anchor_every: records between two writings of the head file, at least 1. Writing it costs
            15 to 400 microseconds, as the file system has it; the last ``anchor_every - 1``
            records of a writer that was killed are not covered by it.

    Raises:
        ValueError: ``anchor_every`` below 1, or a ``run_id`` that is empty or no text.
        AuditError: the file can't be made or locked, or another writer holds it.
        AuditTampered: the log that is there doesn't hold.

    Limits:
        One process: a forked child may not append, and one that outlives its parent keeps the
        lock until it ends. Threads may share a log.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, AuditLog(f"{folder}/a.jsonl") as log:
    ...     entry = log.append({"response": "156", "reward": 1.0})
    ...     entry["seq"], entry["record"]["reward"], log.count, log.anchor == f"1:{log.head}"
    (0, 1.0, 1, True)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        run_id: str | None = None,
        durable: bool = False,
        anchor_every: int = 1,
    ) -> None:
        if anchor_every < 1:
            raise ValueError(f"anchor_every is {anchor_every}; it must be at least 1")
        if run_id is not None and not (isinstance(run_id, str) and run_id):
            raise ValueError(f"run_id is {run_id!r}; give some text, or None for a fresh one")
        self.path = Path(path)
        self._file = self.path.absolute()  # the same file after a change of folder
        self.run_id = run_id or _fresh_run_id()
        self.recovered: Path | None = None
        """Where an unfinished last line was moved on opening; None if there was none."""
        self._durable = durable
        self._anchor_every = anchor_every
        self._mutex = threading.Lock()
        self._process_id = os.getpid()
        self._pending: tuple[bytes, _Tail] | None = None
        self._anchored = -1
        with as_audit_errors(self.path):
            self._descriptor = open_for_appending(self._file)
            # Closing the file releases the lock; so does the process's death.
            self._release = weakref.finalize(self, os.close, self._descriptor)
            try:
                lock_or_raise(self._descriptor, self.path)
                found = os.fstat(self._descriptor)
                self._inode = (found.st_dev, found.st_ino)
                self._resume()
            except BaseException:
                self._release()
                raise

    @property
    def count(self) -> int:
        """Records in the log."""
        return self._tail.count

    @property
    def head(self) -> str:
        """SHA-256, in hex, of the last line; 64 zeros for an empty log."""
        return self._tail.head

    @property
    def anchor(self) -> str:
        """``COUNT:HASH``: printed with a run's results, it is what a rebuilt log fails against."""
        return str(Anchor(self._tail.count, self._tail.head))

    def append(self, record: Any) -> dict[str, Any]:
        """Add one record: it is in the file when this returns.

        Args:
            record: a mapping, a dataclass instance or anything with ``keys()`` and ``[]``. What
                JSON can't hold becomes a marker (``audit/payload.py``); no value raises. A record
                of more than 16 MiB is logged as its length and hash.

        Returns:
            The entry as logged: ``prev``, ``seq``, ``run``, ``at``, ``record``.

        Raises:
            ValueError: not a mapping.
            AuditError: a full disk, a closed log, another process. The record is then not in the
                log, the ones before it are whole, and appending again is safe.
            AuditTampered: the file was changed, moved or deleted since the last record.
        """
        payload = json_payload(record)
        with self._mutex, as_audit_errors(self.path):
            self._require_usable()
            self._settle()
            entry, line = self._entry(payload)
            self._write(line)
            if self._tail.count - self._anchored >= self._anchor_every:
                # The record is in the log already. An anchor that is late is written with a later
                # record or on closing, where a failure is raised.
                with contextlib.suppress(OSError):
                    self._write_anchor()
        return entry

    def close(self) -> None:
        """Write the anchor if it is late, and release the lock. A second call does nothing.

        Raises:
            AuditError: the anchor can't be written; the log itself is whole and released.
        """
        with self._mutex, as_audit_errors(self.path):
            try:
                if self._release.alive and os.getpid() == self._process_id:
                    self._settle()
                    if self._anchored != self._tail.count:
                        self._write_anchor()
            finally:
                self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"AuditLog({str(self.path)!r}, count={self.count})"

    def _require_usable(self) -> None:
        if not self._release.alive:
            raise AuditError(f"the audit log {self.path} is closed: open a new AuditLog on it")
        if os.getpid() != self._process_id:
            raise AuditError(
                f"the audit log {self.path} belongs to process {self._process_id}: "
                "return results from worker processes and append them in that one"
            )

    def _resume(self) -> None:
        """Take up the log where it ends; a torn tail is moved aside, a late anchor written."""
        report = verify_audit(self.path)
        if not report.ok:
            raise AuditTampered(
                f"{self.path} is not as it was written ({report.problems[0]}): keep it as it is "
                "and start a new log at another path"
            )
        size = os.fstat(self._descriptor).st_size - report.torn_bytes
        if report.torn_bytes:
            self.recovered = move_tail_aside(self._descriptor, self.path, size)
        self._tail = _Tail(report.records, report.head, size)
        if read_anchor(self.path) != (report.records, report.head):
            self._write_anchor()
        self._anchored = report.records

    def _entry(self, payload: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        entry = {
            "prev": self._tail.head,
            "seq": self._tail.count,
            "run": self.run_id,
            "at": at,
            "record": payload,
        }
        line = encode_entry(entry)
        if len(line) > MAX_LINE_BYTES:
            left_out = f"{len(line)} bytes, more than 16 MiB; SHA-256 of the line {line_hash(line)}"
            entry["record"] = {"$type": "record", "$left_out": left_out}
            line = encode_entry(entry)
        return entry, line

    def _write(self, line: bytes) -> None:
        tail = self._tail
        after = _Tail(tail.count + 1, line_hash(line), tail.size_bytes + len(line))
        # Noted first, so that an interrupt between the write and its book-keeping is settled by
        # what the file holds.
        self._pending = (line, after)
        try:
            written = os.write(self._descriptor, line)
        finally:
            self._settle()
        if written != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._durable:
            self._wait_for_disk()

    def _wait_for_disk(self) -> None:
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise AuditError(
                f"record {self._tail.count - 1} is in the audit log {self.path}, but the disk did "
                f"not confirm it ({error.strerror}): check the disk before you go on"
            ) from None

    def _settle(self) -> None:
        """Bring the book-keeping into line with the file; part of a line is taken off again."""
        found = os.fstat(self._descriptor)
        if not is_file_at(self._file, self._inode):
            raise AuditTampered(
                f"the audit log {self.path} was moved, replaced or deleted while it was open: "
                "start a new log at another path"
            )
        if self._pending is None:
            if found.st_size != self._tail.size_bytes:
                self._raise_changed(found.st_size)
            return
        line, after = self._pending
        if found.st_size == after.size_bytes:
            self._tail = after
        elif 0 < found.st_size - self._tail.size_bytes < len(line):
            os.ftruncate(self._descriptor, self._tail.size_bytes)
        elif found.st_size != self._tail.size_bytes:
            self._raise_changed(found.st_size)
        self._pending = None

    def _raise_changed(self, size_bytes: int) -> None:
        raise AuditTampered(
            f"the audit log {self.path} has {size_bytes} bytes where its writer left "
            f"{self._tail.size_bytes}: keep it as it is and start a new log at another path"
        )

    def _write_anchor(self) -> None:
        anchor = Anchor(self._tail.count, self._tail.head)
        write_anchor(self._file, anchor, durable=self._durable)
        self._anchored = anchor.count


def _fresh_run_id() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
