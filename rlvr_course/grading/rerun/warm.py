"""The process that all re-executions are forked from: everything imported once, nothing learnt.

It never runs a learner's code and never reads an order: descriptors pass through it unread to a
child that is forked for one run. So no submission finds anything of another in its memory.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import socket
import warnings
from typing import Any

from rlvr_course.grading.rerun.warden import Bounds, Ends, guard

READY = b"ready"
MODULES = (
    *("numpy", "pandas", "pandas.io.formats.style", "sympy", "matplotlib.pyplot"),
    *("matplotlib_inline.backend_inline", "matplotlib.backends.backend_agg"),
    *("pydoc", "asyncio", "rlvr_course.classroom.specs"),
)
"""What notebooks import, and what the shell does at its first output."""


def serve(descriptor: int) -> None:
    """Import, say so, then fork a warden for each order until the other side closes.

    Args:
        descriptor: of a UNIX socket.
    """
    control = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's; the grader decides what ends
    shell = _warm_up()
    control.sendall(READY)
    while True:
        _reap()
        message, descriptors, _, _ = socket.recv_fds(control, 4096, 3)
        if not message:
            return
        if os.fork() == 0:
            control.close()
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            try:
                guard(Ends(*descriptors), Bounds(**json.loads(message)), shell)
            finally:
                os._exit(0)
        for one in descriptors:
            os.close(one)


def _warm_up() -> Any:
    """Import all, the shell first; returns it."""
    import rlvr_course
    from rlvr_course.grading.rerun.jailed_shell import make_shell

    shell = make_shell()
    with warnings.catch_warnings(), shell.builtin_trap:  # pandas asks get_ipython() what it is in
        warnings.simplefilter("ignore")
        for name in MODULES:
            importlib.import_module(name)
        for name in rlvr_course.__all__:
            getattr(rlvr_course, name)
    rlvr_course.load_rollouts()
    gc.collect()
    gc.freeze()  # or each child's first collection would copy every page
    return shell


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
