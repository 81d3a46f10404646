"""Speed and memory of the sandbox beside ``python -c``: ``python benchmarks/sandbox.py [--check]``.

The yardstick is ``subprocess.run([sys.executable, "-c", code])``, which holds nothing. Both run the
same program on the same input, turn by turn, so that what slows the machine slows both. Processor
time is that of the whole tree of processes: this one, its fork servers and every program. With
``--check`` the exit status is 1 where a tier misses a target.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.sandbox.records import Program

TIERS = ("linux-ns", "linux-landlock")
WORKERS = 2
LEAST_LATENCY, LEAST_THROUGHPUT = 2.5, 3.5
MOST_CPU_SHARE = 0.5
MOST_GROWTH_BYTES = 10 << 20
WARM_RUNS = 1000

CODE = "n = int(input())\nprint(sum(i * i for i in range(1, n + 1)))\n"
GIVEN, EXPECTED = "100\n", "338350\n"
PROGRAM = Program(CODE, GIVEN)


@dataclass
class Measured:
    """What one way of running the program took.

    Args:
        latencies_s: of single runs.
        rates: runs a second with ``WORKERS`` at once, one for each round.
        cpu_s: processor time for each run, one for each round.
        growth_bytes: of this process and its fork servers over many runs; None if not measured.
    """

    name: str
    latencies_s: list[float]
    rates: list[float]
    cpu_s: list[float]
    growth_bytes: int | None = None

    @property
    def latency_s(self) -> float:
        """The median of single runs."""
        return statistics.median(self.latencies_s)

    @property
    def rate(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rates)

    @property
    def cpu_each_s(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.cpu_s)

    def misses(self, naive: Measured) -> list[str]:
        """The targets that it misses, each with the figure and the target."""
        found = []
        if (latency := naive.latency_s / self.latency_s) < LEAST_LATENCY:
            found.append(f"latency {latency:.2f}x, target {LEAST_LATENCY}x")
        if (rate := self.rate / naive.rate) < LEAST_THROUGHPUT:
            found.append(f"throughput {rate:.2f}x, target {LEAST_THROUGHPUT}x")
        if (share := self.cpu_each_s / naive.cpu_each_s) > MOST_CPU_SHARE:
            found.append(f"processor time {share:.2f} of it, target {MOST_CPU_SHARE}")
        if self.growth_bytes is not None and self.growth_bytes >= MOST_GROWTH_BYTES:
            found.append(f"growth {self.growth_bytes / 1e6:.1f} MB, target under 10 MB")
        return [f"{self.name}: {miss}" for miss in found]


def run_naive() -> str:
    """The yardstick: a new Python for the program."""
    command = [sys.executable, "-c", CODE]
    return subprocess.run(command, input=GIVEN, capture_output=True, text=True).stdout


def run_naive_many(runs: int) -> list[str]:
    """The yardstick, ``WORKERS`` at once."""
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as executor:
        return list(executor.map(lambda _: run_naive(), range(runs)))


def run_in(pool: SandboxPool, runs: int) -> list[str]:
    """The same in the sandbox."""
    return [result.stdout for result in pool.run_many([PROGRAM] * runs)]


def family() -> list[int]:
    """The process numbers of this process and all that descend from it."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        parents[int(folder.name)] = int(fields[1])
    found = [os.getpid()]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def family_cpu_s() -> float:
    """Processor time of this process, its descendants, and those of them that have ended."""
    ticks = 0
    for pid in family():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def family_rss_bytes() -> int:
    """Resident memory of this process and its descendants, shared pages counted for each."""
    pages = (Path(f"/proc/{pid}/statm").read_text().split()[1] for pid in family())
    return sum(map(int, pages)) * os.sysconf("SC_PAGESIZE")


def right(outputs: Iterable[str]) -> None:
    """Stop where an output is wrong: a fast wrong answer is no figure."""
    wrong = [output for output in outputs if output != EXPECTED]
    if wrong:
        raise SystemExit(f"benchmarks/sandbox.py: {wrong[0]!r} instead of {EXPECTED!r}")


def time_one(measured: Measured, run: Callable[[], str]) -> None:
    """Add one run's latency."""
    began = time.perf_counter()
    output = run()
    measured.latencies_s.append(time.perf_counter() - began)
    right([output])


def time_many(measured: Measured, run: Callable[[int], list[str]], runs: int) -> None:
    """Add one round's rate and processor time."""
    began, cpu_s = time.perf_counter(), family_cpu_s()
    outputs = run(runs)
    measured.rates.append(runs / (time.perf_counter() - began))
    measured.cpu_s.append((family_cpu_s() - cpu_s) / runs)
    right(outputs)


def growth_bytes(pool: SandboxPool, runs: int) -> int:
    """How much memory this process and its fork servers gain over so many runs."""
    right(run_in(pool, WARM_RUNS))
    before = family_rss_bytes()
    for _ in range(runs // WARM_RUNS):
        right(run_in(pool, WARM_RUNS))
    return family_rss_bytes() - before


def measure(pools: dict[str, SandboxPool], rounds: int, singles: int, runs: int) -> list[Measured]:
    """Measure the yardstick and each tier, turn by turn.

    Args:
        pools: an open pool for each tier, of ``WORKERS`` workers.
        rounds: of many runs at once.
        singles: runs one at a time.
        runs: over which growth is measured, in thousands; 0 leaves it out.
    """
    naive = Measured("subprocess.run", [], [], [])
    tiers = {name: Measured(name, [], [], []) for name in pools}
    for pool in pools.values():
        right(run_in(pool, 2 * WORKERS))
    for _ in range(singles):
        time_one(naive, run_naive)
        for name, pool in pools.items():
            time_one(tiers[name], lambda pool=pool: run_in(pool, 1)[0])
    for _ in range(rounds):
        time_many(naive, run_naive_many, 60)
        for name, pool in pools.items():
            time_many(tiers[name], lambda n, pool=pool: run_in(pool, n), 300)
    if runs:
        for name, pool in pools.items():
            tiers[name].growth_bytes = growth_bytes(pool, runs)
    return [naive, *tiers.values()]


def table(rows: list[Measured], runs: int) -> str:
    """The figures with the machine and the date."""
    naive = rows[0]
    machine = (
        f"Python {platform.python_version()}, {platform.system()} {platform.release()} "
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    lines = [
        f"{datetime.datetime.now(datetime.UTC).date()}, {machine}",
        "",
        "| | median ms | faster | runs/s, 2 workers | faster | CPU ms a run | share "
        f"| growth over {runs:,} runs |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        growth = "" if row.growth_bytes is None else f"{row.growth_bytes / 1e6:.1f} MB"
        lines.append(
            f"| {row.name} | {row.latency_s * 1e3:.1f} | {naive.latency_s / row.latency_s:.1f}x "
            f"| {row.rate:.0f} | {row.rate / naive.rate:.1f}x | {row.cpu_each_s * 1e3:.1f} "
            f"| {row.cpu_each_s / naive.cpu_each_s:.2f} | {growth} |"
        )
    return "\n".join(lines)


def open_pools() -> dict[str, SandboxPool]:
    """A pool for each tier that this machine has; the others are named on stderr."""
    pools = {}
    for name in TIERS:
        pool = SandboxPool(name, workers=WORKERS)
        try:
            right(run_in(pool, 1))
        except SandboxUnavailable as error:
            print(f"left out: {error}", file=sys.stderr)
            pool.close()
        else:
            pools[name] = pool
    return pools


def main() -> int:
    """Print the table; with ``--check`` say what misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit status 1 below the targets")
    parser.add_argument("--rounds", type=int, default=5, help="of many runs at once (5)")
    parser.add_argument("--singles", type=int, default=200, help="runs one at a time (200)")
    parser.add_argument("--runs", type=int, default=20_000, help="to measure growth over (20000)")
    args = parser.parse_args()
    pools = open_pools()
    rows = measure(pools, args.rounds, args.singles, args.runs)
    print(table(rows, args.runs))
    misses = [miss for row in rows[1:] for miss in row.misses(rows[0])]
    for miss in misses:
        print(f"missed: {miss}")
    return 1 if args.check and (misses or not pools) else 0


if __name__ == "__main__":
    sys.exit(main())
