"""Hidden cases of notebook 05: of the public ones' kinds, with other texts and numbers."""

from __future__ import annotations

from rlvr_course.classroom.check_spec import CheckSpec, Property
from rlvr_course.grading.marking.hidden import HINTS, known

HIDDEN = {
    "q05a": CheckSpec(
        cases=[
            known("the same", ("a b\nc", "a b\nc"), True),
            known("a last line end", ("yes\nno", "yes\nno\n"), True),
            known("more empty lines", ("5\n", "5\n\t\n\n"), True),
            known("line ends of Windows", ("x\r\ny", "x\ny"), True),
            known("blanks at the end of a line", ("3  \n4", "3\n4   "), True),
            known("a line missing", ("a\nb", "a"), False),
            known("a line too many", ("a", "a\nb"), False),
            known("contained", ("12", "112"), False),
            known("blanks at the start", ("7", " 7"), False),
            known("an empty line at the start", ("x\ny", "\nx\ny"), False),
            known("an empty line inside", ("x\n\ny", "x\ny"), False),
            known("blanks inside", ("a  b", "a b"), False),
            known("upper case", ("No", "no"), False),
            known("nothing", ("0", "\n"), False),
        ],
        hints=HINTS,
    ),
    "q05b": CheckSpec(
        cases=[
            known("an int", (-7, -7), True),
            known("another int", (100, 101), False),
            known("False for 0", (0, False), False),
            known("0 for False", (False, 0), False),
            known("a float for an int", (5, 5.0), False),
            known("an int for a float", (5.0, 5), True),
            known("another int for a float", (5.0, 6), False),
            known("a hair off", (0.7, 0.1 + 0.6), True),
            known("just within", (-2000.0, -2000.001), True),
            known("just beyond", (2000.0, 1999.99), False),
            known("text", ("ab", "ab"), True),
            known("text for a number", (1.5, "1.5"), False),
            known("NaN for NaN", (float("nan"), float("nan")), False),
            known("a list", ([None, "x", 2.0], [None, "x", 2]), True),
            known("a longer list", ([], [0]), False),
            known("a bool deep inside", ([[0, [1]]], [[0, [True]]]), False),
            known("floats deep inside", ([[[0.7]]], [[[0.1 + 0.6]]]), True),
            known("a list for None", (None, []), False),
        ],
        hints=HINTS,
    ),
    "q05c": CheckSpec(
        cases=[
            known("half the time", (0.5, 0.95), 5),
            known("exactly enough", (0.5, 0.875), 3),
            known("one in five", (0.2, 0.9), 11),
            known("rarely", (0.005, 0.5), 139),
            known("always fails", (1.0, 0.5), 1),
        ],
        hints=HINTS,
    ),
    "q05d": CheckSpec(
        cases=[
            known("yes or no", (["no", "no", "yes", "no", "yes"],), 3 / 5),
            known("all different", (["a", "b"],), 1 / 2),
            known("all the same", (["7"] * 6,), 1.0),
            known("blanks at the end", (["x ", "x", "y"],), 2 / 3),
            known("blanks at the start", ([" x", "x", "y", "y"],), 1 / 2),
            known("malformed: no tests", ([],), 0.0),
        ],
        hints=HINTS,
    ),
    "q05e": CheckSpec(
        cases=[
            known("all passed", ([True, True], ["x", "x"]), 1.0),
            known("none passed", ([False, False], ["x", "y"]), 0.0),
            known("a frequent one", ([True] * 4 + [False], ["0"] * 4 + ["1"]), 1 / 2),
            known("a part", ([True, False, False, True], ["a", "a", "a", "b"]), 2 / 3),
            known("three kinds", ([False, True, False], ["x", "y", "z"]), 1 / 3),
            known("malformed: no tests", ([], []), 0.0),
        ],
        properties=[
            Property(
                "order does not matter",
                lambda ask: (
                    ask([True, False, True], list("aab")) == ask([True, True, False], list("baa"))
                ),
                "the same score",
            ),
        ],
        hints=HINTS,
    ),
}
