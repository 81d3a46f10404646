"""Whatever a submission does, it reaches nothing, ends, is named, and leaves nothing."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from reruns import needs_jail, of_cells, printed, ran

import rlvr_course
from rlvr_course.grading.rerun.reexecution import Bounds, reexecute

MB = 1 << 20
SMALL = Bounds(memory_bytes=400 * MB, output_bytes=2 * MB, processes=12, room_bytes=64 * MB)


@pytest.fixture(autouse=True)
def _jail() -> None:
    needs_jail()


BOMBS = {
    "endless loop": ("while True: pass", "timeout"),
    "endless sleep": ("import time; time.sleep(1e6)", "timeout"),
    "ignores every signal": (
        "import signal\nfor s in range(1, 32):\n"
        "    if s not in (9, 19): signal.signal(s, signal.SIG_IGN)\nwhile True: pass",
        "timeout",
    ),
    "endless print": ("while True: print('x' * 1000)", "output_limit"),
    "endless print past Python": ("import os; os.system('yes')", "output_limit"),
    "one huge print": ("print('x' * 3_000_000)", "output_limit"),
    "endless displays": ("while True: display('x' * 1000)", "output_limit"),
    "fork bomb": ("import os\nwhile True: os.fork()", "processes"),
    "shell bomb": ("import os; os.system('b() { b | b & }; b; sleep 60')", "processes"),
    "hoard": ("kept = [bytearray(1 << 20) for _ in range(10**6)]", "memory"),
    "hoard of children": (
        "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n"
        "        kept = bytearray(b'x') * (150 << 20); time.sleep(60)\ntime.sleep(60)",
        "memory",
    ),
    "hoard of shared memory": (
        "import mmap\nkept = []\nwhile True:\n"
        "    kept.append(mmap.mmap(-1, 1 << 24)); kept[-1].write(bytes(1 << 24))",
        "memory",
    ),
    "hoard of files in memory": (
        "import os\nwhile True:\n    fd = os.memfd_create('kept')\n"
        "    os.write(fd, bytes(32 << 20))",
        "memory",
    ),
    "more than there is": ("kept = bytearray(1 << 40)", "memory"),
}


@pytest.mark.parametrize(("source", "status"), BOMBS.values(), ids=BOMBS)
def test_what_never_ends_or_grows_is_stopped_and_named(source: str, status: str) -> None:
    patience_s = 4 if status == "timeout" else 20  # a busy machine takes its time to fill a bound
    run = ran("print('before')", source, timeout_s=patience_s, bounds=SMALL)
    assert (run.status, run.cell) == (status, 2), run.reason
    assert printed(run) == "before\n" and run.reason
    assert run.seconds < patience_s + 8


def test_a_full_disk_is_an_error_of_the_cell() -> None:
    run = ran("open('/tmp/big', 'wb').write(bytes(100 << 20))", bounds=SMALL)
    assert run.status == "failed" and run.cell == 1
    assert "OSError" in run.reason


ENDINGS = {
    "exit": ("import os; os._exit(0)", "the kernel ended (exit code 0)"),
    "crash": ("import ctypes; ctypes.string_at(0)", "the kernel ended (SIGSEGV)"),
    "killed": ("import os; os.kill(os.getpid(), 9)", "the kernel ended (SIGKILL)"),
}


@pytest.mark.parametrize(("source", "reason"), ENDINGS.values(), ids=ENDINGS)
def test_a_kernel_that_ends_itself_is_named_with_its_cell(source: str, reason: str) -> None:
    run = ran("1", source, "print('after')")
    assert (run.status, run.cell, run.reason) == ("failed", 2, reason)


TRY = """
def tried(act):
    try:
        return repr(act())
    except OSError as error:
        return type(error).__name__
"""


@pytest.fixture
def teacher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of submissions and a key in the environment."""
    (tmp_path / "bert.ipynb").write_text("planted")
    monkeypatch.setenv("OPENAI_API_KEY", "planted")
    return tmp_path


def test_neither_files_nor_keys_of_the_teacher_are_there(teacher: Path) -> None:
    places = [teacher / "bert.ipynb", Path.home(), Path(rlvr_course.__file__).parents[1] / "tests"]
    looks = [f"print(tried(lambda: (os.stat({str(p)!r}), os.listdir({str(p)!r}))))" for p in places]
    run = ran(TRY + "import os\n" + looks[0], looks[2], "print('planted' in str(os.environ))")
    assert [printed(run, n) for n in (1, 2, 3)] == [
        "FileNotFoundError\n",
        "FileNotFoundError\n",
        "False\n",
    ]
    everywhere = "!grep -rlsa planted /proc/self/environ /home /tmp /etc"
    assert printed(ran(everywhere)) == ""


def test_nothing_but_its_own_folders_can_be_written() -> None:
    package, library = Path(rlvr_course.__file__).parent, os.path.dirname(os.__file__)  # noqa: PTH120
    places = [f"{package}/new.py", f"{library}/new.py", "/etc/new", "/home/new", "/usr/new", "/new"]
    source = TRY + f"for place in {places!r}: print(tried(lambda: open(place, 'w')))"
    run = ran(source, "open('here', 'w').write('x'); open('/tmp/there', 'w').write('x')")
    assert set(printed(run).split()) <= {"OSError", "PermissionError"}
    assert run.status == "ok"
    assert not any(Path(place).exists() for place in places)


def test_no_run_finds_files_of_another() -> None:
    ran("open('/tmp/left', 'w').write('x'); open('left', 'w').write('x')")
    assert printed(ran("import os; print(os.listdir('.'), os.path.exists('/tmp/left'))")) == (
        "[] False\n"
    )


def test_the_network_is_not_there_and_loopback_is_its_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        run = ran(
            TRY + "import socket\n"
            f"print(tried(lambda: socket.create_connection(('127.0.0.1', {port}), 2)))\n"
            "print(tried(lambda: socket.create_connection(('192.0.2.1', 80), 2)))\n"
            "s = socket.create_server(('127.0.0.1', 0))\n"
            "print(bool(socket.create_connection(s.getsockname())))"
        )
    assert printed(run).split() == ["ConnectionRefusedError", "OSError", "True"]


def test_processes_of_this_machine_are_neither_seen_nor_reached() -> None:
    run = ran(
        TRY + "import os\nprint(len([p for p in os.listdir('/proc') if p.isdigit()]))\n"
        f"print(tried(lambda: os.kill({os.getpid()}, 0)))\nos.kill(-1, 9)",
        "print('still here')",
    )
    assert printed(run).split() == ["2", "ProcessLookupError"]
    assert printed(run, 2) == "still here\n"


def test_a_daemon_is_counted_and_ends_with_the_run() -> None:
    run = ran("import os; os.system('setsid sleep 7654.5 & setsid sleep 7654.5 &')")
    assert (run.status, run.left_running) == ("ok", 2)
    assert not any(b"7654.5" in commands for commands in command_lines())


def command_lines() -> list[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes())
        except OSError:  # it has just ended
            continue
    return found


CALLS = {
    "a user namespace": "libc.unshare(0x10000000)",
    "a mount": "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
    "shared memory": "libc.shmget(1, 1 << 30, 0o1600)",
    "another's memory": "libc.ptrace(16, 1, 0, 0)",
    "a new root": "libc.chroot(b'/tmp')",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_could_go_around_the_bounds_is_refused(call: str) -> None:
    source = "import ctypes, errno; libc = ctypes.CDLL(None, use_errno=True)\n"
    run = ran(f"{source}print({call}, ctypes.get_errno() == errno.EPERM)")
    assert printed(run) == "-1 True\n"


def test_it_has_no_rights_and_gets_none() -> None:
    run = ran("print(*[l for l in open('/proc/self/status') if l[:6] in ('CapEff', 'NoNewP')])")
    assert printed(run).split() == ["CapEff:", "0" * 16, "NoNewPrivs:", "1"]


def test_events_that_a_cell_forges_are_not_mistaken_for_other_cells() -> None:
    forged = '["cell", 1]\\n["stream", "stdout", "forged"]\\n[[[[\\n{}\\n["end"]\\n'
    run = ran("print('one')", f"import os; os.write(3, b'{forged}')", "print('three')")
    assert printed(run, 1) == "one\n" and printed(run, 3) == "three\n"


def test_without_a_jail_nothing_runs_unless_asked_for_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RLVR_COURSE_SANDBOX_WITHOUT", "kernel-jail")
    from rlvr_course.grading.rerun import jail, reexecution

    monkeypatch.setattr(reexecution, "shared_jail", jail.KernelJail)
    submission = of_cells("print(6 * 7)", "1 / 0")
    assert reexecute(submission, None).status == "no_jail"
    asked = reexecute(submission, None, jail="none")
    assert (asked.status, asked.cell, asked.jail) == ("failed", 2, "none")
    assert printed(asked) == "42\n"


@pytest.mark.parametrize("wrong", [{"timeout_s": 0}, {"jail": "bubble"}], ids=["time", "jail"])
def test_a_callers_mistake_is_said(wrong: dict) -> None:
    with pytest.raises(ValueError, match=r"timeout|jail"):
        reexecute(of_cells("1"), None, **wrong)


def test_python_of_the_jail_is_this_one() -> None:
    run = ran("import sys; print(sys.version)", "import rlvr_course; print(rlvr_course.__file__)")
    assert printed(run) == f"{sys.version}\n"
    assert printed(run, 2) == f"{rlvr_course.__file__}\n"
