"""The speed benchmark: its replies are what they claim to be, and its ratios are computed right."""

import random
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import MathVerifier

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "math_verifier.py"
VERIFIER = MathVerifier()


def load():
    spec = spec_from_file_location("benchmark_of_math_verifier", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bench = load()


@pytest.mark.parametrize("family", bench.FAMILIES, ids=lambda family: family.name)
@given(seed=st.integers(0, 10**9))
def test_half_of_a_familys_replies_are_right_and_judged_so(family, seed):
    cases = bench.fresh_cases(family, random.Random(seed), 4)
    assert [case.is_right for case in cases] == [True, False, True, False]
    said = [VERIFIER(case.reply, case.gold).status == "correct" for case in cases]
    assert said == [True, False, True, False]


def test_the_ratio_is_theirs_over_ours_and_its_median_meets_the_target():
    family = bench.Family("any", 4.0, bench.integers)
    row = bench.Row(family, True, [1.0, 2.0, 1.0], [3.0, 8.0, 5.0], [], [], [])
    assert row.ratios == [3.0, 4.0, 5.0] and row.is_met
    slower = bench.Row(family, True, [1.0], [3.9], [], [], [])
    assert not slower.is_met


@pytest.mark.parametrize("cached", [True, False])
def test_a_measurement_holds_every_block_and_verdict(cached):
    row = bench.measure(bench.FAMILIES[0], cached=cached, blocks=2, size=4, seed=1)
    assert len(row.ours_s) == len(row.theirs_s) == 2 and min(row.theirs_s) > 0
    assert row.ours == row.theirs == [True, False] * 4
    assert "8 of 8" in str(row)
