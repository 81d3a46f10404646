"""Attest, don't assume: attacks run inside a fresh sandbox, whose label is granted if all fail.

A kernel may lack a measure, a container may take it away, and a set-up call may succeed and still
hold nothing. So each probe tries what the tier says is impossible, against a victim on this host:
a file with a secret, a file to write to, a listener, this very process. Whether a probe failed is
judged on the host where it leaves a trace there. A probe that did not get as far as its attempt
proves nothing, and counts as not held.

Limits: a dozen known attacks are a smoke test of the set-up, not a proof that none exists.
"""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rlvr_course.records import Record
from rlvr_course.sandbox.protocol import Runner
from rlvr_course.sandbox.records import Limits, Program, RunResult, StopReason

_LIMITS = Limits(wall_s=2.0, cpu_s=2, memory_bytes=128 << 20, output_bytes=1 << 16)
_SHORT = Limits(wall_s=0.1, cpu_s=1, memory_bytes=128 << 20)


@dataclass(frozen=True)
class ProbeResult(Record):
    """Whether one probe attack was held off.

    Args:
        name: what was tried.
        held: whether it failed, as it should.
        found: what stopped it, or what got through.
    """

    name: str
    held: bool
    found: str


@dataclass(frozen=True)
class _Victim:
    """What a probe attacks on this host."""

    folder: Path
    secret: str
    listener: socket.socket

    @property
    def secret_file(self) -> Path:
        return self.folder / "secret"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def untouched(self) -> bool:
        """Whether nothing was written, made or connected to."""
        files = sorted(path.name for path in self.folder.iterdir())
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return files == ["log", "secret"] and self.log.read_text() == "log\n"
        return False


@contextmanager
def _victim() -> Iterator[_Victim]:
    """Open to every user of this machine, so that it is the sandbox that keeps programs out."""
    with tempfile.TemporaryDirectory(prefix="attest-") as name, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        victim = _Victim(Path(name), secrets.token_hex(16), listener)
        victim.folder.chmod(0o777)
        victim.secret_file.write_text(victim.secret)
        victim.log.write_text("log\n")
        victim.log.chmod(0o666)
        yield victim


_ATTEMPT = """
import ctypes, os, sys
def system_call(number, *args):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *args) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
try:
{body}
except (OSError, MemoryError, ValueError, AttributeError) as error:
    print("held:", type(error).__name__, error)
else:
    print("escaped")
"""

# The bodies; {…} is filled in from the victim. Every one has to raise in a sandbox that holds.
_ATTEMPTS: dict[str, str] = {
    "read a file of the host": "print(open({secret_file!r}).read())",
    "read the user database": "print(open('/etc/passwd').read())",
    "write to a file of the host": "open({log!r}, 'a').write('tampered')",
    "plant a file on the host": "open({planted!r}, 'w')",
    "reach the host's network": (
        "import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
    ),
    "start a process": "os.fork() or os._exit(0)",
    "run a command": "os.execv('/bin/sh', ['sh', '-c', 'echo escaped'])",
    "signal the host": "os.kill({pid}, 0)",
    "signal every process": "os.kill(-1, 0)",
    "read its parent's memory": "open(f'/proc/{{os.getppid()}}/mem', 'rb')",
    "take more memory than its limit": "held = bytearray(1 << 30)",
    "raise its own limits": "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "make a namespace": "system_call({unshare}, 0x10000000)",
    "make a file in memory outside its limits": "os.memfd_create('hoard')",
}
_UNSHARE = {"x86_64": 272, "aarch64": 97}

_DESCRIPTORS = """
import os
def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
found = [number for number in range(3, 4096) if is_open(number)]
print("escaped" if found else "held:", found)
"""
_ENVIRONMENT = "import os\nprint('escaped' if {name!r} in os.environ else 'held: not there')"
_STUBBORN = """
import signal
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
    signal.signal(number, signal.SIG_IGN)
while True:
    pass
"""
_FLOOD = "while True:\n    print('y' * 65536)"
_LEAVE = "import builtins, sys\nbuiltins.left = sys.left = 1\nprint('held: first')"
_FIND = """
import builtins, sys
print("escaped" if hasattr(builtins, "left") or hasattr(sys, "left") else "held: nothing left")
"""


def attest(runner: Runner) -> list[ProbeResult]:
    """Run every probe inside a sandbox.

    Args:
        runner: a fresh one, with nothing else running in it.

    Returns:
        One result for each probe, in a fixed order. The tier's label is earned if all are held.
    """
    results: list[ProbeResult] = []
    variable = next(iter(os.environ), "PATH")
    with _victim() as victim:
        for name, body in _ATTEMPTS.items():
            source = _ATTEMPT.format(body="    " + body.format(**_facts(victim)))
            results.append(_judged(name, runner.run(Program(source), _LIMITS), victim))
        for name, source in (
            ("read the host's environment", _ENVIRONMENT.format(name=variable)),
            ("use the host's descriptors", _DESCRIPTORS),
            ("leave something behind", _LEAVE),
            ("find what another program left", _FIND),
        ):
            results.append(_judged(name, runner.run(Program(source), _LIMITS), victim))
    results.append(_stopped("outlive its time", runner.run(Program(_STUBBORN), _SHORT), "timeout"))
    flood = runner.run(Program(_FLOOD), _LIMITS)
    results.append(_stopped("flood the host with output", flood, "output_limit"))
    return results


def _facts(victim: _Victim) -> dict[str, object]:
    return {
        "secret_file": str(victim.secret_file),
        "log": str(victim.log),
        "planted": str(victim.folder / "planted"),
        "port": victim.listener.getsockname()[1],
        "pid": os.getpid(),
        "unshare": _UNSHARE.get(os.uname().machine, 272),
    }


def _judged(name: str, result: RunResult, victim: _Victim) -> ProbeResult:
    """Held if the program says so, and the victim agrees."""
    said = result.stdout.strip()
    if not victim.untouched or victim.secret in result.stdout:
        return ProbeResult(name, False, "it left its mark on the host")
    if result.reason == "memory":
        return ProbeResult(name, True, "stopped by its memory limit")
    if result.reason == "exit" and said.startswith("held:"):
        return ProbeResult(name, True, said.removeprefix("held:").strip())
    trouble = said or result.detail or result.stderr.strip()[-200:] or result.reason
    return ProbeResult(name, False, trouble)


def _stopped(name: str, result: RunResult, reason: StopReason) -> ProbeResult:
    """Held if the sandbox stopped it, for the reason that it should."""
    return ProbeResult(
        name, result.reason == reason, f"{result.reason} after {result.wall_s:.1f} s"
    )
