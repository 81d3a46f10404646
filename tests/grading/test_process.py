"""A process that can be given up: what it said stays, what it started goes."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlvr_course.grading.process import WorkProcess, descendants

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]


def work(what: str) -> Iterator[dict[str, Any]]:
    """What the child does; the order's text says what."""
    yield {"pid": os.getpid()}
    if what == "family":
        children = [subprocess.Popen(SLEEPER, start_new_session=session) for session in (0, 1)]
        yield {"children": [child.pid for child in children]}
    if what.startswith("tidy "):
        atexit.register(Path(what.removeprefix("tidy ")).touch)
    if what in ("family", "hang"):
        time.sleep(600)
    if what == "abort":
        os.abort()
    if what == "raise":
        raise KeyError("a fault\nof ours")
    if what == "not json":
        yield {"value": object()}
    yield {"done": what}


@pytest.fixture
def process() -> Iterator[WorkProcess]:
    process = WorkProcess(work)
    yield process
    process.close()


def is_alive(pid: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def gone(*pids: int, within_s: float = 10.0) -> bool:
    ends = time.monotonic() + within_s
    while time.monotonic() < ends:
        if not any(is_alive(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def test_orders_are_done_one_after_another_in_one_process(process):
    first, second = (process.run({"what": name}, limit_s=60) for name in "ab")
    assert [first.items[1], second.items[1]] == [{"done": "a"}, {"done": "b"}]
    assert first.items[0] == second.items[0] and first.failure == second.failure == ""


@pytest.mark.parametrize(
    ("what", "failure"),
    [
        ("hang", "it took longer than 2 s"),
        ("abort", "its process was ended by SIGABRT"),
        ("raise", "KeyError: 'a fault\\nof ours'"),
        ("not json", "TypeError: Object of type object is not JSON serializable"),
    ],
    ids=["hang", "abort", "raise", "not json"],
)
def test_what_was_said_before_a_failure_is_kept_and_the_next_order_is_done(process, what, failure):
    told = process.run({"what": what}, limit_s=2)
    assert (list(told.items[0]), len(told.items), told.failure) == (["pid"], 1, failure)
    assert process.run({"what": "next"}, limit_s=60).items[1] == {"done": "next"}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_at_a_deadline_children_in_other_sessions_go_too(process):
    told = process.run({"what": "family"}, limit_s=3)
    children = told.items[1]["children"]
    assert told.failure == "it took longer than 3 s"
    assert gone(told.items[0]["pid"], *children)


def test_after_close_nothing_runs_and_nothing_is_started(process):
    pid = process.run({"what": "a"}, limit_s=60).items[0]["pid"]
    process.close()
    assert gone(pid)
    assert process.run({"what": "b"}, limit_s=60).failure == "it was interrupted"


def test_at_close_an_idle_process_may_tidy_up(process, tmp_path):
    process.run({"what": f"tidy {tmp_path / 'tidied'}"}, limit_s=60)
    process.close()
    assert (tmp_path / "tidied").exists()


PARENT = """
import sys
sys.path.insert(0, {here!r})
from test_process import work
from rlvr_course.grading.process import WorkProcess

if __name__ == "__main__":
    process = WorkProcess(work)
    print(process.run({{"what": "a"}}, limit_s=60).items[0]["pid"], flush=True)
    process.run({{"what": "family"}}, limit_s=600)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_when_the_batch_itself_is_killed_nothing_stays(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(here=str(Path(__file__).parent)))
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        while len(family := descendants(child)) < 2:
            time.sleep(0.02)
        parent.send_signal(signal.SIGKILL)
    assert gone(child, *family)
