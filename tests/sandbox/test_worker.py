"""A worker: what it reports, what it stops for which reason, what reaches the next program."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.sandbox.records import Limits, Program
from rlvr_course.sandbox.worker import Worker

HELLO = Program("print('hello')")


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


def test_a_program_has_three_descriptors_however_many_the_host_holds(worker: Worker) -> None:
    source = (
        "import os\nfor n in range(3, 5000):\n    try: print(os.fstat(n))\n    except OSError: pass"
    )
    many = [os.open("/dev/null", os.O_RDONLY) for _ in range(300)]
    try:
        with Worker(worker.tier) as crowded:
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
