"""Sandbox pools that verifiers share: opened at first use, closed at exit."""

from __future__ import annotations

import atexit
import threading

from rlvr_course.sandbox.pool import SandboxPool

_Key = tuple[str, int | None, tuple[str, ...]]
_OPEN: dict[_Key, SandboxPool] = {}
_LOCK = threading.Lock()


def shared_pool(sandbox: str, workers: int | None, packages: tuple[str, ...]) -> SandboxPool:
    """The process's pool of this kind, opened if there is none yet.

    Args:
        sandbox: a tier's name or "auto".
        workers: how many programs run at once; the number of cores if None.
        packages: that programs may import besides the standard library.

    Raises:
        SandboxUnavailable: this machine can't hold the tier.
        ValueError: an unknown tier or package, or fewer than one worker.
    """
    key = (sandbox, workers, packages)
    with _LOCK:
        if key not in _OPEN:
            _OPEN[key] = SandboxPool(sandbox, workers=workers, packages=packages)
        return _OPEN[key]


@atexit.register
def close_shared_pools() -> None:
    """Close what ``shared_pool`` opened; the next use opens anew."""
    with _LOCK:
        while _OPEN:
            _OPEN.popitem()[1].close()
