"""Does the audit log hold, and is it the log of this notebook's run?

Its chain has no key: whoever can write the file can rebuild it. So it is compared with what else
there is: the anchor and the run id that the notebook printed, the manifest, the verifiers, the
recordings, the checks' results and the figures in the outputs.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rlvr_course.audit.chain import Anchor, decode_entry, encode_entry, line_hash
from rlvr_course.audit.verify import verify_audit
from rlvr_course.grading.evidence.log_checks import check_result_findings
from rlvr_course.grading.evidence.log_figures import figure_findings
from rlvr_course.grading.evidence.log_rows import LogRow, log_rows
from rlvr_course.grading.evidence.log_samples import sample_findings
from rlvr_course.grading.evidence.printed_run import PrintedRun, printed_run
from rlvr_course.grading.handin.seen import SeenCell
from rlvr_course.grading.records import Finding, Submission

SLACK = timedelta(minutes=2)
"""Between a run's id, which is a time, and the log's first line."""

MAX_SHOWN = 3
_ANCHOR = re.compile(r"anchor (\d{1,18}:[0-9a-f]{64})\b")
_LINE_0 = re.compile(r"^no head file")


def log_findings(
    submission: Submission, cells: Sequence[SeenCell], given_places: frozenset[int], name: str
) -> list[Finding]:
    """What the log shows by itself, and beside the notebook and the manifest.

    Args:
        submission: with its log.
        cells: the notebook's.
        given_places: places of cells that are as they were given.
        name: of the notebook, "01_verifiers".
    """
    run = printed_run(cells)
    if submission.log is None:
        if not any(cell.count for cell in cells):
            return []
        message = "no audit log was handed in: figures and checks could not be compared with it"
        return [Finding("no_log", "note", message)]
    lines = [bytes(line) for line in submission.log]
    rows = log_rows(lines)
    found = [
        *_chain(lines, submission),
        *_rewritten(lines),
        *_printed_anchors(lines, cells, run),
        *_start(rows, run, submission, name),
        *_times(rows),
    ]
    if any(finding.code == "log_of_another_run" for finding in found):
        return found  # whatever is compared then differs
    found += check_result_findings(cells, rows, run)
    found += sample_findings(rows, has_own=_logs_by_itself(cells, given_places))
    found += figure_findings(name, cells, rows, run)
    return found


def _chain(lines: Sequence[bytes], submission: Submission) -> Iterator[Finding]:
    """The chain, the head file and the manifest's head, by the audit log's own reader."""
    claimed, problem = _anchor(submission.manifest.get("head"))
    if problem:
        yield Finding("manifest_head", "integrity", f"the manifest's head {problem}")
    with tempfile.TemporaryDirectory(prefix="rlvr-log-") as folder:
        path = Path(folder) / "verifier.jsonl"
        path.write_bytes(b"".join(lines))
        if submission.head_file:
            path.with_name(f"{path.name}.head").write_text(submission.head_file, encoding="utf-8")
        report = verify_audit(path, claimed)
        said = [str(problem).replace(f"{folder}/", "") for problem in report.problems]
    unanchored = [text for text in said if _LINE_0.match(text)]
    broken = [text for text in said if text not in unanchored]
    if broken:
        message = f"the audit log does not hold: {broken[0]}"
        others = len(broken) + report.more_problems - 1
        evidence = f"and {others} more: {broken[1]}" if others else ""
        yield Finding("log_broken", "integrity", message, None, evidence[:300])
    if unanchored:
        message = "no head was handed in with the audit log, so a cut end would not show"
        yield Finding("log_without_head", "note", message)
    if report.torn_bytes:
        message = f"the audit log ends in {report.torn_bytes} bytes of an unfinished line"
        yield Finding("log_torn", "note", message)


def _anchor(value: object) -> tuple[Anchor | None, str]:
    if not isinstance(value, str) or not value.strip():
        return None, "" if value is None else "is empty or no text"
    try:
        return Anchor.parse(value), ""
    except ValueError:
        return None, f"is {value.strip()[:80]!r}, not COUNT:HASH"


def _rewritten(lines: Sequence[bytes]) -> Iterator[Finding]:
    """Lines that hold together, but that the log's writer would have written otherwise."""
    for number, line in enumerate(lines, start=1):
        if not line.endswith(b"\n"):
            continue
        try:
            same = encode_entry(decode_entry(line)) == line
        except (ValueError, RecursionError):
            continue  # the chain says so
        if not same:
            message = f"line {number} of the audit log is not as its writer writes it"
            yield Finding("log_rewritten", "integrity", message, None, _shown(line))
            return


def _printed_anchors(
    lines: Sequence[bytes], cells: Sequence[SeenCell], run: PrintedRun | None
) -> Iterator[Finding]:
    """The anchors that the notebook printed of its own log while it ran."""
    for cell in cells:
        if not cell.is_code or "run.log" not in cell.source:
            continue
        standing = run.standing(cell) if run is not None else "unknown"
        if standing == "before":
            continue  # of another log
        for text in _ANCHOR.findall(cell.stdout[:100_000])[:20]:
            anchor = Anchor.parse(text)
            if anchor.count > len(lines):
                why = f"counts {anchor.count} records, the log has {len(lines)}"
                if standing == "unknown":  # a new session that did not get as far has less
                    message = f"the anchor that the notebook printed {why}"
                    yield Finding("anchor_differs", "reproducibility", message, cell.place, text)
                    continue
            elif anchor.count and line_hash(lines[anchor.count - 1]) != anchor.head:
                why = f"has another hash for record {anchor.count}: the log was changed since"
            else:
                continue
            message = f"the anchor that the notebook printed {why}"
            yield Finding("anchor_differs", "integrity", message, cell.place, text)


def _start(
    rows: Sequence[LogRow], run: PrintedRun | None, submission: Submission, name: str
) -> Iterator[Finding]:
    """The log's run, notebook and mode, beside those in the outputs and the manifest."""
    ids = {row.run for row in rows}
    if len(ids) > 1:
        text = f"the audit log has rows of {len(ids)} runs"
        yield Finding("log_of_several_runs", "integrity", text, None, ", ".join(sorted(ids)[:3]))
    first = rows[0] if rows else LogRow(0)
    if first.record.get("event") != "start":
        yield Finding("log_without_start", "integrity", "the audit log does not begin with a start")
        return
    yield from _other_run(first, run, submission)
    if first.record.get("notebook") != name:
        message = f"the audit log is of notebook {str(first.record.get('notebook'))[:60]!r}"
        yield Finding("log_of_another_notebook", "integrity", message)
    begun = _run_time(first.run)
    if first.at is not None and begun is not None and abs(first.at - begun) > SLACK:
        message = f"run {first.run} can't have started at {first.at:%Y-%m-%d %H:%M:%S}"
        yield Finding("log_times", "integrity", message)


def _other_run(first: LogRow, run: PrintedRun | None, submission: Submission) -> Iterator[Finding]:
    of_log = {"run": first.run, "mode": str(first.record.get("mode"))}
    claims = {"manifest": {"run": submission.manifest.get("run_id"),
                           "mode": submission.manifest.get("mode")}}  # fmt: skip
    if run is not None:
        claims["notebook"] = {"run": run.run_id, "mode": run.mode}
    for source, claim in claims.items():
        for what, value in claim.items():
            if isinstance(value, str) and value and value != of_log[what]:
                message = (
                    f"the audit log is of {what} {of_log[what][:60]}, the {source} of "
                    f"{what} {value[:60]}: hand in both of one run"
                )
                place = run.place if run is not None and source == "notebook" else None
                yield Finding("log_of_another_run", "integrity", message, place)


def _times(rows: Sequence[LogRow]) -> Iterator[Finding]:
    latest = None
    for row in rows:
        if row.at is None:
            continue
        if latest is not None and row.at < latest - SLACK:
            message = f"line {row.line} of the audit log is older than the lines before it"
            yield Finding("log_times", "reproducibility", message, None, str(row.at))
            return
        latest = row.at if latest is None else max(latest, row.at)


def _run_time(run_id: str) -> datetime | None:
    try:
        return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def _logs_by_itself(cells: Sequence[SeenCell], given_places: frozenset[int]) -> bool:
    """Whether a cell of the learner's own may log samples, with a reward of its own.

    ``sample_and_verify`` rewards as the course does, whoever calls it.
    """
    calls = re.compile(r"log\.append|audit_record|on_sample|\brollout\(")
    own = (cell for cell in cells if cell.is_code and cell.place not in given_places)
    return any(calls.search(cell.source) for cell in own)


def _shown(line: bytes) -> str:
    return line[:200].decode("ascii", "replace")
