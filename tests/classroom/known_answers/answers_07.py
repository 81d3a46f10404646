"""Answers to the exercises of notebook 07: wrong ones that somebody may give, and right ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import groupby
from typing import Any


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


def score_by_name(text: str, gold: dict[str, Any]) -> float:
    try:
        said = json.loads(text)
        if set(said) ^ set(gold) or len(said) != len(gold):
            return 0.0
        told = [(said[name], wanted) for name, wanted in gold.items()]
    except (ValueError, TypeError):
        return 0.0
    if any(wanted is None and value is not None for value, wanted in told):
        return 0.0
    earning = [(value, wanted) for value, wanted in told if wanted is not None]
    kinds = (bool, str, (int, float))
    right = [
        value == wanted
        and next(i for i, k in enumerate(kinds) if isinstance(value, k))
        == next(i for i, k in enumerate(kinds) if isinstance(wanted, k))
        for value, wanted in earning
    ]
    return sum(right) / len(right)


def counts_with_sets(rows: list[dict[str, Any]]) -> dict[str, int]:
    samples = [row["record"] for row in rows if row["record"].get("problem")]
    said = [(one["problem"]["id"], one["verified_correct"]) for one in samples]
    right = {name for name, verdict in said if verdict is True}
    wrong = {name for name, verdict in said if verdict is False}
    return {
        "groups": len({name for name, _ in said}),
        "mixed": len(right & wrong),
        "judged": sum(verdict in (True, False) for _, verdict in said),
        "right": sum(verdict is True for _, verdict in said),
    }


WRONG: dict[str, dict[str, Any]] = {
    "q07a": {
        "points for shape": points_for_shape,
        "pays for nulls": pays_for_nulls,
        "takes true for one": takes_true_for_one,
        "json or error": json_or_error,
    },
    "q07b": {
        "one book, out twice": {"book": [(1, "Salt Roads")], "loan": [(1, 0), (1, 0)]},
        "two books of one title, each out once": {
            "book": [(1, "Salt Roads"), (2, "Salt Roads")],
            "loan": [(1, 0), (2, 0)],
        },
        "all returned": {"book": [(1, "A"), (2, "A")], "loan": [(1, 1), (1, 1), (2, 1)]},
        "ids that are not unique": {"book": [(1, "A"), (1, "A")], "loan": [(1, 0), (1, 0)]},
        "no two of one title": {"book": [(1, "A"), (2, "B")], "loan": [(1, 0), (1, 0), (2, 0)]},
    },
    "q07c": {
        "share of lines": share_of_lines,
        "forgives spoilt lines": forgives_spoilt_lines,
        "all lines or none": all_lines_or_none,
        "may be negative": may_be_negative,
    },
    "q07d": {
        "yes or no": [(f"is {n} a prime?", "yes" if n in (2, 3, 5) else "no") for n in range(2, 8)],
        "too few lines": [(f"{n} + 1", str(n + 1)) for n in range(5)],
        "a line that is there twice": [(f"{n} + 1", str(n // 5)) for n in range(11)]
        + [("6", "9")] * 2,
        "empty references": [(f"{n} + 1", n if n < 3 else "") for n in range(6)],
        "a given with two references": [
            ("1 + 1", "2"),
            ("1 + 1", "3"),
            *[(f"{n} + 1", n) for n in range(6)],
        ],
        "a dict, not pairs": {f"{n} + 1": n for n in range(6)},
        "one reference for most": [(f"line {n}", "same" if n < 4 else n) for n in range(6)],
    },
    "q07e": {
        "contained in it": earned_by(lambda response, answer: float(answer in response)),
        "anything said": earned_by(lambda response, answer: float(bool(response.strip()))),
        "always": earned_by(lambda response, answer: 1.0),
        "never": earned_by(lambda response, answer: 0.0),
        "points for shape": earned_by(
            lambda response, answer: 0.4 * (response[:1] == "{") + 0.6 * (response == answer)
        ),
        "length only": earned_by(lambda response, answer: float(len(response) == len(answer))),
        "too few honest responses": earned_by(
            lambda response, answer: float(response == answer), honest=2
        ),
        "apologies are paid": earned_by(
            lambda response, answer: float(response == answer or "sorry" in response)
        ),
    },
    "q07f": {
        "events counted as samples": lambda rows: counts_of(rows, skips=False),
        "ungraded counted as wrong": lambda rows: counts_of(rows, none_is_wrong=True),
        "counts neighbours": counts_neighbours,
        "a pair of figures": lambda rows: (counts_of(rows)["right"], counts_of(rows)["judged"]),
    },
    "q07g": {
        "null comes first": null_comes_first,
        "zero is false": zero_is_false,
        "texts are facts": texts_are_facts,
    },
}

RIGHT: dict[str, dict[str, Any]] = {
    "q07a": {"name by name": score_by_name},
    "q07b": {
        "lists, and other titles": {
            "book": [[7, "A"], [8, "A"], [9, "B"]],
            "loan": [[7, 0], [8, 0], [8, 0], [9, 1]],
        }
    },
    "q07c": {
        "by differences": lambda given, wanted, said: (
            Fraction(
                max(0, sum((s == w) - (w == g) if s in (w, g) else -1 for g, w, s in rows)),
                sum(g != w for g, w, _ in rows),
            )
            if len(rows := list(zip(given, wanted, said, strict=False))) == len(said) == len(wanted)
            else 0
        )
    },
    "q07d": {
        "references that are dicts": [
            (f"{n} eggs", {"count": n, "item": "egg"}) for n in range(1, 7)
        ]
    },
    "q07e": {
        "what may vary stripped": earned_by(lambda response, answer: response.strip(" .") == answer)
    },
    "q07f": {"with sets": counts_with_sets},
    "q07g": {
        "by rank": lambda decision, facts: (
            decision
            == {-1: "", 0: "deny", 1: "abstain", 2: "permit"}[
                min({"False": 0, "None": 1, "True": 2}.get(repr(v), -1) for v in facts.values())
            ]
        )
    },
}
"""Right answers that look unlike the solution."""
