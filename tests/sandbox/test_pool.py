"""Many programs at once, none of which changes another's result."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.pool import CANARY, SandboxPool
from rlvr_course.sandbox.records import Limits, Program, RunResult

SHORT = Limits(wall_s=0.3)
# Source, exit code, reason: how a program may end, and what is to be said of it.
ENDS = {
    "print('fine')": (0, "exit"),
    "raise SystemExit(3)": (3, "exit"),
    "1 / 0": (1, "exit"),
    "import os; os._exit(9)": (9, "exit"),
    "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)": (-11, "exit"),
    "import time; time.sleep(60)": (-9, "timeout"),
    "while True: print('x' * 9999)": (-9, "output_limit"),
    "x = 'a' * (1 << 40)": (1, "memory"),
}


@pytest.fixture(scope="module")
def pool():
    try:
        opened = SandboxPool(workers=2)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    with opened:
        yield opened


class Doubtful:
    """A sandbox that is lost as often as it is told to be, and by a program of that name always."""

    tier = "linux-ns"
    start_ms = 1.0
    losses = 0
    opened = 0
    closed = 0

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        if program.source == "poison" or Doubtful.losses > 0:
            Doubtful.losses -= program.source != "poison"
            return RunResult("", "", None, "infra", self.tier, detail="lost")
        return RunResult("42\n", "", 0, "exit", self.tier)

    def close(self) -> None:
        Doubtful.closed += 1


@pytest.fixture
def doubtful(monkeypatch):
    def open_doubtful(*_: object, **__: object) -> Doubtful:
        Doubtful.opened += 1
        return Doubtful()

    Doubtful.losses = Doubtful.opened = Doubtful.closed = 0
    monkeypatch.setattr("rlvr_course.sandbox.pool.open_worker", open_doubtful)
    with SandboxPool(workers=2) as opened:
        yield opened


def test_results_come_in_the_order_of_the_programs(pool):
    programs = [Program("print(int(input()) ** 2)", str(n)) for n in range(40)]
    assert [r.stdout for r in pool.run_many(programs)] == [f"{n * n}\n" for n in range(40)]


def test_no_programs_no_results(pool):
    assert pool.run_many([]) == []


@settings(max_examples=5)
@given(st.lists(st.sampled_from(sorted(ENDS)), max_size=12))
def test_no_program_changes_what_is_said_of_another(pool, sources):
    results = pool.run_many([Program(source) for source in sources], SHORT)
    assert [(r.exit_code, r.reason) for r in results] == [ENDS[source] for source in sources]


def test_each_result_is_told_as_it_comes(pool):
    told: dict[int, str] = {}
    results = pool.run_many(
        [Program(f"print({n})") for n in range(9)],
        on_done=lambda index, result: told.update({index: result.stdout}),
    )
    assert told == {index: result.stdout for index, result in enumerate(results)}


def test_a_callback_that_raises_ends_the_batch_and_not_the_pool(pool):
    def refuse(index: int, result: RunResult) -> None:
        raise LookupError(index)

    with pytest.raises(LookupError):
        pool.run_many([CANARY] * 5, on_done=refuse)
    assert pool.run(CANARY).stdout == "42\n"


def test_threads_share_the_workers(pool):
    found: dict[int, list[str]] = {}

    def work(n: int) -> None:
        found[n] = [r.stdout for r in pool.run_many([Program(f"print({n})")] * 5)]

    threads = [threading.Thread(target=work, args=[n]) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [f"{n}\n"] * 5 for n in range(6)}


def test_without_more_threads_the_callers_own_does_all(pool):
    before = threading.stack_size(1 << 46)  # more than there is address space for
    try:
        results = pool.run_many([CANARY] * 4)
    finally:
        threading.stack_size(before)
    assert [result.stdout for result in results] == ["42\n"] * 4


def test_asyncio_can_wait_for_it(pool):
    async def both() -> list[RunResult]:
        runs = [asyncio.to_thread(pool.run, Program(f"print({n})")) for n in range(2)]
        return await asyncio.gather(*runs)

    assert [result.stdout for result in asyncio.run(both())] == ["0\n", "1\n"]


def test_a_slow_program_holds_one_worker_only(pool):
    slow = Program("import time; time.sleep(1)")
    ended: dict[int, float] = {}
    pool.run_many(
        [slow] + [CANARY] * 20,
        on_done=lambda index, _: ended.update({index: time.monotonic()}),
    )
    assert max(ended, key=lambda index: ended[index]) == 0


def test_a_forked_child_goes_on_with_workers_of_its_own(pool):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, pool.run(CANARY).stdout.encode())
        os._exit(0)
    os.close(writer)
    assert os.read(reader, 9) == b"42\n"
    os.close(reader)
    os.waitpid(child, 0)
    assert pool.run(CANARY).stdout == "42\n"


def fork_servers(parent: int) -> list[int]:
    """Processes that this one started and that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, ppid = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(ppid) == parent and state != "Z":
            found.append(int(stat.parent.name))
    return found


def test_a_lost_worker_is_replaced_and_its_program_run_again(pool):
    pool.run_many([CANARY] * 8)
    for server in fork_servers(os.getpid()):
        os.kill(server, signal.SIGKILL)
    results = pool.run_many([CANARY] * 8)
    assert [(r.stdout, r.reason) for r in results] == [("42\n", "exit")] * 8


def test_closing_ends_every_worker():
    before = set(fork_servers(os.getpid()))
    try:
        pool = SandboxPool(workers=2)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    pool.run_many([CANARY] * 8)
    pool.close()
    pool.close()
    assert set(fork_servers(os.getpid())) <= before
    with pytest.raises(ValueError, match="this pool is closed"):
        pool.run(CANARY)


def test_a_loss_is_nobodys_fault(doubtful):
    Doubtful.losses = 1
    assert doubtful.run(CANARY).ok
    assert (Doubtful.opened, Doubtful.closed) == (2, 1)


def test_a_program_that_takes_every_worker_down_is_at_fault(doubtful):
    results = doubtful.run_many([CANARY, Program("poison"), CANARY])
    assert [r.reason for r in results] == ["exit", "killed_worker", "exit"]
    assert "others run well there" in results[1].detail


def test_where_nothing_runs_the_sandbox_is_at_fault(doubtful):
    Doubtful.losses = 3  # the program twice, then the canary
    assert doubtful.run(CANARY).reason == "infra"
    assert doubtful.run(CANARY).ok


@pytest.mark.parametrize("workers", [0, -1])
def test_a_pool_needs_a_worker(workers):
    with pytest.raises(ValueError, match=f"workers={workers}: a pool needs at least 1"):
        SandboxPool(workers=workers)


def test_the_unsafe_one_warns_once_for_the_pool():
    with pytest.warns(UserWarning, match="NOT A SANDBOX") as caught:
        pool = SandboxPool("unsafe", workers=3)
    assert len(caught) == 1
    assert [r.stdout for r in pool.run_many([CANARY] * 6)] == ["42\n"] * 6


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.nightly
def test_twenty_thousand_runs_do_not_grow_the_host(pool):
    batch = [Program("print(input())", "x" * 500)] * 500
    for _ in range(2):
        pool.run_many(batch)
    before = resident_bytes()
    for _ in range(40):
        assert all(result.ok for result in pool.run_many(batch))
    assert resident_bytes() - before < 10 << 20
