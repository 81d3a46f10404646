"""Really take from a child process what a lesser machine lacks, then run Python in it."""

from __future__ import annotations

import os
import platform
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rlvr_course.sandbox import kernel

LANDLOCK_CREATE_RULESET = 444
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000


def without_user_namespaces() -> None:
    """Become the user 1000 of a namespace in which no other can be made."""
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(kernel.CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"1000 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"1000 {gid} 1")
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


def refusing(*numbers: int, error: int) -> Callable[[], None]:
    """Answer these system calls with an error, for good."""

    def refuse() -> None:
        lines = [(LOAD, 0, 0, 0)]
        for number in numbers:
            lines += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERROR | error)]
        lines.append((RETURN, 0, 0, ALLOW))
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.install_filter(b"".join(struct.pack("HBBI", *line) for line in lines))

    return refuse


def python_on(lesser: Callable[[], None], code: str) -> str:
    """What a Python prints that runs there."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        preexec_fn=lesser,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def knows_this_processor() -> bool:
    return sys.platform == "linux" and platform.machine() in ARCHITECTURES
