"""Opening a worker in a test."""

from __future__ import annotations

import pytest

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.worker import LinuxTier, Worker


def open_or_skip(tier: LinuxTier, **options: object) -> Worker:
    """A worker of the tier, or a skip that says why there can be none here."""
    try:
        return Worker(tier, **options)  # type: ignore[arg-type]
    except SandboxUnavailable as error:
        pytest.skip(str(error))
