"""Ask a learner's solution for a reply: with a time limit, and without letting it raise.

The call runs in a daemon thread, since a notebook's own thread can't be given a deadline on every
platform. When time is up an exception is raised inside that thread, which ends an endless loop in
Python code; a call that is stuck in C, or that catches everything, is left behind.
"""

from __future__ import annotations

import copy
import ctypes
import threading
from typing import Any

from rlvr_course.classroom.plain import NotPlain, as_plain
from rlvr_course.verifiers.boundary import describe_error, describe_value

LIMIT_S = 1.0
NOT_RUN = "not run, since an earlier call took too long"


class NoReply(Exception):
    """A solution gave no plain value; the message is what a learner should see."""


class _TimeIsUp(BaseException):
    """Raised inside the worker thread only."""


class Ask:
    """A solution that is asked for plain replies.

    Args:
        solution: a function, or a plain value that stands for its own reply.
        limit_s: seconds for one call. After one call that took longer, none is made any more.

    The attributes ``replies``, ``failures`` and ``trace`` keep what was asked and came back.

    Limits: it runs learners' code in this process; it is feedback, not a sandbox.

    >>> Ask(lambda text: text.upper())("a")
    'A'
    """

    def __init__(self, solution: Any, *, limit_s: float = LIMIT_S) -> None:
        self._solution = solution
        self._limit_s = limit_s
        self._is_overdue = False
        self.replies: list[Any] = []
        self.failures = 0
        self.trace: list[str] = []

    def __call__(self, *args: Any) -> Any:
        """The reply to one call, as a plain value.

        Raises:
            NoReply: the call raised, took too long, or returned something that is not plain.
        """
        given = ", ".join(describe_value(arg) for arg in args)
        try:
            reply = self._reply(args)
        except NoReply as failure:
            self.failures += 1
            self.trace.append(f"({given}) → {failure}")
            raise
        self.replies.append(reply)
        self.trace.append(f"({given}) → {describe_value(reply)}")
        return reply

    @property
    def is_stub(self) -> bool:
        """Whether every reply so far is None or a form of Nones: an exercise not yet done."""
        return self.failures == 0 and bool(self.replies) and all(map(_is_blank, self.replies))

    def _reply(self, args: tuple[Any, ...]) -> Any:
        if self._is_overdue:
            raise NoReply(NOT_RUN)
        outcome: list[Any | NoReply] = []
        given = copy.deepcopy(args)
        thread = threading.Thread(
            target=lambda: outcome.append(_plain_reply(self._solution, given)),
            daemon=True,
            name="check",
        )
        thread.start()
        thread.join(self._limit_s)
        if not outcome:
            self._is_overdue = True
            _raise_in(thread)
            raise NoReply(f"took longer than {self._limit_s:g} s")
        if isinstance(outcome[0], NoReply):
            raise outcome[0]
        return outcome[0]


def _plain_reply(solution: Any, args: tuple[Any, ...]) -> Any | NoReply:
    """Runs in the worker thread: whatever the learner's code or objects raise becomes a reason."""
    try:
        value = solution(*args) if callable(solution) else solution
    except NoReply as failure:  # of a solution that is itself asked elsewhere
        return failure
    except BaseException as error:
        return NoReply(f"raised {describe_error(error)}")
    try:
        return as_plain(value)
    except NotPlain as error:
        return NoReply(f"not a plain value: {error}")
    except BaseException as error:
        return NoReply(f"not a plain value: {describe_error(error)}")


def _is_blank(reply: Any) -> bool:
    parts = reply.values() if isinstance(reply, dict) else reply
    if isinstance(reply, (dict, list, tuple)):
        return len(reply) > 0 and all(map(_is_blank, parts))
    return reply is None


def _raise_in(thread: threading.Thread) -> None:
    ident = ctypes.c_ulong(thread.ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(_TimeIsUp))
