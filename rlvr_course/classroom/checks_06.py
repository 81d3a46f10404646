"""Checks of notebook 06: a pair's loss, pairs of a group, clean pairs, fates."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

LABELS = {1: "suspected_hack", 2: False, 4: True, 5: None}
VERDICTS = (True, True, True, False, False, False, None, False)
FATES = (
    "flagged_winner",
    "false_winner",
    "open_winner",
    "poisoned_loser",
    "open_loser",
    "built",
)


def _fates() -> dict[str, int]:
    """What the package makes of q06d's group."""
    from rlvr_course.pairs import Labels, pair_group
    from rlvr_course.records import Problem, Sample

    problem = Problem("2 + 2?", "4", id="made-up")
    group = [
        Sample(problem, f"answer {i}", "", None, verdict, messages=problem.messages, index=i)
        for i, verdict in enumerate(VERDICTS)
    ]
    labels = Labels({("made-up", index): label for index, label in LABELS.items()})  # type: ignore[arg-type]
    return dict(pair_group(group, labels).fates)


def _number(reply: Any) -> bool:
    return isinstance(reply, Real) and not isinstance(reply, bool)


def _near(reply: Any, value: float) -> bool:
    return _number(reply) and math.isclose(reply, value, rel_tol=1e-6, abs_tol=1e-9)


def _loss_of(margin: float) -> float:
    return max(-margin, 0.0) + math.log1p(math.exp(-abs(margin)))


def _loss_case(name: str, args: tuple[float, ...], margin: float, expected: str) -> Case:
    return Case(name, args, lambda reply: _near(reply, _loss_of(margin)), expected)


def _pair_set(reply: Any) -> set[tuple[Any, ...]]:
    """The pairs, each once; a pair may be a list."""
    pairs = [tuple(pair) for pair in reply]
    if len(set(pairs)) < len(pairs):
        raise ValueError("a pair occurs twice")
    return set(pairs)


def _pairs_case(name: str, verdicts: list[Any], pairs: set[tuple[int, int]], words: str) -> Case:
    return Case(
        name, (verdicts,), lambda r: isinstance(r, (list, tuple)) and _pair_set(r) == pairs, words
    )


def _clean_case(name: str, right: dict[str, Any], kept: list[tuple[str, str]], words: str) -> Case:
    pairs = [("a", "x"), ("b", "x"), ("a", "y")]
    return Case(
        name,
        (pairs, right),
        lambda reply: isinstance(reply, (list, tuple)) and [tuple(p) for p in reply] == kept,
        words,
    )


def _same_fates(reply: Any, *names: str) -> bool:
    wanted = _fates()
    return all(_number(reply[name]) and reply[name] == wanted.get(name, 0) for name in names)


CHECKS_06 = {
    "q06a": CheckSpec(
        cases=[
            _loss_case("untrained", (-13, -18, -13, -18), 0.0, "the logarithm of 2"),
            _loss_case("the one by hand", (-12, -20, -13, -18), 0.3, "a bit less than untrained"),
            _loss_case("in the wrong order", (-15, -17, -13, -18), -0.3, "more than untrained"),
            _loss_case("another β", (-12, -20, -13, -18, 1.0), 3.0, "β as given"),
            _loss_case("malformed: far right", (0, -1000, -1000, 0, 1.0), 2000.0, "0, no error"),
            _loss_case(
                "malformed: far wrong", (-1000, 0, 0, -1000, 1.0), -2000.0, "2000, no error"
            ),
        ],
        properties=[
            Property(
                "false positive: likely but no likelier than before",
                lambda ask: _near(ask(-1, -90, -1, -90), math.log(2)),
                "only a change from the reference counts",
            ),
            Property(
                "swapping the answers moves the loss by the margin",
                lambda ask: _near(ask(-9, -5, -8, -7) - ask(-5, -9, -7, -8), 0.3),
                "loss(margin) and loss(−margin) differ by the margin",
            ),
        ],
        hints=[
            "First the margin: how far did each answer move from the reference?",
            "−log σ(m) = log(1 + e^(−m)). Which sign of m makes the exponential large?",
            "For m < 0 it is −m + log(1 + e^m): max(-m, 0) + math.log1p(math.exp(-abs(m))).",
        ],
    ),
    "q06b": CheckSpec(
        cases=[
            _pairs_case(
                "one winner", [True, False, False], {(0, 1), (0, 2)}, "a list of two pairs"
            ),
            _pairs_case(
                "the winner comes last", [False, True], {(1, 0)}, "a list; winner's place first"
            ),
            _pairs_case(
                "two and two",
                [True, False, True, False],
                {(0, 1), (0, 3), (2, 1), (2, 3)},
                "a list of four",
            ),
            _pairs_case("all accepted", [True, True], set(), "an empty list"),
            _pairs_case("all rejected", [False, False], set(), "an empty list"),
            _pairs_case(
                "false positive: not judged",
                [True, None, False],
                {(0, 2)},
                "a list with no pair of it",
            ),
            _pairs_case("malformed: empty", [], set(), "an empty list"),
        ],
        properties=[
            Property(
                "accepted × rejected",
                lambda ask: len(_pair_set(ask([True] * 3 + [False] * 5 + [None] * 2))) == 15,
                "3 × 5 pairs",
            ),
        ],
        hints=[
            "Which positions can win? Which can lose?",
            "None is neither: `not verdict` would take it for a loser.",
            "Two lists of positions (`is True`, `is False`), then every winner with every loser.",
        ],
    ),
    "q06c": CheckSpec(
        cases=[
            _clean_case(
                "all as it should be",
                {"a": True, "b": True, "x": False, "y": False},
                [("a", "x"), ("b", "x"), ("a", "y")],
                "a list of all three, in order",
            ),
            _clean_case(
                "poisoned loser",
                {"a": True, "b": True, "x": True, "y": False},
                [("a", "y")],
                "without the pairs whose loser is right",
            ),
            _clean_case(
                "false winner",
                {"a": True, "b": False, "x": False, "y": False},
                [("a", "x"), ("a", "y")],
                "without the pair whose winner is wrong",
            ),
            _clean_case(
                "open loser",
                {"a": True, "b": True, "x": None, "y": False},
                [("a", "y")],
                "only pairs of which we know",
            ),
            _clean_case(
                "open winner",
                {"a": None, "b": True, "x": False, "y": False},
                [("b", "x")],
                "only pairs of which we know",
            ),
            _clean_case(
                "nothing left", {"a": None, "b": False, "x": True, "y": None}, [], "an empty list"
            ),
            Case("malformed: no pairs", ([], {}), lambda r: r in ([], ()), "an empty list"),
        ],
        hints=[
            "What must hold of the winner? And of the loser?",
            "None is neither True nor False: compare with `is`.",
            "Keep (winner, loser) if right[winner] is True and right[loser] is False.",
        ],
    ),
    "q06d": CheckSpec(
        cases=[
            Case(
                "all six fates are there",
                (),
                lambda reply: all(_number(reply[name]) for name in FATES),
                "a number for each of the six names",
            ),
            Case(
                "they add up",
                (),
                lambda reply: sum(reply[name] for name in FATES) == sum(_fates().values()),
                "accepted × rejected in all; the ungraded sample is in no pair",
            ),
            Case(
                "the winners' fates",
                (),
                lambda reply: _same_fates(reply, *FATES[:3]),
                "each winner that is out takes all its pairs with it",
            ),
            Case(
                "the losers' fates",
                (),
                lambda reply: _same_fates(reply, *FATES[3:5]),
                "only pairs that no winner has taken out yet",
            ),
            Case("what is built", (), lambda reply: _same_fates(reply, "built"), "the pairs left"),
        ],
        hints=[
            "How many accepted, how many rejected? The product is what must come out.",
            "Draw a table, winners down and losers across, and fill whole rows first.",
            "Samples 1 and 2 are out as winners: both rows are gone. Now fill the row of sample 0. "
            "A dash is not 'open': the verdict is believed.",
        ],
    ),
}
