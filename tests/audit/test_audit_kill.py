"""kill -9 while a process appends: only the record in flight may be missing."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rlvr_course.audit import AuditLog, read_audit, verify_audit

# Each append is acknowledged after it returned; the parent kills between any two bytes of this.
WRITER = """
import sys
from rlvr_course.audit import AuditLog
log = AuditLog(sys.argv[1])
while True:
    i = log.count
    log.append({"i": i, "response": "x" * (i * 37 % 4000)})
    sys.stdout.write(f"{i}\\n")
    sys.stdout.flush()
"""


def append_until_killed(path: Path, rng: random.Random) -> int:
    """The last record that the writer saw appended before it was killed."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(rng.randint(1, 40)):
            last = writer.stdout.readline()
        for _ in range(rng.randint(0, 20_000)):  # from 0 to about a millisecond more
            pass
        writer.kill()
        rest = writer.stdout.read().splitlines(keepends=True)
    assert writer.returncode == -signal.SIGKILL
    return int([last, *(line for line in rest if line.endswith("\n"))][-1])


def kill_repeatedly(path: Path, kills: int) -> None:
    rng = random.Random(20)
    for _ in range(kills):
        seen = append_until_killed(path, rng)
        report = verify_audit(path)
        assert report.ok, report
        assert seen + 1 <= report.records <= seen + 2
        assert report.ahead <= 1
    with AuditLog(path) as log:
        log.append({"i": log.count})
    assert [entry["record"]["i"] for entry in read_audit(path)] == list(range(report.records + 1))
    assert verify_audit(path).ok


def test_ten_kills_lose_nothing_but_the_record_in_flight(tmp_path):
    kill_repeatedly(tmp_path / "verifier.jsonl", 10)


@pytest.mark.nightly
def test_two_hundred_kills_lose_nothing_but_the_record_in_flight(tmp_path):
    kill_repeatedly(tmp_path / "verifier.jsonl", 200)
