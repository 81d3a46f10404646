"""A worker for each tier that this machine can hold; where it can't, the reason is the skip's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tier_workers import open_or_skip

from rlvr_course.sandbox.worker import TIERS, Worker


@pytest.fixture(scope="session", params=TIERS)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    """One worker, shared: each program has to run as if it were the first."""
    with open_or_skip(request.param) as opened:
        yield opened


@pytest.fixture(scope="session")
def private_worker() -> Iterator[Worker]:
    """A worker with namespaces, and so a /tmp of its own."""
    with open_or_skip("linux-ns") as opened:
        yield opened
