"""A tiny interpreter for the classic BPF that seccomp filters are made of."""

from __future__ import annotations

import struct
from collections.abc import Sequence

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
LONGEST = 4096  # the kernel's own limit


def run(program: bytes, arch: int, number: int, args: Sequence[int] = ()) -> int:
    """What the filter answers for one system call: an action with its data.

    Raises:
        AssertionError: the kernel would refuse this program.
    """
    words = [*args, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, arch, 0, *words)
    code = list(struct.iter_unpack("=HBBI", program))
    assert 0 < len(code) <= LONGEST
    accumulator, at = 0, 0
    while True:
        operation, if_true, if_false, constant = code[at]
        at += 1
        if operation == RETURN:
            return constant
        if operation == LOAD:
            assert constant % 4 == 0 and constant < len(data)
            accumulator = struct.unpack_from("=I", data, constant)[0]
            continue
        holds = {
            EQUAL: accumulator == constant,
            AT_LEAST: accumulator >= constant,
            ANY_BIT: bool(accumulator & constant),
        }[operation]
        at += if_true if holds else if_false
