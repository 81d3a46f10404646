"""The tests of a programming problem: their formats, and what is wrong with malformed ones.

A *stdio* test is ``{"input": "3\\n", "expected": "14"}``: the program reads and prints. A
*function* test is ``{"call": "f", "args": [3], "expected": 14}``: the program defines ``f``, or a
class ``Solution`` with the method ``f``. Either may have ``"hidden": true``: the policy was not
shown it.

A problem's answer is a list of tests, or a mapping with the lists ``visible`` and ``hidden`` (also
``visible_tests`` and ``hidden_tests``) and, if it is known, a ``reference`` solution, which may
stand in a code block.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from rlvr_course.verifiers.programs.fences import strip_fences
from rlvr_course.verifiers.programs.inside import NotPlain, decode, encode
from rlvr_course.verifiers.programs.values import holds_nan, shown

_LISTS = {"visible": False, "visible_tests": False, "hidden": True, "hidden_tests": True}
_STDIO = {"input", "expected", "hidden"}
_FUNCTION = {"call", "args", "expected", "hidden"}


@dataclass(frozen=True, slots=True)
class StdioCase:
    """Text for standard input and the text that is to be printed."""

    input: str
    expected: str
    hidden: bool = False

    @property
    def given(self) -> str:
        """What the program gets, for a person."""
        return self.input


@dataclass(frozen=True, slots=True)
class CallCase:
    """A function's name, its positional arguments, and the value that is to be returned."""

    call: str
    args: tuple[Any, ...]
    expected: Any
    hidden: bool = False

    @property
    def given(self) -> str:
        """The call, for a person."""
        return f"{self.call}({', '.join(map(shown, self.args))})"


Case = StdioCase | CallCase


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of one problem, visible ones first, and the reference solution, "" if unknown."""

    cases: tuple[Case, ...]
    reference: str = ""

    @property
    def call(self) -> str:
        """The function that the first function test calls, "" if there is none."""
        return next((case.call for case in self.cases if isinstance(case, CallCase)), "")

    @property
    def key(self) -> str:
        """A digest of all that the suite holds."""
        parts = [encode(_content(case)) for case in self.cases]
        text = json.dumps([self.reference, *parts])
        return hashlib.sha256(text.encode()).hexdigest()


def _content(case: Case) -> list[Any]:
    if isinstance(case, CallCase):
        return [case.call, list(case.args), case.expected, case.hidden]
    return [case.input, case.expected, case.hidden]


def read_suite(answer: Any) -> Suite:
    """The tests of a problem's answer.

    Args:
        answer: a list of tests or a mapping of two lists; see the module.

    Raises:
        ValueError: there are no tests, or one is malformed; the message says which and why.

    >>> read_suite([{"input": "3\\\\n", "expected": "14"}]).cases[0].expected
    '14'
    >>> read_suite({"visible": [{"call": "f", "args": [3]}]})
    Traceback (most recent call last):
    ValueError: visible test 1 has no 'expected'
    """
    reference = ""
    if isinstance(answer, Mapping):
        unknown = [repr(key) for key in answer if key not in {*_LISTS, "reference"}]
        if unknown:
            raise ValueError(f"tests have no part {unknown[0]}; use visible, hidden, reference")
        reference = answer.get("reference") or ""
        if type(reference) is not str:
            raise ValueError(f"reference is {type(reference).__name__}: give a program's text")
        listed = [(name, answer[name], hid) for name, hid in _LISTS.items() if name in answer]
    else:
        listed = [("", answer, False)]
    cases = [case for name, tests, hid in listed for case in _read_list(name, tests, hidden=hid)]
    if not cases:
        raise ValueError("there are no tests: give at least one")
    ordered = sorted(cases, key=lambda case: case.hidden)
    suite = Suite(tuple(ordered))
    return Suite(suite.cases, strip_fences(reference, call=suite.call))


def _read_list(name: str, tests: Any, *, hidden: bool) -> list[Case]:
    if isinstance(tests, str | bytes | Mapping) or not isinstance(tests, Sequence):
        where = f"{name!r} is" if name else "tests are"
        raise ValueError(f"{where} {type(tests).__name__}: give a list of tests")
    label = f"{name.removesuffix('_tests')} test" if name else "test"
    return [_read(test, f"{label} {i}", hidden) for i, test in enumerate(tests, start=1)]


def _read(test: Any, where: str, hidden: bool) -> Case:
    if not isinstance(test, Mapping):
        raise ValueError(f"{where} is {type(test).__name__}: give a mapping")
    if "expected" not in test:
        raise ValueError(f"{where} has no 'expected'")
    is_call = "call" in test
    unknown = [repr(key) for key in test if key not in (_FUNCTION if is_call else _STDIO)]
    if unknown:
        raise ValueError(f"{where} has an unknown field {unknown[0]}")
    own = test.get("hidden", hidden)
    if type(own) is not bool:
        raise ValueError(f"{where}: hidden={own!r} is neither true nor false")
    return _read_call(test, where, own) if is_call else _read_stdio(test, where, own)


def _read_stdio(test: Mapping[str, Any], where: str, hidden: bool) -> StdioCase:
    if "input" not in test:
        raise ValueError(f"{where} has neither 'input' nor 'call'")
    for name in ("input", "expected"):
        if type(test[name]) is not str:
            kind = type(test[name]).__name__
            raise ValueError(f"{where}: {name} is {kind}; standard input and output are text")
        if not test[name].isascii() and not _is_unicode(test[name]):
            raise ValueError(f"{where}: {name} can't be written as UTF-8")
    return StdioCase(test["input"], test["expected"], hidden)


def _read_call(test: Mapping[str, Any], where: str, hidden: bool) -> CallCase:
    call, args = test["call"], test.get("args")
    if type(call) is not str or not call.isidentifier() or iskeyword(call):
        raise ValueError(f"{where}: call={call!r} is not a function's name")
    if not isinstance(args, list | tuple):
        raise ValueError(f"{where}: args is {type(args).__name__}; give a list")
    own_args, expected = (_plain(test[name], f"{where}: {name}") for name in ("args", "expected"))
    if holds_nan(expected):
        raise ValueError(f"{where}: expected holds NaN, which equals nothing")
    return CallCase(call, tuple(own_args), expected, hidden)


def _plain(value: Any, where: str) -> Any:
    """A copy in built-in types: what programs send back is compared type by type."""
    try:
        return decode(encode(value))
    except NotPlain as error:
        raise ValueError(f"{where} is no plain value ({error})") from None


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True
