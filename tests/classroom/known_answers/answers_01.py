"""Answers to the exercises of notebook 01: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any


def first_box(text: str) -> str:
    found = re.search(r"\\boxed\{([^}]*)\}", text)
    return found[1] if found else ""


def last_box_to_the_first_brace(text: str) -> str:
    found = re.findall(r"\\boxed\{([^}]*)\}", text)
    return found[-1] if found else ""


def box_to_the_last_brace(text: str) -> str:
    found = re.search(r"\\boxed\{(.*)\}", text)
    return found[1] if found else ""


def as_float(text: str) -> Any:
    try:
        return float(re.sub(r"[^\d.-]", "", text))
    except ValueError:
        return None


def first_number(text: str) -> Any:
    found = re.search(r"-?\d+(?:\.\d+)?", text)
    return Fraction(found[0]) if found else None


def fraction_or_error(text: str) -> Any:
    return Fraction(text)


def anywhere(response: str, answer: str) -> bool:
    return answer in response


def last_number_is(response: str, answer: str) -> bool:
    found = re.findall(r"\d+", response)
    return bool(found) and found[-1] == answer.strip("-")


def first_box_is(response: str, answer: str) -> bool:
    return first_box(response) == answer


LABELS = "vpvvp" + "vvvpvvvv" + "vvpppppp"


def box_from_the_end(text: str) -> str:
    start = len(text)
    while (start := text.rfind(r"\boxed{", 0, start)) >= 0:
        open_braces = 0
        for end, char in enumerate(text[start:], start):
            open_braces += (char == "{") - (char == "}")
            if char == "}" and open_braces == 0:
                return text[start + 7 : end]
    return ""


def value_in_steps(text: str) -> Any:
    text = re.sub(r"(?<=[\d}])\s*\\text\{[^{}]*\}$", "", text.strip())
    for sign in (r"\$", r"\%", "$", "%", r"\,", r"\!", r"\;", "\\ "):
        text = text.replace(sign, "")
    text = text.strip().replace("{,}", ",")
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", text):
        text = text.replace(",", "")
    if latex := re.fullmatch(r"(-?)\\d?frac\{(\d+)\}\{(\d+)\}", text):
        text = "{}{}/{}".format(*latex.groups())
    if len(text) > 500 or not re.fullmatch(r"-?\d+(\.\d+|/\d+)?", text):
        return None
    try:
        return Fraction(text)
    except ZeroDivisionError:
        return None


def box_or_bare_number(response: str, answer: str) -> bool:
    said = response.split("</think>")[-1]
    if "<think>" in said:
        return False
    value = value_in_steps(box_from_the_end(said) or said)
    return value is not None and value == value_in_steps(answer)


WRONG: dict[str, dict[str, Any]] = {
    "q01a": {
        "verifier errors only": "v" * 21,
        "policy errors only": "p" * 21,
        "the two in turn": "vp" * 10 + "v",
        "a row short": LABELS[:-1],
        "from the end": LABELS[::-1],
    },
    "q01b": {
        "the two exchanged": {"precision": 81 / 108, "recall": 81 / 90},
        "recall out of a hundred": {"precision": 0.9, "recall": 0.81},
        "recall out of another sum": {"precision": 0.9, "recall": 81 / 110},
        "a pair, exchanged": (0.75, 0.9),
    },
    "q01c": {
        "first box": first_box,
        "last box to the first brace": last_box_to_the_first_brace,
        "box to the last brace": box_to_the_last_brace,
    },
    "q01d": {
        "as float": as_float,
        "first number": first_number,
        "fraction or error": fraction_or_error,
    },
    "q01e": {
        "anywhere": anywhere,
        "last number is": last_number_is,
        "first box is": first_box_is,
    },
    "q01f": {
        "all can be verified": ["yes"] * 6,
        "all in part": ["partly"] * 6,
        "the mixed case taken for a clear one": ["yes", "yes", "no", "yes", "yes", "no"],
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q01a": {"a list in capitals": list(LABELS.upper())},
    "q01b": {"a pair": (0.9, 0.75)},
    "q01c": {"from the end": box_from_the_end},
    "q01d": {"in steps": value_in_steps},
    "q01e": {"a box, or a bare number": box_or_bare_number},
    "q01f": {"a tuple, two judged otherwise": ("yes", "partly", "no", "partly", "partly", "no")},
}
"""Right answers that look unlike the solution."""
