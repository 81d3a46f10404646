"""The tables of system calls agree with the kernel's own, and leave out what they should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rlvr_course.sandbox import syscalls
from rlvr_course.sandbox.syscalls import ARCHITECTURES, allowed_numbers, number

TABLES = {
    **syscalls.READING,
    **syscalls.WRITING,
    **syscalls.CONDITIONAL,
    **syscalls.UNSUPPORTED,
    **syscalls.WITHOUT_EFFECT,
}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
RENAMED = {"newfstatat": "fstatat"}  # the generic header's macro for it

# From the kernel's syscall_64.tbl and asm-generic/unistd.h: what a program must never reach.
FORBIDDEN = {
    "x86_64": {
        **{"socket": 41, "connect": 42, "bind": 49, "sendmsg": 46, "fork": 57, "vfork": 58},
        **{"execve": 59, "execveat": 322, "ptrace": 101, "process_vm_readv": 310, "bpf": 321},
        **{"mount": 165, "unshare": 272, "setns": 308, "memfd_create": 319, "keyctl": 250},
        **{"io_uring_setup": 425, "userfaultfd": 323, "perf_event_open": 298, "shmget": 29},
        **{"tkill": 200, "rt_sigqueueinfo": 129, "pidfd_send_signal": 424, "prctl": 157},
        **{"chroot": 161, "mknod": 133, "setrlimit": 160, "seccomp": 317, "personality": 135},
    },
    "aarch64": {
        **{"socket": 198, "connect": 203, "bind": 200, "sendmsg": 211, "execve": 221},
        **{"execveat": 281, "ptrace": 117, "process_vm_readv": 270, "bpf": 280, "mount": 40},
        **{"unshare": 97, "setns": 268, "memfd_create": 279, "keyctl": 219, "shmget": 194},
        **{"io_uring_setup": 425, "userfaultfd": 282, "perf_event_open": 241, "prctl": 167},
        **{"tkill": 130, "rt_sigqueueinfo": 138, "pidfd_send_signal": 424, "chroot": 51},
        **{"mknodat": 33, "setrlimit": 164, "seccomp": 277, "personality": 92},
    },
}


def defined_in(header: Path) -> dict[str, int]:
    """Names and numbers of a kernel header."""
    pattern = r"#define __NR(?:3264)?_(\w+)\s+(\d+)"
    return {name: int(n) for name, n in re.findall(pattern, header.read_text())}


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_numbers_are_those_of_the_kernel_headers(arch: str) -> None:
    if not HEADERS[arch].exists():
        pytest.skip(f"{HEADERS[arch]} is not here: install linux-libc-dev")
    known = defined_in(HEADERS[arch])
    wrong = {
        name: ours
        for name in TABLES
        if (ours := number(name, arch)) is not None
        and ours not in (known.get(name), known.get(RENAMED.get(name, "")))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "x86_64", "aarch64"),
    [
        *[("read", 0, 63), ("write", 1, 64), ("openat", 257, 56), ("mmap", 9, 222)],
        *[("futex", 202, 98), ("exit_group", 231, 94), ("clone", 56, 220), ("kill", 62, 129)],
        *[("clone3", 435, 435), ("faccessat2", 439, 439), ("open", 2, None), ("rseq", 334, 293)],
    ],
)
def test_known_numbers(name: str, x86_64: int, aarch64: int | None) -> None:
    assert (number(name, "x86_64"), number(name, "aarch64")) == (x86_64, aarch64)


@pytest.mark.parametrize("writable", [False, True], ids=["read-only", "writable"])
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_nothing_forbidden_is_allowed(arch: str, writable: bool) -> None:
    allowed = allowed_numbers(arch, writable=writable)
    assert {name for name, n in FORBIDDEN[arch].items() if n in allowed} == set()


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_no_number_stands_for_two_calls(arch: str) -> None:
    numbers = [n for name in TABLES if (n := number(name, arch)) is not None]
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_calls_that_change_files_need_a_private_file_system(arch: str) -> None:
    more = allowed_numbers(arch, writable=True) - allowed_numbers(arch, writable=False)
    assert more == {n for name in syscalls.WRITING if (n := number(name, arch)) is not None}


def test_an_architecture_without_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="architecture 'riscv64': the sandbox knows x86_64"):
        number("read", "riscv64")
