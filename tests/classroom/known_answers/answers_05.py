"""Answers to the exercises of notebook 05: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any


def lines_in_pairs(expected: str, got: str) -> bool:
    pairs = zip(expected.split("\n"), got.split("\n"), strict=False)
    return all(e.strip() == g.strip() for e, g in pairs)


def stripped_texts(expected: str, got: str) -> bool:
    return expected.strip() == got.strip()


def all_words(expected: str, got: str) -> bool:
    return expected.split() == got.split()


def lines_without_empty_ones(expected: str, got: str) -> bool:
    return [e.rstrip() for e in expected.splitlines() if e.strip()] == [
        g.rstrip() for g in got.splitlines() if g.strip()
    ]


def lines_by_splitlines(expected: str, got: str) -> bool:
    both = ["\n".join(row.rstrip() for row in text.splitlines()) for text in (expected, got)]
    return both[0].rstrip() == both[1].rstrip()


def one_line_end_forgiven(expected: str, got: str) -> bool:
    return expected.removesuffix("\n") == got.replace("\r\n", "\n").removesuffix("\n")


def python_equal(expected: Any, got: Any) -> bool:
    return bool(expected == got)


def equal_as_text(expected: Any, got: Any) -> bool:
    return repr(expected) == repr(got)


def close_if_numbers(expected: Any, got: Any) -> bool:
    if isinstance(expected, (int, float)) and isinstance(got, (int, float)):
        return abs(expected - got) <= 1e-6 * abs(expected)
    return expected == got


def same_at_the_top_only(expected: Any, got: Any) -> bool:
    if type(expected) is float and type(got) in (int, float):
        return abs(got - expected) <= 1e-6 * abs(expected)
    return type(expected) is type(got) and expected == got


def lists_in_pairs(expected: Any, got: Any) -> bool:
    if type(expected) is list and type(got) is list:
        return all(lists_in_pairs(e, g) for e, g in zip(expected, got, strict=False))
    return same_at_the_top_only(expected, got)


def absolute_tolerance(expected: Any, got: Any) -> bool:
    if type(expected) is float and type(got) in (int, float):
        return abs(got - expected) <= 1e-6
    if type(expected) is list and type(got) is list:
        pairs = zip(expected, got, strict=False)
        return len(expected) == len(got) and all(absolute_tolerance(e, g) for e, g in pairs)
    return type(expected) is type(got) and expected == got


def by_value(
    near: Callable[[float, float], bool], tidy: Callable[[Any], Any] = lambda value: value
) -> Callable[[Any, Any], bool]:
    """The solution of q05b but for how floats are compared, or what is done to values first."""

    def same(expected: Any, got: Any) -> bool:
        expected, got = tidy(expected), tidy(got)
        if type(expected) is float and type(got) in (int, float):
            return near(expected, got)
        if type(expected) is not type(got):
            return False
        if type(expected) is list:
            return len(expected) == len(got) and all(map(same, expected, got))
        return expected == got

    return same


def near(expected: float, got: float) -> bool:
    return abs(got - expected) <= 1e-6 * abs(expected)


def in_order(value: Any) -> Any:
    return sorted(value, key=repr) if type(value) is list else value


def in_small_letters(value: Any) -> Any:
    return value.strip().lower() if type(value) is str else value


def repeats_by_rounding(rate: float, chance: float) -> int:
    return round(math.log(1 - chance) / math.log(1 - rate)) if rate < 1 else 1


def repeats_one_too_many(rate: float, chance: float) -> int:
    return int(math.log(1 - chance) / math.log(1 - rate)) + 1 if rate < 1 else 1


def repeats_in_proportion(rate: float, chance: float) -> int:
    return math.ceil(chance / rate)


def share_of_the_most_frequent_stripped(expected: list[str]) -> float:
    return share_of_the_most_frequent_unstripped([text.strip() for text in expected])


def share_of_the_most_frequent_unstripped(expected: list[str]) -> float:
    return max(map(expected.count, expected), default=0) / max(len(expected), 1)


def mean_by_answer_with_all_or_nothing(passed: list[bool], expected: list[str]) -> float:
    answers = set(expected)
    won = [all(p for p, e in zip(passed, expected, strict=True) if e == a) for a in answers]
    return sum(won) / max(len(answers), 1)


def mean_by_answer_with_any(passed: list[bool], expected: list[str]) -> float:
    won = {e for p, e in zip(passed, expected, strict=True) if p}
    return len(won) / max(len(set(expected)), 1)


def output_by_patterns(expected: str, got: str) -> bool:
    def tidy(text: str) -> str:
        return re.sub(r"[^\S\n]+(?=\n)", "", text.replace("\r\n", "\n")).rstrip()

    return tidy(expected) == tidy(got)


def value_without_recursion(expected: Any, got: Any) -> bool:
    ahead = [(expected, got)]
    while ahead:
        left, right = ahead.pop()
        if isinstance(left, float) and type(right) in {float, int}:
            if not abs(right - left) <= 1e-6 * abs(left):
                return False
        elif type(left) is list is type(right) and len(left) == len(right):
            ahead += zip(left, right, strict=True)
        elif type(left) is not type(right) or left != right:
            return False
    return True


def mean_of_means(passed: list[bool], expected: list[str]) -> float:
    groups: dict[str, list[bool]] = {}
    for won, answer in zip(passed, expected, strict=True):
        groups.setdefault(answer, []).append(won)
    return sum(sum(group) / len(group) for group in groups.values()) / (len(groups) or 1)


WRONG: dict[str, dict[str, Any]] = {
    "q05a": {
        "lines in pairs": lines_in_pairs,
        "stripped texts": stripped_texts,
        "all words": all_words,
        "lines without empty ones": lines_without_empty_ones,
        "one line end forgiven": one_line_end_forgiven,
        "contained": lambda expected, got: expected in got,
        "lines by splitlines": lines_by_splitlines,
        "empty lines at the end kept": lambda expected, got: (
            [e.rstrip() for e in expected.split("\n")] == [g.rstrip() for g in got.split("\n")]
        ),
    },
    "q05b": {
        "python equal": python_equal,
        "equal as text": equal_as_text,
        "close if numbers": close_if_numbers,
        "same at the top only": same_at_the_top_only,
        "lists in pairs": lists_in_pairs,
        "absolute tolerance": absolute_tolerance,
        "a tolerance too wide": by_value(lambda e, g: abs(g - e) <= 1e-3 * abs(e)),
        "a tolerance too narrow": by_value(lambda e, g: abs(g - e) <= 1e-9 * abs(e)),
        "one-sided": by_value(lambda e, g: g - e <= 1e-6 * abs(e)),
        "divides by an expected 0": by_value(lambda e, g: abs(g - e) / abs(e) <= 1e-6),
        "the boundary left out": by_value(lambda e, g: abs(g - e) < 1e-6 * abs(e)),
        "infinity is near": by_value(lambda e, g: near(e, g) or g == float("inf")),
        "order forgiven": by_value(near, in_order),
        "case and blanks forgiven": by_value(near, in_small_letters),
        "None for an empty text": by_value(near, lambda value: "" if value is None else value),
    },
    "q05c": {
        "repeats by rounding": repeats_by_rounding,
        "repeats one too many": repeats_one_too_many,
        "repeats in proportion": repeats_in_proportion,
        "one over the rate": lambda rate, chance: math.ceil(1 / rate),
    },
    "q05d": {
        "share of the most frequent unstripped": share_of_the_most_frequent_unstripped,
        "share of the most frequent stripped": share_of_the_most_frequent_stripped,
        "a count, not a share": lambda expected: max(map(expected.count, expected), default=0),
        "one over the kinds": lambda expected: 1 / len(set(expected)) if expected else 0.0,
        "the first one's share": lambda expected: (
            expected.count(expected[0]) / len(expected) if expected else 0.0
        ),
    },
    "q05e": {
        "each test counts the same": lambda passed, expected: sum(passed) / max(len(passed), 1),
        "mean by answer with all or nothing": mean_by_answer_with_all_or_nothing,
        "mean by answer with any": mean_by_answer_with_any,
        "all or nothing": lambda passed, expected: float(bool(passed) and all(passed)),
        "not divided by the kinds": lambda passed, expected: sum(
            1 / expected.count(e) for p, e in zip(passed, expected, strict=True) if p
        ),
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q05a": {"by patterns": output_by_patterns},
    "q05b": {"without recursion": value_without_recursion},
    "q05c": {
        "by logarithms": lambda rate, chance: (
            max(1, math.ceil(math.log(1 - chance) / math.log(1 - rate) - 1e-9)) if rate < 1 else 1
        )
    },
    "q05d": {
        "by counting": lambda expected: (
            max(Counter(map(str.rstrip, expected)).values(), default=0) / (len(expected) or 1)
        )
    },
    "q05e": {"mean of means": mean_of_means},
}
"""Right answers that look unlike the solution."""
