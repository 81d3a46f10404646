"""What the host and the fork server say to each other over their socket.

One packet each: ``RUN`` with four descriptors (source, stdin, stdout, stderr), ``KILL`` while a
program runs, ``Report`` when it has ended. At the start the server says ``Ready`` or why not.
The program itself has none of it: it can neither read nor forge a packet.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from enum import IntEnum

PACKET_BYTES = 4096
KILL = b"K"

_RUN, _READY, _FAILED = b"R", b"Y", b"N"
_LIMITS = struct.Struct("=dQQQQ")
_DETAIL_BYTES = 1024
_REPORT = struct.Struct("=iqddBB")


@dataclass(frozen=True)
class Order:
    """What the server has to enforce for one program; bytes, seconds and a count."""

    wall_s: float
    cpu_s: int
    memory_bytes: int
    file_bytes: int
    threads: int

    def pack(self) -> bytes:
        """As a packet."""
        return _RUN + _LIMITS.pack(*vars(self).values())

    @classmethod
    def unpack(cls, packet: bytes) -> Order | None:
        """From a packet; None for one of another kind, such as a late ``KILL``."""
        return cls(*_LIMITS.unpack(packet[1:])) if packet[:1] == _RUN else None


class Stop(IntEnum):
    """How a run came to its end, as far as the server can see."""

    ENDED = 0
    TIMEOUT = 1
    KILLED = 2
    NOT_STARTED = 3


@dataclass(frozen=True)
class Report:
    """What the server saw of one run: wait status, peak memory, times, its end.

    ``detail`` says why a run was not started; a program has no way to write there.
    """

    status: int
    max_rss_bytes: int
    cpu_s: float
    wall_s: float
    stop: Stop
    memory_error: bool = False
    detail: str = ""

    def pack(self) -> bytes:
        """As a packet."""
        *numbers, detail = vars(self).values()
        return _REPORT.pack(*numbers) + detail.encode("utf-8", "replace")[:_DETAIL_BYTES]

    @classmethod
    def unpack(cls, packet: bytes) -> Report:
        """From a packet.

        Raises:
            struct.error, ValueError: it is not one.
        """
        numbers, detail = packet[: _REPORT.size], packet[_REPORT.size :].decode("utf-8", "replace")
        status, rss, cpu_s, wall_s, stop, memory_error = _REPORT.unpack(numbers)
        return cls(status, rss, cpu_s, wall_s, Stop(stop), bool(memory_error), detail)


def ready(info: dict[str, object]) -> bytes:
    """The server's first packet when it is set up, with facts about itself."""
    return _READY + json.dumps(info).encode()


def failed(reason: str) -> bytes:
    """The server's first and last packet when it can't be set up."""
    return _FAILED + reason.encode("utf-8", "replace")[: PACKET_BYTES - 1]


def read_first(packet: bytes) -> dict[str, object]:
    """The facts in the server's first packet.

    Raises:
        OSError: it says that the server failed, and why.
    """
    if packet[:1] != _READY:
        raise OSError(packet[1:].decode("utf-8", "replace") or "the fork server ended at its start")
    return json.loads(packet[1:])
