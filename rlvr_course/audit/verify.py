"""Read an audit log, and find what was changed in it, in one streaming pass."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from rlvr_course.audit.chain import (
    GENESIS,
    MAX_LINE_BYTES,
    Anchor,
    decode_entry,
    head_path,
    line_hash,
    read_anchor,
)
from rlvr_course.errors import AuditError, AuditTampered

MAX_PROBLEMS = 100
"""Problems kept in a report; the rest are counted."""

_BUFFER_BYTES = 1 << 20
_PROGRESS_LINES = 10_000


@dataclass(frozen=True)
class AuditProblem:
    """What is wrong, and at which line (from 1); line 0 is the head file or the anchor."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}" if self.line else self.reason


@dataclass(frozen=True)
class AuditReport:
    """What ``verify_audit`` found.

    Args:
        path: the log.
        records: whole lines in it.
        head: hash of the last whole line.
        problems: the first ``MAX_PROBLEMS`` of them.
        more_problems: how many were found beyond these.
        torn_bytes: length of an unfinished last line, which a killed writer leaves; the next
            ``AuditLog`` moves it aside. It is no problem by itself.
        anchor: "holds", "broken", or "missing".
        ahead: records after the anchored one. A writer killed between a record and its anchor
            leaves 1; the anchor says nothing of these.
    """

    path: Path
    records: int
    head: str
    problems: tuple[AuditProblem, ...] = ()
    more_problems: int = 0
    torn_bytes: int = 0
    anchor: Literal["holds", "broken", "missing"] = "missing"
    ahead: int = 0

    @property
    def ok(self) -> bool:
        """True if nothing was found."""
        return not self.problems

    def __str__(self) -> str:
        found = [f"{self.path}: {problem}" for problem in self.problems]
        if self.more_problems:
            found.append(f"{self.path}: {self.more_problems} more problems")
        if self.torn_bytes:
            found.append(
                f"{self.path}: unfinished last line of {self.torn_bytes} bytes, left by a writer "
                "that was stopped; the next AuditLog on this path moves it aside"
            )
        ahead = f", {self.ahead} after the anchor" if self.ahead else ""
        anchor = f"{Anchor(self.records, self.head)}{ahead}"
        found.append(f"{'OK' if self.ok else 'FAILED'}: {self.records} records, anchor {anchor}")
        return "\n".join(found)


def read_audit(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The log's entries in order, one at a time.

    Each is a dict of ``prev``, ``seq``, ``run``, ``at`` and ``record``, the payload.

    Raises:
        AuditError: there is no such file, or it can't be read.
        AuditTampered: a line is not an audit log's, when it is reached.

    Limits:
        The chain isn't checked: that is ``verify_audit``. An unfinished last line is left out.
    """
    return _entries(Path(path), _opened(Path(path)))


def _entries(path: Path, stream: BinaryIO) -> Iterator[dict[str, Any]]:
    with stream:
        for number, line in enumerate(_lines(stream), start=1):
            if line.endswith(b"\n"):
                try:
                    yield decode_entry(line)
                except ValueError as error:
                    raise AuditTampered(
                        f"{path}: line {number} is {error}; "
                        f"`rlvr-course audit verify {path}` shows all that was changed"
                    ) from None


def verify_audit(
    path: str | os.PathLike[str],
    anchor: str | Anchor | None = None,
    *,
    progress: Callable[[int], Any] | None = None,
) -> AuditReport:
    """Decide whether a log is what its writer wrote, as far as its chain and anchors tell.

    Args:
        path: the log; its head file is read where there is one.
        anchor: an anchor that was kept elsewhere (``log.anchor``, or printed in an output):
            without it a log that was rebuilt together with its head file passes.
        progress: called now and then with the number of bytes read since the last call.

    Returns:
        A report; ``report.ok`` is the answer, ``str(report)`` one line for each problem.

    Raises:
        ValueError: ``anchor`` is not ``COUNT:HASH``.
        AuditError: there is no such file, or it can't be read.

    Limits:
        Records after the anchored one are held by nothing but their own chain
        (``report.ahead`` counts them). Memory stays constant: nothing after a line of more than
        16 MiB is checked, and such a line is a problem.
    """
    path = Path(path)
    kept = Anchor.parse(anchor) if isinstance(anchor, str) else anchor
    check = _Check(path, kept)  # reads the head file first: a live writer only moves it forward
    with _opened(path) as stream:
        check.read(stream, progress)
    return check.report()


class _Check:
    """The state of one pass: the chain so far, and the anchors still to meet."""

    def __init__(self, path: Path, kept: Anchor | None) -> None:
        self.path = path
        self.count = 0
        self.next_seq = 0
        self.head = GENESIS
        self.torn_bytes = 0
        self.problems: list[AuditProblem] = []
        self.more_problems = 0
        self.kept = kept
        self.beside_unusable = False
        self.beside = self._read_head_file()
        self.anchors = {a for a in (self.kept, self.beside) if a is not None}
        self.heads_at = {anchor.count: "" for anchor in self.anchors}

    def _read_head_file(self) -> Anchor | None:
        try:
            return read_anchor(self.path)
        except (ValueError, OSError) as error:
            self.beside_unusable = True
            self._add(0, f"head file {head_path(self.path)} can't be used: {error}")
            return None

    def _add(self, line: int, reason: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(AuditProblem(line, reason))
        else:
            self.more_problems += 1

    def read(self, stream: BinaryIO, progress: Callable[[int], Any] | None) -> None:
        """Check line after line."""
        unreported = 0
        self._note_head()
        for line in _lines(stream):
            if not line.endswith(b"\n"):
                self._end(line)
                break
            self._line(line)
            unreported += len(line)
            if progress and self.count % _PROGRESS_LINES == 0:
                progress(unreported)
                unreported = 0
        if progress:
            progress(unreported)

    def _end(self, line: bytes) -> None:
        if len(line) > MAX_LINE_BYTES:
            self._add(self.count + 1, "longer than 16 MiB; nothing from here on was checked")
        else:
            self.torn_bytes = len(line)

    def _line(self, line: bytes) -> None:
        number = self.count + 1
        try:
            entry = decode_entry(line)
        except ValueError as error:
            self._add(number, str(error))
            self.next_seq += 1
        else:
            self._link(number, entry)
        self.count = number
        self.head = line_hash(line)
        self._note_head()

    def _link(self, number: int, entry: dict[str, Any]) -> None:
        if entry["prev"] != self.head:
            cause = f"line {number - 1} was changed, or " if number > 1 else ""
            self._add(
                number,
                f"prev is not the hash of the line before it: {cause}a line was put in, moved or "
                "taken out here",
            )
        seq = entry["seq"]
        if type(seq) is not int or seq != self.next_seq:
            self._add(number, f"sequence number {str(seq)[:30]}, {self.next_seq} was due")
        # Go on from what the line says, so that one missing line is one problem.
        self.next_seq = (seq if type(seq) is int else self.next_seq) + 1

    def _note_head(self) -> None:
        if self.count in self.heads_at:
            self.heads_at[self.count] = self.head

    def report(self) -> AuditReport:
        """What the pass found, the anchors compared."""
        held = [self._compare(anchor) for anchor in sorted(self.anchors)]
        broken = self.beside_unusable or not all(held)
        first = self.kept or self.beside
        missing = first is None and not self.beside_unusable
        if missing and self.count:
            self._add(
                0,
                f"no head file {head_path(self.path)}, so a cut tail can't be ruled out: "
                "give the anchor that was printed with the run (--anchor COUNT:HASH)",
            )
        return AuditReport(
            path=self.path,
            records=self.count,
            head=self.head,
            problems=tuple(self.problems),
            more_problems=self.more_problems,
            torn_bytes=self.torn_bytes,
            anchor="broken" if broken else "missing" if missing else "holds",
            ahead=0 if first is None else max(0, self.count - first.count),
        )

    def _compare(self, anchor: Anchor) -> bool:
        name = "the given anchor" if anchor == self.kept else f"head file {head_path(self.path)}"
        if anchor.count > self.count:
            cut = anchor.count - self.count
            self._add(0, f"cut: {name} counts {anchor.count} records, {cut} are gone from the end")
        elif self.heads_at[anchor.count] != anchor.head:
            self._add(
                0,
                f"{name} has another hash for record {anchor.count}: that line was changed, or "
                "the log was rebuilt",
            )
        else:
            return True
        return False


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb", buffering=_BUFFER_BYTES)
    except FileNotFoundError:
        raise AuditError(f"there is no audit log at {path}: check the path") from None
    except OSError as error:
        raise AuditError(f"can't read the audit log {path}: {error.strerror}") from None


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines with their newline; the last one may lack it, or be cut one byte past the limit."""
    while line := stream.readline(MAX_LINE_BYTES + 1):
        yield line
        if not line.endswith(b"\n"):
            return
