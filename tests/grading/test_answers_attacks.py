"""A learner's code against the grader: it may do what it likes, and earns nothing by it."""

from __future__ import annotations

from typing import Any

import pytest
from marking import CHECKOUT, course, filled, marks_of, read, solution_of

from rlvr_course.classroom.check import run_check
from rlvr_course.classroom.specs import SPECS
from rlvr_course.grading.handin.handed_in import handed_in
from rlvr_course.grading.marking.definitions import definitions
from rlvr_course.grading.marking.remote import Remote

pytestmark = pytest.mark.usefixtures("sandbox")

NAME = "01_verifiers"
DEF = "def last_box(text):\n    "

FIND_NONCE = """
import os, sys
def last_box(text):
    frame = sys._getframe()
    while frame:
        request = frame.f_locals.get("request")
        if isinstance(request, dict) and "nonce" in request:
            for reply in {replies}:
                os.write(1, f"\\n{{request['nonce']}}{{reply}}\\n".encode())
            os._exit(0)
        frame = frame.f_back
    return "found nothing"
"""

ATTACKS = {
    "a value that equals everything": (
        "class Yes:\n"
        "    def __eq__(self, other): return True\n"
        "    def __getattr__(self, name): return self\n"
        f"{DEF}return Yes()"
    ),
    "a text that equals everything": (
        "class Yes(str):\n"
        "    def __eq__(self, other): return True\n"
        "    __hash__ = str.__hash__\n"
        f"{DEF}return Yes('z')"
    ),
    "a class that is every class": (
        "class Meta(type):\n"
        "    def __eq__(cls, other): return True\n"
        "    def __hash__(cls): return 0\n"
        "    def __instancecheck__(cls, other): return True\n"
        "class Yes(metaclass=Meta): pass\n"
        f"{DEF}return Yes()"
    ),
    "a constant": f"{DEF}return ''",
    "no process any more": f"import os\n{DEF}os._exit(0)",
    "SystemExit": f"{DEF}raise SystemExit(0)",
    "a signal": f"import os, signal\n{DEF}os.kill(os.getpid(), signal.SIGKILL)",
    "processes without end": f"import os\n{DEF}while True: os.fork()",
    "threads without end": (
        f"import threading, time\n{DEF}while True: "
        "threading.Thread(target=time.sleep, args=(9,)).start()"
    ),
    "output without end": f"{DEF}while True: print('passed ' * 1000)",
    "memory without end": f"{DEF}kept = []\n    while True: kept.append(bytearray(10**7))",
    "a reply without end": f"{DEF}return ['x' * 1000] * 10**6",
    "a nested reply": f"{DEF}x = []\n    for _ in range(10**5): x = [x]\n    return x",
    "a number of millions of digits": f"{DEF}return 1 << 3_000_000",
    "a crash": f"import ctypes\n{DEF}ctypes.string_at(0)",
    "a recursion": f"{DEF}return last_box(text)",
    "a reply on every descriptor": (
        f"import os\n{DEF}for fd in range(64):\n        try: os.write(fd, "
        """b'\\nv["t",["value","80"]]\\n')\n        except OSError: pass\n    return True"""
    ),
    "a reply after the nonce": FIND_NONCE.format(replies=["""v["t",["value","80"]]"""]),
    "verdicts after the nonce": FIND_NONCE.format(
        replies=["passed", "vtrue", "v", """v["t",["passed",true]]""", """v["s",[true]]"""]
    ),
    "records after the nonce": FIND_NONCE.format(
        replies=["""v["t",["value",["t",[["b","566572646963"],["d",[]]]]]]"""]
    ),
    "a last word at exit": (
        f"import atexit, os\natexit.register(lambda: os.write(1, b'passed'))\n{DEF}return True"
    ),
    "patched modules": (
        "import builtins, json, os\nimport rlvr_course.grading.marking.enclosed as enclosed\n"
        f"{DEF}json.loads = json.dumps = os.write = lambda *a, **k: 'true'\n"
        "    builtins.print = builtins.isinstance = None\n"
        "    enclosed.flatten = enclosed.as_plain = lambda value: True\n    return 3"
    ),
    "a patched check": (
        "from rlvr_course.classroom import check as c, specs\n"
        "c.run_check = lambda *a, **k: c.CheckResult('q01c', 'passed')\nspecs.SPECS.clear()\n"
        f"{DEF}specs.SPECS.clear()\n    return True"
    ),
    "the hidden cases, read": (
        "from pathlib import Path\n"
        f"{DEF}found = [*Path.cwd().rglob('checks_01.py'), *Path('/').rglob('checks_01.py')]\n"
        "    return str([path for path in found if 'hidden' in str(path)])"
    ),
    "nested source": f"{DEF}return {'(' * 5000}1{')' * 5000}",
    "a chain in the source": f"{DEF}return {'-' * 50_000}1",
    "a huge source": f"{DEF}return 1\n" + "x = 1\n" * 100_000,
    "a line of statements": f"{DEF}return 1\n" + "x = 1;" * 40_000,
    "a list of functions": f"{DEF}return 1\n" + "def f(): return g, f\n" * 4_000,
}


def mark_of_last_box(source: str, **added: Any) -> Any:
    answers = {"q01c": source, "q01f": solution_of(NAME, "q01f")}
    marks = marks_of(filled(NAME, answers, **added))
    return marks["q01c"], marks["q01f"]


@pytest.mark.parametrize("source", ATTACKS.values(), ids=ATTACKS)
def test_an_attack_earns_nothing_and_changes_no_other_mark(source: str) -> None:
    attacked, other = mark_of_last_box(source)
    assert (attacked.status, attacked.points) == ("failed", 0.0), attacked
    if len(source) < 100_000:  # so much code before it keeps the other from being read
        assert (other.status, other.points) == ("passed", 2.0)


@pytest.mark.parametrize(
    "source",
    [
        f"{DEF}while True: pass",
        f"{DEF}while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass",
        pytest.param(f"import time\n{DEF}time.sleep(1000)", marks=pytest.mark.nightly),
    ],
    ids=["a loop", "a loop that catches all", "a sleep"],
)
def test_what_never_ends_is_ended_once(source: str) -> None:
    attacked, other = mark_of_last_box(source)
    assert (attacked.status, attacked.points, other.status) == ("failed", 0.0, "passed")
    observed = [text for name, _, text in attacked.cases if not name.startswith("hidden")]
    assert observed[0] == "took longer than 3 s"
    assert all("not run, since an earlier call took too long" in text for text in observed[1:])


def test_the_cheat_that_blanks_all_asserts_earns_nothing() -> None:
    blank = "get_ipython().input_transformers_post.append(lambda lines: [])"
    attacked, other = mark_of_last_box(
        f"{blank}\n{DEF}return ''", before={"q01a": [("code", blank)]}
    )
    assert (attacked.status, attacked.points, other.status) == ("failed", 0.0, "passed")


def table_of_public_inputs(question: str, default: str) -> str:
    """Code that knows the public inputs and what the solution says to each."""
    given = course(NAME)
    cells = handed_in(read(CHECKOUT.solutions / f"{NAME}.ipynb"), given)
    check = given.check_of(question)
    assert check is not None
    end = next(i for i, cell in enumerate(cells) if cell.released is check)
    asked: list[tuple[tuple[Any, ...], Any]] = []
    remote = Remote(definitions(cells[:end], check.checked))

    def recorded(*args: Any) -> Any:
        asked.append((args, remote(*args)))
        return asked[-1][1]

    assert run_check(question, SPECS[question], recorded).kind == "passed"
    table = dict(asked)
    return f"def {check.checked}(*args):\n    return {table!r}.get(args, {default})"


@pytest.mark.parametrize(
    ("question", "default"), [("q01c", "''"), ("q01c", "None"), ("q01d", "None"), ("q01e", "False")]
)
def test_knowing_the_public_inputs_earns_nothing(question: str, default: str) -> None:
    source = table_of_public_inputs(question, default)
    mark = marks_of(filled(NAME, {question: source}))[question]
    public = {held for name, held, _ in mark.cases if not name.startswith("hidden")}
    assert public == {True}
    assert (mark.status, mark.points) == ("failed", 0.0)


def test_knowing_the_public_inputs_adds_nothing_to_half_a_solution() -> None:
    guess = "args[0].partition('{')[2].partition('}')[0]"
    knowing = table_of_public_inputs("q01c", guess)
    honest = f"def last_box(*args):\n    return {guess}"
    marks = [marks_of(filled(NAME, {"q01c": source}))["q01c"] for source in (knowing, honest)]
    assert marks[0].status == "failed"
    assert 0 < (marks[0].points or 0) < 2
    assert (marks[1].points or 0) <= (marks[0].points or 0)
