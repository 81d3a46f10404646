"""Sick answers: cut ones, ones that never end, refusals only."""

from __future__ import annotations

from rlvr_course.breakeven import break_even
from rlvr_course.training.health.findings import Finding, Unseen
from rlvr_course.training.health.limits import (
    CLIPPED_SHARE,
    NEVER_ENDS,
    PRECISION_ABOVE,
    REFUSAL_RISE,
    REFUSAL_SHARE,
    REFUSAL_SHARE_UNPAID,
)
from rlvr_course.training.health.traces import Trace
from rlvr_course.training.health.vitals import Vitals


def template_not_applied(vitals: Vitals) -> Finding | Unseen | None:
    """Prompts without the tokenizer's chat template, and answers that don't end from the start."""
    clipped = Trace.of(vitals, "clipped_ratio")
    if clipped is None:
        return Unseen("no clipped_ratio: the method samples no completions")
    if vitals.template == "unknown":
        return Unseen("the log doesn't say what the prompts were: Watch(trainer) does")
    cut = clipped.early()
    if vitals.template != "not applied" or cut.value < NEVER_ENDS:
        return None
    return Finding(
        "chat template not applied",
        clipped.steps[0],
        vitals.last_step,
        f"prompts are plain strings although the tokenizer has a chat template, and {cut.share()} "
        "of completions never end",
        "the model was taught to end its turn after the template's marks; without them it goes "
        "on until it is cut",
        "give prompts as lists of messages, [{'role': 'user', 'content': ...}], as "
        "adapters.trl_reward's trl_rows does: only then does TRL apply the template",
        "clipped_ratio",
    )


def clipped_completions(vitals: Vitals) -> Finding | Unseen | None:
    """Many completions of some steps were cut at the longest length that is allowed."""
    clipped = Trace.of(vitals, "clipped_ratio")
    if clipped is None:
        return Unseen("no clipped_ratio: the method samples no completions")
    found = clipped.stretch(
        lambda level: level.value >= CLIPPED_SHARE, own=lambda value: value >= CLIPPED_SHARE
    )
    if found is None:
        return None
    length = Trace.of(vitals, "mean_length")
    mean = length and length.between(found.level.first, found.level.last)
    grown = found.step > clipped.steps[0]
    return Finding(
        "clipped completions",
        found.step,
        found.until,
        f"{found.level.share()} of completions were cut"
        + (f", at a mean length of {mean.value:.1f} tokens" if mean else ""),
        "a cut answer is scored as it stands, mostly as wrong: what is learned is to be short, "
        "or nothing",
        "read some that were cut: answers have grown, so find out what pays for length"
        if grown
        else "allow longer completions (max_completion_length), and read some to see whether they "
        "would ever end",
        "clipped_ratio",
    )


def refusal_collapse(vitals: Vitals) -> Finding | Unseen | None:
    """The policy has come to refuse nearly everything, or much of what is worth an answer."""
    refusal = Trace.of(vitals, "refusal")
    if refusal is None:
        return Unseen("the run doesn't count refusals")
    early, worth_it = refusal.early(), answering_pays(vitals)
    least = REFUSAL_SHARE_UNPAID if worth_it else REFUSAL_SHARE
    found = refusal.stretch(
        lambda level: level.bounds()[0] >= least and level.value - early.value >= REFUSAL_RISE,
        own=lambda value: value >= least,
    )
    if found is None:
        return None
    return Finding(
        "refusal collapse",
        found.step,
        found.until,
        f"refused {early.share()} -> {refusal.late().share()}{_prices(vitals)}",
        "what is no longer tried can't be learned",
        _REMEDY_UNPAID if worth_it else _REMEDY_PAID,
        "refusal",
    )


_REMEDY_PAID = (
    "refusing pays better than answers that are right so seldom: lower the price of a wrong one "
    "until break-even is below the solve rate, or price refusals too; if the questions can't be "
    "answered, this is what was asked for"
)
_REMEDY_UNPAID = (
    "by the prices an answer pays better, so look at how rewards become advantages: a learning "
    "rate that is too high, or scaling by the group's spread, under which a light penalty weighs "
    "as much as a heavy one; without either the prices count again"
)


def answering_pays(vitals: Vitals) -> bool:
    """Whether answers were right often enough at first to be worth more than refusals.

    By ``PRECISION_ABOVE`` at least, so that questions at the break-even are not counted.
    """
    precision, least = _precision(vitals), _break_even(vitals)
    return precision is not None and least is not None and precision >= least + PRECISION_ABOVE


def _break_even(vitals: Vitals) -> float | None:
    wrong, refuse = vitals.wrong, vitals.refusal
    if wrong is None or refuse is None or not wrong <= refuse <= 1.0:
        return None
    return break_even(1.0, wrong, refuse)


def _precision(vitals: Vitals) -> float | None:
    """Right among those that were not refused, over the first steps."""
    truth, refusal = Trace.of(vitals, "accuracy"), Trace.of(vitals, "refusal")
    if truth is None or refusal is None or refusal.early().value >= 1.0:
        return None
    return truth.early().value / (1.0 - refusal.early().value)


def _prices(vitals: Vitals) -> str:
    """The chance above which answering pays, beside how often answers were right at first."""
    least, precision = _break_even(vitals), _precision(vitals)
    if least is None:
        return ""
    told = f"; answering pays above a chance of {least:.2f}"
    if precision is None:
        return told
    return f"{told}, and answers were right {precision:.2f} of the time at first"
