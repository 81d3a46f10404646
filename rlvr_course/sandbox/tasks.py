"""How many processes and threads a user has: what the kernel's limit on them counts.

Answers: a thread bomb where there is no namespace to count in. RLIMIT_NPROC counts all that the
user runs, on the whole machine, so a limit for one program is what runs already, plus its share.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

HEADROOM = 1024
"""What the user may start between two counts without a program's threads failing, other sandboxes
included: their processes can't be traced, and so don't show whose they are."""

_AGE_PER_COST = 50
_LEAST_AGE_S = 0.5


def counted_by_namespace(release: str) -> bool:
    """Whether a kernel counts the tasks of a user in each user namespace by themselves.

    >>> counted_by_namespace("5.10.0-32-amd64"), counted_by_namespace("6.8.0-rc1")
    (False, True)
    """
    numbers = re.match(r"(\d+)\.(\d+)", release)
    return numbers is not None and tuple(map(int, numbers.groups())) >= (5, 14)


def tasks_of_user(user: int, root: Path = Path("/proc")) -> int:
    """Count the threads of all the user's processes; each has one at least.

    Args:
        user: a user's number, as in the caller's namespace.
        root: where /proc is found.

    Raises:
        OSError: there is no /proc.
    """
    count = 0
    for name in os.listdir(root):  # noqa: PTH208 (only names are needed, of hundreds)
        if name.isdigit():
            with contextlib.suppress(OSError):  # it has just ended
                if os.stat(root / name).st_uid == user:  # noqa: PTH116
                    count += max(1, os.stat(root / name / "task").st_nlink - 2)  # noqa: PTH116
    return count


class TaskCount:
    """A count that is taken again when it is old, so that counting never costs more than 2%."""

    def __init__(self, user: int) -> None:
        self._user = user
        self._count = 0
        self._good_until = -1.0

    def now(self) -> int | None:
        """The count, or None where there is no /proc to count in."""
        began = time.monotonic()
        if began > self._good_until:
            try:
                self._count = tasks_of_user(self._user)
            except OSError:
                return None
            cost_s = time.monotonic() - began
            self._good_until = began + max(_LEAST_AGE_S, cost_s * _AGE_PER_COST)
        return self._count
