"""What an attack is: a hostile program, and what the host would see if it got through.

A program says so itself by printing a line that begins with ``ESCAPED``; that is believed only
where nothing outside changes. Wherever an attack has an effect, the host looks for the effect.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rlvr_course.sandbox.attacks.call_numbers import call_number
from rlvr_course.sandbox.records import Limits

Group = Literal[
    "secrets",
    "audit log",
    "network",
    "processes",
    "resources",
    "result forging",
    "persistence",
    "kernel surface",
    "crashes",
    "identity",
]
"""The class of an attack: what it is after."""

GROUPS: tuple[Group, ...] = Group.__args__  # type: ignore[attr-defined]

Sign = Literal[
    "marker",  # the program printed a line that begins with ESCAPED
    "secret",  # the victim's secret, or the answer that the host keeps, is in the output
    "connection",  # something reached one of the host's listeners
    "files",  # the victim's folder, its log included, is not as it was
    "victim",  # the victim process was signalled, changed or ended
    "output",  # the sandbox returned far more output than the limit
    "memory",  # this process itself grew
    "time",  # the run took far longer than its limit
    "canary",  # the program after it was answered wrongly, or late, or not at all
]
"""What shows the host that an attack got through."""

MARKER = "ESCAPED"
SHORT = Limits(wall_s=2.0, cpu_s=2)

_NUMBER = re.compile(r"@NR:(\w+)@")


@dataclass(frozen=True)
class Attack:
    """One hostile program.

    Args:
        name: unique, in a few words.
        group: its class.
        source: the program; ``@NAME@`` stands for a fact of the victim (see ``Victim.facts``)
            and ``@NR:name@`` for the number of a system call.
        sign: what is expected to show it where nothing contains it. The battery looks for
            every sign in every attack.
        stdin: what it reads.
        first: another candidate's program, run just before it, and what that one reads.
        limits: for the run.
        settle_s: how long after the run an effect may still come.
        unconfined: why it isn't shown to succeed without a sandbox; "" where it is shown.
        declared: tiers that are known, and documented, not to contain it.
    """

    name: str
    group: Group
    source: str
    sign: Sign = "marker"
    stdin: str = ""
    first: str = ""
    first_stdin: str = ""
    limits: Limits = field(default=SHORT)
    settle_s: float = 0.0
    unconfined: str = ""
    declared: frozenset[str] = frozenset()


def filled(source: str, facts: Mapping[str, str]) -> str:
    """A source with the victim's facts and this machine's system call numbers put in.

    >>> filled("open(@LOG@)", {"LOG": repr("/tmp/log")})
    "open('/tmp/log')"
    """
    machine = platform.machine()
    source = _NUMBER.sub(lambda match: str(call_number(match[1], machine)), source)
    for name, value in facts.items():
        source = source.replace(f"@{name}@", value)
    return source


def attempt(body: str) -> str:
    """A program that tries something and says what stopped it, without a traceback."""
    lines = "".join(f"    {line}\n" if line else "\n" for line in body.strip("\n").split("\n"))
    return f"import os, sys\ntry:\n{lines}{_SAY_WHAT_STOPPED_IT}"


_SAY_WHAT_STOPPED_IT = """\
except BaseException as error:
    print("blocked:", type(error).__name__, getattr(error, "strerror", None) or error)
"""


LIBC = """\
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    plain = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return libc.syscall(ctypes.c_long(number), *plain)
def refused(result):
    return result < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS)
def verdict(result):
    failure = errno.errorcode.get(ctypes.get_errno(), "")
    print("blocked:" if refused(result) else "ESCAPED", result, failure)
"""
"""System calls without a wrapper in Python. ``refused`` means that the kernel's own code for the
call was never reached: any other error shows that its arguments were looked at."""


def with_libc(body: str) -> str:
    """``attempt`` with the means to make any system call."""
    return attempt(LIBC + body)


def reach(call: str, *arguments: str) -> str:
    """A program that makes one system call with arguments that can do no harm."""
    return with_libc(f"verdict(call({', '.join([f'@NR:{call}@', *arguments])}))")
