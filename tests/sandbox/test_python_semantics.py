"""A program in a worker sees what it would under ``python main.py`` with a pipe on each side."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlvr_course.sandbox.records import Limits, Program, RunResult
from rlvr_course.sandbox.worker import Worker


def outcome(result: RunResult) -> tuple[str, int | None]:
    """What was printed and the exit code, of a run that ended by itself."""
    assert result.reason == "exit", result
    return result.stdout, result.exit_code


EXITS = {
    "nothing": ("", "", 0),
    "sys.exit with no code": ("import sys; sys.exit()", "", 0),
    "sys.exit with a code": ("import sys; sys.exit(3)", "", 3),
    "sys.exit with a large code": ("import sys; sys.exit(257)", "", 1),
    "sys.exit with a negative code": ("import sys; sys.exit(-1)", "", 255),
    "sys.exit with True": ("import sys; sys.exit(True)", "", 1),
    "exit() of site": ("exit(4)", "", 4),
    "os._exit": ("import os; print('lost'); os._exit(7)", "", 7),
    "an exception": ("print('before'); 1 / 0", "before\n", 1),
    "a syntax error": ("print(", "", 1),
    "a null byte": ("print(1)\0", "", 1),
    "an interrupt": ("raise KeyboardInterrupt", "", -2),
    "a fault": ("import ctypes; ctypes.string_at(0)", "", -11),
    "an abort": ("import os; os.abort()", "", -6),
    "its own kill": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "", -9),
    "stdout that is gone": ("import os; os.close(1); print('x')", "", 120),
    "an exit in a hook": ("import sys; sys.excepthook = lambda *a: sys.exit(5)\n1 / 0", "", 5),
    "a tracer that fails": ("import sys; sys.settrace(lambda *a: 1 / 0)\nprint(1)", "1\n", 0),
    "a profiler that fails": ("import sys\nprint(1)\nsys.setprofile(lambda *a: 1 / 0)", "1\n", 1),
    "an exit in atexit": ("import atexit, sys; atexit.register(sys.exit, 9)", "", 0),
}


@pytest.mark.parametrize(("source", "stdout", "code"), EXITS.values(), ids=EXITS)
def test_a_program_ends_as_python_would(
    worker: Worker, source: str, stdout: str, code: int
) -> None:
    assert outcome(worker.run(Program(source))) == (stdout, code)


WORKS = {
    "__main__": ("print(__name__)", "__main__\n"),
    "__file__": ("import os; print(os.path.basename(__file__))", "main.py\n"),
    "input": ("print(input('? '), input())", "? one two\n"),
    "open(0)": ("print(open(0).read())", "one\ntwo\n\n"),
    "stdin.buffer": ("import sys; print(sys.stdin.buffer.read())", "b'one\\ntwo\\n'\n"),
    "a loop over stdin": (
        "import sys; print([line for line in sys.stdin])",
        "['one\\n', 'two\\n']\n",
    ),
    "no terminal": ("import sys; print(sys.stdin.isatty(), sys.stdout.isatty())", "False False\n"),
    "the end of stdin": ("input(); input()\ntry: input()\nexcept EOFError: print('end')", "end\n"),
    "unicode": ("print('é≤中')", "é≤中\n"),
    "a byte order mark": ("\ufeffprint(1)", "1\n"),
    "CRLF": ("a = 1\r\nprint(a)\r\n", "1\n"),
    "long integers": ("print(len(str(10 ** 5000)), int('9' * 5000) > 0)", "5001 True\n"),
    "atexit": ("import atexit; atexit.register(print, 'last'); print('first')", "first\nlast\n"),
    "excepthook": ("import sys; sys.excepthook = lambda *a: print('hook')", ""),
    "tracebacks without our frames": (
        "import traceback\ntry: 1 / 0\nexcept ZeroDivisionError: print(traceback.format_exc())",
        'Traceback (most recent call last):\n  File "<program>", line 2, in <module>\n'
        "ZeroDivisionError: division by zero\n\n",
    ),
    "threads that outlive main": (
        "import threading, time\n"
        "def late(): time.sleep(0.05); print('thread')\n"
        "threading.Thread(target=late).start(); print('main')",
        "main\nthread\n",
    ),
    "sixteen threads": (
        "import threading\ngate = threading.Barrier(17)\n"
        "for _ in range(16): threading.Thread(target=gate.wait).start()\n"
        "gate.wait(); print('all')",
        "all\n",
    ),
    "a thread pool": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool: print(sum(pool.map(abs, range(10))))",
        "45\n",
    ),
    "asyncio": (
        "import asyncio\n"
        "async def main(): await asyncio.sleep(0); return await asyncio.to_thread(int, '7')\n"
        "print(asyncio.run(main()))",
        "7\n",
    ),
    "dataclasses and pickle": (
        "import pickle\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n"
        "print(pickle.loads(pickle.dumps(A(3))))",
        "A(x=3)\n",
    ),
    "sqlite": (
        "import sqlite3; print(sqlite3.connect(':memory:').execute('select 1 + 1').fetchone())",
        "(2,)\n",
    ),
    "990 frames": ("def f(n): return n and 1 + f(n - 1)\nprint(f(990))", "990\n"),
    "a recursion error": (
        "def f(): f()\ntry: f()\nexcept RecursionError: print('caught')",
        "caught\n",
    ),
    "200,000 frames": (
        "import sys\nsys.setrecursionlimit(10 ** 6)\n"
        "def f(n): return n and 1 + f(n - 1)\nprint(f(200_000))",
        "200000\n",
    ),
    "200,000 frames in a thread": (
        "import sys, threading\nsys.setrecursionlimit(10 ** 6); threading.stack_size(2 ** 27)\n"
        "def f(n): return n and 1 + f(n - 1)\n"
        "t = threading.Thread(target=lambda: print(f(200_000))); t.start(); t.join()",
        "200000\n",
    ),
    "no future of ours": ("def f(x: int): ...\nprint(f.__annotations__)", "{'x': <class 'int'>}\n"),
    "time zones": ("import zoneinfo, time; print(time.tzname[0])", "UTC\n"),
}


@pytest.mark.parametrize(("source", "stdout"), WORKS.values(), ids=WORKS)
def test_a_program_works_as_under_python(worker: Worker, source: str, stdout: str) -> None:
    assert outcome(worker.run(Program(source, "one\ntwo\n"))) == (stdout, 0)


@pytest.mark.parametrize(
    ("source", "stdout"),
    [
        pytest.param(
            "import tempfile\nwith tempfile.TemporaryFile('w+') as f:\n"
            "    f.write('x'); f.seek(0); print(f.read())",
            "x\n",
            id="tempfile",
        ),
        pytest.param(
            "import shutil\nopen('a', 'w').write('x')\nprint(open(shutil.copy2('a', 'b')).read())",
            "x\n",
            id="copying",
        ),
        pytest.param("import os; print(os.getcwd(), os.listdir())", "/tmp []\n", id="empty /tmp"),
    ],
)
def test_a_private_tmp_can_be_written_to(private_worker: Worker, source: str, stdout: str) -> None:
    assert outcome(private_worker.run(Program(source))) == (stdout, 0)


def test_an_exception_says_so_on_stderr_without_our_frames(worker: Worker) -> None:
    stderr = worker.run(Program("1 / 0")).stderr
    assert stderr.splitlines() == [
        "Traceback (most recent call last):",
        '  File "<program>", line 1, in <module>',
        "ZeroDivisionError: division by zero",
    ]


def test_sets_keep_their_order_from_run_to_run_and_worker_to_worker(worker: Worker) -> None:
    source = "print(list({'a', 'b', 'c', 'd', 'e'}), hash('x'))"
    with Worker(worker.tier) as other:
        runs = {each.run(Program(source)).stdout for each in (worker, worker, other)}
    assert len(runs) == 1


def test_random_numbers_are_new_in_each_run(worker: Worker) -> None:
    source = "import random; print(random.getrandbits(64))"
    assert len({worker.run(Program(source)).stdout for _ in range(5)}) == 5


@settings(max_examples=25)
@given(text=st.text(st.characters(codec="utf-8"), max_size=200))
def test_text_goes_in_and_comes_out_unchanged(private_worker: Worker, text: str) -> None:
    source = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert private_worker.run(Program(source, text)).stdout == text


@settings(max_examples=25)
@given(value=st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)))
def test_a_literal_evaluates_to_itself(private_worker: Worker, value: object) -> None:
    result = private_worker.run(Program(f"import json; print(json.dumps({value!r}))"))
    assert json.loads(result.stdout) == value


@pytest.mark.parametrize("size", [200_000, 2_000_000])
def test_a_long_program_and_a_long_input_are_read_whole(worker: Worker, size: int) -> None:
    source = f"# {'x' * size}\nprint(len(input()))"
    assert outcome(worker.run(Program(source, "y" * size))) == (f"{size}\n", 0)


@pytest.fixture(scope="module")
def numeric(worker: Worker) -> Iterator[Worker]:
    """A worker of the same tier whose programs may import numpy."""
    pytest.importorskip("numpy")
    with Worker(worker.tier, packages=("numpy",)) as opened:
        yield opened


def test_a_package_is_there_if_asked_for_and_only_then(worker: Worker, numeric: Worker) -> None:
    program = Program("import numpy as np; print(int(np.arange(4).sum()))")
    assert outcome(numeric.run(program)) == ("6\n", 0)
    assert "No module named 'numpy'" in worker.run(program).stderr
    assert "No module named 'scipy'" in numeric.run(Program("import scipy")).stderr


def test_a_package_uses_one_thread_and_lies_within_the_memory_limit(numeric: Worker) -> None:
    product = "import numpy as np; print(int((np.ones((300, 300)) @ np.ones((300, 300))).sum()))"
    assert outcome(numeric.run(Program(product), Limits(threads=1))) == ("27000000\n", 0)
    half_a_gigabyte_and_more = "import numpy as np; print(np.ones(1 << 27).sum())"
    assert numeric.run(Program(half_a_gigabyte_and_more)).reason == "memory"


def test_random_numbers_of_numpy_are_new_in_each_run(numeric: Worker) -> None:
    program = Program("import numpy; print(numpy.random.rand())")
    assert numeric.run(program).stdout != numeric.run(program).stdout


def test_a_package_may_ask_for_its_own_version_when_it_is_imported(worker: Worker) -> None:
    duckdb = pytest.importorskip("duckdb")
    with Worker(worker.tier, packages=("duckdb",)) as opened:
        result = opened.run(Program("import duckdb; print(duckdb.__version__)"))
    assert outcome(result) == (f"{duckdb.__version__}\n", 0)


@pytest.mark.parametrize("name", ["no_such_package", "not a name", "sys"])
def test_a_package_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"package '{name}'"):
        Worker("linux-ns", packages=(name,))


def test_the_main_thread_is_the_programs_own_and_its_threads_are_waited_for(worker: Worker) -> None:
    source = (
        "import os, threading\n"
        "main = threading.main_thread()\n"
        "print(main.native_id == threading.get_native_id() == os.getpid())\n"
        "print(main.ident == threading.get_ident(), threading.enumerate() == [main])\n"
        "threading.Thread(target=print, args=('late',)).start()\n"
    )
    assert outcome(worker.run(Program(source))) == ("True\nTrue True\nlate\n", 0)


def test_a_small_program_copies_few_pages(worker: Worker) -> None:
    """What makes a run slow is memory touched after the fork, and each fault may copy a page.

    310 to 360 faults were counted with CPython 3.11 to 3.13; an import in each child, of the codec
    that decodes the source, was 130 more.
    """
    source = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)"
    stdout, code = outcome(worker.run(Program(source)))
    assert code == 0
    assert int(stdout) < 440
