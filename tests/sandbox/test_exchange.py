"""What crosses into and out of a run: files that can't change, output that can't grow."""

from __future__ import annotations

import os
import select
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.sandbox import wire
from rlvr_course.sandbox.exchange import Capture, follow, sealed_file
from rlvr_course.sandbox.wire import Report, Stop

ENDED = Report(0, 0, 0.0, 0.0, Stop.ENDED)


@given(st.binary(max_size=10_000))
def test_a_sealed_file_holds_its_content_and_takes_no_other(content: bytes) -> None:
    descriptor = sealed_file(content)
    try:
        assert os.read(descriptor, len(content) + 1) == content
        for change in (
            lambda: os.write(descriptor, b"x"),
            lambda: os.ftruncate(descriptor, 1 << 20),
        ):
            with pytest.raises(PermissionError):
                change()
    finally:
        os.close(descriptor)


@given(st.lists(st.binary(max_size=500), max_size=6), st.integers(1, 1000))
def test_capture_keeps_what_came_first_up_to_its_limit(chunks: list[bytes], limit: int) -> None:
    capture = Capture(limit)
    for chunk in chunks:
        os.write(capture.writers[0], chunk)
    capture.drain()  # with both writers still open: nobody waits for their end
    whole = b"".join(chunks)
    assert capture.texts() == [whole[:limit].decode("utf-8", "replace"), ""]
    assert capture.over_limit == (len(whole) > limit)
    capture.close()
    for writer in capture.writers:
        os.close(writer)


def test_following_ends_at_the_report_even_if_a_pipe_is_held_open() -> None:
    host, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    capture = Capture(100)
    os.write(capture.writers[0], b"out")
    server.send(ENDED.pack())
    with host, server:
        assert follow(host, capture, 5.0) == ENDED
    assert capture.texts() == ["out", ""]


def test_a_flood_is_answered_with_one_kill_and_kept_at_its_limit() -> None:
    host, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    capture = Capture(10)

    def flood() -> None:
        while not select.select([server], [], [], 0)[0]:
            os.write(capture.writers[0], b"y" * 1000)
        server.send(ENDED.pack())

    writer = threading.Thread(target=flood)
    writer.start()
    assert follow(host, capture, 10.0) == ENDED
    writer.join()
    assert (capture.texts()[0], server.recv(16)) == ("y" * 10, wire.KILL)
    with host, server, pytest.raises(BlockingIOError):
        server.recv(16, socket.MSG_DONTWAIT)


@pytest.mark.parametrize("writes", [False, True], ids=["silent", "writing"])
def test_a_server_that_never_reports_is_late(writes: bool) -> None:
    host, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    capture = Capture(10)
    if writes:
        os.write(capture.writers[0], b"y" * 1000)
    with host, server, pytest.raises(ConnectionError, match=r"no report after 0\.1 s"):
        follow(host, capture, 0.1)


def test_a_server_that_is_gone_is_an_error() -> None:
    host, server = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.close()
    with host, pytest.raises(ConnectionError, match="the fork server ended"):
        follow(host, Capture(10), 5.0)
