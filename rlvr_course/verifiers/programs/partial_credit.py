"""What partial credit pays a program that does no work, and a weighting of tests that pays less.

A share of passed tests pays a constant whatever share of the tests expects it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def best_constant(expected: Sequence[str]) -> str:
    """The output that most tests expect; of equally frequent ones the first.

    Args:
        expected: each test's expected output, at least one; compared with blanks at the end
            of the text left out.

    Raises:
        ValueError: there is no test.

    >>> best_constant(["yes", "no", "no\\n"])
    'no'
    """
    if not expected:
        raise ValueError("expected=[]: give at least one expected output")
    return Counter(text.rstrip() for text in expected).most_common(1)[0][0]


def balanced_score(passed: Sequence[bool], expected: Sequence[str]) -> float:
    """The score in which each distinct expected output weighs the same, shared among its tests.

    Args:
        passed: whether each test was passed.
        expected: each test's expected output, in the same order.

    Returns:
        From 0 to 1; 0 without tests. A constant earns 1 over the number of distinct outputs.

    Raises:
        ValueError: the lengths differ.

    >>> balanced_score([True, True, True, False], ["no", "no", "no", "yes"])
    0.5
    """
    if len(passed) != len(expected):
        raise ValueError(f"{len(passed)} results for {len(expected)} tests: give one for each")
    tests = Counter(expected)
    won = sum(1 / tests[text] for ok, text in zip(passed, expected, strict=True) if ok)
    return won / max(len(tests), 1)
