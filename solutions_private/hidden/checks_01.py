"""Hidden cases of notebook 01: of the public ones' kinds, with other texts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

_HINTS = ("The public cases are of the same kinds.",)


def _box(name: str, text: str, content: str) -> Case:
    return Case(name, (text,), lambda reply: reply == content, "the content")


def _value(name: str, text: str, value: Fraction | int) -> Case:
    def holds(reply: Any) -> bool:
        return type(reply) is not bool and Fraction(str(reply)) == value

    return Case(name, (text,), holds, "its value")


def _no_value(name: str, text: str) -> Case:
    return Case(name, (text,), lambda reply: reply is None, "None")


def _judged(name: str, text: str, answer: str, is_right: bool) -> Case:
    return Case(name, (text, answer), lambda reply: reply is is_right, str(is_right))


HIDDEN = {
    "q01c": CheckSpec(
        cases=[
            _box("plain", r"Hence x = \boxed{-17}.", "-17"),
            _box("nested braces", r"\boxed{\sqrt{\frac{2}{7}}}", r"\sqrt{\frac{2}{7}}"),
            _box("text after nested braces", r"\boxed{x^{2}} or {so}.", "x^{2}"),
            _box("malformed: never closed", r"thus \boxed{\sqrt{2}", ""),
            _box("none", "The answer is 12.", ""),
            _box("false positive: withdrawn", r"\boxed{\text{no}}, wait: \boxed{4.5}", "4.5"),
            _box("three of them", r"\boxed{1}, \boxed{2}, \boxed{\frac{3}{1}}", r"\frac{3}{1}"),
            _box("the last one is cut off", r"\boxed{x^{2}} and \boxed{x^{3", "x^{2}"),
        ],
        properties=[
            Property(
                "text around it changes nothing",
                lambda ask: ask(r"1} \boxed{a{b}{c}} {2") == ask(r"\boxed{a{b}{c}}") == "a{b}{c}",
                "the same content",
            ),
        ],
        hints=_HINTS,
    ),
    "q01d": CheckSpec(
        cases=[
            _value("an integer", "-305", -305),
            _value("a decimal", "2.50", Fraction(5, 2)),
            _value("a negative decimal", "-0.125", Fraction(-1, 8)),
            _value("a fraction", "9/12", Fraction(3, 4)),
            _value("a LaTeX fraction", r"\frac{7}{4}", Fraction(7, 4)),
            _value("money", "$25,750", 25750),
            _value("thousands", "1,234,567", 1234567),
            _value("percent", "35%", 35),
            _value("a unit", r"12.5\text{ litres}", Fraction(25, 2)),
            _value("exactly", "0.3", Fraction(3, 10)),
            _no_value("false positive: denied", r"\text{never }12"),
            _no_value("malformed: 6,000 digits", "1" * 6000),
            _no_value("words", "twelve"),
            _no_value("malformed: blanks", "   "),
            _no_value("malformed: division by zero", "12/0"),
            _no_value("false positive: an expression", "2+2"),
            _no_value("false positive: two values", "3 and 4"),
        ],
        properties=[
            Property(
                "a near miss stays a near miss",
                lambda ask: ask("98765432109876543210.5") != ask("98765432109876543210.25"),
                "two values for two long numbers",
            ),
        ],
        hints=_HINTS,
    ),
    "q01e": CheckSpec(
        cases=[
            _judged("honest: boxed", r"The train needs \boxed{45} minutes.", "45", True),
            _judged("honest: a unit in the box", r"\boxed{12\text{ cm}}", "12", True),
            _judged("honest: bare", "-6", "-6", True),
            _judged("honest: corrected", r"\boxed{8}? No, \boxed{9}.", "9", True),
            _judged("honest: after thinking", r"<think>Is it 7?</think> \boxed{11}", "11", True),
            _judged("honest: trailing zeros", r"\boxed{25.00}", "25", True),
            _judged("false positive: near miss", r"\boxed{46}", "45", False),
            _judged("false positive: a digit more", r"\boxed{450}", "45", False),
            _judged("false positive: withdrawn", r"\boxed{45}? No, \boxed{54}.", "45", False),
            _judged("false positive: hedge", "It could be 12 or 13.", "13", False),
            _judged("false positive: refusal", "I can't say whether it is 45.", "45", False),
            _judged("false positive: unfinished", r"<think>maybe \boxed{45}", "45", False),
            _judged("false positive: only in thought", "<think>45</think> No clue.", "45", False),
            _judged("malformed: blanks", "  ", "45", False),
        ],
        properties=[
            Property(
                "the sign counts",
                lambda ask: (
                    ask(r"\boxed{-31}", "-31") is True and ask(r"\boxed{31}", "-31") is False
                ),
                "31 and -31 told apart",
            ),
            Property(
                "text before the answer changes nothing",
                lambda ask: ask(r"From 5 and 6: \boxed{30}", "30") is True,
                "numbers in the working do not matter",
            ),
        ],
        hints=_HINTS,
    ),
}
