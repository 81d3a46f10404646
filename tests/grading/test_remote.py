"""A call in the sandbox: values cross whole, reasons are told, nothing else comes back."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.classroom.asking import NoReply
from rlvr_course.classroom.plain import as_plain
from rlvr_course.grading.handin.handed_in import HandedCell
from rlvr_course.grading.marking.definitions import definitions
from rlvr_course.grading.marking.enclosed import MAX_BITS, flatten, restore
from rlvr_course.grading.marking.remote import FULL, LIGHT, Remote, packages_for
from rlvr_course.records import Problem, Verdict
from rlvr_course.stats import Rate
from rlvr_course.verifiers.programs.inside import NotPlain, decode, encode

SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=9),
    st.fractions(), st.builds(Problem, st.text(max_size=5), st.text(max_size=5)),
    st.builds(lambda n, more: Rate(n, n + more), st.integers(0, 9), st.integers(1, 9)),
)  # fmt: skip
VALUE = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUE)
def test_plain_values_cross_whole(value: Any) -> None:
    back = restore(decode(encode(flatten(as_plain(value)))))
    assert back == value
    assert repr(back) == repr(value)  # types too: True is not 1, (1,) not [1]


JUNK = st.recursive(
    st.none() | st.integers() | st.binary(max_size=9) | st.complex_numbers() | st.sampled_from(
        [b"Fraction", b"Verdict", b"Rate", b"Problem", "correct", 0.5, {"status": "correct"}]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(st.sampled_from(["status", "successes", "n"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(JUNK)
def test_a_forged_value_is_plain_or_refused(value: Any) -> None:
    try:
        restored = restore(decode(encode(value)))
    except (ValueError, NotPlain):
        return
    assert repr(as_plain(restored)) == repr(restored)


@pytest.mark.parametrize(
    "value",
    [
        1 << MAX_BITS,
        [(b"Fraction", 1, 1 << (MAX_BITS - 1))] * 21,
        (b"Fraction", 1, 0),
        (b"Fraction", True, 2),
        (b"Path", {}),
        (b"",),
    ],
    ids=["huge", "huge in all", "over zero", "a bool", "another type", "no type"],
)
def test_what_could_do_harm_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"not a"):
        restore(value)


def remote(source: str, checked: str = "f") -> Remote:
    return Remote(definitions([HandedCell(1, "code", source)], checked))


ECHO = remote("def f(*args): return args")


@pytest.mark.usefixtures("sandbox")
@given(st.lists(VALUE, max_size=3))
@settings(max_examples=15)
def test_arguments_go_in_and_come_back(args: list[Any]) -> None:
    assert repr(ECHO(*args)) == repr(tuple(args) if args else ())


@pytest.mark.usefixtures("sandbox")
def test_nan_and_infinities_cross() -> None:
    nan, low = ECHO(math.nan, -math.inf)
    assert math.isnan(nan)
    assert low == -math.inf


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("source", "reply"),
    [
        ("f = 3", 3),
        ("print('noise' * 100)\nf = lambda: print('noise') or [1, (2,)]", [1, (2,)]),
        ("import numpy as np\nf = {'a': np.arange(3), 'b': np.float64(0.5)}",
         {"a": [0, 1, 2], "b": 0.5}),
        ("from rlvr_course import Verdict\nf = Verdict.incorrect('1', 'no')",
         Verdict.incorrect("1", "no")),
        ("f = range(3)", [0, 1, 2]),
        ("display('x')\nf = Fraction = 1", 1),
    ],
    ids=["a value", "noise", "numpy", "a record", "a range", "own names"],
)  # fmt: skip
def test_a_reply_comes_back_in_plain_types(source: str, reply: Any) -> None:
    back = remote(source)()
    assert (back, type(back)) == (reply, type(reply))


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def f(): return 1 / 0", "raised ZeroDivisionError: division by zero"),
        ("def f(): return {1}", "not a plain value: it is of type set; give a list"),
        ("def f(): exit(3)", "raised SystemExit: 3"),
        ("import os\ndef f(): os._exit(0)", "ended its process instead of returning a value"),
        ("f = g", "raised NameError: name 'f' is not defined; before that: cell 1, line 1: Name"),
        ("x = yield\nf = x", "before that: cell 1, line 1: SyntaxError: 'yield' outside function"),
        ("x = 1 / 0\nf = x", "before that: cell 1, line 1: ZeroDivisionError: division by zero"),
        ("def f(): raise ValueError('a\\nb' * 999)", "raised ValueError: a ba ba b"),
        ("def f(): return list(range(10**6))", "returned too large a value"),
        ("def f(): return [0] * 10**5", "returned too large a value"),
    ],
)
def test_a_call_without_a_reply_says_why(source: str, why: str) -> None:
    with pytest.raises(NoReply) as caught:
        remote(source, "f")()
    assert why in str(caught.value)
    assert len(str(caught.value)) <= 300


@pytest.mark.usefixtures("sandbox")
def test_a_value_is_computed_once() -> None:
    one = remote("import random\nf = random.random()")
    assert one() == one()
    assert len(one.asked) == 1


@pytest.mark.usefixtures("sandbox")
def test_each_call_is_the_first() -> None:
    one = remote("calls = []\ndef f(n):\n    calls.append(n)\n    return calls")
    assert (one(1), one(2)) == ([1], [2])


@pytest.mark.parametrize(
    ("source", "packages"),
    [
        ("import re\ndef f(): return re", LIGHT),
        ("import numpy as np, re\ndef f(): return re", LIGHT),
        ("import numpy as np\ndef f(): return np", FULL),
        ("def f():\n    from rlvr_course.stats import Rate", FULL),
    ],
)
def test_large_packages_are_there_for_those_who_import_them(source: str, packages: Any) -> None:
    assert packages_for(remote(source).needed) == packages
