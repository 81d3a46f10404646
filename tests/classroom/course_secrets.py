"""The course's own secrets and bundle, made once for all the tests that look for leaks."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.classroom.leak_lines import Secret
from rlvr_course.classroom.leaks import LeakTest
from rlvr_course.classroom.release import bundle

CHECKOUT = find_checkout(Path(__file__).parent)


@cache
def leak_test() -> LeakTest:
    return LeakTest(CHECKOUT)


@cache
def course_bundle() -> dict[str, bytes]:
    return bundle(CHECKOUT)


def one_secret(kind: str) -> Secret:
    """Some secret of a kind, with backslashes or quotes in it where there is one."""
    own = [secret for secret in leak_test().secrets if secret.kind == kind]
    return next((s for s in own if '"' in s.line or "\\" in s.line), own[0])
