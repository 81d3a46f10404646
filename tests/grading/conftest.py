"""What several tests of grading need."""

from __future__ import annotations

import pytest

from rlvr_course.errors import SandboxUnavailable
from rlvr_course.grading.marking.remote import LIGHT
from rlvr_course.verifiers.programs.pools import shared_pool


@pytest.fixture(scope="session")
def sandbox() -> None:
    """Skip with the probes' own reason on a machine that can't hold a learner's code."""
    try:
        shared_pool("auto", None, LIGHT)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
