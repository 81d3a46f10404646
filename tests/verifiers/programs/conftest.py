"""One verifier for all tests of programs: opening its sandbox takes longer than most of them."""

import pytest

from rlvr_course import CodeVerifier
from rlvr_course.errors import SandboxUnavailable
from rlvr_course.sandbox.pool import SandboxPool


@pytest.fixture(scope="session")
def pool():
    """A pool of this machine's best tier; without one the reason is the probes' own."""
    try:
        opened = SandboxPool("auto")
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def verifier(pool):
    return CodeVerifier(pool)
