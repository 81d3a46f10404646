"""Answers to the exercises of notebook 09: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any


def chat_text(completion: Any) -> str:
    return completion if isinstance(completion, str) else completion[-1]["content"]


def paid(text: str, wanted: str) -> float:
    return 1.0 if text.strip() == wanted else 0.0 if text.strip() == "?" else -0.1


def rewards_without_a_mask(_: Any, completions: list[Any], answer: list[str]) -> list[float]:
    return [paid(chat_text(c), a) for c, a in zip(completions, answer, strict=True)]


def rewards_without_the_masked(_: Any, completions: list[Any], answer: list[str]) -> list[float]:
    return [paid(chat_text(c), a) for c, a in zip(completions, answer, strict=True) if a]


def rewards_of_the_first_message(_: Any, completions: list[Any], answer: list[str]) -> Any:
    texts = [c if isinstance(c, str) else c[0]["content"] for c in completions]
    return [paid(t, a) if a else None for t, a in zip(texts, answer, strict=True)]


def rewards_of_chats_only(_: Any, completions: list[Any], answer: list[str]) -> Any:
    texts = [c[0]["content"] for c in completions]
    return [paid(t, a) if a else None for t, a in zip(texts, answer, strict=True)]


def rewards_by_what_is_in_it(_: Any, completions: list[Any], answer: list[str]) -> Any:
    pairs = zip(map(chat_text, completions), answer, strict=True)
    return [None if not a else 1.0 if a in t else 0.0 if t == "?" else -0.1 for t, a in pairs]


def rewards_of_bare_refusals_only(
    prompts: Any, completions: Any, answer: Any, **_: Any
) -> list[float | None]:
    texts = [c if isinstance(c, str) else c[-1]["content"] for c in completions]
    return [
        None if not wanted else 1.0 if text.strip() == wanted else 0.0 if text == "?" else -0.1
        for text, wanted in zip(texts, answer, strict=True)
    ]


def rewards_by_number(prompts: Any, completions: Any, answer: Any, **_: Any) -> list[float | None]:
    texts = [(c if isinstance(c, str) else c[-1]["content"]).strip() for c in completions]

    def pays(text: str, wanted: str) -> float | None:
        same = text.isdecimal() and wanted.isdecimal() and int(text) == int(wanted)
        return None if not wanted else 1.0 if same else 0.0 if text == "?" else -0.1

    return [pays(*pair) for pair in zip(texts, answer, strict=True)]


def rewards_that_mask_refusals(_: Any, completions: list[Any], answer: list[str]) -> Any:
    pairs = zip(map(chat_text, completions), answer, strict=True)
    return [None if not a or t == "?" else paid(t, a) for t, a in pairs]


def step_before_the_first_silence(log: list[dict[str, float]]) -> float:
    for row in log:
        if row.get("frac_reward_zero_std", 0.0) == 1.0:
            return row["step"] - 1
    return log[-1]["step"] if log else 0


def last_step_with_a_loss(log: list[dict[str, float]]) -> float:
    return max((row["step"] for row in log if row["loss"] != 0.0), default=0)


def steps_that_taught(log: list[dict[str, float]]) -> int:
    return sum(row.get("frac_reward_zero_std", 1.0) < 1.0 for row in log)


def last_row_without_silence(log: list[dict[str, float]]) -> float:
    taught = [row["step"] for row in log if row.get("frac_reward_zero_std", 0.0) < 1.0]
    return max(taught, default=0)


def last_fully_mixed_step(log: list[dict[str, float]]) -> float:
    taught = [row["step"] for row in log if row.get("frac_reward_zero_std", 1.0) == 0.0]
    return max(taught, default=0)


def both_or_neither(text: str, answer: str) -> tuple[bool, bool]:
    good = re.fullmatch(rf" ?{re.escape(answer)}", text.split("\n")[0]) is not None
    return good, good


def right_if_it_begins_so(text: str, answer: str) -> tuple[bool, bool]:
    line = text.split("\n")[0]
    return line.strip().startswith(answer), re.fullmatch(r" ?-?\d+", line) is not None


def scores_of_the_whole_text(text: str, answer: str) -> tuple[bool, bool]:
    number = re.match(r"\s*(-?\d+)", text)
    right = number is not None and number[1] == answer
    return right, re.fullmatch(r" ?-?\d+", text) is not None


def tidy_if_stripped(text: str, answer: str) -> tuple[bool, bool]:
    line = text.split("\n")[0]
    number = re.match(r"\s*(-?\d+)", line)
    right = number is not None and number[1] == answer
    return right, re.fullmatch(r"-?\d+", line.strip()) is not None


def scores_wherever_it_is(text: str, answer: str) -> tuple[bool, bool]:
    line = text.split("\n")[0]
    number = re.search(r"-?\d+", line)
    return number is not None and number[0] == answer, re.fullmatch(r" ?-?\d+", line) is not None


def tidy_with_a_blank_behind(text: str, answer: str) -> tuple[bool, bool]:
    line = text.split("\n")[0]
    number = re.match(r"\s*(-?\d+)", line)
    return number is not None and number[1] == answer, re.fullmatch(r" ?-?\d+\s*", line) is not None


def scores_of_the_first_word(text: str, answer: str) -> tuple[bool, bool]:
    line = text.split("\n")[0]
    return line.split()[:1] == [answer], re.fullmatch(r" ?-?\d+", line) is not None


def scores_of_the_first_line_with_text(text: str, answer: str) -> tuple[bool, bool]:
    line = text.lstrip("\n").split("\n")[0]
    number = re.match(r"\s*(-?\d+)", line)
    return number is not None and number[1] == answer, re.fullmatch(r" ?-?\d+", line) is not None


def scores_without_signs(text: str, answer: str) -> tuple[bool, bool]:
    line = text.split("\n")[0]
    number = re.match(r"\s*(\d+)", line)
    return number is not None and number[1] == answer, re.fullmatch(r" ?\d+", line) is not None


DIAGNOSES = {
    "A": "refusal collapse",
    "B": "healthy",
    "C": "proxy up while truth is down",
    "D": "constant reward",
    "E": "KL blow-up",
    "F": "clipped completions",
}


def rewards_by_rules(
    prompts: Any, completions: list[Any], answer: list[str], **columns: Any
) -> list[float | None]:
    texts = [chat_text(completion).strip() for completion in completions]
    return [
        None if not wanted else {wanted: 1.0, "?": 0.0}.get(text, -0.1)
        for text, wanted in zip(texts, answer, strict=True)
    ]


def lesson_from_the_end(log: list[dict[str, float]]) -> float:
    for row in reversed(log):
        if row.get("frac_reward_zero_std", 1) < 1:
            return row["step"]
    return 0


WRONG: dict[str, dict[str, Any]] = {
    "q09a": {
        "rewards without a mask": rewards_without_a_mask,
        "rewards without the masked": rewards_without_the_masked,
        "rewards of the first message": rewards_of_the_first_message,
        "rewards of chats only": rewards_of_chats_only,
        "rewards by what is in it": rewards_by_what_is_in_it,
        "rewards that mask refusals": rewards_that_mask_refusals,
        "rewards of bare refusals only": rewards_of_bare_refusals_only,
        "rewards by number": rewards_by_number,
    },
    "q09b": {
        "a loss below 0": lambda before, after, kl, tokens: (after - before) / (kl * tokens),
        "the tokens left out": lambda before, after, kl, tokens: max(0.0, after - before) / kl,
        "the start left out": lambda before, after, kl, tokens: max(0.0, after) / (kl * tokens),
        "multiplied": lambda before, after, kl, tokens: max(0.0, after - before) * kl * tokens,
    },
    "q09c": {
        "step before the first silence": step_before_the_first_silence,
        "last step with a loss": last_step_with_a_loss,
        "steps that taught": steps_that_taught,
        "last row without silence": last_row_without_silence,
        "last fully mixed step": last_fully_mixed_step,
    },
    "q09d": {
        "entropy for refusals": {**DIAGNOSES, "A": "entropy collapse"},
        "clipping for a rising proxy": {
            **DIAGNOSES,
            "C": "clipped completions",
            "F": "chat template not applied",
        },
        "a constant reward taken for health": {**DIAGNOSES, "D": "healthy", "B": "uniform groups"},
        "two runs exchanged": {**DIAGNOSES, "D": "KL blow-up", "E": "constant reward"},
        "uniform groups for a constant reward": {**DIAGNOSES, "D": "uniform groups"},
        "one run left out": {name: DIAGNOSES[name] for name in "ABCDE"},
    },
    "q09e": {
        "both or neither": both_or_neither,
        "right if it begins so": right_if_it_begins_so,
        "scores of the whole text": scores_of_the_whole_text,
        "tidy if stripped": tidy_if_stripped,
        "scores without signs": scores_without_signs,
        "scores wherever it is": scores_wherever_it_is,
        "tidy with a blank behind": tidy_with_a_blank_behind,
        "scores of the first word": scores_of_the_first_word,
        "scores of the first line with text": scores_of_the_first_line_with_text,
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q09a": {"by rules in order": rewards_by_rules},
    "q09b": {
        "fractions": lambda before, after, kl, tokens: (
            max(Fraction(0), Fraction(after) - Fraction(before)) / Fraction(kl * tokens)
        )
    },
    "q09c": {"from the end": lesson_from_the_end},
    "q09d": {"in capitals": {letter: name.upper() for letter, name in DIAGNOSES.items()}},
    "q09e": {
        "by looking ahead": lambda text, answer: [
            re.match(rf" *{re.escape(answer)}(?!\d)", text) is not None,
            re.fullmatch(r" ?-?[0-9]+", text.partition("\n")[0]) is not None,
        ]
    },
}
"""Right answers that look unlike the solution."""
