"""Hidden cases of notebook 04: of the public ones' kinds, with other texts."""

from __future__ import annotations

from rlvr_course.classroom.check_spec import CheckSpec
from rlvr_course.grading.marking.hidden import HINTS, known

_QUESTION = "A train needs 45 minutes for 60 km. How fast does the train go?"

HIDDEN = {
    "q04a": CheckSpec(
        cases=[
            known("a bare number", ("80",), True),
            known("a bare box", (r"\boxed{-12}",), True),
            known("a short sentence", ("So it is 7 euros.",), True),
            known("worked", ("45 minutes are 45 / 60 = 0.75 hours.\n60 / 0.75 = 80 km/h.",), False),
            known(
                "worked in LaTeX",
                (r"\[ 12 \times 4 = 48 \] and then \[ 48 \div 6 = \boxed{8} \]",),
                False,
            ),
            known("malformed: empty", ("",), True),
        ],
        hints=HINTS,
    ),
    "q04b": CheckSpec(
        cases=[
            known(
                "only filler", ("All of this was done well. Nobody can doubt it", _QUESTION), 1.0
            ),
            known("only work", ("It takes 45 of 60. So 80 it is", _QUESTION), 0.0),
            known(
                "words, not sentences",
                ("Great care was taken here and there. It is 80 now", _QUESTION),
                7 / 10,
            ),
            known("the question's words", ("Look at the minutes! The TRAIN moves", _QUESTION), 0.0),
            known("short words don't count", ("How so? It is 80", _QUESTION), 2 / 4),
            known("line breaks", ("Every train\nis a wonder\n80", _QUESTION), 3 / 5),
            known("whole words, not parts", ("A minute passed. Fasting helps.", _QUESTION), 1.0),
            known("malformed: empty", ("", _QUESTION), 0.0),
        ],
        hints=HINTS,
    ),
    "q04c": CheckSpec(
        cases=[
            known("four", (r"\boxed{1}\boxed{2}\boxed{3}\boxed{4}",), ["1", "2", "3", "4"]),
            known("two", (r"\boxed{11} and \boxed{12}",), []),
            known("one value repeated", (r"\boxed{a} \boxed{a} \boxed{ a}",), []),
            known(
                "in order, each once",
                (r"\boxed{8} \boxed{ 3 } \boxed{3} \boxed{8} \boxed{x}",),
                ["8", "3", "x"],
            ),
            known(
                "nested braces",
                (r"\boxed{x^{2}} or \boxed{x^{3}} or \boxed{\sqrt{x}}",),
                ["x^{2}", "x^{3}", r"\sqrt{x}"],
            ),
            known("malformed: never closed", (r"\boxed{7} \boxed{8} \boxed{\frac{9}{2}",), []),
        ],
        hints=HINTS,
    ),
}
