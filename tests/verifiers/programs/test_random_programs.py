"""Random programs of known outcome, all in one batch: scores, memory, time, what is left behind."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlvr_course import CodeVerifier
from rlvr_course.sandbox.pool import SandboxPool

TIMEOUT_S = 1.0
TESTS = [{"input": f"{n}\n", "expected": f"{n}\n{n * n}"} for n in (3, 7)]

# What a program does before its answer, and what it does after: (code, whether it still counts).
RIGHT = "print(n)\nprint(n * n)"
BEFORE = {
    "nothing": ("", True),
    "noise on stderr": ("sys.stderr.write('note\\n' * 20)", True),
    "a short sleep": ("time.sleep(0.02)", True),
    "a thread": ("t = threading.Thread(target=len, args=('',))\nt.start()\nt.join()", True),
    "a daemon that goes on": (
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()", True),
    "an exception caught": ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass", True),
    "patched builtins": ("import builtins\nbuiltins.sum = builtins.len = None", True),
    "a signal ignored": ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", True),
    "deep recursion": (
        "sys.setrecursionlimit(9_000)\nf = lambda k: k and f(k - 1)\nf(5_000)", True),
    "a file left behind": (
        "for folder in ('/tmp', '.'):\n    try:\n        open(f'{folder}/left-by-a-program', 'w')\n"
        "    except OSError:\n        pass", True),
    "a fork caught": ("try:\n    os.fork() or os._exit(0)\nexcept OSError:\n    pass", True),
    "a crash": ("1 / 0", False),
    "an unbounded recursion": ("f = lambda k: f(k + 1)\nf(0)", False),
    "exit 0": ("sys.exit(0)", False),
    "exit 3": ("sys.exit(3)", False),
    "hard exit": ("os._exit(0)", False),
    "its own kill": ("os.kill(os.getpid(), signal.SIGKILL)", False),
    "an abort": ("os.abort()", False),
    "a flood": ("while True:\n    print('x' * 500)", False),
    "a flood on stderr": ("while True:\n    sys.stderr.write('x' * 500)", False),
    "much memory": ("held = bytearray(1 << 40)", False),
    "too long a sleep": ("time.sleep(60)", False),
    "an endless loop": ("while True:\n    pass", False),
}  # fmt: skip
AFTER = {
    "nothing": ("", True),
    "an empty line": ("print()", True),
    "exit 0": ("sys.exit(0)", True),
    "hard exit": ("sys.stdout.flush()\nos._exit(0)", True),
    "a crash": ("raise ValueError", False),
    "exit 1": ("sys.exit(1)", False),
    "one more line": ("print(n)", False),
    "a failing hook": ("atexit.register(os._exit, 9)", False),
    "its own kill": ("sys.stdout.flush()\nos.kill(os.getpid(), signal.SIGKILL)", False),
}
SLOW = {"too long a sleep", "an endless loop"}
HEAD = "import atexit, os, signal, sys, threading, time\nn = int(input())"


def program(before: str, after: str, *, only_for: int | None) -> tuple[str, float]:
    """A program and its score; with ``only_for`` it misbehaves on that input alone."""
    first, first_counts = BEFORE[before]
    last, last_counts = AFTER[after]
    counts = first_counts and last_counts
    body = "\n".join(part for part in (first, RIGHT, last) if part)
    if only_for is None:
        return f"{HEAD}\n{body}", float(counts)
    indented = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"{HEAD}\nif n == {only_for}:\n{indented}\nelse:\n    {RIGHT.replace(chr(10), '; ')}", (
        1.0 if counts else 0.5
    )


def programs(n: int, seed: int) -> list[tuple[str, float]]:
    """``n`` programs in which every kind occurs; a twentieth of them takes its whole time."""
    rng = random.Random(seed)
    quick = [name for name in BEFORE if name not in SLOW]
    made = []
    for i in range(n):
        before = rng.choice(sorted(SLOW)) if i % 20 == 0 else rng.choice(quick)
        only_for = rng.choice([None, 3, 7])
        made.append(program(before, rng.choice(list(AFTER)), only_for=only_for))
    return made


def rss_bytes() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def descendants() -> set[int]:
    """This process's children and theirs."""
    found, todo = set(), [os.getpid()]
    while todo:
        for children in Path(f"/proc/{todo.pop()}/task").glob("*/children"):
            new = {int(pid) for pid in children.read_text().split()} - found
            found |= new
            todo += new
    return found


class Timed:
    """A pool that adds up what its runs took."""

    def __init__(self, pool: SandboxPool) -> None:
        self.pool, self.busy_s = pool, 0.0

    def run_many(self, sources, limits):
        results = self.pool.run_many(sources, limits)
        self.busy_s += sum(result.wall_s for result in results)
        return results


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc for memory")
@pytest.mark.parametrize(
    ("n", "slack"),  # a short batch has a longer tail, and a shared machine other work
    [(100, 2.0), pytest.param(2_000, 1.5, marks=pytest.mark.nightly)],
)
def test_a_batch_of_random_programs_is_scored_right_and_leaves_nothing(pool, n, slack) -> None:
    timed = Timed(pool)
    verifier = CodeVerifier(timed, TIMEOUT_S)
    verifier.verify_many(*warm_up(pool.workers))
    made = programs(n, seed=n)
    processes, memory = descendants(), rss_bytes()
    timed.busy_s, start = 0.0, time.monotonic()
    reports = verifier.report_many([code for code, _ in made], [TESTS] * n)
    elapsed_s = time.monotonic() - start
    wrong = [
        (code, score, report.verdict.reason)
        for (code, score), report in zip(made, reports, strict=True)
        if report.score != score
    ]
    assert wrong == []
    assert rss_bytes() - memory < 50 << 20
    assert elapsed_s <= slack * timed.busy_s / pool.workers
    assert len(descendants()) <= len(processes)
    assert [path for folder in ("/tmp", ".") for path in Path(folder).glob("left-by-a-*")] == []


KINDS = st.builds(
    program,
    st.sampled_from(sorted(set(BEFORE) - SLOW)),
    st.sampled_from(sorted(AFTER)),
    only_for=st.sampled_from([None, 3, 7]),
)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(KINDS, min_size=1, max_size=6))
def test_what_stands_beside_a_program_does_not_change_its_score(hasty_verifier, made) -> None:
    verdicts = hasty_verifier.verify_many([code for code, _ in made], [TESTS] * len(made))
    assert [verdict.score for verdict in verdicts] == [score for _, score in made]


def warm_up(workers: int):
    return ["print(1)"] * 4 * workers, [TESTS] * 4 * workers


@pytest.mark.parametrize("before", BEFORE)
def test_every_beginning_is_scored_as_it_should_be(hasty_verifier, before) -> None:
    made = [program(before, after, only_for=None) for after in AFTER]
    chosen = made[:1] if before in SLOW else made
    verdicts = hasty_verifier.verify_many([c for c, _ in chosen], [TESTS] * len(chosen))
    assert [verdict.score for verdict in verdicts] == [score for _, score in chosen]


@pytest.fixture(scope="module")
def hasty_verifier(pool):
    return CodeVerifier(pool, TIMEOUT_S)
