"""The sandbox's benchmark: its ratios and targets are computed right, and it runs."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.sandbox.tiers import open_worker

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "sandbox.py"


def load():
    spec = spec_from_file_location("benchmark_of_sandbox", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bench = load()
NAIVE = bench.Measured("naive", [0.01, 0.3, 0.02], [100.0], [0.01])
GOOD = ([0.008], [350.0], [0.005], 0)


def test_a_tier_at_its_targets_misses_none():
    assert bench.Measured("tier", *GOOD).misses(NAIVE) == []


@pytest.mark.parametrize(
    ("place", "value", "miss"),
    [
        (0, [0.01], "tier: latency 2.00x, target 2.5x"),
        (1, [300.0], "tier: throughput 3.00x, target 3.5x"),
        (2, [0.006], "tier: processor time 0.60 of it, target 0.5"),
        (3, 12 << 20, "tier: growth 12.6 MB, target under 10 MB"),
    ],
    ids=["latency", "throughput", "cpu", "growth"],
)
def test_a_missed_target_is_named_with_its_figure(place, value, miss):
    figures = [*GOOD]
    figures[place] = value
    assert bench.Measured("tier", *figures).misses(NAIVE) == [miss]


def test_a_wrong_output_is_no_figure():
    with pytest.raises(SystemExit, match="'1' instead of '338350"):
        bench.right([bench.EXPECTED, "1"])


def test_the_family_s_time_and_memory_include_children():
    spin = "sum(range(10**7))\nprint(1, flush=True)\ninput()"
    before_s, before_bytes = bench.family_cpu_s(), bench.family_rss_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", spin], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        assert bench.family_cpu_s() - before_s > 0.05
        assert bench.family_rss_bytes() - before_bytes > 5_000_000
        child.communicate(b"\n")
    assert bench.family_cpu_s() - before_s > 0.05


def test_a_short_measurement_gives_every_figure():
    try:
        open_worker("linux-landlock").close()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    with SandboxPool("linux-landlock", workers=2) as pool:
        rows = bench.measure({"linux-landlock": pool}, rounds=1, singles=2, runs=0)
    assert [row.name for row in rows] == ["subprocess.run", "linux-landlock"]
    assert all(row.latency_s > 0 and row.rate > 0 for row in rows)
    assert bench.table(rows, 0).count("\n") == 5
