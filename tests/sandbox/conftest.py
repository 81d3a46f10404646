"""A worker for each tier that this machine can hold; where it can't, the reason is the skip's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.worker import TIERS, LinuxTier, Worker


def open_or_skip(tier: LinuxTier, **options: object) -> Worker:
    """A worker of the tier, or a skip that says why there can be none here."""
    try:
        return Worker(tier, **options)  # type: ignore[arg-type]
    except SandboxUnavailable as error:
        pytest.skip(str(error))


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
