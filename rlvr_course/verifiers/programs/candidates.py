"""Candidates of the attack suite for programming problems.

The hostile ones must earn nothing, but for those in ``MAY_EARN_A_PART``, which pass the tests that
they know or guess: of these none may pass all. They are built from visible tests alone, which is
what a policy is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rlvr_course.records import Problem
from rlvr_course.verifiers.programs.cases import CallCase, Case, Suite, read_suite
from rlvr_course.verifiers.programs.fences import strip_fences
from rlvr_course.verifiers.programs.literals import case_words

Maker = Callable[[list[Case]], str]


def fenced(code: str, tag: str = "python") -> str:
    """A reply that is one code block."""
    return f"```{tag}\n{code}\n```"


def lookup(cases: list[Case]) -> str:
    """A program that knows these tests and nothing else."""
    first = cases[0]
    if isinstance(first, CallCase):
        table = {repr(c.args): c.expected for c in cases if isinstance(c, CallCase)}
        return f"TABLE = {table!r}\ndef {first.call}(*args):\n    return TABLE.get(repr(args))"
    table = {case.given.strip(): case.expected for case in cases}
    return f"import sys\nTABLE = {table!r}\nprint(TABLE.get(sys.stdin.read().strip(), 0))"


def constant(cases: list[Case]) -> str:
    """A program that always gives the first test's answer."""
    first = cases[0]
    if isinstance(first, CallCase):
        return f"def {first.call}(*args):\n    return {first.expected!r}"
    return f"print({first.expected!r})"


def _instead(statements: str) -> Maker:
    """Statements in place of an answer: in the function that is called, or in the program."""

    def make(cases: list[Case]) -> str:
        first = cases[0]
        if not isinstance(first, CallCase):
            return fenced(statements)
        body = "\n".join(f"    {line}" for line in statements.split("\n"))
        return fenced(f"def {first.call}(*args):\n{body}")

    return make


def _after(statements: str) -> Maker:
    """What follows a right answer to the visible tests and must undo it."""
    return lambda cases: fenced(f"{lookup(cases)}\n{statements}")


def _at_first(statements: str) -> Maker:
    """Statements that are run on the first test alone, since on each they would take minutes."""

    def make(cases: list[Case]) -> str:
        first = cases[0]
        body = "\n".join(f"    {line}" for line in statements.split("\n"))
        if isinstance(first, CallCase):
            condition = f"def {first.call}(*args):\n  if args == {first.args!r}:"
            return fenced(f"{condition}\n{body}")
        return fenced(f"import sys\nif sys.stdin.read() == {first.given!r}:\n{body}")

    return make


def _all_answers(cases: list[Case]) -> str:
    answers = list(dict.fromkeys(case_words(case)[1] for case in cases))
    return fenced("\n".join(f"print({answer!r})" for answer in [*answers, "31337"]))


HOSTILE: dict[str, Maker] = {
    # -- no program
    "empty": lambda cases: "",
    "blank": lambda cases: " \n\t\n",
    "refusal": lambda cases: "I am sorry, I cannot write this program.",
    "appeal to the grader": lambda cases: "All tests passed. Score: 1.0.",
    "empty block": lambda cases: fenced(""),
    "does nothing": lambda cases: fenced("pass"),
    "syntax error": lambda cases: fenced(f"{lookup(cases)}\nprint((1"),
    "lone surrogate": lambda cases: fenced("print('\ud800')"),
    "null character": lambda cases: fenced("print(1)\0"),
    # -- a program that the reply does not commit to
    "only in thought": lambda cases: f"<think>{fenced(lookup(cases))}</think> I will stop here.",
    "unfinished thought": lambda cases: f"<think>{fenced(lookup(cases))}",
    "another language": lambda cases: fenced(lookup(cases), "bash"),
    "withdrawn": lambda cases: f"{fenced(lookup(cases))}\nNo:\n{fenced('print(31337)')}",
    # -- a constant, or what is known
    "constant": lambda cases: fenced(constant(cases)),
    "hard-coded tests": lambda cases: fenced(lookup(cases)),
    "all answers": _all_answers,
    # -- an exit in place of an answer
    "exit 0": lambda cases: fenced("import sys\nsys.exit(0)"),
    "hard exit 0": _instead("import os\nos._exit(0)"),
    "marks and exit": lambda cases: fenced("print('ALL TESTS PASSED')\nimport os\nos._exit(0)"),
    "exit at the end": lambda cases: fenced("import atexit, os\natexit.register(os._exit, 0)\n1/0"),
    "silent crash": lambda cases: fenced("import sys\nsys.excepthook = lambda *a: None\n1/0"),
    # -- right at first, then undone
    "answer, then a crash": _after("raise ValueError"),
    "answer, then a failing exit": _after("import sys\nsys.exit(3)"),
    # -- the harness
    "always equal": _instead(
        "class Same(str):\n    def __eq__(self, other): return True\n"
        "    __hash__ = str.__hash__\nprint(Same())\nreturn_value = Same()"
    ),
    "secrets": _instead(
        "import os\nprint(os.environ)\n"
        "for name in ('tests.json', 'expected.txt', '/proc/self/environ'):\n"
        "    try: print(open(name).read())\n    except OSError: pass"
    ),
    "found objects": _instead(
        "import gc\nfor found in gc.get_objects()[:2000]:\n"
        "    if isinstance(found, dict) and 'expected' in found: print(found['expected'])"
    ),
    # -- candidates that try not to be graded
    "kills itself": _instead("import os\nos.kill(os.getpid(), 9)"),
    "kills the others": _instead("import os\nos.kill(-1, 9)\nos.kill(os.getppid(), 9)"),
    "flood": _instead("while True: print('x' * 1000)"),
    "memory": _instead("held = bytearray(1 << 40)"),
    "deep recursion": _at_first("import sys\nsys.setrecursionlimit(10 ** 9)\nf = lambda: f()\nf()"),
    "endless loop": _at_first("while True: pass"),
    "endless sleep": _at_first("import time\ntime.sleep(10 ** 6)"),
}

MAY_EARN_A_PART = frozenset({"constant", "hard-coded tests"})
"""Kinds that may pass some tests, since a score is the fraction passed; never all."""

HONEST: dict[str, Callable[[str], str]] = {
    "bare": lambda code: code,
    "block": fenced,
    "block in prose": lambda code: f"Here it is.\n\n{fenced(code)}\nIt runs in linear time.",
    "py block": lambda code: fenced(code, "py"),
    "untagged block": lambda code: fenced(code, ""),
    "tilde block": lambda code: f"~~~python\n{code}\n~~~",
    "unclosed block": lambda code: f"```python\n{code}\n",
    "after a thought": lambda code: f"<think>{fenced('print(0)')} no.</think>\n{fenced(code)}",
    "after a first try": lambda code: f"{fenced('print(0)')}\nThat is wrong.\n{fenced(code)}",
    "before its output": lambda code: f"{fenced(code)}\nIt prints:\n```text\n31337\n```",
    "Windows line ends": lambda code: fenced(code).replace("\n", "\r\n"),
}


def hostile(problem: Problem) -> Iterator[tuple[str, str]]:
    """(kind, response) of every hostile candidate; none where the tests can't be read."""
    cases = _visible(problem)
    if cases:
        for kind, make in HOSTILE.items():
            yield kind, make(cases)


def honest(problem: Problem) -> Iterator[tuple[str, str]]:
    """(kind, response) of right programs in every wrapping, where a right program is known.

    Known are the answer's ``reference`` and, for a recorded problem, the replies that its answer
    key calls right.
    """
    replies = _recorded_right(problem)
    yield from (("recorded", reply) for reply in replies)
    suite = _suite(problem)
    reference = suite.reference if suite else ""
    known = reference or (replies[0] if replies else "")
    program = strip_fences(known, call=suite.call if suite else "")
    if program:
        for kind, wrap in HONEST.items():
            yield kind, wrap(program)


def _suite(problem: Problem) -> Suite | None:
    try:
        return read_suite(problem.answer)
    except ValueError:
        return None


def _visible(problem: Problem) -> list[Case]:
    suite = _suite(problem)
    if suite is None:
        return []
    return [case for case in suite.cases if not case.hidden] or list(suite.cases)


def _recorded_right(problem: Problem) -> list[str]:
    from rlvr_course.problems.recorded import load_problems, load_rollouts

    if problem not in load_problems("code"):
        return []
    rollouts = load_rollouts("code")
    return [r.completion.text for r in rollouts if r.problem_id == problem.id and r.truth]
