"""A disposable outer jail: what runs in it reaches nothing of this machine, and ends with it.

A root of its own with the system and this Python read-only and an empty /tmp; its own processes,
network, IPC and environment; the rights of an ordinary user; bounds on memory, files and
processes. When its first process ends, so does everything in it. It holds programs that need
more than the sandbox grants: a whole Jupyter kernel, or the attacks that show what a sandbox stops.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from rlvr_course.sandbox import kernel
from rlvr_course.sandbox.namespaces import INNER_ID
from rlvr_course.sandbox.outer_root import show_only_needed
from rlvr_course.sandbox.tiers import WITHOUT

_SPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
)
BOUNDS = {
    resource.RLIMIT_AS: 4 << 30,
    resource.RLIMIT_FSIZE: 1 << 30,
    resource.RLIMIT_NPROC: 6000,
    resource.RLIMIT_CORE: 0,
}
_KEYCTL, _JOIN_SESSION_KEYRING = {"x86_64": 250, "aarch64": 219}, 1
_SET_FLAGS, _INTERFACE_UP = 0x8914, 0x1


def python_for_jail(script: str) -> list[str]:
    """A command that runs a script which has ``sys``, and this very package to import from."""
    beside = str(Path(__file__).parents[2])
    found = f"import sys\nsys.path.insert(0, {beside!r})\nimport rlvr_course\ndel sys.path[0]\n"
    return [sys.executable, "-c", found + script]


def environment() -> dict[str, str]:
    """What a jail is told of the environment: where things are, and which tiers it may use."""
    return {name: os.environ[name] for name in ("PATH", "HOME", WITHOUT) if name in os.environ}


def enter() -> None:
    """Move into the jail; the calling process, which must have one thread, stays outside to wait.

    Raises:
        OSError: a namespace or a mount is refused, or Python doesn't start in there.
    """
    user = os.getuid()
    unshare_spaces()
    _wait_outside()
    furnish()
    give_up_rights(user)
    trial = subprocess.run([sys.executable, "-c", ""], capture_output=True, text=True)
    if trial.returncode:
        raise OSError(f"Python doesn't start in it: {trial.stderr.strip()[-200:]}")


def unshare_spaces() -> None:
    """Go into new namespaces; the caller's next child is the first process of its own.

    Raises:
        OSError: one is refused.
    """
    if os.getuid() == 0:
        kernel.unshare(_SPACES)
    else:
        _own_user_namespace(_SPACES)


def _own_user_namespace(spaces: int = 0) -> None:
    user, group = os.getuid(), os.getgid()
    kernel.unshare(spaces | kernel.CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _wait_outside() -> None:
    """Go on as the jail's second process; the first reaps orphans and ends when this one does."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    if first := os.fork():
        os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    if second := os.fork():
        while True:
            ended, status = os.wait()
            if ended == second:
                os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def furnish(room_bytes: int = 1 << 30, *, terminals: bool = False) -> None:
    """Give the new namespaces their files, a loopback device and an empty ring of keys.

    Args:
        room_bytes: how much /tmp, and /dev/shm as well, can hold.
        terminals: with pseudo-terminals of its own, where they are to be had.

    Raises:
        OSError: a mount is refused.
    """
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    show_only_needed(room_bytes, terminals=terminals)
    _raise_loopback()
    _leave_keys()


def _leave_keys() -> None:
    """Have an empty ring of keys, where the kernel keeps such."""
    with contextlib.suppress(OSError, KeyError):  # what is refused here is refused in there too
        number = _KEYCTL[os.uname().machine]
        kernel.syscall(number, _JOIN_SESSION_KEYRING, None, what="keyctl")


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _INTERFACE_UP))


def give_up_rights(
    user: int, bounds: Mapping[int, int] | None = None, *, count_alone: bool = False
) -> None:
    """Become an ordinary user who can't be more again, within bounds.

    Args:
        user: who the jail's maker was, 0 for root.
        bounds: resource limits; those of ``BOUNDS`` if None.
        count_alone: in a user namespace of its own in any case, so that RLIMIT_NPROC counts
            this jail's processes and not all of that user's.

    Raises:
        OSError: one step is refused.
    """
    if user == 0:
        os.setgroups([])
        os.setresgid(INNER_ID, INNER_ID, INNER_ID)
        os.setresuid(INNER_ID, INNER_ID, INNER_ID)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # or its own /proc would be root's
        if count_alone:
            _own_user_namespace()
    for limit, most in (BOUNDS if bounds is None else bounds).items():
        hard = resource.getrlimit(limit)[1]
        most = most if hard < 0 else min(most, hard)
        resource.setrlimit(limit, (most, most))
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    os.chdir("/tmp")
    os.environ.update(HOME="/tmp", TMPDIR="/tmp")
