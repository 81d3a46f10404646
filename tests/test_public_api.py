"""The public names, and what importing the package costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import rlvr_course

HEAVY = ("torch", "matplotlib", "pandas", "scipy", "sympy", "openai", "numpy")
IMPORT_LIMIT_S = 0.3

EXPORTS = [
    "ApiPolicy",
    "AuditLog",
    "CodeVerifier",
    "Completion",
    "Confusion",
    "Conventions",
    "FakeVerifier",
    "GroupStatistics",
    "HackFlag",
    "JSONSchemaVerifier",
    "LocalPolicy",
    "MathRewardFunction",
    "MathVerifier",
    "PairChoice",
    "PairReport",
    "PassAtK",
    "PreferencePair",
    "Problem",
    "Rate",
    "ReplayPolicy",
    "Reward",
    "SQLVerifier",
    "Sample",
    "SimulatedPolicy",
    "StackedReward",
    "StrengthCurve",
    "TextTransformVerifier",
    "Tuning",
    "Verdict",
    "answer_key",
    "attack",
    "audit_record",
    "best_action",
    "break_even",
    "build_preferences",
    "check",
    "confusion",
    "dr_grpo_advantages",
    "errors",
    "expected_reward",
    "extract_number",
    "few_shot_arithmetic",
    "few_shot_json",
    "fractional_reward",
    "generate",
    "group_advantages",
    "group_mean_advantages",
    "group_statistics",
    "has_closed_box",
    "iter_preferences",
    "leave_one_out_advantages",
    "load_problems",
    "load_rollouts",
    "looks_like_hack",
    "mean_pass_at_k",
    "naive_verify",
    "pass_at_k",
    "pass_at_k_curve",
    "price_of_wrong",
    "read_audit",
    "rollout",
    "sample_and_verify",
    "simple_complete",
    "solved_counts",
    "standardised_advantages",
    "start",
    "strip_fences",
    "tune_difficulty",
    "verify_audit",
    "verify_many",
    "write_preferences",
]


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_exports_are_these() -> None:
    assert sorted(rlvr_course.__all__) == sorted(EXPORTS)


@pytest.mark.parametrize("name", EXPORTS)
def test_each_export_can_be_imported(name: str) -> None:
    assert getattr(rlvr_course, name) is not None
    assert name in dir(rlvr_course)


def test_the_loop_is_a_function_whatever_was_imported_before() -> None:
    code = "import rlvr_course.modes, rlvr_course.rollouts; from rlvr_course import rollout"
    assert python(f"{code}; print(callable(rollout))") == "True"


def test_check_is_callable_and_has_hints() -> None:
    assert callable(rlvr_course.check)
    assert isinstance(rlvr_course.check.hint, Callable)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'no_such_name'"):
        _ = rlvr_course.no_such_name  # type: ignore[attr-defined]


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, rlvr_course; print([m for m in {HEAVY} if m in sys.modules])"
    assert python(code) == "[]"


def test_using_records_rewards_and_checks_loads_nothing_heavy() -> None:
    names = "Problem, MathRewardFunction, rollout, group_statistics, check, FakeVerifier, start"
    code = f"import sys; from rlvr_course import {names}, load_problems, AuditLog, attack"
    assert python(f"{code}; print([m for m in {HEAVY} if m in sys.modules])") == "[]"


def test_a_first_completion_in_fake_mode_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from rlvr_course import load_problems, simple_complete, start; "
        f"start('00', artifacts={str(tmp_path)!r}); problem = load_problems('math')[0]; "
        "simple_complete(problem.question, problem.metadata['system']); "
        f"print([m for m in {HEAVY} if m in sys.modules])"
    )
    assert python(code).splitlines()[-1] == "[]"


def test_importing_the_package_is_quick() -> None:
    # The best of five, so that a busy machine does not decide.
    code = "import time; t = time.perf_counter(); import rlvr_course; print(time.perf_counter()-t)"
    assert min(float(python(code)) for _ in range(5)) < IMPORT_LIMIT_S
