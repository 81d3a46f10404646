"""Checks of notebook 09: a reward function for TRL, β, a silent log, a diagnosis, two scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

DIAGNOSES = {
    "A": "refusal collapse",
    "B": "healthy",
    "C": "proxy up while truth is down",
    "D": "constant reward",
    "E": "KL blow-up",
    "F": "clipped completions",
}
"""What is wrong with the six runs of q09d."""


def _near(reply: Any, value: float) -> bool:
    is_number = isinstance(reply, Real) and not isinstance(reply, bool)
    return is_number and math.isclose(reply, value, rel_tol=1e-6, abs_tol=1e-9)


def _same(reply: Any, wanted: Sequence[float | None]) -> bool:
    """Equal lists up to rounding, None only where None is wanted."""
    if not isinstance(reply, (list, tuple)) or len(reply) != len(wanted):
        return False
    pairs = zip(reply, wanted, strict=True)
    return all(got is None if want is None else _near(got, want) for got, want in pairs)


def _chat(*texts: str) -> list[list[dict[str, str]]]:
    return [[{"role": "assistant", "content": text}] for text in texts]


def _batch(
    name: str, completions: list[Any], answers: list[str], rewards: list[float | None], words: str
) -> Case:
    args = (["…"] * len(answers), completions, answers)
    return Case(name, args, lambda reply: _same(reply, rewards), words)


def _pay(ask: Any, text: str, answer: str) -> Any:
    return ask(["…"], _chat(text), [answer])[0]


def _log(*shares: float | None, first: int = 1) -> list[dict[str, float]]:
    """A log with one row a step; None for a row that has no such figure."""
    rows = [{"step": float(first + i), "loss": 0.0} for i in range(len(shares))]
    for row, share in zip(rows, shares, strict=True):
        if share is not None:
            row["frac_reward_zero_std"] = share
    return rows


def _log_case(name: str, log: list[dict[str, float]], step: int, words: str) -> Case:
    return Case(name, (log,), lambda reply: _near(reply, step), words)


def _beta_case(name: str, args: tuple[float, ...], beta: float, words: str) -> Case:
    return Case(name, args, lambda reply: _near(reply, beta), words)


def _line(text: str, answer: str, right: bool, tidy: bool, name: str, words: str) -> Case:
    def holds(reply: Any) -> bool:
        return isinstance(reply, (list, tuple)) and list(reply) == [right, tidy] and _bools(reply)

    return Case(name, (text, answer), holds, words)


def _bools(reply: Any) -> bool:
    return all(type(value) is bool for value in reply)


def _named(letter: str) -> Case:
    return Case(
        f"run {letter}",
        (),
        lambda reply: (
            isinstance(reply[letter], str)
            and reply[letter].strip().casefold() == DIAGNOSES[letter].casefold()
        ),
        "one of the ten names above",
    )


CHECKS_09 = {
    "q09a": CheckSpec(
        cases=[
            _batch("right, wrong", _chat("80", "81"), ["80", "80"], [1.0, -0.1], "1 and -0.1"),
            _batch("a refusal", _chat("?", "80"), ["80", "80"], [0.0, 1.0], "0 for the refusal"),
            _batch(
                "blanks around it",
                _chat(" 80\n", " ?"),
                ["80", "80"],
                [1.0, 0.0],
                "blanks change nothing, around a refusal either",
            ),
            _batch(
                "mask: no reference",
                _chat("80", "80", "?"),
                ["80", "", ""],
                [1.0, None, None],
                "None wherever nobody can judge, whatever was said",
            ),
            _batch(
                "a reply after a tool's",
                [
                    [
                        {"role": "assistant", "content": "79"},
                        {"role": "tool", "content": "80"},
                        {"role": "assistant", "content": "80"},
                    ]
                ],
                ["80"],
                [1.0],
                "the last message counts",
            ),
            _batch(
                "false positive: the answer is in it",
                _chat("not 80", "180", "80 81"),
                ["80"] * 3,
                [-0.1] * 3,
                "-0.1 each",
            ),
            _batch(
                "false positive: the same number",
                _chat("419"),
                ["0419"],
                [-0.1],
                "-0.1: the answer is a text of four digits",
            ),
            _batch("plain strings", ["80", "?", "8"], ["80"] * 3, [1.0, 0.0, -0.1], "as in a chat"),
            _batch("malformed: nothing said", _chat(""), ["80"], [-0.1], "-0.1"),
            _batch("malformed: an empty batch", [], [], [], "an empty list"),
        ],
        properties=[
            Property(
                "each row by its own answer",
                lambda ask: (_pay(ask, "7", "7"), _pay(ask, "7", "8")) == (1.0, -0.1),
                "the same text, two references, two rewards",
            ),
        ],
        hints=[
            "Print completions[0]: is it a text or a list? Where in it is the text?",
            'A completion is a list of messages: its text is completion[-1]["content"], unless '
            "it is a string already.",
            "Ask in this order: is the reference empty? is it the answer? is it a refusal?",
        ],
    ),
    "q09c": CheckSpec(
        cases=[
            _log_case("stops at once", _log(0.5, 1.0, 1.0), 1, "the number of one step"),
            _log_case("stops and goes on", _log(0.5, 1.0, 0.75, 1.0), 3, "the last, not the first"),
            _log_case("never stops", _log(0.0, 0.25, 0.5), 3, "the last step"),
            _log_case("never began", _log(1.0, 1.0, 1.0), 0, "0: no step taught anything"),
            _log_case("numbered from 10", _log(0.2, 0.9, 1.0, first=10), 11, "a step's own number"),
            _log_case(
                "rows without the figure",
                _log(0.5, None, 0.0, 1.0, None),
                3,
                "rows of evaluations and of the end are passed over",
            ),
            _log_case("malformed: an empty log", [], 0, "0"),
        ],
        properties=[
            Property(
                "false positive: a loss of 0 alone says nothing",
                lambda ask: _near(ask(_log(0.0, 0.0)), 2),
                "on-policy losses are 0 in healthy runs too",
            ),
        ],
        hints=[
            "What share of uniform groups means that *no* group teaches?",
            "A step teaches if its share is below 1. You want the last such step's number.",
            'Collect row["step"] of all rows that have the figure and where it is below 1; then '
            "the largest, or 0 if there is none.",
        ],
    ),
    "q09b": CheckSpec(
        cases=[
            _beta_case("round numbers", (0.0, 1.0, 0.5, 4), 0.5, "gain over distance"),
            _beta_case("a start that earns", (0.2, 0.8, 0.3, 5), 0.4, "only the gain counts"),
            _beta_case("a start below 0", (-0.1, 0.9, 0.5, 2), 1.0, "only the gain counts"),
            _beta_case("no gain", (0.5, 0.5, 0.3, 5), 0.0, "0"),
            _beta_case("false positive: a loss", (0.5, 0.2, 0.3, 5), 0.0, "0, never negative"),
        ],
        properties=[
            Property(
                "longer answers lie farther",
                lambda ask: _near(ask(0.0, 1.0, 0.1, 10), ask(0.0, 1.0, 0.1, 5) / 2),
                "twice the tokens, half the β",
            ),
        ],
        hints=[
            "At which β do staying and moving earn the same?",
            "Staying: before − β·0. Moving: after − β·(KL of the whole answer).",
            "(after − before) / (kl · tokens), and 0 where there is no gain.",
        ],
    ),
    "q09d": CheckSpec(
        cases=[_named(letter) for letter in DIAGNOSES],
        hints=[
            "Begin with the extreme figures, near 0 or 1: which run has one from the start?",
            "A figure that *moves* to an extreme shows a collapse; one that is extreme from the "
            "start shows a mistake in the set-up.",
            "Look at accepted and right together: in one run they move apart. In another the "
            "spread is 0 from the start, though not all is right; in a third the KL is large.",
        ],
    ),
    "q09e": CheckSpec(
        cases=[
            _line(" 54", "54", True, True, "right and tidy", "True, True"),
            _line("54", "54", True, True, "no blank", "one blank at most"),
            _line(" 54 and 1", "54", True, False, "right, untidy", "the first number counts"),
            _line(" 45", "54", False, True, "wrong, tidy", "tidy says nothing about right"),
            _line(" 54\n2 + 2 = 4", "54", True, True, "a further line", "only the first line"),
            _line(" 540", "54", False, True, "false positive: a longer number", "540 is not 54"),
            _line(" fifty-four", "54", False, False, "in words", "False, False"),
            _line("So 54", "54", False, False, "false positive: later", "it must begin the line"),
            _line(" 54!", "54", True, False, "a mark behind it", "right, and not tidy"),
            _line(" 54 ", "54", True, False, "a blank behind it", "nothing else, no blank either"),
            _line("\n54", "54", False, False, "an empty line", "the first line has no number"),
            _line("  54", "54", True, False, "two blanks", "right, and not tidy"),
            _line("-3", "-3", True, True, "a negative number", "the sign belongs to it"),
            _line("", "54", False, False, "malformed: nothing", "False, False"),
        ],
        hints=[
            "Take the first line first, then ask two questions that don't know of each other.",
            "Right: which number does the line begin with? Tidy: is there anything but a number?",
            "re.match(r'\\s*(-?\\d+)', line) for the one, re.fullmatch(r' ?-?\\d+', line) for the "
            "other.",
        ],
    ),
}
