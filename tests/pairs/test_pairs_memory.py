"""A stream's memory does not grow with it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "pairs.py"


def step(name: str, samples: int) -> dict[str, float]:
    """One step of the benchmark in a process of its own."""
    command = [sys.executable, str(BENCHMARK), "--step", name, "--samples", str(samples)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["build", "write"])
def test_ten_times_the_samples_take_no_more_memory(name: str):
    few, many = step(name, 8_000), step(name, 80_000)
    assert many["pairs"] > 100_000
    # 150,000 more pairs of a kilobyte, if kept, would take 150 MB.
    assert many["peak_mb"] < few["peak_mb"] + 10


@pytest.mark.nightly
def test_a_million_samples_are_quick_and_small():
    built = step("build", 1_000_000)
    assert built["samples"] / built["seconds"] >= 20_000
    assert built["peak_mb"] < 100
