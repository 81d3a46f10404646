"""Hidden cases of notebook 01: of the public ones' kinds, with other texts."""

from __future__ import annotations

from fractions import Fraction

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property
from rlvr_course.classroom.checks_01 import is_value
from rlvr_course.grading.marking.hidden import HINTS, known


def _value(name: str, text: str, value: Fraction | int) -> Case:
    return Case(name, (text,), lambda reply: is_value(reply, value), "its value")


HIDDEN = {
    "q01c": CheckSpec(
        cases=[
            known("plain", (r"Hence x = \boxed{-17}.",), "-17"),
            known("nested braces", (r"\boxed{\sqrt{\frac{2}{7}}}",), r"\sqrt{\frac{2}{7}}"),
            known("text after nested braces", (r"\boxed{x^{2}} or {so}.",), "x^{2}"),
            known("malformed: never closed", (r"thus \boxed{\sqrt{2}",), ""),
            known("none", ("The answer is 12.",), ""),
            known("false positive: withdrawn", (r"\boxed{\text{no}}, wait: \boxed{4.5}",), "4.5"),
            known("three of them", (r"\boxed{1}, \boxed{2}, \boxed{\frac{3}{1}}",), r"\frac{3}{1}"),
            known("the last one is cut off", (r"\boxed{x^{2}} and \boxed{x^{3",), "x^{2}"),
        ],
        properties=[
            Property(
                "text around it changes nothing",
                lambda ask: ask(r"1} \boxed{a{b}{c}} {2") == ask(r"\boxed{a{b}{c}}") == "a{b}{c}",
                "the same content",
            ),
        ],
        hints=HINTS,
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
            known("false positive: denied", (r"\text{never }12",), None),
            known("malformed: 6,000 digits", ("1" * 6000,), None),
            known("words", ("twelve",), None),
            known("malformed: blanks", ("   ",), None),
            known("malformed: division by zero", ("12/0",), None),
            known("false positive: an expression", ("2+2",), None),
            known("false positive: two values", ("3 and 4",), None),
        ],
        properties=[
            Property(
                "a near miss stays a near miss",
                lambda ask: ask("98765432109876543210.5") != ask("98765432109876543210.25"),
                "two values for two long numbers",
            ),
        ],
        hints=HINTS,
    ),
    "q01e": CheckSpec(
        cases=[
            known("honest: boxed", (r"The train needs \boxed{45} minutes.", "45"), True),
            known("honest: a unit in the box", (r"\boxed{12\text{ cm}}", "12"), True),
            known("honest: bare", ("-6", "-6"), True),
            known("honest: corrected", (r"\boxed{8}? No, \boxed{9}.", "9"), True),
            known("honest: after thinking", (r"<think>Is it 7?</think> \boxed{11}", "11"), True),
            known("honest: trailing zeros", (r"\boxed{25.00}", "25"), True),
            known("false positive: near miss", (r"\boxed{46}", "45"), False),
            known("false positive: a digit more", (r"\boxed{450}", "45"), False),
            known("false positive: withdrawn", (r"\boxed{45}? No, \boxed{54}.", "45"), False),
            known("false positive: hedge", ("It could be 12 or 13.", "13"), False),
            known("false positive: refusal", ("I can't say whether it is 45.", "45"), False),
            known("false positive: unfinished", (r"<think>maybe \boxed{45}", "45"), False),
            known("false positive: only in thought", ("<think>45</think> No clue.", "45"), False),
            known("malformed: blanks", ("  ", "45"), False),
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
        hints=HINTS,
    ),
}
