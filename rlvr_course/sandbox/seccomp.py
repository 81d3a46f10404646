"""The system call filter: an allow-list, assembled as classic BPF for the kernel's seccomp.

Answers: the kernel as something to attack. A call that is not listed fails with EPERM, so a
program sees an ordinary error and its run goes on. Beyond the list:

* another architecture's calls end the process, and x32's are refused: their numbers differ;
* ``kill`` and ``tgkill`` reach the program itself only;
* ``prlimit64`` asks about and lowers the program's own limits only;
* ``clone`` makes threads only, which share their descriptors; ``clone3``, whose flags a filter
  can't see, answers "no such call", on which the C library falls back to ``clone``;
* ``ioctl`` has what terminals and asyncio ask; ``fcntl`` has no leases, signals or pipe sizes;
* ``fsync`` and the like are answered as done, and not done: they reach the host's disk;
* ``socketpair`` makes UNIX pairs only, and ``sendto`` names no address: asyncio's own wake-up.

Limits: a filter sees numbers, not what pointers lead to; paths are Landlock's work.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Collection, Iterable

from rlvr_course.sandbox.syscalls import UNSUPPORTED, WITHOUT_EFFECT, allowed_numbers, number

ALLOW, KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
DENY = _ERRNO | errno.EPERM
NO_SUCH_CALL = _ERRNO | errno.ENOSYS
NOT_A_TERMINAL = _ERRNO | errno.ENOTTY
DONE = _ERRNO | 0
NOT_SUPPORTED = _ERRNO | errno.EOPNOTSUPP

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000
IOCTLS = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS FIONREAD FIONBIO FIONCLEX FIOCLEX
FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032)  # duplicate, flags, locks; ask a pipe's size
CLONE_THREAD, CLONE_FILES = 0x00010000, 0x00000400
CLONE_NEW_ANYTHING = 0x7E020000
AF_UNIX = 1

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARGS = 0, 4, 16  # offsets in the kernel's struct seccomp_data

Instruction = tuple[int, int, int, int]
"""One BPF instruction: code, jump if true, jump if false, constant."""


def _load_argument(index: int, *, high: bool = False) -> Instruction:
    return (_LOAD, 0, 0, _ARGS + 8 * index + 4 * high)


def _return(action: int) -> Instruction:
    return (_RETURN, 0, 0, action)


def _one_of(index: int, values: tuple[int, ...], otherwise: int = DENY) -> list[Instruction]:
    """Allow if the argument's low word is one of the values: what the kernel itself looks at."""
    tests = [(_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
    return [_load_argument(index), *tests, _return(otherwise), _return(ALLOW)]


def _threads_only() -> list[Instruction]:
    """Allow a clone that makes a thread, with its program's descriptors, and no new namespace.

    With descriptors of its own each thread could keep buffers of the kernel's, 14 MB of them.
    """
    return [
        _load_argument(0),
        (_ANY_BIT, 2, 0, CLONE_NEW_ANYTHING),
        (_ANY_BIT, 0, 1, CLONE_THREAD),
        (_ANY_BIT, 1, 0, CLONE_FILES),
        _return(DENY),
        _return(ALLOW),
    ]


def _null_pointer(index: int) -> list[Instruction]:
    """Allow if all 64 bits of the argument are 0."""
    return [
        _load_argument(index),
        (_EQUAL, 0, 2, 0),
        _load_argument(index, high=True),
        (_EQUAL, 1, 0, 0),
        _return(DENY),
        _return(ALLOW),
    ]


def _conditions(pid: int) -> dict[str, list[Instruction]]:
    """For each conditional call what decides it; every path ends in a return."""
    return {
        "kill": _one_of(0, (pid,)),
        "tgkill": _one_of(0, (pid,)),
        "prlimit64": _one_of(0, (0, pid)),
        "ioctl": _one_of(1, IOCTLS, NOT_A_TERMINAL),
        "fcntl": _one_of(1, FCNTLS),
        "clone": _threads_only(),
        "clone3": [_return(NO_SUCH_CALL)],
        "socketpair": _one_of(0, (AF_UNIX,)),
        "sendto": _null_pointer(4),
        **{name: [_return(NOT_SUPPORTED)] for name in UNSUPPORTED},
        **{name: [_return(DONE)] for name in WITHOUT_EFFECT},
    }


def _ranges(allowed: frozenset[int]) -> list[tuple[int, bool]]:
    """Where runs of allowed and refused numbers begin, in order, from 0."""
    bounds = [(0, 0 in allowed)]
    for n in range(1, max(allowed) + 2):
        if (n in allowed) != bounds[-1][1]:
            bounds.append((n, n in allowed))
    return bounds


def _search(bounds: list[tuple[int, bool]]) -> list[Instruction]:
    """A binary search for the number's range."""
    if len(bounds) == 1:
        return [_return(ALLOW if bounds[0][1] else DENY)]
    middle = len(bounds) // 2
    below, above = _search(bounds[:middle]), _search(bounds[middle:])
    return [(_AT_LEAST, len(below), 0, bounds[middle][0]), *below, *above]


def _native_calls_only(arch: str) -> list[Instruction]:
    """End on another architecture's calls, refuse x32's; the call's number is loaded then."""
    return [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, AUDIT_ARCH[arch]),
        _return(KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, X32_BIT),
        _return(DENY),
    ]


def _packed(code: Iterable[Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _instructions(arch: str, pid: int, writable: bool) -> list[Instruction]:
    code = _native_calls_only(arch)
    for name, decision in _conditions(pid).items():
        if (n := number(name, arch)) is not None:
            code += [(_EQUAL, 0, len(decision), n), *decision]
    return code + _search(_ranges(allowed_numbers(arch, writable=writable)))


def filter_program(arch: str, pid: int, *, writable: bool = False) -> bytes:
    """Assemble the filter for one process.

    Args:
        arch: "x86_64" or "aarch64".
        pid: the process that it is for, as that process sees itself.
        writable: allow the calls that change files by their paths as well.

    Returns:
        Instructions of 8 bytes each, as the kernel reads them.

    Raises:
        ValueError: an architecture without a table.
    """
    return _packed(_instructions(arch, pid, writable))


class FilterTemplate:
    """A filter assembled once, of which each process gets a copy with its own number in it."""

    def __init__(self, arch: str, *, writable: bool) -> None:
        first, second = 0x01010101, 0x02020202
        self._code = filter_program(arch, first, writable=writable)
        other = filter_program(arch, second, writable=writable)
        words = range(4, len(other), 8)
        self._slots = [i for i in words if self._code[i : i + 4] != other[i : i + 4]]

    def for_process(self, pid: int) -> bytes:
        """What ``filter_program`` returns for this process."""
        code = bytearray(self._code)
        for slot in self._slots:
            struct.pack_into("=I", code, slot, pid)
        return bytes(code)


def denying_program(arch: str, refused: Collection[int]) -> bytes:
    """Assemble a filter that allows all calls but some, for what needs a whole system's.

    Args:
        arch: "x86_64" or "aarch64".
        refused: numbers of calls that fail with EPERM. Besides, ``clone`` makes no namespace, and
            ``clone3``, whose flags a filter can't see, answers "no such call".
    """
    namespaces = [_load_argument(0), (_ANY_BIT, 0, 1, CLONE_NEW_ANYTHING)]
    decisions = {number("clone", arch): [*namespaces, _return(DENY), _return(ALLOW)]}
    decisions[number("clone3", arch)] = [_return(NO_SUCH_CALL)]
    decisions |= {call: [_return(DENY)] for call in refused}
    code = _native_calls_only(arch)
    for call, decision in decisions.items():
        code += [(_EQUAL, 0, len(decision), call), *decision]
    return _packed([*code, _return(ALLOW)])
