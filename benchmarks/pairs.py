"""Speed and memory of preference pairs: ``python benchmarks/pairs.py [--samples N]``.

Each step runs in a process of its own, over a stream of groups of 8 made as they are taken: half
of the samples are right, and one in ten has a label that leaves it out. The yardstick is the
stream alone. Exit status 1 below 20,000 samples a second, or where the peak memory of the whole
run is more than 1.2 times that of a tenth of it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from rlvr_course.pairs import PairReport, iter_preferences, write_preferences
from rlvr_course.pairs.labels import Label
from rlvr_course.records import Problem, Sample

GROUP = 8
LEAST_SAMPLES_PER_S = 20_000
MOST_GROWTH = 1.2
SYSTEM = "Solve the problem step by step and give the answer in a box."
WORK = "Multiply by ten, by three, and add the two. " * 8


def group_of(number: int) -> list[Sample]:
    """One group of a problem, with responses of about 400 characters."""
    problem = Problem(f"What is {number} * 13?", str(number * 13), f"p{number}")
    messages = (
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": problem.question},
    )
    group = []
    for index in range(GROUP):
        right = index % 2 == 0
        value = str(number * 13 + (0 if right else index))
        response = f"{WORK}So it is \\boxed{{{value}}}"
        status, reward = ("correct", 1.0) if right else ("incorrect", -0.1)
        group.append(
            Sample(problem, response, value, reward, right, status, messages=messages, index=index)
        )
    return group


def groups(samples: int) -> Iterator[list[Sample]]:
    """A stream of groups, each made when it is asked for."""
    return (group_of(number) for number in range(samples // GROUP))


def labels(sample: Sample) -> tuple[Label, ...]:
    """One sample in ten is suspected, or is a verifier error."""
    if (len(sample.extracted) + int(sample.extracted) + sample.index) % 10:
        return ()
    return ("suspected_hack",) if sample.verified_correct else ("verifier_error",)


def stream(samples: int) -> int:
    """The groups and nothing else."""
    deque(groups(samples), maxlen=0)
    return 0


def build(samples: int) -> int:
    """``iter_preferences``, each pair dropped at once."""
    report = PairReport()
    deque(iter_preferences(groups(samples), labels, report=report), maxlen=0)
    assert report.possible_pairs == samples // GROUP * (GROUP // 2) ** 2
    return report.pairs


def write(samples: int) -> int:
    """``iter_preferences`` into ``write_preferences``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "preferences.jsonl"
        return write_preferences(path, iter_preferences(groups(samples), labels))


STEPS: dict[str, Callable[[int], int]] = {"stream": stream, "build": build, "write": write}


def timed(step: str, samples: int) -> dict[str, float]:
    """Samples, pairs, seconds and peak resident megabytes of one step in this process."""
    import resource

    start = time.perf_counter()
    pairs = STEPS[step](samples)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    per_mb = 1024 * 1024 if sys.platform == "darwin" else 1024
    return {"samples": samples, "pairs": pairs, "seconds": seconds, "peak_mb": peak / per_mb}


def in_child(step: str, samples: int) -> dict[str, float]:
    """Run one step in a fresh process."""
    command = [sys.executable, __file__, "--step", step, "--samples", str(samples)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def row(name: str, result: dict[str, float]) -> str:
    """One line of the table."""
    rate = result["samples"] / result["seconds"]
    return (
        f"| {name} | {result['samples']:,.0f} | {result['pairs']:,.0f} "
        f"| {result['seconds']:.1f} | {rate:,.0f} | {result['peak_mb']:.1f} |"
    )


def measure(samples: int) -> tuple[str, bool]:
    """The table, and whether the targets are met."""
    alone, tenth = in_child("stream", samples), in_child("build", samples // 10)
    built, written = in_child("build", samples), in_child("write", samples)
    growth = built["peak_mb"] / tenth["peak_mb"]
    rate = built["samples"] / built["seconds"]
    lines = [
        f"{datetime.datetime.now(datetime.UTC).date()}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}",
        "",
        "| step | samples | pairs | seconds | samples/s | peak MB |",
        "|---|---:|---:|---:|---:|---:|",
        row("making the groups alone (yardstick)", alone),
        row("iter_preferences, a tenth", tenth),
        row("iter_preferences", built),
        row("iter_preferences into write_preferences", written),
        "",
        f"Building takes {built['seconds'] / alone['seconds']:.1f} times as long as making the "
        f"groups; ten times the samples take {growth:.2f} times the memory.",
    ]
    return "\n".join(lines), rate >= LEAST_SAMPLES_PER_S and growth <= MOST_GROWTH


def main() -> int:
    """Print the table, or one step's figures where ``--step`` asks for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--step", choices=sorted(STEPS), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step is not None:
        print(json.dumps(timed(args.step, args.samples)))
        return 0
    table, met = measure(args.samples)
    print(table)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
