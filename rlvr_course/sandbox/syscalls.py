"""The system calls that a sandboxed program may make, with their numbers on two architectures.

An allow-list: what is not here is refused, whatever the kernel adds later. So there is no fork,
exec, socket, memfd, shared memory, ptrace, mount, namespace, key, BPF program, io_uring, timer or
asynchronous input and output. Each number is the one in the kernel's ``asm/unistd_64.h`` (x86_64)
and ``asm-generic/unistd.h`` (aarch64, which lacks the older calls).
"""

from __future__ import annotations

from collections.abc import Mapping

Numbers = Mapping[str, tuple[int, int | None]]
"""Each call's number on x86_64 and on aarch64; None where the architecture lacks it."""

READING: Numbers = {
    # input, output and descriptors
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "ftruncate": (77, 46),
    # files, by Landlock's leave
    "open": (2, None),
    "openat": (257, 56),
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    # memory
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    # signals to itself
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "pause": (34, None),
    # waiting and time
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "alarm": (37, None),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    # threads
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    # questions about itself
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getpgrp": (111, None),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getpriority": (140, 141),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "uname": (63, 160),
    "umask": (95, 166),
    "getrandom": (318, 278),
    # a socket pair that it made itself (asyncio's wake-up)
    "recvfrom": (45, 207),
    # the end
    "wait4": (61, 260),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""What computes, reads, waits and ends; nothing that changes a file by its path."""

WRITING: Numbers = {
    "rename": (82, None),
    "renameat": (264, 38),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "creat": (85, None),
    "truncate": (76, 45),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "utime": (132, None),
    "utimes": (235, None),
    "utimensat": (280, 88),
}
"""What changes files by their paths: only where the program has a private /tmp."""

CONDITIONAL: Numbers = {
    "kill": (62, 129),
    "tgkill": (234, 131),
    "prlimit64": (302, 261),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
    "clone": (56, 220),
    "clone3": (435, 435),
    "socketpair": (53, 199),
    "sendto": (44, 206),
}
"""What is allowed or answered by its arguments: seccomp.py has the conditions."""

UNSUPPORTED: Numbers = {
    "listxattr": (194, 11),
    "llistxattr": (195, 12),
    "flistxattr": (196, 13),
    "getxattr": (191, 8),
    "lgetxattr": (192, 9),
    "fgetxattr": (193, 10),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
}
"""Extended attributes: answered as by a file system without them, so that copying goes on."""

WITHOUT_EFFECT: Numbers = {
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "fadvise64": (221, 223),
}
"""Answered as done, and not done: a file in memory has nothing to write back, and on the standard
library's they would keep the host's disk busy, or empty its cache."""

_COLUMN = {"x86_64": 0, "aarch64": 1}

ARCHITECTURES = tuple(_COLUMN)
"""The machines that the filter knows, as ``os.uname().machine`` names them."""


def number(name: str, arch: str) -> int | None:
    """The number of a call in one of the tables; None where the architecture lacks it.

    Raises:
        ValueError: an architecture without a table.
        KeyError: a call that is in no table.

    >>> number("read", "x86_64"), number("read", "aarch64"), number("open", "aarch64")
    (0, 63, None)
    """
    if arch not in _COLUMN:
        raise ValueError(f"architecture {arch!r}: the sandbox knows {', '.join(ARCHITECTURES)}")
    tables = {**READING, **WRITING, **CONDITIONAL, **UNSUPPORTED, **WITHOUT_EFFECT}
    return tables[name][_COLUMN[arch]]


def allowed_numbers(arch: str, *, writable: bool) -> frozenset[int]:
    """The calls that are allowed whatever their arguments.

    Args:
        arch: one of ``ARCHITECTURES``.
        writable: whether the program has a private file system to write to.

    Raises:
        ValueError: an architecture without a table.
    """
    names = [*READING, *WRITING] if writable else [*READING]
    return frozenset(n for name in names if (n := number(name, arch)) is not None)
