"""Speed and memory of the audit log: ``python benchmarks/audit_log.py [--records N]``.

Each step runs in a process of its own, so that its peak memory is its own. The yardstick is the
least that a reader can do, ``json.loads`` on each line; the log takes about 1 GB in the temporary
folder (``TMPDIR``) for a million records.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

LINE_BYTES = 900


def record_of(i: int) -> dict[str, object]:
    """A scored sample that makes a line of about ``LINE_BYTES``."""
    return {
        "problem": {"question": f"What is {i} * 13?", "answer": str(i * 13), "domain": "math"},
        "response": f"Multiply by ten, by three, and add. \\boxed{{{i * 13}}} ".ljust(480, "."),
        "extracted": str(i * 13),
        "reward": 1.0,
        "verified_correct": True,
        "status": "correct",
        "finish_reason": "stop",
        "suspected_hack": False,
    }


def write(path: Path, records: int, anchor_every: int) -> int:
    """Append ``records`` records."""
    from rlvr_course.audit import AuditLog

    with AuditLog(path, run_id="20300102T030405Z-0a1b2c", anchor_every=anchor_every) as log:
        for i in range(records):
            log.append(record_of(i))
        return log.count


def parse(path: Path) -> int:
    """``json.loads`` on every line and nothing else."""
    with path.open("rb") as stream:
        return sum(json.loads(line) is not None for line in stream)


def verify(path: Path) -> int:
    """``verify_audit``, which must find nothing."""
    from rlvr_course.audit import verify_audit

    report = verify_audit(path)
    assert report.ok and report.anchor == "holds", report
    return report.records


def timed(step: Callable[[], int]) -> dict[str, float]:
    """Records, seconds and peak resident megabytes of one step in this process."""
    import resource

    start = time.perf_counter()
    records = step()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    per_mb = 1024 * 1024 if sys.platform == "darwin" else 1024
    return {"records": records, "seconds": seconds, "peak_mb": peak / per_mb}


def in_child(step: str, path: Path, records: int = 0, anchor_every: int = 1) -> dict[str, float]:
    """Run one step in a fresh process."""
    arguments = [step, str(path), str(records), str(anchor_every)]
    command = [sys.executable, __file__, "--step", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def row(name: str, result: dict[str, float]) -> str:
    """One line of the table."""
    rate = result["records"] / result["seconds"]
    return (
        f"| {name} | {result['records']:,.0f} | {result['seconds']:.1f} | {rate:,.0f} "
        f"| {result['peak_mb']:.0f} |"
    )


def table(records: int) -> str:
    """All steps, as a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verifier.jsonl"
        few = min(records, 20_000)
        each = in_child("write", Path(folder) / "each.jsonl", few, 1)
        bulk = in_child("write", path, records, 1000)
        line_bytes = path.stat().st_size / records
        parsed, verified = in_child("parse", path), in_child("verify", path)
    ratio = verified["seconds"] / parsed["seconds"]
    today = datetime.datetime.now(datetime.UTC).date()
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return "\n".join(
        [
            f"{today}, {machine}, {line_bytes:.0f} bytes a line",
            "",
            "| step | records | seconds | records/s | peak MB |",
            "|---|---:|---:|---:|---:|",
            row("append, anchor after each record", each),
            row("append, anchor every 1,000 records", bulk),
            row("json.loads on each line (yardstick)", parsed),
            row("verify_audit", verified),
            "",
            f"verify_audit takes {ratio:.2f} times as long as json.loads on each line.",
        ]
    )


def main() -> None:
    """Print the table, or one step's figures where ``--step`` asks for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--step", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step is None:
        print(table(args.records))
        return
    step, path, records, anchor_every = args.step
    steps = {
        "write": lambda: write(Path(path), int(records), int(anchor_every)),
        "parse": lambda: parse(Path(path)),
        "verify": lambda: verify(Path(path)),
    }
    print(json.dumps(timed(steps[step])))


if __name__ == "__main__":
    main()
