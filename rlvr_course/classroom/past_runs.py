"""The runs that lie in the folders of artifacts, and what the checks said in each.

A run is told by its log, whose first row names the notebook. Logs are read here as far as they
can be: one that was cut or changed still says something, and whether it holds is for
``rlvr-course audit verify``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlvr_course.audit.chain import decode_entry
from rlvr_course.classroom.check_spec import Kind
from rlvr_course.classroom.checkout import Checkout
from rlvr_course.modes import ARTIFACTS_VARIABLE

LOG_NAME = "verifier.jsonl"
_MAX_LINE_BYTES = 1 << 20
_LAYOUTS = (
    f"*/{LOG_NAME}",
    f"run-*/*/artifacts/*/{LOG_NAME}",  # of `rlvr-course run`
)


@dataclass(frozen=True)
class PastRun:
    """One run, as its log's first row has it.

    Args:
        notebook: such as "01_verifiers".
        mode: "fake", "local" or "api".
        run_id: as the notebook prints it.
        at: when it began, ISO 8601 in UTC.
        log: the file.
        fixture_seed: how the recorded samples were dealt, as in ``problems.fixtures``; "" for as
            recorded. None where the log doesn't say.
    """

    notebook: str
    mode: str
    run_id: str
    at: str
    log: Path
    fixture_seed: str | None = None


@dataclass(frozen=True)
class CheckCall:
    """One call of ``check`` in a run.

    Args:
        name: the exercise, such as "q01c".
        kind: "open", "passed" or "failed".
        passed, cases: how many public cases held, of how many; 0 of 0 while open.
        at: when, ISO 8601 in UTC.
    """

    name: str
    kind: Kind
    passed: int
    cases: int
    at: str


def artifact_folders(checkout: Checkout, environment: Mapping[str, str]) -> list[Path]:
    """Where the checkout's runs may lie, the likeliest first.

    They are in the folder that RLVR_ARTIFACTS names; without it in the checkout's ``artifacts``,
    or, of a notebook that was opened by another program than ``rlvr-course lab``, in one beside it.
    """
    named = environment.get(ARTIFACTS_VARIABLE)
    own = [checkout.root / "artifacts", checkout.notebooks / "artifacts"]
    return [Path(named), *own] if named else own


def find_runs(folders: Sequence[Path]) -> list[PastRun]:
    """The runs in some folders of artifacts, the oldest first; folders that don't exist are empty.

    A log without a readable start row is no run.
    """
    logs = {path.resolve() for f in folders for layout in _LAYOUTS for path in f.glob(layout)}
    runs = [run for log in sorted(logs) if (run := _run_of(log)) is not None]
    return sorted(runs, key=lambda run: (run.at, run.run_id))


def log_lines(log: Path) -> Iterator[bytes]:
    """A log's lines, one at a time; none if it can't be read."""
    try:
        with log.open("rb") as stream:
            while line := stream.readline(_MAX_LINE_BYTES):
                yield line
    except OSError:
        return


def check_calls(lines: Iterable[bytes]) -> list[CheckCall]:
    """Every call of ``check`` that the lines of a log tell of, in order."""
    groups: list[list[dict[str, Any]]] = []
    for entry in _entries(lines):
        record = entry["record"]
        if record.get("event") != "check" or not isinstance(record.get("check"), str):
            continue
        if groups and _same_call(groups[-1], record):
            groups[-1].append(entry)
        else:
            groups.append([entry])
    return [_call(group) for group in groups]


def _same_call(group: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> bool:
    """Whether a row goes on with the call before it: a call has each of its cases once."""
    first = group[0]["record"]
    about = ("check", "source_sha256")
    cases = [entry["record"].get("case") for entry in group]
    return all(first.get(key) == record.get(key) for key in about) and (
        record.get("case") not in cases
    )


def _call(group: Sequence[Mapping[str, Any]]) -> CheckCall:
    results = [entry["record"].get("result") for entry in group]
    passed = results.count("passed")
    name, at = group[0]["record"]["check"], str(group[-1]["at"])
    if "open" in results:
        return CheckCall(name, "open", 0, 0, at)
    kind: Kind = "passed" if passed == len(results) else "failed"
    return CheckCall(name, kind, passed, len(results), at)


def _run_of(log: Path) -> PastRun | None:
    entry = next(_entries(log_lines(log)), None)
    record = entry["record"] if entry else {}
    if entry is None or record.get("event") != "start":
        return None
    told = [record.get("notebook"), record.get("mode"), entry["run"], entry["at"]]
    if not all(isinstance(value, str) for value in told):
        return None
    notebook, mode, run_id, at = told
    seed = record.get("fixture_seed")
    return PastRun(notebook, mode, run_id, at, log, seed if isinstance(seed, str) else None)


def _entries(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The rows that can be read, each with a record that is an object."""
    return (entry for line in lines if (entry := _entry(line)) is not None)


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = decode_entry(line)
    except ValueError:
        return None
    return entry if isinstance(entry["record"], dict) else None
