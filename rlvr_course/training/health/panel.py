"""The panel itself: every check on one run, and which finding explains which."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from rlvr_course.training.health.findings import Finding, HealthReport, Unseen
from rlvr_course.training.health.of_answers import (
    clipped_completions,
    refusal_collapse,
    template_not_applied,
)
from rlvr_course.training.health.of_policy import entropy_collapse, kl_blow_up
from rlvr_course.training.health.of_rewards import (
    constant_reward,
    partial_none,
    proxy_up_truth_down,
    uniform_groups,
)
from rlvr_course.training.health.traces import WINDOW
from rlvr_course.training.health.vitals import Vitals, Watchable, read_vitals

Check = Callable[[Vitals], Finding | Unseen | None]
"""Looks for one sickness: what it found, None where it found nothing, or why it can't look."""

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "chat template not applied": template_not_applied,
        "partial None": partial_none,
        "KL blow-up": kl_blow_up,
        "proxy up while truth is down": proxy_up_truth_down,
        "clipped completions": clipped_completions,
        "refusal collapse": refusal_collapse,
        "entropy collapse": entropy_collapse,
        "constant reward": constant_reward,
        "uniform groups": uniform_groups,
    }
)
"""By the name of what each finds; a cause comes before what it may bring about."""

_BRINGS_ABOUT: Mapping[str, Sequence[str]] = {
    "chat template not applied": (
        *("clipped completions", "refusal collapse", "entropy collapse"),
        *("constant reward", "uniform groups"),
    ),
    "KL blow-up": (
        *("clipped completions", "refusal collapse", "entropy collapse"),
        *("constant reward", "uniform groups"),
    ),
    "proxy up while truth is down": ("clipped completions", "entropy collapse", "uniform groups"),
    "clipped completions": (
        *("refusal collapse", "entropy collapse"),
        *("constant reward", "uniform groups"),
    ),
    "refusal collapse": ("entropy collapse", "constant reward", "uniform groups"),
    "entropy collapse": ("constant reward", "uniform groups"),
    "constant reward": ("uniform groups",),
}


def health(run: Watchable) -> HealthReport:
    """What is wrong with a training run, in words.

    Args:
        run: a run, finished, recorded or still going on; a folder or file of one; what a
            ``Watch`` saw; or the rows of TRL's ``trainer.state.log_history``.

    Returns:
        The findings, each with its evidence, what it means and what to do next. What another
        finding explains is told with that one. Without a finding: what was looked at.

    Raises:
        ValueError: no step has been logged.
        DataError: nothing readable is there.

    Limits: it knows nine sicknesses and reads curves, not answers: a run of which it says nothing
        may still be learning a hack that pays by the truth, too, or nothing at all. Thresholds
        (``limits``) are those of small policies on short tasks.

    >>> rows = [{"step": n, "reward": 1.0, "reward_std": 0.0} for n in range(1, 9)]
    >>> health(rows).names
    ['constant reward']
    """
    vitals = read_vitals(run)
    outcomes = {name: check(vitals) for name, check in CHECKS.items()}
    found = [outcome for outcome in outcomes.values() if isinstance(outcome, Finding)]
    unseen = {name: o.why for name, o in outcomes.items() if isinstance(o, Unseen)}
    explained = [replace(finding, follows=_root(finding, found)) for finding in found]
    return HealthReport(
        vitals,
        sorted(explained, key=lambda finding: finding.step),
        [name for name in CHECKS if name not in unseen],
        unseen,
    )


def _root(finding: Finding, found: Sequence[Finding]) -> str:
    """The name of the first cause in the order of ``CHECKS``, "" if there is none.

    Causes come in that order, so what explains a finding has no cause of its own that doesn't.
    """
    for cause in found:
        in_time = cause.step <= finding.step + WINDOW  # onsets are known to a window
        if finding.name in _BRINGS_ABOUT.get(cause.name, ()) and in_time:
            return _root(cause, found) or cause.name
    return ""
