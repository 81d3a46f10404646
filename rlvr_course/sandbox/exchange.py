"""What crosses into and out of a run: sealed files in memory go in, two pipes come out.

Answers: endless output (kept up to a limit, then the program is killed; the host never holds
more), a pipe held open by something that outlives the program (after the server's report nobody
waits for the pipe's end), and one program reading another's input (each file is new and sealed).
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import socket
import time

from rlvr_course.sandbox import wire

LONGEST_WAIT_S = 1e6
_CHUNK = 1 << 16
_ADD_SEALS, _SEAL_ALL = 1033, 0x000F


def sealed_file(content: bytes) -> int:
    """A file in memory that nobody can change any more, its offset at the start."""
    descriptor = os.memfd_create("program", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        fcntl.fcntl(descriptor, _ADD_SEALS, _SEAL_ALL)
    except BaseException:  # no memory left, or an interrupt
        os.close(descriptor)
        raise
    return descriptor


class Capture:
    """The stdout and stderr of one run, read as they fill, each kept up to a limit.

    Args:
        limit: bytes of each.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.over_limit = False
        pipes = [os.pipe()]
        try:
            pipes.append(os.pipe())
        except OSError:  # the host is out of descriptors
            for descriptor in pipes[0]:
                os.close(descriptor)
            raise
        self.writers = [writer for _, writer in pipes]
        self._kept = {reader: bytearray() for reader, _ in pipes}
        self.open = set(self._kept)
        for reader in self.open:
            os.set_blocking(reader, False)

    def read(self, descriptor: int) -> None:
        """Take what is there; note the end, or that it was too much."""
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            self.open.discard(descriptor)
        kept = self._kept[descriptor]
        room = self._limit - len(kept)
        kept += chunk[:room]
        self.over_limit = self.over_limit or len(chunk) > room

    def drain(self) -> None:
        """Take what is left after the program's end, without waiting for anyone."""
        for descriptor in list(self.open):
            try:
                while descriptor in self.open:
                    self.read(descriptor)
            except OSError as error:
                if error.errno != errno.EAGAIN:
                    raise

    def texts(self) -> list[str]:
        """Stdout and stderr, as UTF-8."""
        return [kept.decode("utf-8", "replace") for kept in self._kept.values()]

    def close(self) -> None:
        """Close the reading ends."""
        for reader in self._kept:
            os.close(reader)


def follow(channel: socket.socket, capture: Capture, patience_s: float) -> wire.Report:
    """Read a run's output until its server reports; have it killed if it writes too much.

    Raises:
        OSError: the server is gone, or said nothing in time.
    """
    deadline = time.monotonic() + min(patience_s, LONGEST_WAIT_S)
    told = False
    poller = select.poll()
    for descriptor in (*capture.open, channel.fileno()):
        poller.register(descriptor, select.POLLIN)
    while (left := deadline - time.monotonic()) > 0:
        for descriptor, _ in poller.poll(left * 1000):
            if descriptor == channel.fileno():
                packet = channel.recv(wire.PACKET_BYTES)
                if not packet:
                    raise ConnectionError("the fork server ended")
                capture.drain()
                return wire.Report.unpack(packet)
            capture.read(descriptor)
            if descriptor not in capture.open:
                poller.unregister(descriptor)
        if capture.over_limit and not told:
            channel.send(wire.KILL)
            told = True
    raise ConnectionError(f"no report after {patience_s:g} s")
