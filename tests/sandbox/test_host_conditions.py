"""A worker works on hosts that are set up oddly, or says what stands in its way."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
from processes import server_processes
from tier_workers import open_or_skip

from rlvr_course.sandbox.records import Limits, Program
from rlvr_course.sandbox.worker import Worker

CONDITIONS = {
    "umask 077": "os.umask(0o077)",
    "children not waited for": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "signals ignored": "signal.signal(signal.SIGALRM, signal.SIG_IGN)",
    "signals blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "standard streams closed": "os.closerange(0, 3)",
    "few descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))",
    "small files": "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))",
    "little processor time": "resource.setrlimit(resource.RLIMIT_CPU, (5, 5))",
    "sockets time out": "import socket; socket.setdefaulttimeout(0.001)",
}
HOST = """
import os, resource, signal, sys
answer = os.dup(1)
{condition}
from rlvr_course.sandbox.records import Limits, Program
from rlvr_course.sandbox.worker import Worker
{body}
os.write(answer, told.encode())
"""
RUN = """
with Worker({tier!r}) as worker:
    result = worker.run(Program({source!r}))
told = f"{{result.reason}} {{result.stdout or result.detail}}"
"""
ALARM = """
import signal
signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.raise_signal(signal.SIGALRM)
"""


def host(condition: str, body: str) -> str:
    """What a Python of its own tells that meets the condition, and then does this."""
    code = HOST.format(condition=condition, body=body)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS)
def test_a_program_runs_as_ever(worker: Worker, condition: str) -> None:
    assert host(condition, RUN.format(tier=worker.tier, source=ALARM)) == "exit alarm"


def test_a_stricter_limit_of_the_hosts_is_named(worker: Worker) -> None:
    lowered = "resource.setrlimit(resource.RLIMIT_CPU, (3, 3))"
    said = host(lowered, RUN.format(tier=worker.tier, source="print(1)"))
    assert said == "infra not started: ValueError: this host's own ulimit -t has to be raised to 5"


SHORT_OF_DESCRIPTORS = """
def used():
    return set(os.listdir("/proc/self/fd"))
worker = Worker({tier!r})
before, reasons = used(), []
for free in range(16):
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    held = [os.dup(0) for _ in range(64 - len(used()) + 1)]
    for descriptor in held[:free]:
        os.close(descriptor)
    reasons.append(worker.run(Program("1")).reason)
    for descriptor in held[free:]:
        os.close(descriptor)
told = f"{{reasons[0]}} {{reasons[-1]}} {{len(used() - before)}}"
worker.close()
"""


def test_a_host_without_descriptors_loses_none_and_comes_back(worker: Worker) -> None:
    assert host("", SHORT_OF_DESCRIPTORS.format(tier=worker.tier)) == "infra exit 0"


def test_the_wall_limit_counts_from_the_programs_start(worker: Worker) -> None:
    assert worker.run(Program("while True: pass"), Limits(wall_s=1e-6)).reason == "timeout"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can look into another user's process")
def test_someone_who_looks_at_tmp_does_not_end_the_server() -> None:
    wait = "open('/tmp/started', 'w')\nimport time\ntime.sleep(0.5)"
    with open_or_skip("linux-ns") as worker:
        run = threading.Thread(target=worker.run, args=[Program(wait)])
        run.start()
        while len(servers := server_processes(worker)) < 3:
            pass
        looking = os.open(f"/proc/{servers[-1]}/cwd", os.O_PATH)
        run.join()
        result = worker.run(Program("import os\nprint(os.listdir())"))
        assert (result.stdout, server_processes(worker)) == ("[]\n", servers[:2])
        os.close(looking)


@pytest.mark.parametrize("value", [0.5, 5e8, float("inf")], ids=repr)
@pytest.mark.parametrize("name", ["cpu_s", "memory_bytes", "file_bytes", "threads", "output_bytes"])
def test_a_limit_that_is_counted_is_a_whole_number(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name}=.*whole number"):
        Limits(**{name: value})  # type: ignore[arg-type]
