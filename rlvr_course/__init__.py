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
    from rlvr_course.classroom.check import check
    from rlvr_course.modes import sample_and_verify, simple_complete, start
    from rlvr_course.pairs import PairReport, build_preferences, iter_preferences, write_preferences
    from rlvr_course.policies.api import ApiPolicy
    from rlvr_course.policies.replay import ReplayPolicy
    from rlvr_course.policies.simulated import SimulatedPolicy
    from rlvr_course.problems.recorded import load_problems, load_rollouts
    from rlvr_course.records import Completion, PreferencePair, Problem, Reward, Sample, Verdict
    from rlvr_course.rewards import MathRewardFunction
    from rlvr_course.rollouts import rollout
    from rlvr_course.stats import Confusion, Rate, confusion
    from rlvr_course.verifiers.attack import attack
    from rlvr_course.verifiers.fake import FakeVerifier
    from rlvr_course.verifiers.math_answers import MathVerifier, extract_number
    from rlvr_course.verifiers.protocol import verify_many

__version__ = "0.1.0"

__all__ = [
    "ApiPolicy",
    "AuditLog",
    "Completion",
    "Confusion",
    "FakeVerifier",
    "GroupStatistics",
    "MathRewardFunction",
    "MathVerifier",
    "PairReport",
    "PreferencePair",
    "Problem",
    "Rate",
    "ReplayPolicy",
    "Reward",
    "Sample",
    "SimulatedPolicy",
    "Verdict",
    "attack",
    "build_preferences",
    "check",
    "confusion",
    "errors",
    "extract_number",
    "group_statistics",
    "iter_preferences",
    "load_problems",
    "load_rollouts",
    "read_audit",
    "rollout",
    "sample_and_verify",
    "simple_complete",
    "start",
    "verify_audit",
    "verify_many",
    "write_preferences",
]

_NAMES_BY_MODULE = {
    "advantages": ("GroupStatistics", "group_statistics"),
    "audit": ("AuditLog", "read_audit", "verify_audit"),
    "classroom.check": ("check",),
    "modes": ("sample_and_verify", "simple_complete", "start"),
    "pairs": ("PairReport", "build_preferences", "iter_preferences", "write_preferences"),
    "policies.api": ("ApiPolicy",),
    "policies.replay": ("ReplayPolicy",),
    "policies.simulated": ("SimulatedPolicy",),
    "problems.recorded": ("load_problems", "load_rollouts"),
    "records": ("Completion", "PreferencePair", "Problem", "Reward", "Sample", "Verdict"),
    "rewards": ("MathRewardFunction",),
    "rollouts": ("rollout",),
    "stats": ("Confusion", "Rate", "confusion"),
    "verifiers.attack": ("attack",),
    "verifiers.fake": ("FakeVerifier",),
    "verifiers.math_answers": ("MathVerifier", "extract_number"),
    "verifiers.protocol": ("verify_many",),
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
