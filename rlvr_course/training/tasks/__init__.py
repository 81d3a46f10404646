"""The tiny tasks: seeded problems, disjoint for training and testing, and their verifiers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from rlvr_course.training.tasks.cipher import cipher
from rlvr_course.training.tasks.clerk import clerk, lister
from rlvr_course.training.tasks.copying import copying
from rlvr_course.training.tasks.dice import dice
from rlvr_course.training.tasks.task import REFUSAL, Task

__all__ = ["REFUSAL", "TASKS", "Task", "load_task"]

TASKS: dict[str, Callable[[], Task]] = {
    "cipher": cipher,
    "clerk": clerk,
    "lister": lister,
    "dice": dice,
    "copy": copying,
}


@cache
def load_task(name: str) -> Task:
    """The task of this name; the same one at each call.

    Raises:
        ValueError: an unknown name.

    >>> load_task("cipher")
    Task('cipher', 2000 to train on, 200 to test on)
    """
    if name not in TASKS:
        raise ValueError(f"task {name!r} is not one of {', '.join(TASKS)}")
    return TASKS[name]()
