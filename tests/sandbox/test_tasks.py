"""A user's tasks are counted as the kernel counts them, and not more often than is worth it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from rlvr_course.sandbox.tasks import TaskCount, tasks_of_user

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="there is no /proc")


def fake_proc(root: Path, threads: dict[str, int]) -> Path:
    for pid, count in threads.items():
        for number in range(count):
            (root / pid / "task" / str(number)).mkdir(parents=True)
    return root


def test_the_threads_of_all_processes_of_the_user_count(tmp_path):
    root = fake_proc(tmp_path, {"1": 1, "23": 4, "self": 9, "sys": 2})
    assert tasks_of_user(os.getuid(), root) == 5
    assert tasks_of_user(os.getuid() + 1, root) == 0


def test_a_thread_that_starts_is_counted():
    end = threading.Event()
    threads = [threading.Thread(target=end.wait) for _ in range(50)]
    before = sum(1 for _ in Path("/proc/self/task").iterdir())
    for thread in threads:
        thread.start()
    try:
        assert tasks_of_user(os.getuid()) >= 50 + before
    finally:
        end.set()
        for thread in threads:
            thread.join()


def test_a_count_is_kept_for_a_while():
    count = TaskCount(os.getuid())
    first = count.now()
    assert first is not None and first >= 1
    count._count = -5
    assert count.now() == -5
    count._good_until = 0.0
    assert (count.now() or 0) >= 1
