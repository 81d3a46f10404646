"""Many programs at once, each as if it were alone: the results come in order, whatever they do.

A program holds a worker for at most its limits. One whose worker is lost gets another try on a new
one. From the second loss on, a harmless program is run there: if that fails, it was the sandbox
("infra"); if it runs well, and the program is lost a third time, it was the program's own doing
("killed_worker").
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.protocol import Runner
from rlvr_course.sandbox.records import Limits, Program, RunResult
from rlvr_course.sandbox.tiers import open_worker, tier_named

CANARY = Program("print(6 * 7)")
CANARY_LIMITS = Limits(wall_s=10.0)
TRIES = 3
"""One loss may be chance, and two may be: a last try comes after a canary has passed."""

OPENING_TRIES = 3

OnDone = Callable[[int, RunResult], object]
"""Called with a program's index and its result as soon as it is there."""


@dataclass
class _Seat:
    """A place for one worker, which is opened when it is first needed and again after a loss."""

    runner: Runner | None = None

    def leave(self) -> None:
        runner, self.runner = self.runner, None
        if runner is not None:
            with contextlib.suppress(OSError):
                runner.close()


@dataclass
class _Batch:
    """What the threads of one ``run_many`` share."""

    programs: Sequence[Program]
    limits: Limits
    on_done: OnDone | None
    results: list[RunResult | None] = field(init=False)
    error: BaseException | None = None

    def __post_init__(self) -> None:
        self.results = [None] * len(self.programs)
        self._indices = iter(range(len(self.programs)))
        self._lock = threading.Lock()

    def next_index(self) -> int | None:
        """The next program that nobody has taken; None after the last, or after an error."""
        with self._lock:
            return None if self.error else next(self._indices, None)

    def keep(self, index: int, result: RunResult) -> None:
        """Put a result in its place and tell the caller, one at a time."""
        with self._lock:
            self.results[index] = result
            if self.on_done is not None:
                self.on_done(index, result)


class SandboxPool:
    """Workers of one tier, shared by all who have programs to run.

        with SandboxPool() as pool:
            results = pool.run_many([Program("print(6 * 7)")] * 100)

    Args:
        sandbox, min_tier: as for ``open_worker``; all workers are of the tier that is found.
        workers: how many programs run at once, at least 1; None takes one for each core.
        packages: that programs may import besides the standard library.

    Raises:
        ValueError: fewer than 1 worker, or a name that ``open_worker`` doesn't know.
        SandboxUnavailable: this machine has no such sandbox.

    Safe to call from several threads at once, which share the workers. In a forked child it
    works on with workers of the child's own. It closes when it is collected, or at exit.
    """

    def __init__(
        self,
        sandbox: str = "auto",
        *,
        workers: int | None = None,
        min_tier: str | None = None,
        packages: Sequence[str] = (),
    ) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"workers={workers}: a pool needs at least 1")
        self.workers = workers or _cores()
        self._packages = tuple(packages)
        first = open_worker(sandbox, min_tier=min_tier, packages=self._packages)
        self.tier = first.tier
        self._shared = first if tier_named(first.tier).one_process else None
        self._closed = False
        self._take_seats(first)
        _LIVE.add(self)

    def _take_seats(self, first: Runner | None = None) -> None:
        self._seats = [_Seat(first), *(_Seat() for _ in range(self.workers - 1))]
        self._free: queue.LifoQueue[_Seat] = queue.LifoQueue()
        for seat in reversed(self._seats):  # a worker that is there already is taken first
            self._free.put(seat)
        self._finalizer = weakref.finalize(self, _leave_all, self._seats, os.getpid())

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        """Run one program; see ``run_many``."""
        return self.run_many([program], limits)[0]

    def run_many(
        self,
        programs: Sequence[Program],
        limits: Limits | None = None,
        on_done: OnDone | None = None,
    ) -> list[RunResult]:
        """Run programs, as many at a time as there are workers.

        Args:
            programs: in any number, none included.
            limits: for each of them; the defaults of ``Limits`` if None.
            on_done: told of each result as it comes, by one thread at a time.

        Returns:
            One result for each program, in the order given.

        Raises:
            ValueError: the pool is closed.
            Whatever ``on_done`` raises; what runs at that moment is finished first.
        """
        batch = _Batch(list(programs), limits or Limits(), on_done)
        helpers: list[threading.Thread] = []
        try:
            for _ in range(min(self.workers, len(batch.programs)) - 1):
                helper = threading.Thread(target=self._work_guarded, args=[batch], daemon=True)
                with contextlib.suppress(RuntimeError):  # no more threads: fewer do the same
                    helper.start()
                    helpers.append(helper)
            self._work_guarded(batch)
            for helper in helpers:
                helper.join()
        except BaseException as error:  # an interrupt: the others end after what they run now
            batch.error = error
            raise
        if batch.error is not None:
            raise batch.error
        return [result for result in batch.results if result is not None]

    def _work_guarded(self, batch: _Batch) -> None:
        """Work on a batch; the first error of any thread ends it and is the caller's."""
        try:
            self._work(batch)
        except BaseException as error:
            batch.error = batch.error or error

    def _work(self, batch: _Batch) -> None:
        while (index := batch.next_index()) is not None:
            with self._seat() as seat:
                result = self._run(seat, batch.programs[index], batch.limits)
            batch.keep(index, result)

    @contextlib.contextmanager
    def _seat(self) -> Iterator[_Seat]:
        """A free worker's place, waited for if need be."""
        free = self._free
        seat = free.get()
        try:
            if self._closed:
                raise ValueError("this pool is closed: open another")
            yield seat
        finally:
            if self._closed:  # it may have been opened anew while the pool was closing
                seat.leave()
            free.put(seat)

    def _run(self, seat: _Seat, program: Program, limits: Limits) -> RunResult:
        """Run a program, again if its worker is lost, and say whose doing that is."""
        result = RunResult("", "", None, "infra", self.tier)
        for losses in range(1, TRIES + 1):
            try:
                result = self._occupied(seat).run(program, limits)
            except SandboxUnavailable as error:
                return replace(result, detail=str(error))
            if result.reason != "infra":
                return result
            seat.leave()
            if losses > 1 and not self._canary_passes(seat):
                return result
        detail = f"took its worker down {TRIES} times; others run well there: {result.detail}"
        return replace(result, reason="killed_worker", detail=detail)

    def _canary_passes(self, seat: _Seat) -> bool:
        try:
            result = self._occupied(seat).run(CANARY, CANARY_LIMITS)
        except SandboxUnavailable:
            return False
        return result.ok and result.stdout == "42\n"

    def _occupied(self, seat: _Seat) -> Runner:
        """The seat's worker, opened anew if it has none.

        Raises:
            SandboxUnavailable: it can't be opened, several times in a row.
        """
        if self._shared is not None:  # it keeps nothing between runs, so all may use it at once
            return self._shared
        for tries_left in reversed(range(OPENING_TRIES)):
            if seat.runner is not None:
                break
            try:
                seat.runner = open_worker(self.tier, packages=self._packages)
            except SandboxUnavailable:
                if not tries_left:
                    raise
        assert seat.runner is not None
        return seat.runner

    def close(self) -> None:
        """End all workers, each after what it runs now. Closing twice is no error."""
        self._closed = True
        self._finalizer()

    def _after_fork(self) -> None:
        """In a forked child: its own seats, since the threads that held the old are gone."""
        self._finalizer.detach()
        self._take_seats()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _cores() -> int:
    """Processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _leave_all(seats: list[_Seat], owner: int) -> None:
    if owner == os.getpid():
        for seat in seats:
            seat.leave()


_LIVE: weakref.WeakSet[SandboxPool] = weakref.WeakSet()


def _after_fork() -> None:
    for pool in list(_LIVE):
        pool._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
