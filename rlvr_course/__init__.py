"""Reinforcement learning from verifiable rewards: the package under the course.

    Problem -> policy -> Completion -> verifier -> Verdict -> reward -> Sample -> audit log

Every name below loads its module on first use, so that ``import rlvr_course`` is quick and needs
none of the heavier dependencies.

>>> from rlvr_course import Problem
>>> Problem("What is 12 * 13?", "156").answer
'156'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlvr_course import errors
    from rlvr_course.advantages import GroupStatistics, group_statistics
    from rlvr_course.audit import AuditLog, read_audit, verify_audit
    from rlvr_course.breakeven import best_action, break_even, expected_reward, price_of_wrong
    from rlvr_course.classroom.check import check
    from rlvr_course.estimators import (
        dr_grpo_advantages,
        group_advantages,
        group_mean_advantages,
        leave_one_out_advantages,
        standardised_advantages,
    )
    from rlvr_course.hacks import looks_like_hack
    from rlvr_course.modes import audit_record, sample_and_verify, simple_complete, start
    from rlvr_course.pairs import (
        PairChoice,
        PairReport,
        build_preferences,
        iter_preferences,
        write_preferences,
    )
    from rlvr_course.pass_rates import (
        PassAtK,
        mean_pass_at_k,
        pass_at_k,
        pass_at_k_curve,
        solved_counts,
    )
    from rlvr_course.policies.api import ApiPolicy
    from rlvr_course.policies.local import LocalPolicy
    from rlvr_course.policies.replay import ReplayPolicy
    from rlvr_course.policies.simulated import SimulatedPolicy
    from rlvr_course.policies.strength import StrengthCurve
    from rlvr_course.problems.few_shot import few_shot_arithmetic, few_shot_json
    from rlvr_course.problems.generators import generate
    from rlvr_course.problems.recorded import answer_key, load_problems, load_rollouts
    from rlvr_course.records import (
        Completion,
        HackFlag,
        PreferencePair,
        Problem,
        Reward,
        Sample,
        Verdict,
    )
    from rlvr_course.rewards import MathRewardFunction, fractional_reward
    from rlvr_course.rollouts import rollout
    from rlvr_course.stacked import StackedReward, has_closed_box
    from rlvr_course.stats import Confusion, Rate, confusion
    from rlvr_course.tuner import Tuning, tune_difficulty
    from rlvr_course.verifiers.answers.scalars import Conventions
    from rlvr_course.verifiers.attack import attack
    from rlvr_course.verifiers.fake import FakeVerifier
    from rlvr_course.verifiers.json_schema import JSONSchemaVerifier
    from rlvr_course.verifiers.math_answers import MathVerifier, extract_number
    from rlvr_course.verifiers.naive import naive_verify
    from rlvr_course.verifiers.programs.code import CodeVerifier
    from rlvr_course.verifiers.programs.fences import strip_fences
    from rlvr_course.verifiers.protocol import verify_many
    from rlvr_course.verifiers.sql.verifier import SQLVerifier
    from rlvr_course.verifiers.text_transform import TextTransformVerifier

__version__ = "0.1.0"

__all__ = [
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

_NAMES_BY_MODULE = {
    "advantages": ("GroupStatistics", "group_statistics"),
    "audit": ("AuditLog", "read_audit", "verify_audit"),
    "breakeven": ("best_action", "break_even", "expected_reward", "price_of_wrong"),
    "classroom.check": ("check",),
    "estimators": (
        "dr_grpo_advantages",
        "group_advantages",
        "group_mean_advantages",
        "leave_one_out_advantages",
        "standardised_advantages",
    ),
    "hacks": ("looks_like_hack",),
    "modes": ("audit_record", "sample_and_verify", "simple_complete", "start"),
    "pairs": (
        "PairChoice",
        "PairReport",
        "build_preferences",
        "iter_preferences",
        "write_preferences",
    ),
    "pass_rates": ("PassAtK", "mean_pass_at_k", "pass_at_k", "pass_at_k_curve", "solved_counts"),
    "policies.api": ("ApiPolicy",),
    "policies.local": ("LocalPolicy",),
    "policies.replay": ("ReplayPolicy",),
    "policies.simulated": ("SimulatedPolicy",),
    "policies.strength": ("StrengthCurve",),
    "problems.few_shot": ("few_shot_arithmetic", "few_shot_json"),
    "problems.generators": ("generate",),
    "problems.recorded": ("answer_key", "load_problems", "load_rollouts"),
    "records": (
        "Completion",
        "HackFlag",
        "PreferencePair",
        "Problem",
        "Reward",
        "Sample",
        "Verdict",
    ),
    "rewards": ("MathRewardFunction", "fractional_reward"),
    "rollouts": ("rollout",),
    "stacked": ("StackedReward", "has_closed_box"),
    "stats": ("Confusion", "Rate", "confusion"),
    "tuner": ("Tuning", "tune_difficulty"),
    "verifiers.answers.scalars": ("Conventions",),
    "verifiers.attack": ("attack",),
    "verifiers.fake": ("FakeVerifier",),
    "verifiers.json_schema": ("JSONSchemaVerifier",),
    "verifiers.math_answers": ("MathVerifier", "extract_number"),
    "verifiers.naive": ("naive_verify",),
    "verifiers.programs.code": ("CodeVerifier",),
    "verifiers.programs.fences": ("strip_fences",),
    "verifiers.protocol": ("verify_many",),
    "verifiers.text_transform": ("TextTransformVerifier",),
    "verifiers.sql.verifier": ("SQLVerifier",),
}
_MODULE_OF = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load the module that defines ``name`` and keep the value for the next time."""
    if name == "errors":
        return import_module("rlvr_course.errors")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'rlvr_course' has no attribute {name!r}")
    value = getattr(import_module(f"rlvr_course.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
