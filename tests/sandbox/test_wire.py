"""Packets between the host and the fork server come out as they went in."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.sandbox import wire
from rlvr_course.sandbox.wire import Order, Report, Stop

COUNT = st.integers(0, 2**62)
SECONDS = st.floats(0, 1e9)
ORDERS = st.builds(Order, SECONDS, COUNT, COUNT, COUNT, COUNT)
REPORTS = st.builds(
    Report,
    st.integers(0, 65535),
    COUNT,
    SECONDS,
    SECONDS,
    st.sampled_from(Stop),
    st.booleans(),
    st.text(max_size=200),
)


@given(ORDERS)
def test_an_order_comes_out_as_it_went_in(order: Order) -> None:
    assert Order.unpack(order.pack()) == order


@given(REPORTS)
def test_a_report_comes_out_as_it_went_in(report: Report) -> None:
    assert Report.unpack(report.pack()) == report


def test_a_late_kill_is_no_order() -> None:
    assert Order.unpack(wire.KILL) is None


@given(st.binary(max_size=100))
def test_a_broken_report_is_an_error_and_not_a_result(packet: bytes) -> None:
    if len(packet) < len(Report(0, 0, 0.0, 0.0, Stop.ENDED).pack()):
        with pytest.raises(struct.error):
            Report.unpack(packet)


def test_the_first_packet_says_ready_or_why_not() -> None:
    assert wire.read_first(wire.ready({"uid": 7})) == {"uid": 7}
    with pytest.raises(OSError, match=r"^mount: no$"):
        wire.read_first(wire.failed("mount: no"))
    with pytest.raises(OSError, match="ended at its start"):
        wire.read_first(b"")
    assert len(wire.failed("é" * wire.PACKET_BYTES)) <= wire.PACKET_BYTES
