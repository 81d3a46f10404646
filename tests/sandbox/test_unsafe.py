"""What the child process without a sandbox does hold, and that it says what it is."""

from __future__ import annotations

import os
import resource
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.sandbox.records import Limits, Program
from rlvr_course.sandbox.unsafe import NotASandboxWarning, UnsafeSubprocess


@pytest.fixture(scope="module")
def runner():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotASandboxWarning)
        return UnsafeSubprocess()


def test_it_says_what_it_is_each_time():
    for _ in range(2):
        with pytest.warns(NotASandboxWarning, match="NOT A SANDBOX"):
            UnsafeSubprocess()


@pytest.mark.parametrize(
    ("source", "code", "reason"),
    [
        ("", 0, "exit"),
        ("raise SystemExit(7)", 7, "exit"),
        ("import sys; sys.exit('no')", 1, "exit"),
        ("1 / 0", 1, "exit"),
        ("x = (", 1, "exit"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", -11, "exit"),
        ("raise MemoryError", 1, "memory"),
        ("while True: pass", -9, "timeout"),
        ("while True: print('x' * 999)", -9, "output_limit"),
    ],
)
def test_how_a_program_ended(runner, source, code, reason):
    result = runner.run(Program(source), Limits(wall_s=0.5))
    assert (result.exit_code, result.reason, result.tier) == (code, reason, "unsafe-subprocess")


@settings(max_examples=15)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=300))
def test_input_arrives_and_output_returns_as_they_were(runner, text):
    echo = "import sys\nsys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert runner.run(Program(echo, text)).stdout == text


@pytest.mark.parametrize("name", ["os", "sys", "main", "source", "size", "limits"])
def test_nothing_of_the_launcher_is_left_to_a_program(runner, name):
    assert f"NameError: name '{name}' is not defined" in runner.run(Program(name)).stderr


def test_a_program_is_its_own_main_module(runner):
    source = "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))), __name__)"
    assert runner.run(Program(source)).stdout == "<class '__main__.A'> __main__\n"


def test_a_flood_is_cut_and_does_not_grow_the_host(runner):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    source = "import os\nwhile True: os.write(1, b'x' * (1 << 20)); os.write(2, b'y' * (1 << 20))"
    result = runner.run(Program(source), Limits(output_bytes=1 << 20))
    assert (len(result.stdout), result.reason) == (1 << 20, "output_limit")
    assert len(result.stderr) <= 1 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # KB


def test_exactly_as_much_output_as_the_limit_is_no_flood(runner):
    result = runner.run(Program("print('x' * 99)"), Limits(output_bytes=100))
    assert (len(result.stdout), result.reason) == (100, "exit")


def test_a_pipe_held_open_by_another_process_is_not_waited_for(runner):
    source = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(20)\nprint('done')"
    began = time.monotonic()
    assert runner.run(Program(source)).stdout == "done\n"
    assert time.monotonic() - began < 10


def test_it_is_no_sandbox(runner, tmp_path, monkeypatch):
    monkeypatch.setenv("A_KEY", "secret")
    Path(tmp_path, "log").write_text("log")
    source = f"import os\nprint(os.environ['A_KEY'])\nopen({str(tmp_path / 'log')!r}, 'w')"
    assert runner.run(Program(source)).stdout == "secret\n"
    assert Path(tmp_path, "log").read_text() == ""


def test_its_folder_is_gone_afterwards(runner):
    folder = runner.run(Program("import os; open('a', 'w'); print(os.getcwd())")).stdout.strip()
    assert folder != os.getcwd()  # noqa: PTH109
    assert not Path(folder).exists()
