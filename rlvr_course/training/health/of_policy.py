"""A sick policy: one that has stopped to try, or has run away from its start."""

from __future__ import annotations

from rlvr_course.training.health.findings import Finding, Unseen
from rlvr_course.training.health.limits import ENTROPY_KEPT, KL_NATS, solved, tells_success
from rlvr_course.training.health.traces import Trace
from rlvr_course.training.health.vitals import Vitals


def entropy_collapse(vitals: Vitals) -> Finding | Unseen | None:
    """The policy has become certain, and not because the task is solved."""
    entropy = Trace.of(vitals, "entropy")
    if entropy is None:
        return Unseen("no entropy in the log")
    if not tells_success(vitals):
        return Unseen("nothing tells whether the policy is certain because it is right")
    start = entropy.values[0]
    found = entropy.stretch(
        lambda level: level.value <= ENTROPY_KEPT * start and not solved(vitals, level),
        own=lambda value: value <= ENTROPY_KEPT * start,
    )
    if found is None:
        return None
    return Finding(
        "entropy collapse",
        found.step,
        found.until,
        f"{start:.3g} nats per token at first, {found.level.number()}, "
        f"{entropy.late().number()} at the end{_right(vitals)}",
        "all samples of a question are nearly the same, so that nothing better can be found",
        "train again from the start with a lower learning rate (a tenth of it), or with beta "
        "above 0; a collapsed policy does not recover by itself",
        "entropy",
    )


def kl_blow_up(vitals: Vitals) -> Finding | Unseen | None:
    """The policy has gone too far from the start to have kept what that knew."""
    kl = Trace.of(vitals, "kl")
    if kl is None:
        return Unseen("no kl in the log: with beta 0 TRL doesn't compute it")
    found = kl.stretch(lambda level: level.value >= KL_NATS, own=lambda value: value >= KL_NATS)
    if found is None:
        return None
    return Finding(
        "KL blow-up",
        found.step,
        found.until,
        f"{found.level.number()} nats per token from the start, {kl.late().number()} at the "
        f"end{_right(vitals)}",
        "the steps are too large: what the start could do is lost before a reward can guide it",
        "train again from the start with a lower learning rate (a tenth of it); a larger beta "
        "does not make up for steps that are too large",
        "kl",
    )


def _right(vitals: Vitals) -> str:
    truth = Trace.of(vitals, "accuracy")
    return f"; right {truth.early().share()} -> {truth.late().share()}" if truth else ""
