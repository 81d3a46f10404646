"""Where a notebook's programs run: this machine's sandbox, or a record of what ran in one.

A notebook that runs programs has to read on a machine without a sandbox too. There it gets the
recorded results of the very programs that it runs, and says so; a program that was not recorded
gets reason "infra", so that it is ungraded and never run unconfined.

    RLVR_COURSE_RECORD_RUNS=FILE     an open sandbox's results are written to FILE at exit
    RLVR_COURSE_SANDBOX_WITHOUT=...  takes tiers away (see ``sandbox.tiers``)
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import re
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.pool import SandboxPool
from rlvr_course.sandbox.records import Limits, Program, RunResult
from rlvr_course.sandbox.tiers import WITHOUT

if TYPE_CHECKING:
    from rlvr_course.sandbox.attacks.attack import Attack

RECORD_VARIABLE = "RLVR_COURSE_RECORD_RUNS"
UNSAFE = "unsafe-subprocess"
_NONCE = re.compile(r'"nonce": "([0-9a-f]{32})"')
_STAND_IN = "0" * 32
_DETAIL = 200
_START_S, _LOOP_S = 20.0, 0.5
_INSIDE = "inside the jail\n"
_ENTERING = f"""
from rlvr_course.sandbox.outer_jail import enter
try:
    enter()
except OSError as error:
    sys.exit(print(error))
print({_INSIDE!r}, end="", flush=True)
"""

SHOWN = {
    "": "nothing",
    "marker": "the program reports it",
    "secret": "a secret is in its output",
    "connection": "a listener was reached",
    "files": "the victim's folder changed",
    "victim": "the victim's process changed or ended",
    "output": "more output than the limit came back",
    "memory": "the grader grew",
    "time": "it ran past its limit",
    "canary": "the next program was answered wrongly",
}
"""What showed that an attack got through, for a learner, by the battery's sign."""


class RecordedPool:
    """Answers with recorded results; ``run_many`` as in ``SandboxPool``.

    Where a program was run several times, its results come in the order recorded, again and again.

    Args:
        runs: results by ``run_key``, as (stdout, stderr, exit code, reason); those that come with
            the course if None.

    >>> RecordedPool().run_many([Program("print('never recorded')")])[0].reason
    'infra'
    """

    tier = "recorded"

    def __init__(self, runs: dict[str, list[list[Any]]] | None = None) -> None:
        self._runs = recorded()["runs"] if runs is None else runs
        self._served: Counter[str] = Counter()

    def run_many(
        self, programs: Sequence[Program], limits: Limits | None = None
    ) -> list[RunResult]:
        """The recorded result of each program."""
        return [self._result(program) for program in programs]

    def _result(self, program: Program) -> RunResult:
        key = run_key(program)
        if key not in self._runs:
            return RunResult("", "", None, "infra", self.tier, detail="not among the recorded runs")
        rows = self._runs[key]
        stdout, stderr, code, reason = rows[self._served[key] % len(rows)]
        self._served[key] += 1
        nonce = _NONCE.search(program.stdin)
        said = stdout.replace(_STAND_IN, nonce[1]) if nonce else stdout
        return RunResult(said, stderr, code, reason, self.tier)


class RecordingPool:
    """Runs programs in a pool and keeps what ``RecordedPool`` needs."""

    def __init__(self, pool: SandboxPool) -> None:
        self._pool = pool
        self.tier = pool.tier
        self.runs: dict[str, list[list[Any]]] = {}

    def run_many(
        self, programs: Sequence[Program], limits: Limits | None = None
    ) -> list[RunResult]:
        """What became of each program, kept."""
        results = self._pool.run_many(programs, limits)
        for program, result in zip(programs, results, strict=True):
            nonce = _NONCE.search(program.stdin)
            said = result.stdout.replace(nonce[1], _STAND_IN) if nonce else result.stdout
            last = result.stderr.strip().rpartition("\n")[2][:_DETAIL]
            row = [said[: _DETAIL * 100], last, result.exit_code, result.reason]
            rows = self.runs.setdefault(run_key(program), [])
            if rows != [row]:  # the same again adds nothing, until one differs
                rows.append(row)
        return results


Sandbox = SandboxPool | RecordedPool | RecordingPool


def run_key(program: Program) -> str:
    """A digest of a program and its input; a function test's nonce and frame don't count."""
    found = _NONCE.search(program.stdin)
    parts = (
        [program.stdin.replace(found[1], _STAND_IN)] if found else [program.source, program.stdin]
    )
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


@cache
def recorded() -> dict[str, Any]:
    """What comes with the course: ``about``, ``runs`` by key, ``attacks`` by tier and name."""
    file = files("rlvr_course") / "data" / "sandbox" / "recorded.json"
    return json.loads(file.read_text(encoding="utf-8"))


def escapes_by_class() -> dict[str, dict[str, str]]:
    """What the recorded battery came to: by tier and class of attack, such as "1 of 19"."""
    classes, counts = recorded()["group_of"], {}
    for tier, outcomes in reversed(recorded()["attacks"].items()):  # the strongest first
        by_class: dict[str, list[bool]] = {}
        for name, (escaped, _) in outcomes.items():
            by_class.setdefault(classes[name], []).append(escaped)
        counts[tier] = {kind: f"{sum(some)} of {len(some)}" for kind, some in by_class.items()}
    return counts


def escapes_by_name() -> dict[str, list[str]]:
    """What got through each sandbox when the battery was recorded, the strongest first."""
    return {
        tier: [name for name, (escaped, _) in outcomes.items() if escaped]
        for tier, outcomes in reversed(recorded()["attacks"].items())
        if tier != UNSAFE
    }


def doctor() -> list[str]:
    """What each tier comes to on this machine, a line for each."""
    from rlvr_course.sandbox.tiers import TIERS, examine

    lines = []
    for found in map(examine, TIERS):
        if found.why_not:
            state = found.why_not.removesuffix(f" by {WITHOUT}")  # said above, once
        elif found.tier.automatic:
            state = f"works, {len(found.probes)} probes tried"
        else:
            state = "works" if found.tier.name != UNSAFE else "no sandbox"
            state += " (never chosen by auto)"
        lines.append(f"{found.tier.name}: {state}")
    return lines


def why(error: Exception) -> str:
    """An error's text, where tiers that were taken away are named once, with the remedy.

    >>> why(SandboxUnavailable(f"no sandbox: a: taken away by {WITHOUT}; b: too old"))
    'no sandbox: b: too old; a: taken away by RLVR_COURSE_SANDBOX_WITHOUT (unset it)'
    """
    said = rf"([\w-]+): taken away by {WITHOUT}(; )?"
    taken = [name for name, _ in re.findall(said, str(error))]
    if not taken:
        return str(error)
    rest = re.sub(said, "", str(error)).removesuffix("; ")
    joint = "" if rest.endswith(": ") else "; "
    return f"{rest}{joint}{', '.join(taken)}: taken away by {WITHOUT} (unset it)"


def open_sandbox() -> tuple[Sandbox, str]:
    """This machine's sandbox, or the recorded runs.

    Returns:
        Where to run programs, and why it is the recorded runs; "" where it is a sandbox.
    """
    try:
        pool = SandboxPool("auto")
    except (SandboxUnavailable, ImportError) as error:
        return RecordedPool(), why(error)
    target = os.environ.get(RECORD_VARIABLE)
    if not target:
        return pool, ""
    recording = RecordingPool(pool)
    atexit.register(lambda: Path(target).write_text(json.dumps(recording.runs), encoding="utf-8"))
    return recording, ""


def attack_outcomes(tier: str, names: Sequence[str]) -> tuple[dict[str, tuple[bool, str]], str]:
    """Run attacks of the battery in a tier; without a sandbox only inside a disposable jail.

    Args:
        tier: a tier's name.
        names: of attacks.

    Returns:
        For each attack whether it escaped and what showed it, and why these are recorded
        results; "" where they are of this moment.

    Raises:
        KeyError: an attack that there isn't, or that was not recorded in this tier.
    """
    try:
        found = _live_outcomes(tier, names)
    except (SandboxUnavailable, ImportError, OSError) as error:
        rows = recorded()["attacks"][tier]
        return {name: (rows[name][0], SHOWN[rows[name][1]]) for name in names}, why(error)
    return found, ""


def _live_outcomes(tier: str, names: Sequence[str]) -> dict[str, tuple[bool, str]]:
    from rlvr_course.sandbox.attacks import ATTACKS
    from rlvr_course.sandbox.attacks.battery import Battery
    from rlvr_course.sandbox.attacks.jail import run_in_jail
    from rlvr_course.sandbox.tiers import open_worker

    by_name = {attack.name: attack for attack in ATTACKS}
    attacks = [_shortened(by_name[name]) for name in names]
    if tier == UNSAFE:
        outcomes = list(run_in_jail(tier, attacks))
    else:
        with Battery(lambda: open_worker(tier)) as battery:
            outcomes = list(battery.run_all(attacks))
    found = {outcome.attack: outcome for outcome in outcomes}
    return {name: (found[name].escaped, SHOWN[found[name].sign]) for name in names}


def _shortened(attack: Attack) -> Attack:
    """With less time for those that only use it up; it is theirs to the end where they are held."""
    if attack.sign != "time":
        return attack
    return replace(attack, limits=replace(attack.limits, wall_s=_LOOP_S))


def jailed(script: str, wait_s: float = 4.0) -> str:
    """Run a script in the attacks' disposable jail.

    Args:
        script: Python; known, since the jail is no sandbox.
        wait_s: seconds, from when it is in there, until the jail is ended, with all that is in it.

    Returns:
        What it printed; "HANGS" where the time was up.

    Raises:
        SandboxUnavailable: this machine can't make the jail.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable("the outer jail needs Linux with user namespaces")
    if UNSAFE in os.environ.get(WITHOUT, ""):
        raise SandboxUnavailable(f"the outer jail: taken away by {WITHOUT} (unset it)")
    from rlvr_course.sandbox.outer_jail import environment, python_for_jail

    with subprocess.Popen(
        python_for_jail(_ENTERING + script),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
        env=environment(),
    ) as jail:
        assert jail.stdout is not None
        started = select.select([jail.stdout], [], [], _START_S)[0]
        first = jail.stdout.readline().decode() if started else "it didn't start in time"
        try:
            said = jail.communicate(timeout=wait_s if first == _INSIDE else 0)[0].decode()
        except subprocess.TimeoutExpired:
            os.killpg(jail.pid, signal.SIGKILL)
            said = "HANGS"
    if first != _INSIDE:
        raise SandboxUnavailable(f"the outer jail: {first.strip() or 'Python did not start'}")
    return said.strip() or f"ended with exit code {jail.returncode}"
