"""Function tests: what a candidate can do to its harness, and what it gains by it."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import CodeVerifier
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.sandbox.records import StopReason
from rlvr_course.verifiers.programs.calls import call_program, read_reply
from rlvr_course.verifiers.programs.cases import CallCase, read_suite
from rlvr_course.verifiers.programs.inside import encode

TEST = [{"call": "f", "args": [3], "expected": 14}]
RIGHT = "def f(n): return n * (n + 1) * (2 * n + 1) // 6"
FORGER = """
import os, sys
def f(n):
    frame = sys._getframe()
    while 'request' not in frame.f_locals: frame = frame.f_back
    os.write(1, (frame.f_locals['request']['nonce'] + REPLY + '\\n').encode())
    os._exit(0)
"""


def test_the_expected_value_does_not_go_in() -> None:
    program, nonce = call_program(RIGHT, CallCase("f", (3,), "a secret"))
    assert "a secret" not in program.source + program.stdin
    assert set(json.loads(program.stdin)) == {"nonce", "source", "call", "args"}
    assert nonce != call_program(RIGHT, CallCase("f", (3,), 1))[1]


PAID = {
    "plain": RIGHT,
    "prints much": f"print('noise ' * 5_000, end='')\n{RIGHT}",
    "prints a value's text": f"print('v' + '[\"i\",\"0x1\"]')\n{RIGHT}",
    "patches builtins": "import builtins\nbuiltins.type = builtins.sum = builtins.str = None\n"
    + RIGHT,
    "patches the library": "import json, os, sys\njson.dumps = json.loads = os.write = None\n"
    f"os._exit = None\nsys.stdout = sys.stderr = None\n{RIGHT}",
    "registers a failing exit": f"import atexit, os\natexit.register(os._exit, 3)\n{RIGHT}",
    "leaves a thread behind": "import threading, time\n"
    f"threading.Thread(target=time.sleep, args=(60,)).start()\n{RIGHT}",
    "future import": f"from __future__ import annotations\n{RIGHT}",
    "dataclass": "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    f"@dataclass\nclass P:\n    x: int = 0\n{RIGHT}",
    "main guard": f"{RIGHT}\nif __name__ == '__main__':\n    f(int(input()))",
    "callable object": "class F:\n    def __call__(self, n): return 14\nf = F()",
    "numbers by name": "import enum\nclass E(enum.IntEnum):\n    A = 14\ndef f(n): return E.A",
    "method of Solution": "class Solution:\n    def f(self, n): return 14",
    "byte order mark": f"\ufeff{RIGHT}",
    "its own file": f"import os\nos.path.dirname(__file__)\n{RIGHT}",
    "forged right value": f"REPLY = {'v' + encode(14)!r}\n{FORGER}",
}
UNPAID = {
    "wrong": ("def f(n): return 15", "wrong_value"),
    "text": ("def f(n): return '14'", "wrong_value"),
    "undefined": ("def g(n): return 14", "undefined"),
    "raises": ("def f(n): return 1 / 0", "raised: ZeroDivisionError"),
    "raises at import": ("import nothing_of_this_name", "raised: ModuleNotFoundError"),
    "syntax error": ("def f(n) return 14", "raised: SyntaxError"),
    "null character": ("def f(n): return 14\0", "raised: "),
    "exits at import": ("import sys\nsys.exit(0)", "raised: SystemExit"),
    "exits in the call": ("def f(n): raise SystemExit(0)", "raised: SystemExit"),
    "exits hard": ("import os\ndef f(n): os._exit(0)", "returned_nothing"),
    "exits hard with a failure": ("import os\ndef f(n): os._exit(3)", "crashed"),
    "always equal": (
        "class E(int):\n  def __eq__(s, o): return True\n  __hash__ = int.__hash__\n"
        "def f(n): return E(15)",
        "wrong_value",
    ),
    "class whose metaclass equals list": (
        "class M(type):\n  def __eq__(s, o): return True\n  def __hash__(s): return hash(list)\n"
        "class E(metaclass=M): pass\ndef f(n): return E()",
        "not_plain: E",
    ),
    "dict that shows other items": (
        "class D(dict):\n  def items(s): return [('a', 14)]\n  __iter__ = keys = items\n"
        "def f(n): return D()",
        "wrong_value",
    ),
    "pretends to be an int": (
        "class E:\n  __class__ = int\n  def __index__(s): return 14\ndef f(n): return E()",
        "not_plain: E",
    ),
    "generator": ("def f(n): yield 14", "not_plain: generator"),
    "endless nest": (
        "def f(n):\n  a = []\n  a.append(a)\n  return a",
        "not_plain: nested too deep",
    ),
    "shared nest": (
        "def f(n):\n  a = [0]\n  for _ in range(60): a = [a, a]\n  return a",
        "not_plain: too large",
    ),
    "little recursion left": (
        "import sys\ndef f(n):\n  a = []\n  for _ in range(90): a = [a]\n"
        "  sys.setrecursionlimit(20)\n  return a",
        "raised: RecursionError",
    ),
    "closes its output": ("import os\ndef f(n):\n  os.close(1)\n  return 14", ""),
    "forged wrong value": (f"REPLY = {'v' + encode(15)!r}\n{FORGER}", "wrong_value"),
    "forged verdict": (f"REPLY = 'passed'\n{FORGER}", "forged_reply"),
    "forged pass in a failure's place": (f"REPLY = 'epassed'\n{FORGER}", "forged_reply"),
    "forged fault of the sandbox": (f"REPLY = 'einfra'\n{FORGER}", "forged_reply"),
    "forged nest": (f"REPLY = 'v' + '[\"l\",[' * 9_000\n{FORGER}", "forged_reply"),
    "exception with a lying name": (
        "class M(type):\n  __name__ = property(lambda s: 1 / 0)\n"
        "class E(Exception, metaclass=M): pass\ndef f(n): raise E",
        "raised: E",
    ),
}


def test_no_honest_program_loses_by_what_else_it_does(verifier) -> None:
    reports = verifier.report_many(list(PAID.values()), [TEST] * len(PAID))
    assert {
        name: report.outcomes[0].reason
        for name, report in zip(PAID, reports, strict=True)
        if report.score != 1
    } == {}


def test_a_trick_gains_nothing_and_its_reason_is_kept(verifier) -> None:
    codes = [code for code, _ in UNPAID.values()]
    reports = verifier.report_many(codes, [TEST] * len(codes))
    for (name, (_, reason)), report in zip(UNPAID.items(), reports, strict=True):
        assert report.score == 0.0, name
        assert report.outcomes[0].reason.startswith(reason), (name, report.outcomes[0])


def test_arguments_and_values_keep_their_types(verifier) -> None:
    args = [{"a": (1, 2.5)}, {3, 4}, None, "\ud7ff", b"x", 10**5000, True]
    echo = "def f(*args): return list(args)"
    report = verifier.report(echo, [{"call": "f", "args": args, "expected": args}])
    assert report.outcomes[0].passed, report


def test_a_program_that_replaces_every_type_still_gets_its_value_out(verifier) -> None:
    value = [1, 0.5, 1j, "a", b"b", True, None, {"k": (2,)}, {3}]
    names = "bool int float complex str bytes dict list tuple set frozenset type id hex len iter"
    code = "import builtins\ndef f():\n    value = {!r}\n{}    return value".format(
        value, "".join(f"    builtins.{name} = None\n" for name in names.split())
    )
    report = verifier.report(code, [{"call": "f", "args": [], "expected": value}])
    assert report.score == 1.0, report


def test_numpy_s_numbers_are_numbers(pool) -> None:
    pytest.importorskip("numpy")
    codes = ["int64(14)", "float64(14)", "bool_(True)", "array([14])"]
    with SandboxPool(pool.tier, workers=1, packages=("numpy",)) as opened:
        reports = CodeVerifier(opened).report_many(
            [f"import numpy\ndef f(n): return numpy.{code}" for code in codes], [TEST] * 4
        )
    reasons = [report.outcomes[0].reason for report in reports]
    assert reasons == ["passed", "passed", "wrong_value", "not_plain: ndarray"]


@pytest.mark.parametrize(
    ("stdout", "failure"),
    [("", "returned_nothing"), ("n0", "returned_nothing"), ("n0x", "forged_reply"),
     ("n0v[", "forged_reply"), ("n0e", "forged_reply"), ("n0epassed", "forged_reply"),
     ("n0eraised: \x1b[2J", "forged_reply"), ("n0eraised: E", "raised: E"),
     ("ALL TESTS PASSED", "returned_nothing")],
    ids=["nothing", "nonce alone", "unknown mark", "cut", "no reason", "a host's word",
         "control characters", "raised", "another mark"],
)  # fmt: skip
def test_a_reply_that_is_none_has_a_reason(stdout: str, failure: str) -> None:
    assert read_reply(stdout, "n0").failure == failure


@given(st.text(max_size=40))
def test_no_failure_that_is_sent_back_is_a_word_of_the_host_s(text: str) -> None:
    failure = read_reply(f"n0e{text}", "n0").failure
    own = {"passed", "infra", "wrong_value", "crashed", *get_args(StopReason)}
    assert failure and failure not in own


@pytest.mark.parametrize("word", ["passed", "infra", *get_args(StopReason)])
def test_a_host_s_word_sent_back_is_a_forged_reply(word: str) -> None:
    assert read_reply(f"n0e{word}", "n0").failure == "forged_reply"


def test_the_last_reply_counts_and_noise_does_not() -> None:
    assert read_reply('n0v["i","0x1"]\nnoise n0v["i","0x2"]\nnoise', "n0").value == 2
    assert read_suite(TEST).cases[0].given == "f(3)"
