"""Every check of the course against its solution, the stub, cheats and plausible wrong answers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import groupby
from math import comb
from pathlib import Path
from typing import Any

import nbformat
import pytest

from rlvr_course.classroom.check import run_check
from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.classroom.specs import SPECS
from rlvr_course.records import Problem

CHECKOUT = find_checkout(Path(__file__).parent)
QUESTIONS = sorted(SPECS)


class AlwaysEqual:
    """A reply that claims to equal whatever it is compared with."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        return self


def centred_on_the_best(rewards: list[float]) -> list[float]:
    return [r - max(rewards) for r in rewards]


def standardised(rewards: list[float]) -> list[float]:
    mean = sum(rewards) / len(rewards)
    spread = (sum((r - mean) ** 2 for r in rewards) / len(rewards)) ** 0.5
    return [(r - mean) / (spread or 1) for r in rewards]


def scaled_by_the_sum(rewards: list[float]) -> list[float]:
    return [r / (sum(rewards) or 1) - 1 / len(rewards) for r in rewards]


def one_mean_for_all(rewards: list[float]) -> list[float]:
    return [sum(rewards) / len(rewards)] * len(rewards)


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


def loss_without_reference(
    chosen: float, rejected: float, r: float, s: float, beta: float = 0.1
) -> float:
    return math.log1p(math.exp(-max(-700.0, beta * (chosen - rejected))))


def loss_that_overflows(c: float, r: float, ref_c: float, ref_r: float, beta: float = 0.1) -> float:
    return math.log(1 + math.exp(-beta * ((c - ref_c) - (r - ref_r))))


def loss_of_swapped(c: float, r: float, ref_c: float, ref_r: float, beta: float = 0.1) -> float:
    margin = beta * ((r - ref_r) - (c - ref_c))
    return max(-margin, 0.0) + math.log1p(math.exp(-abs(margin)))


def loss_of_fixed_beta(c: float, r: float, ref_c: float, ref_r: float, beta: float = 0.1) -> float:
    return loss_of_swapped(r, c, ref_r, ref_c)


def earned_by(
    verify: Callable[[str, Any], Any], *, honest: int = 6, table: Any = None
) -> Callable[..., Any]:
    """The ``my_earnings`` of notebook 07 with a verifier, on a table of dates."""
    lines = table or [(f"line {day}", f"2027-03-{day}") for day in range(11, 17)]

    def my_earnings(text: str | None = None) -> Any:
        if text is None:
            right = [answer for _, answer in lines][:honest]
            return [(answer, verify(answer, answer)) for answer in right]
        return [verify(text, answer) for _, answer in lines]

    return my_earnings


def points_for_shape(text: str, gold: dict[str, Any]) -> float:
    try:
        said = json.loads(text)
    except ValueError:
        return 0.0
    if not isinstance(said, dict):
        return 0.0
    right = sum(said.get(name) == gold[name] for name in gold)
    return 0.4 + 0.3 * (set(said) == set(gold)) + 0.3 * right / len(gold)


def pays_for_nulls(text: str, gold: dict[str, Any]) -> float:
    try:
        said = json.loads(text)
    except ValueError:
        return 0.0
    if not isinstance(said, dict) or set(said) != set(gold):
        return 0.0
    return sum(said[name] == gold[name] for name in gold) / len(gold)


def takes_true_for_one(text: str, gold: dict[str, Any]) -> float:
    try:
        said = json.loads(text)
    except ValueError:
        return 0.0
    if not isinstance(said, dict) or set(said) != set(gold):
        return 0.0
    names = [name for name in gold if gold[name] is not None]
    invented = any(said[name] is not None for name in gold if gold[name] is None)
    return 0.0 if invented else sum(said[n] == gold[n] for n in names) / len(names)


def json_or_error(text: str, gold: dict[str, Any]) -> float:
    return float(json.loads(text) == gold)


def share_of_lines(given: list[str], wanted: list[str], said: list[str]) -> float:
    return sum(a == b for a, b in zip(wanted, said, strict=False)) / len(wanted)


def forgives_spoilt_lines(given: list[str], wanted: list[str], said: list[str]) -> float:
    rows = list(zip(given, wanted, said, strict=False))
    changed = sum(a != b for a, b in zip(given, wanted, strict=True))
    return sum(w == s != g for g, w, s in rows) / changed


def all_lines_or_none(given: list[str], wanted: list[str], said: list[str]) -> float:
    return float(said == wanted)


def may_be_negative(given: list[str], wanted: list[str], said: list[str]) -> float:
    if len(said) != len(wanted):
        return 0.0
    rows = list(zip(given, wanted, said, strict=True))
    earned = sum(s == w != g for g, w, s in rows) - sum(s not in (w, g) for g, w, s in rows)
    return earned / sum(g != w for g, w, _ in rows)


def counts_of(
    rows: list[dict[str, Any]], *, skips: bool = True, none_is_wrong: bool = False
) -> Any:
    """``recomputed`` of notebook 07 with one mistake."""
    samples = [row["record"] for row in rows if not skips or "problem" in row["record"]]
    groups: dict[Any, list[Any]] = {}
    for sample in samples:
        groups.setdefault(sample["problem"]["id"], []).append(sample["verified_correct"])
    verdicts = [verdict for group in groups.values() for verdict in group]
    wrong = (False, None) if none_is_wrong else (False,)
    return {
        "right": verdicts.count(True),
        "judged": sum(v is True or v in wrong for v in verdicts),
        "mixed": sum(True in g and any(v in wrong for v in g) for g in groups.values()),
        "groups": len(groups),
    }


def counts_neighbours(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Takes what stands side by side in the log for a group."""
    samples = [row["record"] for row in rows if "problem" in row["record"]]
    found = groupby(samples, lambda sample: sample["problem"]["id"])
    groups = [[sample["verified_correct"] for sample in group] for _, group in found]
    verdicts = [verdict for group in groups for verdict in group]
    return {
        "right": verdicts.count(True),
        "judged": len(verdicts) - verdicts.count(None),
        "mixed": sum(True in group and False in group for group in groups),
        "groups": len(groups),
    }


def null_comes_first(decision: str, facts: dict[str, Any]) -> bool:
    if None in facts.values():
        return decision == "abstain"
    return decision == ("deny" if False in facts.values() else "permit")


def zero_is_false(decision: str, facts: dict[str, Any]) -> bool:
    if not {*facts.values()} <= {True, False, None}:
        return False
    if False in facts.values():
        return decision == "deny"
    return decision == ("abstain" if None in facts.values() else "permit")


def texts_are_facts(decision: str, facts: dict[str, Any]) -> bool:
    if False in facts.values():
        return decision == "deny"
    return decision == ("abstain" if None in facts.values() else "permit")


def ungraded_as_losers(verdicts: list[Any]) -> list[tuple[int, int]]:
    winners = [i for i, v in enumerate(verdicts) if v]
    return [(w, i) for w in winners for i, v in enumerate(verdicts) if not v]


def neighbours_only(verdicts: list[Any]) -> list[tuple[int, int]]:
    return [(i, i + 1) for i in range(len(verdicts) - 1) if verdicts[i] and not verdicts[i + 1]]


def loser_first(verdicts: list[Any]) -> list[tuple[int, int]]:
    return [(b, a) for a, b in ungraded_as_losers([v for v in verdicts if v is not None])]


def one_for_each_winner(verdicts: list[Any]) -> list[tuple[int, int]]:
    losers = [i for i, v in enumerate(verdicts) if v is False]
    return [(i, losers[0]) for i, v in enumerate(verdicts) if v is True and losers]


def without_right_losers(pairs: list[Any], right: dict[str, Any]) -> list[Any]:
    return [pair for pair in pairs if not right[pair[1]]]


def without_known_poison(pairs: list[Any], right: dict[str, Any]) -> list[Any]:
    return [p for p in pairs if right[p[0]] is not False and right[p[1]] is not True]


def right_winners(pairs: list[Any], right: dict[str, Any]) -> list[Any]:
    return [pair for pair in pairs if right[pair[0]]]


FATES = ("flagged_winner", "false_winner", "open_winner", "poisoned_loser", "open_loser", "built")


def against_all(rewards: list[float]) -> list[float]:
    return [r - sum(rewards) / len(rewards) for r in rewards]


def sum_of_all_over_the_others(rewards: list[float]) -> list[float]:
    return [r - sum(rewards) / max(1, len(rewards) - 1) for r in rewards]


def others_without_the_lonely_case(rewards: list[float]) -> list[float]:
    return [r - (sum(rewards) - r) / (len(rewards) - 1) for r in rewards]


def against_the_best_other(rewards: list[float]) -> list[float]:
    return [r - max([*rewards[:i], *rewards[i + 1 :]], default=r) for i, r in enumerate(rewards)]


def mask_as_zero(rewards: list[Any]) -> list[Any]:
    return [None if r is None else r - sum(x or 0 for x in rewards) / len(rewards) for r in rewards]


def mask_dropped(rewards: list[Any]) -> list[Any]:
    known = [r for r in rewards if r is not None]
    return [r - sum(known) / len(known) for r in known]


def mask_gets_zero(rewards: list[Any]) -> list[Any]:
    known = [r for r in rewards if r is not None] or [0]
    return [0.0 if r is None else r - sum(known) / len(known) for r in rewards]


def zero_taken_for_a_mask(rewards: list[Any]) -> list[Any]:
    known = [r for r in rewards if r] or [0]
    return [r - sum(known) / len(known) if r else None for r in rewards]


def mask_counted_as_wrong(rewards: list[Any]) -> list[Any]:
    filled = [-0.1 if r is None else r for r in rewards]
    centred = against_all(filled)
    return [None if r is None else a for r, a in zip(rewards, centred, strict=True)]


def filler_by_sentence(response: str, question: str) -> float:
    parts = [part for part in re.split(r"[.!?\n]", response) if part.strip()]
    return sum(not re.search(r"\d", part) for part in parts) / max(len(parts), 1)


def filler_without_the_question(response: str, question: str) -> float:
    parts = [(len(re.findall("[A-Za-z]+", p)), p) for p in re.split(r"[.!?\n]", response)]
    total = sum(count for count, _ in parts)
    return sum(n for n, p in parts if not re.search(r"\d", p)) / total if total else 0.0


def filler_by_word(response: str, question: str) -> float:
    said = re.findall("[a-z]+", response.lower())
    asked = set(re.findall("[a-z]+", question.lower()))
    return sum(word not in asked for word in said) / len(said) if said else 0.0


def filler_by_parts_of_words(response: str, question: str) -> float:
    asked = {w for w in re.findall("[a-z]+", question.lower()) if len(w) >= 4}
    parts = [(len(re.findall("[A-Za-z]+", p)), p) for p in re.split(r"[.!?\n]", response)]
    idle = sum(
        n for n, p in parts if not re.search(r"\d", p) and not any(w in p.lower() for w in asked)
    )
    return idle / total if (total := sum(n for n, _ in parts)) else 0.0


def filler_by_parts_of_the_question(response: str, question: str) -> float:
    total = idle = 0
    for part in re.split(r"[.!?\n]", response):
        said = re.findall("[A-Za-z]+", part)
        told = any(w.lower() in question.lower() for w in said if len(w) >= 4)
        total += len(said)
        idle += 0 if told or re.search(r"\d", part) else len(said)
    return idle / total if total else 0.0


def boxes_to_the_first_brace(response: str) -> list[str]:
    found = list(dict.fromkeys(re.findall(r"\\boxed\{([^}]*)\}", response)))
    return found if len(found) >= 3 else []


def every_box(response: str) -> list[str]:
    found = re.findall(r"\\boxed\{(.*?)\}(?=[ ,.]|$)", response)
    return found if len(found) >= 3 else []


def any_two_boxes(response: str) -> list[str]:
    found = list(dict.fromkeys(re.findall(r"\\boxed\{(.*?)\}(?=[ ,.]|$)", response)))
    return [text.strip() for text in found] if len(found) >= 2 else []


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


LABELS = "vpvvp" + "vvvpvvvv" + "vvpppppp"


# -- notebook 09


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


WRONG: dict[str, list[Any]] = {
    "q00a": [standardised, centred_on_the_best, scaled_by_the_sum, one_mean_for_all, sum],
    "q00b": [
        lambda counts, size: sum(c > 0 for c in counts) / len(counts),
        lambda counts, size: sum(0 < c < 8 for c in counts) / len(counts),
        lambda counts, size: float(sum(0 < c < size for c in counts)),
        lambda counts, size: sum(counts) / (size * len(counts)),
    ],
    "q00c": [
        Problem("What is it?", "see the figure above"),
        Problem("2 + 2?", "4"),
        {"question": "", "answer": "5/8"},
        Problem("How many?", "about five"),
        Problem("How many?", "about 3.3"),
        Problem("How many?", "7,5"),
    ],
    "q01a": ["v" * 21, "p" * 21, "vp" * 10 + "v", LABELS[:-1], LABELS[::-1]],
    "q01b": [
        {"precision": 81 / 108, "recall": 81 / 90},
        {"precision": 0.9, "recall": 0.81},
        {"precision": 0.9, "recall": 81 / 110},
        (0.75, 0.9),
    ],
    "q01c": [first_box, last_box_to_the_first_brace, box_to_the_last_brace],
    "q01d": [as_float, first_number, fraction_or_error],
    "q01e": [anywhere, last_number_is, first_box_is],
    "q01f": [
        ["yes"] * 6,
        ["partly"] * 6,
        ["yes", "yes", "no", "yes", "yes", "no"],
    ],
    "q02a": [
        [0.2 - 0.1, 0.2 - 0.25, 0.2 - 1],
        [0.28, 0.4, 1.0],
        [0.1 * 0.2 - 0.8, 0.25 * 0.2 - 0.8, -0.6],
        [1.2, 0.0, -6.0],
        ["0.12", "0.0", "-0.6"],
    ],
    "q02b": [
        lambda c: c,
        lambda c: 1 / (1 + c),
        lambda c: c / (1 - c) if c != 1 else 1.0,
        lambda c: c / 2,
        lambda c: -c / (1 - c) if c != 1 else 0.5,
        lambda c: min(c, 1) / (1 + min(c, 1)),
    ],
    "q02c": [-9.0, 9.5, -0.9, -8.5, -0.95, 0.05, "-9.5", [-9.5]],
    "q02d": [
        {0.1: list(range(2, 11)), 0.25: [2, 3, 4, 5, 6], 1.0: [2]},
        {0.1: [12, 13, 14, 15], 0.25: list(range(6, 16)), 1.0: list(range(3, 16))},
        {0.1: list(range(2, 10)), 0.25: [2, 3], 1.0: []},
        {0.1: list(range(2, 11)), 0.25: [2, 3, 4]},
        {0.1: list(range(2, 13)), 0.25: [2, 3, 4], 1.0: []},
        {0.1: list(range(2, 16)), 0.25: [2, 3, 4], 1.0: []},
        {0.1: set(range(2, 11)), 0.25: [2, 3, 4], 1.0: []},
        {0.1: 11, 0.25: 5, 1.0: 2},
    ],
    "q02e": [
        lambda q, partial, c: c / (1 + c),
        lambda q, partial, c: max(0.0, (c - q * partial) / (1 + c)),
        lambda q, partial, c: (c * (1 - q) - q * partial) / (1 + c),
        lambda q, partial, c: max(0.0, c * (1 - q) / (1 + c) - q * partial),
        lambda q, partial, c: max(0.0, c - q * partial) / (1 + c),
    ],
    "q06a": [
        loss_without_reference,
        loss_that_overflows,
        loss_of_swapped,
        loss_of_fixed_beta,
    ],
    "q06b": [ungraded_as_losers, neighbours_only, loser_first, one_for_each_winner],
    "q06c": [without_right_losers, without_known_poison, right_winners],
    "q06d": [
        dict(zip(FATES, (4, 4, 0, 3, 3, 2), strict=True)),
        dict(zip(FATES, (5, 5, 0, 1, 1, 3), strict=True)),
        dict(zip(FATES, (2, 2, 0, 3, 3, 2), strict=True)),
        dict(zip(FATES, (4, 4, 0, 1, 0, 3), strict=True)),
    ],
    "q03a": [
        [1.1, -0.3667, -0.3667, -0.3667],
        [1.5, -0.5, -0.5, -0.5],
        [0.825, -0.275],
        [1.0, -0.1, -0.1, -0.1],
    ],
    "q03b": [
        against_all,
        sum_of_all_over_the_others,
        others_without_the_lonely_case,
        against_the_best_other,
        standardised,
    ],
    "q03c": [
        mask_as_zero,
        mask_dropped,
        mask_gets_zero,
        zero_taken_for_a_mask,
        mask_counted_as_wrong,
    ],
    "q03d": [
        lambda n, c, k: 1 - (1 - c / n) ** k,
        lambda n, c, k: min(1.0, k * c / n),
        lambda n, c, k: comb(n - c, k) / comb(n, k),
        lambda n, c, k: comb(c, k) / comb(n, k),
        lambda n, c, k: float(c >= k),
    ],
    "q03e": [
        lambda p, n: 1 - p**n,
        lambda p, n: 1 - (1 - p) ** n,
        lambda p, n: 2 * p * (1 - p),
        lambda p, n: p**n + (1 - p) ** n,
        lambda p, n: n * p * (1 - p) ** (n - 1),
    ],
    "q04a": [
        lambda response: len(response) < 5,
        lambda response: "boxed" not in response,
        lambda response: not re.search(r"\d", response),
        lambda response: len(response) > 40,
        lambda response: "\n" not in response,
    ],
    "q04b": [
        filler_by_sentence,
        filler_without_the_question,
        filler_by_word,
        filler_by_parts_of_words,
        filler_by_parts_of_the_question,
        lambda response, question: 1 - filler_without_the_question(response, question),
    ],
    "q04c": [
        boxes_to_the_first_brace,
        every_box,
        any_two_boxes,
        lambda response: response.count("boxed") >= 3,
    ],
    "q04d": [0.9, 0.95, 18 / 68, 20 / 67, 18 / 1000, 49 / 67, "0.2687"],
    "q04e": [
        ["chain"] * 5,
        ["chain", "chain", "kept", "chain", "nothing"],
        ["chain", "head", "head", "chain", "nothing"],
        ["chain", "head", "kept", "kept", "nothing"],
        ["chain", "head", "kept", "chain", "kept"],
    ],
    "q05a": [
        lines_in_pairs,
        stripped_texts,
        all_words,
        lines_without_empty_ones,
        one_line_end_forgiven,
        lambda expected, got: expected in got,
        lines_by_splitlines,
        lambda expected, got: (
            [e.rstrip() for e in expected.split("\n")] == [g.rstrip() for g in got.split("\n")]
        ),
    ],
    "q05b": [
        python_equal,
        equal_as_text,
        close_if_numbers,
        same_at_the_top_only,
        lists_in_pairs,
        absolute_tolerance,
        by_value(lambda e, g: abs(g - e) <= 1e-3 * abs(e)),
        by_value(lambda e, g: abs(g - e) <= 1e-9 * abs(e)),
        by_value(lambda e, g: g - e <= 1e-6 * abs(e)),
        by_value(lambda e, g: abs(g - e) / abs(e) <= 1e-6),
        by_value(lambda e, g: abs(g - e) < 1e-6 * abs(e)),
        by_value(lambda e, g: near(e, g) or g == float("inf")),
        by_value(near, in_order),
        by_value(near, in_small_letters),
        by_value(near, lambda value: "" if value is None else value),
    ],
    "q05c": [
        repeats_by_rounding,
        repeats_one_too_many,
        repeats_in_proportion,
        lambda rate, chance: math.ceil(1 / rate),
    ],
    "q05d": [
        share_of_the_most_frequent_unstripped,
        share_of_the_most_frequent_stripped,
        lambda expected: max(map(expected.count, expected), default=0),
        lambda expected: 1 / len(set(expected)) if expected else 0.0,
        lambda expected: expected.count(expected[0]) / len(expected) if expected else 0.0,
    ],
    "q05e": [
        lambda passed, expected: sum(passed) / max(len(passed), 1),
        mean_by_answer_with_all_or_nothing,
        mean_by_answer_with_any,
        lambda passed, expected: float(bool(passed) and all(passed)),
        lambda passed, expected: sum(
            1 / expected.count(e) for p, e in zip(passed, expected, strict=True) if p
        ),
    ],
    "q09a": [
        rewards_without_a_mask,
        rewards_without_the_masked,
        rewards_of_the_first_message,
        rewards_of_chats_only,
        rewards_by_what_is_in_it,
        rewards_that_mask_refusals,
    ],
    "q09c": [
        step_before_the_first_silence,
        last_step_with_a_loss,
        steps_that_taught,
        last_row_without_silence,
        last_fully_mixed_step,
    ],
    "q07a": [points_for_shape, pays_for_nulls, takes_true_for_one, json_or_error],
    "q07b": [
        {"book": [(1, "Salt Roads")], "loan": [(1, 0), (1, 0)]},
        {"book": [(1, "Salt Roads"), (2, "Salt Roads")], "loan": [(1, 0), (2, 0)]},
        {"book": [(1, "A"), (2, "A")], "loan": [(1, 1), (1, 1), (2, 1)]},
        {"book": [(1, "A"), (1, "A")], "loan": [(1, 0), (1, 0)]},
        {"book": [(1, "A"), (2, "B")], "loan": [(1, 0), (1, 0), (2, 0)]},
    ],
    "q07c": [share_of_lines, forgives_spoilt_lines, all_lines_or_none, may_be_negative],
    "q07d": [
        [(f"is {n} a prime?", "yes" if n in (2, 3, 5) else "no") for n in range(2, 8)],
        [(f"{n} + 1", str(n + 1)) for n in range(5)],
        [(f"{n} + 1", str(n // 5)) for n in range(11)] + [("6", "9")] * 2,
        [(f"{n} + 1", n if n < 3 else "") for n in range(6)],
        [("1 + 1", "2"), ("1 + 1", "3"), *[(f"{n} + 1", n) for n in range(6)]],
        {f"{n} + 1": n for n in range(6)},
        [(f"line {n}", "same" if n < 4 else n) for n in range(6)],
    ],
    "q07e": [
        earned_by(lambda response, answer: float(answer in response)),
        earned_by(lambda response, answer: float(bool(response.strip()))),
        earned_by(lambda response, answer: 1.0),
        earned_by(lambda response, answer: 0.0),
        earned_by(
            lambda response, answer: 0.4 * (response[:1] == "{") + 0.6 * (response == answer)
        ),
        earned_by(lambda response, answer: float(len(response) == len(answer))),
        earned_by(lambda response, answer: float(response == answer), honest=2),
        earned_by(lambda response, answer: float(response == answer or "sorry" in response)),
    ],
    "q07f": [
        lambda rows: counts_of(rows, skips=False),
        lambda rows: counts_of(rows, none_is_wrong=True),
        counts_neighbours,
        lambda rows: (counts_of(rows)["right"], counts_of(rows)["judged"]),
    ],
    "q07g": [null_comes_first, zero_is_false, texts_are_facts],
    "q09b": [
        lambda before, after, kl, tokens: (after - before) / (kl * tokens),
        lambda before, after, kl, tokens: max(0.0, after - before) / kl,
        lambda before, after, kl, tokens: max(0.0, after) / (kl * tokens),
        lambda before, after, kl, tokens: max(0.0, after - before) * kl * tokens,
    ],
    "q09d": [
        {**DIAGNOSES, "A": "entropy collapse"},
        {**DIAGNOSES, "C": "clipped completions", "F": "chat template not applied"},
        {**DIAGNOSES, "D": "healthy", "B": "uniform groups"},
        {**DIAGNOSES, "D": "KL blow-up", "E": "constant reward"},
        {**DIAGNOSES, "D": "uniform groups"},
        {name: DIAGNOSES[name] for name in "ABCDE"},
    ],
    "q09e": [
        both_or_neither,
        right_if_it_begins_so,
        scores_of_the_whole_text,
        tidy_if_stripped,
        scores_without_signs,
    ],
}
BUILDS_ON = {"q01e": ("q01c", "q01d"), "q07e": ("q07d",)}
"""Solutions that use the solutions of earlier exercises."""
CONSTANTS = [1.0, True, "", "p", 0, [], {}]


def solution(question: str) -> Any:
    """What the filled copy's cell of this grade id defines."""
    names = {f"q{path.stem[:2]}": path for path in CHECKOUT.solutions.glob("[0-9]*.ipynb")}
    notebook: Any = nbformat.read(names[question[:3]], as_version=4)
    space: dict[str, Any] = {}
    exec("import json\nimport math\nimport re\nfrom fractions import Fraction\n", space)
    exec("from rlvr_course import Problem\n", space)
    exec("from rlvr_course.verifiers.extract import find_boxes\n", space)
    known = set(space)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in BUILDS_ON.get(question, ()) or grade_id == question:
            known = set(space)
            exec(cell.source, space)
    return next(value for name, value in space.items() if name not in known | {"tasks"})


def verdict(question: str, reply: Any) -> str:
    return run_check(question, SPECS[question], reply).kind


def as_solution(question: str, value: Any) -> Any:
    """A constant in the form that the exercise asks for: a function, or the value itself."""
    return (lambda *args: value) if callable(solution(question)) else value


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_solution_passes(question: str) -> None:
    assert verdict(question, solution(question)) == "passed"


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_stub_is_open(question: str) -> None:
    assert verdict(question, None) == "open"
    assert verdict(question, as_solution(question, None)) == "open"


@pytest.mark.parametrize("question", QUESTIONS)
def test_constants_fail(question: str) -> None:
    assert {verdict(question, as_solution(question, c)) for c in CONSTANTS} == {"failed"}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_reply_that_equals_everything_fails(question: str) -> None:
    assert verdict(question, as_solution(question, AlwaysEqual())) == "failed"


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        pytest.param(question, wrong, id=f"{question}-{index}")
        for question, all_wrong in WRONG.items()
        for index, wrong in enumerate(all_wrong)
    ],
)
def test_a_plausible_wrong_answer_fails(question: str, wrong: Callable[..., Any]) -> None:
    assert verdict(question, wrong) == "failed"


RIGHT: dict[str, Any] = {
    "q02a": [Fraction(3, 25), 0, Fraction(-3, 5)],
    "q02b": lambda c: Fraction(c) / (1 + Fraction(c)),
    "q02c": Fraction(-19, 2),
    "q02d": {0.1: tuple(range(2, 12)), 0.25: [5, 4, 3, 2], 1: [2]},
    "q02e": lambda q, partial, c: max(
        0, Fraction(c * (1 - q) - q * partial).limit_denominator(10**6) / Fraction(1 + c)
    ),
    "q04d": Fraction(18, 67),
    "q09b": lambda before, after, kl, tokens: (
        max(Fraction(0), Fraction(after) - Fraction(before)) / Fraction(kl * tokens)
    ),
    "q09e": lambda text, answer: [
        re.match(rf"\s*{re.escape(answer)}(?!\d)", text) is not None,
        re.fullmatch(r" ?-?[0-9]+", text.partition("\n")[0]) is not None,
    ],
    "q07b": {"book": [[7, "A"], [8, "A"], [9, "B"]], "loan": [[7, 0], [8, 0], [8, 0], [9, 1]]},
    "q07c": lambda given, wanted, said: (
        Fraction(
            max(0, sum((s == w) - (w == g) if s in (w, g) else -1 for g, w, s in rows)),
            sum(g != w for g, w, _ in rows),
        )
        if len(rows := list(zip(given, wanted, said, strict=False))) == len(said) == len(wanted)
        else 0
    ),
    "q07d": [(f"{n} eggs", {"count": n, "item": "egg"}) for n in range(1, 7)],
    "q07e": earned_by(lambda response, answer: response.strip(" .") == answer),
    "q07g": lambda decision, facts: (
        decision
        == {-1: "", 0: "deny", 1: "abstain", 2: "permit"}[
            min({"False": 0, "None": 1, "True": 2}.get(repr(v), -1) for v in facts.values())
        ]
    ),
    "q03a": [Fraction(33, 40), *[Fraction(-11, 40)] * 3],
    "q03b": lambda rewards: [
        Fraction(len(rewards) * r - sum(rewards)) / max(len(rewards) - 1, 1) for r in rewards
    ],
    "q03d": lambda n, c, k: 1 - Fraction(comb(n - c, k), comb(n, k)),
    "q03e": lambda p, n: sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(1, n)),
}
"""Right answers that look unlike the solution."""


@pytest.mark.parametrize("question", RIGHT)
def test_another_right_answer_passes(question: str) -> None:
    assert verdict(question, RIGHT[question]) == "passed"


def test_every_check_has_at_least_three_wrong_answers_here() -> None:
    assert {q for q in QUESTIONS if len(WRONG.get(q, [])) < 3} == set()
