"""The Linux system calls that Python has no function for, by ctypes: each raises OSError.

Nothing here decides anything. Constants carry the kernel's own names, so that they can be looked
up in its manual pages.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Mapping
from functools import cache
from typing import Any

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP = 1, 4, 22
PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 24, 36, 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
SECCOMP_MODE_FILTER = 2

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS = 0x20000, 0x2000000, 0x4000000
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    *(0x8000000, 0x10000000),
    *(0x20000000, 0x40000000),
)

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_NOATIME, MS_BIND, MS_REC, MS_PRIVATE = 32, 1024, 4096, 16384, 1 << 18
MNT_DETACH = 2

_CAPABILITIES_OF_SELF = struct.pack("Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3
_CLOSE_RANGE = 436
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_PRCTL = {"x86_64": 157, "aarch64": 167}
_CAPSET = {"x86_64": 126, "aarch64": 91}
_NO_WORDS = (0,) * 5


class _FilterProgram(ctypes.Structure):
    """The kernel's ``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _words_to_call() -> Any:
    """The C library's ``syscall``: a number and five words, each an integer, bytes or None.

    The types are told once and the arguments converted in C: this runs in every forked child,
    where each object made or looked up may be one more page to copy.
    """
    kind = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long, *[ctypes.c_void_p] * 5, use_errno=True)
    return kind(("syscall", _libc()))


def _checked(result: int, what: str) -> int:
    """The result of a call, or the error that errno names."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *args: int | bytes | None, what: str) -> int:
    """Make a system call by its number, each argument as a machine word or a pointer to bytes.

    Raises:
        OSError: what the kernel answered.
    """
    return _checked(_words_to_call()(number, *args, *_NO_WORDS[len(args) :]), what)


def prctl(option: int, value: int = 0, third: int = 0) -> None:
    """Set one attribute of this process."""
    syscall(_number(_PRCTL), option, value, third, what="prctl")


def _number(numbers: Mapping[str, int]) -> int:
    return numbers[_machine()]


@cache
def _machine() -> str:
    return os.uname().machine


def install_filter(program: bytes) -> None:
    """Put a seccomp filter on the calling thread, for good; no-new-privs has to be set."""
    wrapped = _FilterProgram(len(program) // 8, program)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(wrapped))


def drop_capabilities() -> None:
    """Empty the effective, permitted, inheritable and ambient sets of the calling thread."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    syscall(_number(_CAPSET), _CAPABILITIES_OF_SELF, bytes(24), what="capset")


def unshare(flags: int) -> None:
    """Move this process (for CLONE_NEWPID its children) into new namespaces."""
    _checked(_libc().unshare(ctypes.c_int(flags)), "unshare")


def set_names(name: bytes) -> None:
    """Set the host name and the domain name of this UTS namespace."""
    size = ctypes.c_size_t(len(name))
    _checked(_libc().sethostname(name, size), "sethostname")
    _checked(_libc().setdomainname(name, size), "setdomainname")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount, bind or remount at ``target``; ``kind`` is the file system's type."""
    result = _libc().mount(
        source and os.fsencode(source),
        os.fsencode(target),
        kind and kind.encode(),
        ctypes.c_ulong(flags),
        data.encode() or None,
    )
    _checked(result, f"mount {source or kind or 'flags'} on {target}")


def unmount(target: str, flags: int = 0) -> None:
    """Take away the topmost mount at ``target``."""
    _checked(_libc().umount2(os.fsencode(target), ctypes.c_int(flags)), f"umount {target}")


def close_from(first: int, last: int = 0xFFFFFFFF) -> None:
    """Close every descriptor from ``first`` to ``last``, both included, however high."""
    if first <= last:
        syscall(_CLOSE_RANGE, first, last, 0, what="close_range")


def pivot_root_here() -> None:
    """Make the current directory, a mount point, this namespace's root, and drop the old one."""
    syscall(_number(_PIVOT_ROOT), b".", b".", what="pivot_root")
    unmount(".", MNT_DETACH)
    os.chdir("/")
