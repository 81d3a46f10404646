"""A worker's life: its loss, its end, its host's end, forks and threads: nothing stays behind."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from processes import gone, server_processes
from tier_workers import open_or_skip

import rlvr_course
from rlvr_course.sandbox.records import Program
from rlvr_course.sandbox.worker import LinuxTier, Worker

HELLO = Program("print('hello')")


@pytest.fixture
def own_worker(worker: Worker) -> Iterator[Worker]:
    """A worker of the same tier for a test that harms it."""
    with open_or_skip(worker.tier) as opened:
        yield opened


@pytest.mark.parametrize("moment", ["idle", "running"])
def test_a_lost_server_is_infra_and_the_next_run_starts_another(
    own_worker: Worker, moment: str
) -> None:
    victims = server_processes(own_worker)
    killer = threading.Timer(0.3, os.kill, (victims[-1], signal.SIGKILL))
    program = Program("import time; time.sleep(5)") if moment == "running" else HELLO
    if moment == "running":
        killer.start()
    else:
        os.kill(victims[-1], signal.SIGKILL)
        assert gone(victims[-1:])
    lost = own_worker.run(program)
    assert (lost.reason, lost.exit_code, lost.stdout) == ("infra", None, "")
    assert "server lost" in lost.detail
    assert own_worker.run(HELLO).stdout == "hello\n"
    assert gone(victims)


def test_closing_ends_all_that_was_started(own_worker: Worker) -> None:
    processes = server_processes(own_worker)
    assert own_worker.run(HELLO).ok
    own_worker.close()
    own_worker.close()
    assert gone(processes)
    with pytest.raises(ValueError, match="this worker is closed"):
        own_worker.run(HELLO)


def test_a_forgotten_worker_ends(worker: Worker) -> None:
    forgotten = Worker(worker.tier)
    processes = server_processes(forgotten)
    del forgotten
    gc.collect()
    assert gone(processes)


def host_process(tier: LinuxTier, body: str) -> subprocess.Popen[str]:
    """Another host: it opens a worker, tells its server's processes, then does the rest."""
    source = f"""
import os, signal, sys, threading, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_worker_lifetime import HELLO, Program, Worker, server_processes
worker = Worker({tier!r})
print(*server_processes(worker), flush=True)
{body}
"""
    return subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("os.kill(os.getpid(), signal.SIGKILL)", id="killed"),
        pytest.param(
            "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
            "worker.run(Program('while True: pass'))",
            id="killed while a program runs",
        ),
        pytest.param(
            "os.fork() or time.sleep(3); os.kill(os.getpid(), 9)", id="killed, a copy lives"
        ),
        pytest.param("sys.exit()", id="at its end"),
        pytest.param("os._exit(0)", id="at a sudden end"),
    ],
)
def test_no_server_outlives_its_host(worker: Worker, body: str) -> None:
    host = host_process(worker.tier, body)
    assert host.stdout is not None
    processes = [int(pid) for pid in host.stdout.readline().split()]
    host.wait()
    host.stdout.close()
    assert len(processes) >= (2 if worker.tier == "linux-ns" else 1)
    assert gone(processes, within_s=2.0)


def test_an_interrupted_run_leaves_no_report_for_the_next(worker: Worker) -> None:
    body = """
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    worker.run(Program("import time; time.sleep(1); print('late')"))
except KeyboardInterrupt:
    print(worker.run(HELLO).stdout, end="")
"""
    host = host_process(worker.tier, body)
    stdout, _ = host.communicate(timeout=60)
    assert stdout.splitlines()[1:] == ["hello"]


def test_an_alarm_of_the_callers_own_is_the_callers(worker: Worker) -> None:
    body = """
def too_late(*_):
    raise TimeoutError("the caller's")
signal.signal(signal.SIGALRM, too_late)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try:
    print(worker.run(Program("import time; time.sleep(2)")))
except TimeoutError as error:
    print(error, worker.run(HELLO).stdout, end="")
"""
    stdout, _ = host_process(worker.tier, body).communicate(timeout=60)
    assert stdout.splitlines()[1:] == ["the caller's hello"]


def test_a_forked_host_starts_its_own_server_and_leaves_its_parents_alone(worker: Worker) -> None:
    body = """
if os.fork() == 0:
    print(worker.run(HELLO).stdout, end="", flush=True)
    worker.close()
    sys.exit()
os.wait()
print(worker.run(HELLO).stdout, server_processes(worker), end="")
"""
    host = host_process(worker.tier, body)
    stdout, _ = host.communicate(timeout=60)
    first, child, parent, processes = stdout.splitlines()
    assert (child, parent) == ("hello", "hello")
    assert processes == f" [{first.replace(' ', ', ')}]"


def test_a_worker_outlives_the_thread_that_opened_it(worker: Worker) -> None:
    with ThreadPoolExecutor(1) as thread:
        opened = thread.submit(Worker, worker.tier).result()
    with opened:
        assert opened.run(HELLO).stdout == "hello\n"


def test_threads_that_share_a_worker_get_each_their_own_result(worker: Worker) -> None:
    with ThreadPoolExecutor(8) as threads:
        programs = [Program("print(input())", str(i)) for i in range(40)]
        results = list(threads.map(worker.run, programs))
    assert [result.stdout for result in results] == [f"{i}\n" for i in range(40)]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can read; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


MANY_THREADS = """
import os, threading, time
threading.stack_size(32768)
count = 0
try:
    while count < 2500:
        threading.Thread(target=time.sleep, args=[9], daemon=True).start()
        count += 1
except RuntimeError:
    print("bounded", flush=True)
os._exit(0)
"""
ORDINARY = ["setpriv", "--reuid", "31415", "--regid", "31415", "--clear-groups"]


@pytest.mark.parametrize("further", [[], ["unshare", "-Ur"]], ids=["ordinary", "root inside"])
def test_an_ordinary_user_has_both_tiers(
    worker: Worker, open_folder: Path, further: list[str]
) -> None:
    if os.getuid() or not all(map(shutil.which, ("setpriv", "unshare"))):
        pytest.skip("only root can become another user, with util-linux's setpriv")
    package = Path(rlvr_course.__file__).parent
    shutil.copytree(package / "sandbox", open_folder / "rlvr_course" / "sandbox")
    for name in ("__init__.py", "records.py", "errors.py"):
        shutil.copy(package / name, open_folder / "rlvr_course" / name)
    source = (
        f"import sys; sys.path.insert(0, {str(open_folder)!r})\n"
        "from rlvr_course.sandbox.worker import Worker, Program\n"
        f"with Worker({worker.tier!r}) as w: print(w.run(Program({MANY_THREADS!r})).stdout, end='')"
    )
    command = [*ORDINARY, *further, system_python(), "-c", source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "bounded\n", done.stderr


def system_python() -> str:
    """A Python that every user of this machine can run."""
    for name in ("python3.13", "python3.12", "python3.11"):
        if (path := Path("/usr/bin", name)).exists():
            return str(path)
    pytest.skip("no Python 3.11 or later in /usr/bin, where every user could run it")


@pytest.mark.nightly
def test_twenty_thousand_runs_leave_memory_and_descriptors_as_they_were(worker: Worker) -> None:
    def measures() -> tuple[int, int]:
        pages = sum(
            int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            for pid in (os.getpid(), *server_processes(worker))
        )
        return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    for _ in range(200):
        worker.run(HELLO)
    memory, descriptors = measures()
    for _ in range(20_000):
        worker.run(HELLO)
    grown, still = measures()
    assert grown - memory < 10 << 20
    assert still == descriptors
