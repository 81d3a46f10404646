"""Checks of notebook 05: two comparisons, what a constant earns, a balanced score, flaky tests."""

from __future__ import annotations

from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec, Property

_NAN, _INFINITY = float("nan"), float("inf")


def _output(name: str, expected: str, got: str, same: bool, why: str) -> Case:
    return Case(name, (expected, got), lambda reply: reply is same, f"{same}: {why}")


def _value(name: str, expected: Any, got: Any, same: bool, why: str) -> Case:
    return Case(name, (expected, got), lambda reply: reply is same, f"{same}: {why}")


def _is_near(reply: Any, value: float) -> bool:
    is_number = isinstance(reply, (int, float)) and not isinstance(reply, bool)
    return is_number and abs(reply - value) <= 1e-9


def _income(name: str, expected: list[str], value: float, why: str) -> Case:
    return Case(name, (expected,), lambda reply: _is_near(reply, value), why)


def _balanced(name: str, passed: list[bool], expected: list[str], value: float, why: str) -> Case:
    return Case(name, (passed, expected), lambda reply: _is_near(reply, value), why)


def _runs(name: str, rate: float, chance: float, count: int, why: str) -> Case:
    is_right = lambda reply: type(reply) is int and reply == count  # noqa: E731
    return Case(name, (rate, chance), is_right, why)


CHECKS_05 = {
    "q05a": CheckSpec(
        cases=[
            _output("the same", "1\n2", "1\n2", True, "the same text, as a bool"),
            _output("a last line end", "14", "14\n", True, "empty lines at the end are forgiven"),
            _output("more empty lines", "14\n", "14\n\n \n", True, "they are empty but for blanks"),
            _output("line ends of Windows", "1\n2", "1\r\n2\r\n", True, "the kind of line end"),
            _output("blanks at the end of a line", "1 2\n3", "1 2 \n3\t", True, "forgiven"),
            _output("a line missing", "1\n2\n3", "1\n2", False, "the whole text counts"),
            _output("a line too many", "1\n2", "1\n2\n3", False, "the whole text counts"),
            _output("all answers in a row", "no", "yes\nno", False, "the whole text counts"),
            _output("false positive: contained", "1", "11", False, "not the same line"),
            _output("blanks at the start", "  a\nb", "a\nb", False, "layout at the start counts"),
            _output("an empty line at the start", "a", "\na", False, "only those at the end"),
            _output("an empty line inside", "a\nb", "a\n\nb", False, "only those at the end"),
            _output("blanks inside", "1 2", "1  2", False, "blanks inside a line count"),
            _output("upper case", "yes", "YES", False, "letters count as they are"),
            _output("another kind of break", "a\nb", "a\rb", False, "\\r alone ends no line"),
            _output("nothing", "14", "", False, "nothing was printed"),
            _output("malformed: both empty", "", "\n", True, "nothing is expected"),
        ],
        hints=[
            "Turn both texts into lists of lines; compare the lists, not pair by pair.",
            "rstrip() each line; then drop empty lines from the end of the list, in a loop.",
            "text.replace('\\r\\n', '\\n').split('\\n'), [row.rstrip() for row in ...], pop, ==",
        ],
    ),
    "q05b": CheckSpec(
        cases=[
            _value("an int", 14, 14, True, "the same, as a bool"),
            _value("another int", 14, 15, False, "ints are exact"),
            _value("a large int, nearly", 10**9, 10**9 + 1, False, "ints are exact"),
            _value("True for 1", 1, True, False, "a bool is no int here"),
            _value("1 for True", True, 1, False, "an int is no bool here"),
            _value("a float for an int", 2, 2.0, False, "the types differ"),
            _value("an int for a float", 2.0, 2, True, "an int may stand for a float"),
            _value("True for a float", 1.0, True, False, "a bool is no int here"),
            _value("a hair off", 0.3, 0.1 + 0.2, True, "within a millionth"),
            _value("a percent off", 100.0, 101.0, False, "more than a millionth"),
            _value("just within", 1000.0, 1000.0009, True, "within a millionth"),
            _value("just beyond", 1000.0, 1000.002, False, "two millionths"),
            _value("far below", 0.3, 0.2, False, "a difference has no sign"),
            _value("zero", 0.0, 0.0, True, "the same"),
            _value("nearly zero", 0.0, 1e-12, False, "a millionth of nothing is nothing"),
            _value("infinity for a float", 1.0, _INFINITY, False, "no number is within reach"),
            _value("negative floats", -0.3, -(0.1 + 0.2), True, "the size of the expected counts"),
            _value("tiny floats", 1e-9, 2e-9, False, "the tolerance is relative"),
            _value("text for a number", 14, "14", False, "the types differ"),
            _value("NaN for a float", 1.0, _NAN, False, "NaN equals nothing"),
            _value("NaN for NaN", _NAN, _NAN, False, "NaN equals nothing"),
            _value("a list", [1, "a", None], [1, "a", None], True, "item by item"),
            _value("a shorter list", [1, 2], [1], False, "the lengths differ"),
            _value("a longer list", [1], [1, 2], False, "the lengths differ"),
            _value("another order", [1, 2], [2, 1], False, "item by item"),
            _value("other letters", "a", " A", False, "text exactly"),
            _value("nothing for text", None, "", False, "the types differ"),
            _value("nothing for nothing", None, None, True, "the same"),
            _value("a bool deep inside", [[1], 0], [[True], 0], False, "the same rules inside"),
            _value("floats deep inside", [[0.3]], [[0.1 + 0.2]], True, "the same rules inside"),
            _value("malformed: nothing returned", [], None, False, "the types differ"),
        ],
        hints=[
            "type(a) is type(b) comes first; one exception; then floats, lists, and the rest.",
            "type(True) is bool, but isinstance(True, int) is True: so use type().",
            "For lists: equal lengths, and all(same_value(e, g) for e, g in zip(expected, got)).",
        ],
    ),
    "q05c": CheckSpec(
        cases=[
            _runs("half the time", 0.5, 0.9, 4, "1 - 0.5 ** 4 is 0.94, and 3 are too few"),
            _runs("exactly enough", 0.5, 0.75, 2, "at least the chance: equal will do"),
            _runs("once in ten", 0.1, 0.95, 29, "28 are too few"),
            _runs("once in a hundred", 0.01, 0.5, 69, "68 are too few"),
            _runs("always fails", 1.0, 0.99, 1, "one run"),
            _runs("a small chance", 0.3, 0.1, 1, "one run is needed to see anything"),
        ],
        properties=[
            Property(
                "rarer failures need more runs",
                lambda ask: ask(0.02, 0.9) > ask(0.04, 0.9) > ask(0.5, 0.9),
                "more runs",
            ),
        ],
        hints=[
            "What is the probability that it never failed in n runs?",
            "(1 - rate) ** n; the chance to see a failure is 1 less that.",
            "Count n up from 1 while 1 - (1 - rate) ** n is below chance.",
        ],
    ),
    "q05d": CheckSpec(
        cases=[
            _income("yes or no", ["yes", "no", "yes", "yes"], 3 / 4, "three of four"),
            _income("all different", ["1", "2", "3", "4", "5"], 1 / 5, "any one of five"),
            _income("all the same", ["none"] * 3, 1.0, "every test"),
            _income("the first isn't the best", ["a", "b", "b"], 2 / 3, "the most frequent"),
            _income("the last isn't the best", ["b", "b", "a"], 2 / 3, "the most frequent"),
            _income("as in q05a", ["7", "7\n", " 7", "8"], 2 / 4, "7 twice: blanks first count"),
            _income("malformed: no tests", [], 0.0, "0.0"),
        ],
        properties=[
            Property(
                "each test twice changes nothing",
                lambda ask: _is_near(ask(["a", "b", "b", "c"] * 2), ask(["a", "b", "b", "c"])),
                "a share, not a count",
            ),
        ],
        hints=[
            "Which text should a constant program print?",
            "Count each text after rstrip(); the largest count matters.",
            "max(counts.values()) / len(expected), and 0.0 for an empty list.",
        ],
    ),
    "q05e": CheckSpec(
        cases=[
            _balanced("all passed", [True] * 3, ["a", "b", "b"], 1.0, "1"),
            _balanced("none passed", [False] * 3, ["a", "b", "b"], 0.0, "0"),
            _balanced(
                "the constant of a frequent answer",
                [True, True, True, False],
                ["no", "no", "no", "yes"],
                1 / 2,
                "one of two answers",
            ),
            _balanced(
                "the rare answer alone",
                [False, False, False, True],
                ["no", "no", "no", "yes"],
                1 / 2,
                "one of two answers",
            ),
            _balanced(
                "a part of an answer's tests",
                [True, False, True],
                ["a", "a", "b"],
                3 / 4,
                "half of one answer, and the other",
            ),
            _balanced("all different", [True, False, False], ["1", "2", "3"], 1 / 3, "1 of 3"),
            _balanced("malformed: no tests", [], [], 0.0, "0.0"),
        ],
        properties=[
            Property(
                "no constant earns more than its share",
                lambda ask: all(
                    _is_near(ask([e == c for e in "aaaaabbc"], list("aaaaabbc")), 1 / 3)
                    for c in "abc"
                ),
                "1 over the number of distinct answers, whichever it prints",
            ),
        ],
        hints=[
            "What does one test weigh whose answer is expected by three tests?",
            "1 / expected.count(text); the whole weight is the number of distinct texts.",
            "sum(1 / expected.count(e) for p, e in zip(passed, expected) if p), over len(set(...))",
        ],
    ),
}
