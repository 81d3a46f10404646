"""Run attacks in one sandbox, and judge from outside whether each was contained.

Whatever an attack is after, all signs are looked for: a line that says so, a secret in the output,
a connection, a changed file, a disturbed process, a flood, a run past its limit. After each one an
honest program must still be answered, rightly and soon. A sandbox that fails to run an attack has
not contained it: that is an escape too.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from rlvr_course.records import Record
from rlvr_course.sandbox.attacks.attack import MARKER, SHORT, Attack, Sign, filled
from rlvr_course.sandbox.attacks.victim import Snapshot, Victim
from rlvr_course.sandbox.protocol import Runner
from rlvr_course.sandbox.records import Limits, Program, RunResult

LATE_S = 3.0
"""How much longer than its limit a run may take, and how late an honest program's answer may be."""

GROWTH_BYTES = 64 << 20
"""How much this process may grow by one attack."""

CANARY = Program("print(sum(map(int, input().split())))", "40 2\n")
_EVIDENCE_WIDTH = 200


@dataclass(frozen=True)
class Outcome(Record):
    """What became of one attack.

    Args:
        attack: its name.
        escaped: whether anything showed that it got through.
        sign: what showed it; "" where it was contained.
        evidence: one line: what was seen, or what the program said stopped it.
        expected: whether the tier says beforehand that it doesn't contain this one.
    """

    attack: str
    escaped: bool
    sign: Sign | str = ""
    evidence: str = ""
    expected: bool = False


class Battery:
    """A victim and a sandbox to attack it from.

    Args:
        open_sandbox: makes the sandbox; called once the victim is there, so that a sandbox
            which hands its host's environment on hands the victim's secret on.
    """

    def __init__(self, open_sandbox: Callable[[], Runner]) -> None:
        self._closing = contextlib.ExitStack()
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            self.victim = self._closing.enter_context(Victim())
            self._sandbox = open_sandbox()
            self.tier = self._sandbox.tier
            self._closing.callback(self._sandbox.close)
            self._before = self.victim.snapshot()
            undo.pop_all()

    def run(self, attack: Attack) -> Outcome:
        """Run one attack and look for every sign of its success."""
        if attack.first:
            self._run(attack.first, attack.first_stdin, SHORT)
        _forget_peak()
        peak_bytes, began = _peak_bytes(), time.perf_counter()
        result = self._run(attack.source, attack.stdin, attack.limits)
        took_s, grown_bytes = time.perf_counter() - began, _peak_bytes() - peak_bytes
        time.sleep(attack.settle_s)
        signs = [*self._signs_in_result(attack, result), *self._signs_outside()]
        signs += self._signs_in_canary()
        if took_s > attack.limits.wall_s + LATE_S:
            signs.append(("time", f"took {took_s:.1f} s of {attack.limits.wall_s:g} s"))
        if grown_bytes > GROWTH_BYTES:
            signs.append(("memory", f"this process grew by {grown_bytes >> 20} MB"))
        expected = self.tier in attack.declared
        if not signs:
            return Outcome(attack.name, False, evidence=_said(result), expected=expected)
        wanted = [found for found in signs if found[0] == attack.sign]
        sign, evidence = (wanted or signs)[0]
        return Outcome(attack.name, True, sign, one_line(evidence), expected)

    def run_all(self, attacks: Iterable[Attack]) -> Iterator[Outcome]:
        """Run attacks in order."""
        return map(self.run, attacks)

    def _run(self, source: str, stdin: str, limits: Limits) -> RunResult | Exception:
        facts = self.victim.facts()
        words = {"@SECRET@": self.victim.secret, "@ANSWER@": self.victim.answer}
        program = Program(filled(source, facts), words.get(stdin, stdin))
        try:
            return self._sandbox.run(program, limits)
        except Exception as error:  # whatever a sandbox raises at a program is its failure
            return error

    def _signs_in_result(
        self, attack: Attack, result: RunResult | Exception
    ) -> Iterator[tuple[Sign, str]]:
        if isinstance(result, Exception):
            yield "canary", f"the sandbox raised {type(result).__name__}: {result}"
            return
        if result.reason == "infra":
            yield "canary", f"the sandbox failed: {result.detail}"
        output = result.stdout + "\n" + result.stderr
        for line in output.splitlines():
            if line.startswith(MARKER):
                yield "marker", line.removeprefix(MARKER).strip() or "it says so"
        for word, name in ((self.victim.secret, "secret"), (self.victim.answer, "answer")):
            if word in output:
                yield "secret", f"the {name} is in the output"
        if max(len(result.stdout), len(result.stderr)) > 2 * attack.limits.output_bytes:
            yield "output", f"{len(output) >> 20} MB came back"

    def _signs_outside(self) -> Iterator[tuple[Sign, str]]:
        after, before = self.victim.snapshot(), self._before
        if after == before:
            return
        if after.connections != before.connections:
            yield "connection", "a listener of the host was reached"
        if after.files != before.files:
            yield "files", _difference(before, after)
        if after.process != before.process:
            yield "victim", f"the process: {after.process.strip()}"
            self.victim.restart()
        self.victim.restore()
        self._before = self.victim.snapshot()

    def _signs_in_canary(self) -> Iterator[tuple[Sign, str]]:
        began = time.perf_counter()
        result = self._run(CANARY.source, CANARY.stdin, Limits())
        took_s = time.perf_counter() - began
        if isinstance(result, Exception):
            yield "canary", f"then the sandbox raised {type(result).__name__}: {result}"
        elif not result.ok or result.stdout != "42\n" or result.stderr:
            yield "canary", f"then an honest program got {result}"
        elif took_s > LATE_S:
            yield "canary", f"then an honest program took {took_s:.1f} s"

    def close(self) -> None:
        """Close the sandbox and remove the victim."""
        self._closing.close()

    def __enter__(self) -> Battery:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _forget_peak() -> None:
    """Let the peak be measured from here: below an older one no growth would show."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def one_line(text: str) -> str:
    """A text on one line, printable, and cut.

    >>> one_line("two\\nlines and \\x1b[1m")
    'two lines and ?[1m'
    """
    flat = " ".join(text.split())
    return "".join(c if c.isprintable() else "?" for c in flat)[:_EVIDENCE_WIDTH]


def _said(result: RunResult | Exception) -> str:
    """What a contained program said, or how it ended."""
    if isinstance(result, Exception):
        return one_line(str(result))
    lines = (result.stdout or result.stderr).strip().splitlines()
    blocked = [line for line in lines if line.startswith("blocked:")]
    ending = "" if result.ok else f" ({result.reason}, exit code {result.exit_code})"
    said = (blocked or lines[-1:] or ["no output"])[0]
    return one_line(said.removeprefix("blocked: ")[:120] + ending)


def _difference(before: Snapshot, after: Snapshot) -> str:
    old, new = ({row[0]: row[1:] for row in shot.files} for shot in (before, after))
    changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    return f"changed: {', '.join(changed)}"
