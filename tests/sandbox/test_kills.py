"""Workers and their host are killed at random moments: no wrong score, and nothing is left."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.sandbox.records import Program, RunResult
from rlvr_course.sandbox.tiers import examine, tier_named

TIERS = ("linux-ns", "linux-landlock")
SERVER_KILLS, HOST_KILLS = 75, 25  # for each tier

PROGRAMS = [
    *(Program(f"print({n} ** 2)") for n in range(8)),
    Program("import time; time.sleep(0.05); print('late')"),
    Program("import sys; sys.exit(4)"),
    Program("import os; print(os.listdir('/'))"),
]
HOST = """
import sys
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.sandbox.records import Program
print("begun", flush=True)
with SandboxPool(sys.argv[1], workers=2) as pool:
    print("open", flush=True)
    while True:
        pool.run_many([Program("import time; time.sleep(0.02)"), Program("print(1)")] * 4)
"""


def processes_of(host: int) -> list[int]:
    """Fork servers that a host started, and what they forked: they share its command line."""
    mark = f'"host_pid": {host},'
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark in file.read_text(errors="replace"):
                found.append(int(file.parent.name))
    return found


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def servers(tier: str) -> list[int]:
    """The processes that stand between this host and a program."""
    mine = processes_of(os.getpid())
    outer = [pid for pid in mine if parent(pid) == os.getpid()]
    inner = [pid for pid in mine if parent(pid) in outer] if tier == "linux-ns" else []
    return outer + inner


def kill_now_and_then(tier: str, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    while kills:
        time.sleep(chance.uniform(0.0, 1.5))
        if there := servers(tier):
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(there), signal.SIGKILL)
                kills -= 1


def soon(is_so: Callable[[], bool], patience_s: float = 10.0) -> bool:
    """Whether something becomes true within the time."""
    deadline = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def outcome(result: RunResult) -> tuple[str, int | None, str]:
    return result.stdout, result.exit_code, result.reason


@pytest.mark.nightly
@pytest.mark.parametrize("tier", TIERS)
def test_killed_servers_change_no_result(tier):
    try:
        pool = SandboxPool(tier, workers=2)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    with pool:
        expected = [outcome(result) for result in pool.run_many(PROGRAMS)]
        killer = threading.Thread(target=kill_now_and_then, args=[tier, SERVER_KILLS, 5])
        killer.start()
        results: list[RunResult] = []
        while killer.is_alive():
            results += pool.run_many(PROGRAMS)
        killer.join()
    told = list(zip(results, expected * (len(results) // len(PROGRAMS)), strict=True))
    assert [(r, e) for r, e in told if outcome(r) != e and r.reason != "infra"] == []
    assert sum(result.reason == "infra" for result in results) <= 0.01 * len(results)
    assert soon(lambda: processes_of(os.getpid()) == [])


@pytest.mark.nightly
@pytest.mark.parametrize("tier", TIERS)
def test_a_killed_host_leaves_no_process_behind(tier, tmp_path):
    if why_not := examine(tier_named(tier)).why_not:
        pytest.skip(why_not)
    chance = random.Random(6)
    for _ in range(HOST_KILLS):
        host = subprocess.Popen(
            [sys.executable, "-c", HOST, tier],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},  # what it can't clean up any more
        )
        with host:
            assert host.stdout is not None
            assert host.stdout.readline() == "begun\n"
            if chance.random() < 0.8:  # else while the pool opens
                assert host.stdout.readline() == "open\n"
            time.sleep(chance.uniform(0.0, 0.2))
            host.kill()
        assert soon(lambda host=host: processes_of(host.pid) == []), processes_of(host.pid)
