"""A worker: what it reports, what it stops, what survives its loss, and that nothing stays."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import open_or_skip
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.sandbox.records import Limits, Program
from rlvr_course.sandbox.worker import LinuxTier, Worker

HELLO = Program("print('hello')")


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def gone(pids: list[int], within_s: float = 10.0) -> bool:
    """Whether all of these processes end, zombies counted as ended."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.01)
    return False


def alive(pid: int) -> bool:
    """Whether a process runs: there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def server_processes(worker: Worker) -> list[int]:
    """The processes of a worker's server."""
    assert worker._server is not None
    pid = worker._server.process.pid
    return [pid, *descendants(pid)]


@pytest.fixture
def own_worker(worker: Worker) -> Iterator[Worker]:
    """A worker of the same tier for a test that harms it."""
    with open_or_skip(worker.tier) as opened:
        yield opened


STOPS = {
    "an endless loop": ("while True: pass", Limits(wall_s=0.3), "timeout"),
    "a sleep": ("import time; time.sleep(60)", Limits(wall_s=0.3), "timeout"),
    "a stopped process": (
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        Limits(wall_s=0.3),
        "timeout",
    ),
    "processor time": ("while True: pass", Limits(wall_s=30, cpu_s=1), "timeout"),
    "processor time, its signal ignored": (
        "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        Limits(wall_s=30, cpu_s=1),
        "timeout",
    ),
    "one large allocation": ("x = bytearray(1 << 30)", Limits(), "memory"),
    "many small ones": ("x = []\nwhile True: x.append('y' * 10_000)", Limits(), "memory"),
    "a source that fills its memory": (
        f"x = '{'y' * (5 << 20)}'",
        Limits(memory_bytes=16 << 20),
        "memory",
    ),
    "endless stdout": ("while True: print('y' * 1000)", Limits(), "output_limit"),
    "endless stderr": (
        "import sys\nwhile True: print('y' * 1000, file=sys.stderr)",
        Limits(),
        "output_limit",
    ),
    "a thread that never ends": (
        "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()",
        Limits(wall_s=0.3),
        "timeout",
    ),
}


@pytest.mark.parametrize(("source", "limits", "reason"), STOPS.values(), ids=STOPS)
def test_what_goes_too_far_is_stopped_for_its_reason(
    worker: Worker, source: str, limits: Limits, reason: str
) -> None:
    began = time.monotonic()
    assert worker.run(Program(source), limits).reason == reason
    assert time.monotonic() - began < 10
    assert worker.run(HELLO).stdout == "hello\n"


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 5000])
def test_output_is_kept_up_to_its_limit(worker: Worker, size: int) -> None:
    result = worker.run(Program(f"print('x' * {size}, end='')"), Limits(output_bytes=100))
    assert result.stdout == "x" * min(size, 100)
    assert result.reason == ("output_limit" if size > 100 else "exit")


def test_stdout_and_stderr_have_a_limit_each(worker: Worker) -> None:
    source = "import sys; print('x' * 80); print('y' * 80, file=sys.stderr)"
    result = worker.run(Program(source), Limits(output_bytes=100))
    assert (result.stdout, result.stderr, result.reason) == (
        f"{'x' * 80}\n",
        f"{'y' * 80}\n",
        "exit",
    )


def test_a_result_says_what_a_run_took(worker: Worker) -> None:
    source = "import time\nx = bytearray(50 << 20)\nwhile time.process_time() < 0.2: pass"
    result = worker.run(Program(source))
    assert 0.2 <= result.cpu_s <= result.wall_s + 0.1
    assert 50 << 20 < result.max_rss_bytes < 200 << 20
    assert result.tier == worker.tier


def test_a_file_has_its_limit(private_worker: Worker) -> None:
    source = "import pathlib; pathlib.Path('f').write_bytes(b'x' * 2000)"
    assert private_worker.run(Program(source), Limits(file_bytes=1000)).exit_code != 0
    assert private_worker.run(Program(source), Limits(file_bytes=2000)).ok


def test_threads_have_their_limit_where_they_can_be_counted(worker: Worker) -> None:
    source = """
import threading, time
count = 0
try:
    while count < 100:
        threading.Thread(target=time.sleep, args=(0.5,), daemon=True).start()
        count += 1
except RuntimeError:
    pass
print(count)"""
    count = int(worker.run(Program(source), Limits(threads=5)).stdout)
    assert count == 5 if worker.info["counts_threads"] else count < 100


LEAVINGS = {
    "a file": "open('left', 'w').write('x')",
    "a mode": "import os; os.chmod('.', 0o711)",
    "a time": "import os; os.utime('.', (1, 1))",
    "a folder": "import os; os.makedirs('a/b')",
    "a file that is gone again": "import os; open('left', 'w'); os.unlink('left')",
}


@pytest.mark.parametrize("source", LEAVINGS.values(), ids=LEAVINGS)
def test_nothing_in_tmp_reaches_the_next_program(private_worker: Worker, source: str) -> None:
    look = Program(
        "import os; s = os.stat('.'); print(os.listdir(), oct(s.st_mode), s.st_mtime < 9)"
    )
    assert private_worker.run(Program(source)).ok
    assert private_worker.run(look).stdout == "[] 0o40700 False\n"


def test_nothing_in_the_interpreter_reaches_the_next_program(worker: Worker) -> None:
    worker.run(Program("import builtins, sys, json; builtins.print = json.dumps = sys.x = None"))
    assert (
        worker.run(Program("import json, sys; print(json.dumps(hasattr(sys, 'x')))")).stdout
        == "false\n"
    )


def test_a_program_has_three_descriptors_however_many_the_host_holds(own_worker: Worker) -> None:
    source = (
        "import os\nfor n in range(3, 5000):\n    try: print(os.fstat(n))\n    except OSError: pass"
    )
    many = [os.open("/dev/null", os.O_RDONLY) for _ in range(300)]
    try:
        with Worker(own_worker.tier) as crowded:
            assert crowded.run(Program(source)).stdout == ""
    finally:
        for descriptor in many:
            os.close(descriptor)


def test_the_input_can_neither_be_changed_nor_grown(worker: Worker) -> None:
    source = """
import os
for attempt in (lambda: os.write(0, b'x'), lambda: os.ftruncate(0, 0)):
    try: attempt(); print('changed')
    except OSError: pass
print(input())"""
    assert worker.run(Program(source, "as it was")).stdout == "as it was\n"


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
from test_worker import HELLO, Program, Worker, server_processes
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


@settings(max_examples=30)
@given(st.integers(0, 255), st.text(st.characters(codec="utf-8"), max_size=50))
def test_output_and_exit_code_are_the_programs_own(
    private_worker: Worker, code: int, text: str
) -> None:
    source = f"import os, sys\nsys.stdout.buffer.write({text!r}.encode())\nsys.exit({code})"
    result = private_worker.run(Program(source))
    assert (result.stdout, result.exit_code, result.reason) == (text, code, "exit")


def test_text_that_is_no_unicode_is_the_programs_fault(worker: Worker) -> None:
    assert worker.run(Program("print('\ud800')")).exit_code == 1
    assert worker.run(Program("input()", "\ud800")).exit_code == 1


def test_an_unknown_tier_is_a_callers_mistake() -> None:
    with pytest.raises(
        ValueError, match="tier='docker': a worker holds linux-ns or linux-landlock"
    ):
        Worker("docker")  # type: ignore[arg-type]


def test_an_ordinary_user_has_both_tiers(worker: Worker, tmp_path: Path) -> None:
    if os.getuid() or not Path("/usr/bin/setpriv").exists():
        pytest.skip("only root can become another user, with util-linux's setpriv")
    import shutil

    import rlvr_course

    package = Path(rlvr_course.__file__).parent
    shutil.copytree(package / "sandbox", tmp_path / "rlvr_course" / "sandbox")
    for name in ("__init__.py", "records.py", "errors.py"):
        shutil.copy(package / name, tmp_path / "rlvr_course" / name)
    python = system_python()
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    source = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from rlvr_course.sandbox.worker import Worker, Program\n"
        f"with Worker({worker.tier!r}) as w: print(w.run(Program('print(7)')).stdout, end='')"
    )
    user = ["setpriv", "--reuid", "31415", "--regid", "31415", "--clear-groups"]
    done = subprocess.run([*user, python, "-c", source], capture_output=True, text=True)
    assert done.stdout == "7\n", done.stderr


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
