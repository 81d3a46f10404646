"""The filter, interpreted over every system call, answers as its list says; live, it holds."""

from __future__ import annotations

import os

import bpf_interpreter as bpf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.sandbox import seccomp, syscalls
from rlvr_course.sandbox.seccomp import ALLOW, AUDIT_ARCH, DENY, FilterTemplate, filter_program
from rlvr_course.sandbox.syscalls import ARCHITECTURES, allowed_numbers, number

PID = 4242
ARCH = st.sampled_from(ARCHITECTURES)
WORD = st.integers(0, 2**64 - 1)
HIGHEST = 1000  # beyond every system call of either architecture
CONDITIONAL = {*syscalls.CONDITIONAL, *syscalls.UNSUPPORTED, *syscalls.WITHOUT_EFFECT}
PROGRAMS = {
    (arch, writable): filter_program(arch, PID, writable=writable)
    for arch in ARCHITECTURES
    for writable in (False, True)
}


def answer(name: str, *args: int, arch: str = "x86_64", writable: bool = False) -> int:
    """What the filter answers for a call by its name."""
    n = number(name, arch)
    assert n is not None
    return bpf.run(PROGRAMS[arch, writable], AUDIT_ARCH[arch], n, args)


@pytest.mark.parametrize("writable", [False, True], ids=["read-only", "writable"])
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_call_is_allowed_if_and_only_if_it_is_listed(arch: str, writable: bool) -> None:
    allowed = allowed_numbers(arch, writable=writable)
    by_argument = {number(name, arch) for name in CONDITIONAL}
    for n in set(range(HIGHEST)) - by_argument:
        got = bpf.run(PROGRAMS[arch, writable], AUDIT_ARCH[arch], n)
        assert got == (ALLOW if n in allowed else DENY), n


@given(ARCH, st.integers(HIGHEST, 2**32 - 1), st.lists(WORD, max_size=6))
def test_unknown_and_x32_calls_are_refused(arch: str, n: int, args: list[int]) -> None:
    assert bpf.run(PROGRAMS[arch, True], AUDIT_ARCH[arch], n, args) == DENY


@given(ARCH, st.integers(0, 2**32 - 1), st.integers(0, 500))
def test_a_call_of_another_architecture_ends_the_process(arch: str, other: int, n: int) -> None:
    if other != AUDIT_ARCH[arch]:
        assert bpf.run(PROGRAMS[arch, True], other, n) == seccomp.KILL_PROCESS


@pytest.mark.parametrize("name", ["kill", "tgkill"])
@given(arch=ARCH, pid=WORD)
def test_signals_reach_the_program_itself_only(name: str, arch: str, pid: int) -> None:
    own = pid & 0xFFFFFFFF == PID
    assert answer(name, pid, arch=arch) == (ALLOW if own else DENY)
    assert answer(name, PID, arch=arch) == ALLOW


@given(ARCH, WORD)
def test_a_clone_makes_threads_and_no_namespace(arch: str, flags: int) -> None:
    asked = seccomp.CLONE_THREAD | seccomp.CLONE_FILES
    thread = flags & asked == asked and not flags & seccomp.CLONE_NEW_ANYTHING
    assert answer("clone", flags, arch=arch) == (ALLOW if thread else DENY)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param(0x3D0F00, ALLOW, id="a thread as the C library makes one"),
        pytest.param(0x3D0F00 & ~0x400, DENY, id="a thread with descriptors of its own"),
        pytest.param(17, DENY, id="fork"),
        pytest.param(0x4111, DENY, id="vfork"),
        pytest.param(0x3D0F00 | 0x10000000, DENY, id="a thread in a new user namespace"),
    ],
)
def test_known_clones(flags: int, expected: int) -> None:
    assert answer("clone", flags) == expected


@given(ARCH, st.integers(2**32, 2**64 - 1))
def test_sendto_with_an_address_above_four_gigabytes_is_refused(arch: str, address: int) -> None:
    assert answer("sendto", 3, 0, 0, 0, address, arch=arch) == DENY


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        pytest.param("clone3", (0, 88), seccomp.NO_SUCH_CALL, id="clone3 falls back"),
        pytest.param("prlimit64", (0, 9), ALLOW, id="own limits"),
        pytest.param("prlimit64", (1, 9), DENY, id="the server's limits"),
        pytest.param("ioctl", (0, 0x5401), ALLOW, id="is it a terminal"),
        pytest.param("ioctl", (0, 0x5412), seccomp.NOT_A_TERMINAL, id="push input"),
        pytest.param("fcntl", (1, 1031), DENY, id="grow a pipe"),
        pytest.param("fcntl", (1, 8), DENY, id="direct its signals"),
        pytest.param("socketpair", (1, 1), ALLOW, id="UNIX pair"),
        pytest.param("socketpair", (30, 1), DENY, id="TIPC pair"),
        pytest.param("sendto", (3, 0, 0, 0, 0), ALLOW, id="send to its pair"),
        pytest.param("sendto", (3, 0, 0, 0, 4096), DENY, id="send to an address"),
        pytest.param("setxattr", (), seccomp.NOT_SUPPORTED, id="attributes"),
        pytest.param("fsync", (3,), seccomp.DONE, id="a flush of the disk"),
    ],
)
def test_arguments_decide(name: str, args: tuple[int, ...], expected: int) -> None:
    assert {answer(name, *args, arch=arch) for arch in ARCHITECTURES} == {expected}


@given(ARCH, st.booleans(), st.integers(1, 2**22))
def test_a_template_gives_each_process_its_own_filter(arch: str, writable: bool, pid: int) -> None:
    template = FilterTemplate(arch, writable=writable)
    assert template.for_process(pid) == filter_program(arch, pid, writable=writable)


def in_a_child(body: str) -> str:
    """What a program prints once a filter for this machine is on it."""
    import subprocess
    import sys

    prelude = (
        "import os, threading\n"
        "from rlvr_course.sandbox import kernel, seccomp\n"
        "kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)\n"
        "program = seccomp.filter_program(os.uname().machine, os.getpid())\n"
        "kernel.install_filter(program)\n"
    )
    done = subprocess.run([sys.executable, "-c", prelude + body], capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.skipif(os.uname().machine not in ARCHITECTURES, reason="no table for this machine")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("print(6 * 7)", "42\n", id="computes"),
        pytest.param(
            "t = threading.Thread(target=print, args=(1,)); t.start()", "1\n", id="thread"
        ),
        pytest.param("os.fork()", "Operation not permitted", id="fork"),
        pytest.param("os.kill(os.getppid(), 0)", "Operation not permitted", id="signal"),
        pytest.param("os.utime('.')", "Operation not permitted", id="utime"),
    ],
)
def test_the_kernel_takes_the_filter_and_holds_it(body: str, expected: str) -> None:
    assert expected in in_a_child(body)
