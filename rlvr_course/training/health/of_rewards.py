"""Sick rewards: one number for all, groups of one number, a None summed as 0, a paid proxy."""

from __future__ import annotations

from rlvr_course.training.health.findings import Finding, Unseen
from rlvr_course.training.health.limits import (
    PROXY_RISE,
    SAME_REWARD,
    TRUTH_FALL,
    UNIFORM_SHARE,
    solved,
)
from rlvr_course.training.health.traces import Level, Trace
from rlvr_course.training.health.vitals import Vitals


def constant_reward(vitals: Vitals) -> Finding | Unseen | None:
    """Every sample of some steps on end earned the same, and not because the task is solved."""
    spread = Trace.of(vitals, "reward_std")
    if spread is None:
        return Unseen("no reward_std: the method samples no groups")
    found = spread.stretch(
        lambda level: level.value <= SAME_REWARD and not solved(vitals, level),
        own=lambda value: value <= SAME_REWARD,
    )
    if found is None:
        return None
    reward = Trace.of(vitals, "reward")
    paid = reward and reward.between(found.level.first, found.level.last)
    each = f"every sample earned {paid.value:.3g}" if paid else "all samples earned the same"
    n = f", n={found.level.n}" if found.level.n else ""
    return Finding(
        "constant reward",
        found.step,
        found.until,
        f"{each} (standard deviation 0{n}, steps {found.level.first} to {found.level.last})",
        "every advantage is 0 and so is the loss, without an error: nothing is learned",
        "score by hand an answer that is right and one that is wrong; if both earn this, the "
        "reward reads the wrong column or its verifier accepts or rejects everything",
        "reward_std",
    )


def uniform_groups(vitals: Vitals) -> Finding | Unseen | None:
    """Nearly all groups of some steps earned one reward each, and not because it is solved."""
    name = "frac_reward_zero_std"
    share = Trace.of(vitals, name, per="groups") or Trace.of(vitals, "uniform_groups", per="groups")
    if share is None:
        return Unseen(f"no {name}: the method samples no groups")
    found = share.stretch(
        lambda level: level.value >= UNIFORM_SHARE and not solved(vitals, level),
        own=lambda value: value >= UNIFORM_SHARE,
    )
    if found is None:
        return None
    alike, compared = _expected(vitals, found.level)
    return Finding(
        "uniform groups",
        found.step,
        found.until,
        f"{found.level.share()} of groups earned one reward throughout{compared}",
        "such a group has advantage 0: it costs its tokens and teaches nothing (with beta above 0 "
        "the KL penalty still pulls on it)",
        _REMEDY_ALIKE if alike else _REMEDY_HARD,
        name,
    )


_REMEDY_HARD = (
    "choose questions that the policy solves between 20% and 80% of the time, or sample larger "
    "groups: the share of uniform ones is p^n + (1-p)^n for a solve rate p and n samples"
)
_REMEDY_ALIKE = (
    "samples of a question are more alike than chance: look at the entropy and the temperature, "
    "then at the solve rates by question (some always, others never: move the difficulty)"
)


def _expected(vitals: Vitals, level: Level) -> tuple[bool, str]:
    """Whether groups are more uniform than chance makes them, and the comparison in words."""
    paid = Trace.of(vitals, "proxy") or Trace.of(vitals, "accuracy")
    rate = paid and paid.between(level.first, level.last)
    if not rate or vitals.group_size is None:
        return False, ""
    n, p = vitals.group_size, rate.value
    expected = uniform_share(p, n)
    return level.value > expected + 0.15, (
        f"; {expected:.2f} are expected at its solve rate of {p:.2f} and {n} samples, were all "
        "questions equally hard"
    )


def uniform_share(solve_rate: float, group_size: int) -> float:
    """Expected share of groups whose samples are all right or all wrong.

    Args:
        solve_rate: chance of a right sample, the same for every question; in [0, 1].
        group_size: at least 1.

    Returns:
        p^n + (1 - p)^n. Questions of different difficulty with the same mean give more.

    Raises:
        ValueError: out of range.

    >>> uniform_share(0.5, 2), uniform_share(0.0, 8)
    (0.5, 1.0)
    """
    if not 0.0 <= solve_rate <= 1.0 or group_size < 1:
        raise ValueError(
            f"solve_rate={solve_rate}, group_size={group_size}: give a share and 1 or more"
        )
    return solve_rate**group_size + (1.0 - solve_rate) ** group_size


def partial_none(vitals: Vitals) -> Finding | Unseen | None:
    """Some samples got None from one reward function and a number from another."""
    share = Trace.of(vitals, "partial_none")
    if share is None:
        one = vitals.reward_functions == 1
        return None if one else Unseen("the log doesn't count them: Watch(trainer) does")
    hit = [step for step, value in zip(share.steps, share.values, strict=True) if value > 0.0]
    if not hit:
        return None
    over_all = share.between(share.steps[0], share.steps[-1])
    assert over_all is not None
    return Finding(
        "partial None",
        hit[0],
        hit[-1],
        f"{over_all.share()} of samples got None from one reward function and a number from "
        "another",
        "TRL masks a sample only if every function gives None; here it sums the None as 0, so "
        "that what nobody could judge is paid as if it had been judged",
        "make one function of them that gives None as soon as a part does: adapters.trl_reward's "
        "MaskedSum",
        "partial_none",
    )


def proxy_up_truth_down(vitals: Vitals) -> Finding | Unseen | None:
    """The run's own verifier accepts more, and fewer answers are right."""
    proxy, truth = Trace.of(vitals, "proxy"), Trace.of(vitals, "accuracy")
    if proxy is None or truth is None:
        return _proxy_by_evaluation(vitals)
    paid, right = proxy.early(), truth.early()
    pairs = zip(proxy.windows(), truth.windows(), strict=False)
    apart = [
        (up, down)
        for up, down in pairs
        if _apart(paid, up, PROXY_RISE) and _apart(down, right, TRUTH_FALL)
    ]
    if not apart:
        return None
    up, down = apart[-1]
    return _proxy_finding(
        apart[0][0].first,
        up.last,
        f"accepted by its own verifier {paid.share()} -> {up.share()}, right {right.share()} -> "
        f"{down.share()}" + _on_test(vitals),
    )


def _proxy_by_evaluation(vitals: Vitals) -> Finding | Unseen | None:
    if vitals.before is None or vitals.after is None:
        return Unseen("the run knows no truth beside its own verifier")
    levels = [
        Level(rate.value or 0.0, 0, vitals.last_step, rate.n)
        for e in (vitals.before, vitals.after)
        for rate in (e.proxy, e.accuracy)
    ]
    paid, right, up, down = levels
    if not (_apart(paid, up, PROXY_RISE) and _apart(down, right, TRUTH_FALL)):
        return None
    return _proxy_finding(1, vitals.last_step, _on_test(vitals).removeprefix("; "))


def _apart(low: Level, high: Level, least: float) -> bool:
    """Whether the one lies below the other by so much, beyond both intervals."""
    return high.value - low.value >= least and low.bounds()[1] < high.bounds()[0]


def _on_test(vitals: Vitals) -> str:
    before, after = vitals.before, vitals.after
    if before is None or after is None:
        return ""
    return (
        f"; on unseen questions accepted {before.proxy} -> {after.proxy}, right "
        f"{before.accuracy} -> {after.accuracy}"
    )


def _proxy_finding(step: int, until: int, evidence: str) -> Finding:
    return Finding(
        "proxy up while truth is down",
        step,
        until,
        evidence,
        "the policy is paid for something other than right answers, and learns that",
        "read the answers that were paid and are wrong, harden the verifier against them, and "
        "train again from the start: from here it comes back late, and to less",
        "proxy",
    )
