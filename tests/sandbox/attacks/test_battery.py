"""The battery sees each sign of an escape, and none where there is none."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from rlvr_course.sandbox.attacks.attack import Attack
from rlvr_course.sandbox.attacks.battery import CANARY, Battery
from rlvr_course.sandbox.attacks.victim import ENVIRONMENT
from rlvr_course.sandbox.records import Limits, Program, RunResult

FINE = RunResult("", "", 0, "exit", "leaky")
RIGHT = RunResult("42\n", "", 0, "exit", "leaky")
ATTACK = Attack("any", "secrets", "@PORT@ @LOG@ @PID@", limits=Limits(wall_s=0.1))


@dataclass
class Leaky:
    """A sandbox that holds nothing: it does to the host what the test says, then answers."""

    does: Callable[[list[str]], RunResult | None]
    canary: RunResult = RIGHT
    tier: str = "leaky"
    start_ms: float = 0.0

    def run(self, program: Program, limits: Limits | None = None) -> RunResult:
        if program == CANARY:
            return self.canary
        return self.does([eval(word) for word in program.source.split()]) or FINE

    def close(self) -> None:
        pass


def judged(does, attack=ATTACK, **leaky):
    with Battery(lambda: Leaky(does, **leaky)) as battery:
        return battery.run(attack), battery


def connect(facts):
    socket.create_connection(("127.0.0.1", facts[0]), 5).close()


def append(facts):
    with Path(facts[1]).open("a") as log:
        log.write("x")


def date_back(facts):
    os.utime(facts[1], (0, 0))


def hurt(facts):
    os.kill(facts[2], signal.SIGUSR1)


def end(facts):
    os.kill(facts[2], signal.SIGKILL)


def stop(facts):
    os.kill(facts[2], signal.SIGSTOP)


def plant(facts):
    (Path(facts[1]).parent / "planted").mkdir()


def steal(facts):
    return replace(FINE, stderr=f"it is {os.environ[ENVIRONMENT]}")


def boast(facts):
    return replace(FINE, stdout="hello\nESCAPED by the window\n")


def flood(facts):
    return replace(FINE, stdout="y" * (3 << 20))


def dawdle(facts):
    time.sleep(3.3)


HELD_BEFORE = bytearray(b"x" * (1 << 29))  # a peak that must not hide what grows later
HELD_BEFORE.clear()


def swell(facts):
    bytearray(b"x" * (1 << 28))


def break_down(facts):
    return replace(FINE, reason="infra", exit_code=None, detail="gone")


def blow_up(facts):
    raise RuntimeError("at the host")


@pytest.mark.parametrize(
    ("does", "sign"),
    [
        (connect, "connection"),
        (append, "files"),
        (date_back, "files"),
        (plant, "files"),
        (hurt, "victim"),
        (end, "victim"),
        (stop, "victim"),
        (steal, "secret"),
        (boast, "marker"),
        (flood, "output"),
        (dawdle, "time"),
        (swell, "memory"),
        (break_down, "canary"),
        (blow_up, "canary"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_an_effect_on_the_host_is_an_escape_whatever_the_attack_expected(does, sign):
    outcome, _ = judged(does)
    assert (outcome.escaped, outcome.sign) == (True, sign)


@pytest.mark.parametrize(
    "canary",
    [
        replace(FINE, stdout="41\n"),
        replace(RIGHT, exit_code=1),
        replace(RIGHT, stderr="left by another"),
        replace(RIGHT, reason="memory"),
    ],
    ids=["wrong", "exit code", "stderr", "reason"],
)
def test_an_honest_program_answered_wrongly_afterwards_is_an_escape(canary):
    outcome, _ = judged(lambda facts: None, canary=canary)
    assert (outcome.escaped, outcome.sign) == (True, "canary")


def test_nothing_seen_is_contained_with_what_the_program_said():
    outcome, _ = judged(lambda facts: replace(FINE, stdout="started\nblocked: no such file\n"))
    assert (outcome.escaped, outcome.sign, outcome.evidence) == (False, "", "no such file")


def test_the_marker_counts_at_the_start_of_a_line_only():
    outcome, _ = judged(lambda facts: replace(FINE, stdout="not ESCAPED\n"))
    assert not outcome.escaped


def test_the_victim_is_made_whole_after_each_attack():
    with Battery(lambda: Leaky(end)) as battery:
        assert battery.run(ATTACK).escaped
        battery._sandbox.does = lambda facts: None
        assert not battery.run(ATTACK).escaped


def test_an_escape_that_the_tier_declares_is_marked_as_expected():
    outcome, _ = judged(boast, replace(ATTACK, declared=frozenset({"leaky"})))
    assert outcome.escaped and outcome.expected


def test_nothing_of_the_victim_is_left():
    _, battery = judged(lambda facts: None)
    assert not battery.victim.folder.exists()
    assert ENVIRONMENT not in os.environ
    assert battery.victim._process.poll() is not None


def test_a_sandbox_that_does_not_open_leaves_no_victim():
    seen = []

    def fail():
        seen.append(os.environ[ENVIRONMENT])
        raise OSError("no such sandbox")

    with pytest.raises(OSError, match="no such sandbox"):
        Battery(fail)
    assert seen and ENVIRONMENT not in os.environ
