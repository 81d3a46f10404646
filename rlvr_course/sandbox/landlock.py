"""Landlock: which files the program may open, held by the kernel for this process and for good.

Answers: reading secrets, tampering with logs, planting files, and (from ABI 4 on) TCP. A rule binds
to an inode, not to a path: a ruleset made before a file system was mounted anew doesn't cover it.
Not covered by Landlock: ``stat``, ``readlink``, ``chmod``, ``utime`` and the like. The seccomp
filter refuses those of them that change something.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Mapping
from enum import IntFlag
from functools import cache

from rlvr_course.sandbox import kernel

MIN_ABI = 3
"""The first ABI that covers truncation: below it a log could be emptied."""

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_VERSION_FLAG, _RULE_PATH_BENEATH = 1, 1
_NET_TCP, _SCOPES = 0b11, 0b11  # bind and connect; abstract UNIX sockets and signals
_LOG_OFF = 1  # ABI 7: no line in the kernel's audit log for each refusal


class Access(IntFlag):
    """Rights to files and directories, with the kernel's bit for each."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    ALL_ABI_1 = (1 << 13) - 1
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


READ = Access.READ_FILE | Access.READ_DIR
_ON_FILES = (
    Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
)


@cache
def abi_version() -> int:
    """The kernel's Landlock ABI; 0 where it is absent or switched off."""
    try:
        return kernel.syscall(_CREATE, None, 0, _VERSION_FLAG, what="landlock")
    except OSError:
        return 0


def handled(abi: int) -> Access:
    """Every right to files that a kernel with this ABI can refuse."""
    rights = Access.ALL_ABI_1
    for since, right in ((2, Access.REFER), (3, Access.TRUNCATE), (5, Access.IOCTL_DEV)):
        if abi >= since:
            rights |= right
    return rights


def write_rights(abi: int) -> Access:
    """All rights but execution: for a directory that the program may fill."""
    return handled(abi) & ~Access.EXECUTE


def attributes(abi: int) -> bytes:
    """The kernel's ``struct landlock_ruleset_attr``, as long as this ABI knows it."""
    words = [int(handled(abi))]
    if abi >= 4:
        words.append(_NET_TCP)
    if abi >= 6:
        words.append(_SCOPES)
    return struct.pack(f"{len(words)}Q", *words)


def create_ruleset(allowed: Mapping[str, Access]) -> int:
    """Make a ruleset that refuses all files but these, and TCP and foreign signals where it can.

    Args:
        allowed: a right for each path; a path that doesn't exist is left out. Paths are opened
            now, with the rights of the caller.

    Returns:
        Its descriptor, for ``restrict``.

    Raises:
        OSError: no Landlock, or an ABI below ``MIN_ABI``.
    """
    abi = abi_version()
    if abi < MIN_ABI:
        raise OSError(
            f"Landlock ABI {abi} is below {MIN_ABI}: use Linux 6.2 or later with lsm=landlock"
        )
    attrs = attributes(abi)
    ruleset = kernel.syscall(_CREATE, attrs, len(attrs), 0, what="landlock_create_ruleset")
    os.set_inheritable(ruleset, False)
    for path, rights in allowed.items():
        try:
            anchor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            _add_rule(ruleset, anchor, rights & handled(abi), path)
        finally:
            os.close(anchor)
    return ruleset


def _add_rule(ruleset: int, anchor: int, rights: Access, path: str) -> None:
    if not stat.S_ISDIR(os.fstat(anchor).st_mode):
        rights &= _ON_FILES  # the kernel refuses a rule that gives a file a directory's rights
    rule = struct.pack("=Qi", rights, anchor)
    kernel.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0, what=f"landlock rule {path}")


def restrict(ruleset: int) -> None:
    """Hold the calling thread and its children to a ruleset, for good; needs no-new-privs."""
    flags = _LOG_OFF if abi_version() >= 7 else 0
    kernel.syscall(_RESTRICT, ruleset, flags, what="landlock_restrict_self")
