"""An audit log's lines as rows, of a log that nobody vouches for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

MAX_ROWS = 200_000


@dataclass(frozen=True)
class LogRow:
    """One line; what can't be read is empty.

    Args:
        line: its number, from 1.
        run: the run id.
        at: when it was written, as it says.
        record: what was logged.
    """

    line: int
    run: str = ""
    at: datetime | None = None
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckCall:
    """What one call of ``check`` logged: a result for each case, in order."""

    name: str
    source_sha256: str
    results: Mapping[str, str]

    @property
    def summary(self) -> str:
        """What the call showed in its first line, after the name."""
        if list(self.results.values()) == ["open"]:
            return "open"
        failed = sum(result != "passed" for result in self.results.values())
        if failed:
            return f"{failed} of {len(self.results)} public checks failed"
        return f"public checks passed ({len(self.results)} of {len(self.results)})"


def log_rows(lines: Sequence[bytes]) -> list[LogRow]:
    """The rows, one for each line that is a JSON object."""
    found = []
    for number, line in enumerate(lines[:MAX_ROWS], start=1):
        try:
            entry = json.loads(line.decode("ascii"))
        except (ValueError, RecursionError, AttributeError):
            continue
        if isinstance(entry, dict):
            record = entry.get("record")
            found.append(
                LogRow(
                    number,
                    str(entry.get("run", ""))[:200],
                    _time(entry.get("at")),
                    record if isinstance(record, dict) else {},
                )
            )
    return found


def check_calls(rows: Sequence[LogRow]) -> list[CheckCall]:
    """The calls of ``check`` in order; a call logs its cases one after the other."""
    calls: list[CheckCall] = []
    results: dict[str, str] = {}
    last: tuple[str, str] | None = None
    for row in rows:
        if row.record.get("event") != "check":
            last = None
            continue
        key = (str(row.record.get("check")), str(row.record.get("source_sha256")))
        case = str(row.record.get("case"))
        if key != last or case in results:
            results = {}
            calls.append(CheckCall(*key, results))
            last = key
        results[case] = str(row.record.get("result"))
    return calls


def sample_rows(rows: Sequence[LogRow]) -> Iterator[LogRow]:
    """The rows of samples."""
    for row in rows:
        problem, response = row.record.get("problem"), row.record.get("response")
        if isinstance(problem, dict) and isinstance(response, str):
            yield row


def sample_groups(rows: Sequence[LogRow]) -> list[list[LogRow]]:
    """The samples in groups: one begins where an index is 0, or where the problem changes."""
    groups: list[list[LogRow]] = []
    for row in sample_rows(rows):
        same = groups and groups[-1][-1].record["problem"] == row.record["problem"]
        if not same or row.record.get("index") == 0:
            groups.append([])
        groups[-1].append(row)
    return groups


def _time(value: Any) -> datetime | None:
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
