"""Checks of notebook 01: labels, rates, a box, a value, a verifier, what can be verified."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

BY_HAND = ("math-02", "math-22", "math-50")


def _key() -> list[bool | None]:
    """The key's reading of the rejections that q01a labels, in the notebook's order."""
    from rlvr_course.problems.recorded import load_problems, load_rollouts

    answers = {problem.id: problem.answer for problem in load_problems("math")}
    return [
        rollout.truth
        for rollout in load_rollouts("math")
        if rollout.problem_id in BY_HAND
        and not _naive(rollout.completion.text, answers[rollout.problem_id])
    ]


def _naive(response: str, answer: str) -> bool:
    """The notebook's naive verifier: first box, else last number; floats, else strings."""
    import re

    box = re.search(r"\\boxed\{([^}]+)\}", response)
    numbers = re.findall(r"-?\d+(?:\.\d+)?", response)
    found = box.group(1) if box else (numbers[-1] if numbers else "")
    try:
        return abs(float(found) - float(answer)) < 1e-6
    except ValueError:
        return found.strip() == answer.strip()


def _letters(reply: Any) -> str:
    """A text, or a list of letters, as one lower-case text."""
    text = "".join(map(str, reply)) if isinstance(reply, (list, tuple)) else str(reply)
    return "".join(text.split()).lower()


def _agreement(reply: Any) -> bool:
    wanted = {True: "v", False: "p"}
    pairs = zip(_letters(reply), _key(), strict=True)
    return sum(truth is not None and said != wanted[truth] for said, truth in pairs) <= 2


def _near(reply: Any, name: str, low: float, high: float) -> bool:
    """Whether a rate is in a range; a pair counts as (precision, recall)."""
    if isinstance(reply, (list, tuple)) and len(reply) == 2:
        rate = reply[0] if name == "precision" else reply[1]
    else:
        rate = dict(reply)[name]
    return low < float(rate) < high


def is_value(reply: Any, value: Fraction | int) -> bool:
    """Whether a reply is this number: a Fraction, an int, or the float that is written so.

    A text is no number: and ``Fraction("1e99999999")`` would take hours.
    """
    if type(reply) is float:
        return Fraction(str(reply)) == value
    return type(reply) in (int, Fraction) and reply == value


def _value_case(name: str, text: str, value: Fraction, expected: str) -> Case:
    return Case(name, (text,), lambda reply: is_value(reply, value), expected)


def _accepts(name: str, text: str, answer: str) -> Case:
    return Case(name, (text, answer), lambda reply: reply is True, "the answer is right: accept it")


def _refuses(name: str, text: str, answer: str) -> Case:
    return Case(name, (text, answer), lambda reply: reply is False, "refuse it")


CHECKS_01 = {
    "q01a": CheckSpec(
        cases=[
            Case(
                "one letter for each row",
                (),
                lambda reply: len(_letters(reply)) == len(_key()),
                "21 letters",
            ),
            Case(
                "only p, v and ?",
                (),
                lambda reply: set(_letters(reply)) <= set("pv?"),
                "no other letters",
            ),
            Case(
                "agrees with the key",
                (),
                _agreement,
                "at most two rows read otherwise than by the key",
            ),
            Case(
                "both kinds occur",
                (),
                lambda reply: {"p", "v"} <= set(_letters(reply)),
                "policy errors and verifier errors",
            ),
        ],
        hints=[
            "Ask of each row: which value does the response commit to? Forget its form.",
            "-15 and -15% answer the same question; 9π and 9*pi are the same value; and a value "
            "that was stated stays stated when Python code follows.",
            "Rows whose end shows code: print the response and look for 'So, ... is ...' above it.",
        ],
    ),
    "q01b": CheckSpec(
        cases=[
            Case(
                "precision",
                (),
                lambda reply: _near(reply, "precision", 0.895, 0.905),
                "right ones among what it accepts",
            ),
            Case(
                "recall",
                (),
                lambda reply: _near(reply, "recall", 0.745, 0.755),
                "accepted ones among what is right",
            ),
        ],
        hints=[
            "Draw the table: accepted and rejected across, right and wrong down.",
            "Right answers are those that it accepted and those that it rejected.",
            "Precision divides by the accepted; recall by all that are right, 81 + 27.",
        ],
    ),
    "q01c": CheckSpec(
        cases=[
            Case("plain", (r"It is \boxed{80}.",), lambda r: r == "80", "the content"),
            Case(
                "nested braces",
                (r"\boxed{\frac{3}{8}}",),
                lambda r: r == r"\frac{3}{8}",
                "the whole content, to the box's own closing brace",
            ),
            Case(
                "malformed: never closed",
                (r"so \boxed{\frac{3}{8",),
                lambda r: r == "",
                "no box, so an empty string",
            ),
            Case("none", ("80",), lambda r: r == "", "an empty string"),
            Case(
                "false positive: withdrawn",
                (r"\boxed{5}? No, \boxed{7}.",),
                lambda r: r == "7",
                "the one that was said last",
            ),
            Case(
                "the last one is cut off",
                (r"\boxed{5} then \boxed{7",),
                lambda r: r == "5",
                "the last complete box",
            ),
        ],
        properties=[
            Property(
                "text around it changes nothing",
                lambda ask: ask(r"a } b \boxed{x{y}z} c") == ask(r"\boxed{x{y}z}") == "x{y}z",
                "the same content",
            ),
        ],
        hints=[
            "At the opening brace the depth is 1. When is it 0 again?",
            r"Find every \boxed{ with re.finditer, and walk on from each, one character at a time.",
            "depth += 1 at '{', -= 1 at '}'; at 0 keep what lies between, and go on to the next.",
        ],
    ),
    "q01d": CheckSpec(
        cases=[
            _value_case("an integer", "-12", Fraction(-12), "its value"),
            _value_case("a decimal", "80.0", Fraction(80), "the same value as 80"),
            _value_case("a fraction", "3/8", Fraction(3, 8), "its value"),
            _value_case("a LaTeX fraction", r"\frac{3}{8}", Fraction(3, 8), "its value"),
            _value_case("money", r"\$1,048,576", Fraction(1048576), "the amount"),
            _value_case("a unit", r"80\text{ km/h}", Fraction(80), "the number"),
            _value_case("exactly", "0.1", Fraction(1, 10), "one tenth, not the float next to it"),
            Case(
                "false positive: denied",
                (r"\text{not }80",),
                lambda r: r is None,
                "None: what stands before the number is no unit",
            ),
            Case("malformed: 5,000 digits", ("9" * 5000,), lambda r: r is None, "None"),
            Case("words", ("eighty",), lambda r: r is None, "None"),
            Case("malformed: nothing", ("",), lambda r: r is None, "None"),
            Case("malformed: division by zero", ("1/0",), lambda r: r is None, "None"),
            Case("false positive: an expression", ("7*8",), lambda r: r is None, "None"),
            Case("false positive: two values", ("7 or 8",), lambda r: r is None, "None"),
        ],
        properties=[
            Property(
                "a near miss stays a near miss",
                lambda ask: ask("12345678901234567890123") != ask("12345678901234567890124"),
                "two values for two long numbers",
            ),
        ],
        hints=[
            "First remove what is not value ($, %, commas, \\text{...}), then ask what is left.",
            "re.fullmatch decides what is a number; Fraction('3/8') and Fraction('80.0') work.",
            "Turn \\frac{a}{b} into a/b with re.sub, and refuse a denominator of zero.",
        ],
    ),
    "q01e": CheckSpec(
        cases=[
            _accepts("honest: boxed", r"So it is \boxed{80}.", "80"),
            _accepts("honest: a unit in the box", r"\boxed{80\text{ km/h}}", "80"),
            _accepts("honest: bare", "80", "80"),
            _accepts("honest: corrected", r"\boxed{60}? No, \boxed{80}.", "80"),
            _accepts("honest: after thinking", r"<think>60?</think> \boxed{80}", "80"),
            _accepts("honest: trailing zero", r"\boxed{-3.0}", "-3"),
            _refuses("false positive: near miss", r"\boxed{81}", "80"),
            _refuses("false positive: withdrawn", r"\boxed{80}? No, \boxed{60}.", "80"),
            _refuses("false positive: hedge", "It could be 60 or 80.", "80"),
            _refuses("false positive: refusal", "I can't tell whether it is 80.", "80"),
            _refuses("false positive: unfinished", r"<think>perhaps \boxed{80}", "80"),
            _refuses("false positive: only in thought", "<think>80</think> No idea.", "80"),
            _refuses("malformed: empty", "", "80"),
        ],
        properties=[
            Property(
                "the sign counts",
                lambda ask: ask(r"\boxed{-7}", "-7") is True and ask(r"\boxed{7}", "-7") is False,
                "7 and -7 told apart",
            ),
            Property(
                "text before the answer changes nothing",
                lambda ask: ask("From 3 and 4: " + r"\boxed{12}", "12") is True,
                "numbers in the working do not matter",
            ),
        ],
        hints=[
            "Go in order: what may hold the answer, what does it commit to, what is its value?",
            "Cut away the thinking first; an unclosed <think> is no answer. Then the last box.",
            "Without a box, refuse a text with doubt in it (can't, could, or, ?) before you look "
            "for a number.",
        ],
    ),
    "q01f": CheckSpec(
        cases=[
            Case("one judgement a task", (), lambda r: len(r) == 6, "six words"),
            Case(
                "one of three words each",
                (),
                lambda r: set(r) <= {"yes", "partly", "no"},
                "yes, partly or no",
            ),
            Case(
                "the clear cases",
                (),
                lambda r: (r[0], r[2]) == ("yes", "no"),
                "what a program decides, and what it can't",
            ),
            Case(
                "the mixed case",
                (),
                lambda r: r[1] == "partly",
                "a checkable part, and a rest",
            ),
        ],
        hints=[
            "Could two experts write the reference before they see the answer?",
            "Sorted output and running time can be measured. Can 'readably'?",
            "Sum: yes. Poem: no. For the others ask which part of the sentence a test decides.",
        ],
    ),
}
