"""Run a notebook's cells as a Jupyter kernel would, without one: this is the inside of the jail.

The shell is ipykernel's own, so that displays, magics and tracebacks are what a notebook shows.
Its messages are not sent over sockets but written as JSON lines, one an event, to a pipe:

    ["cell", place]  ["stream", name, text]  ["execute_result", content]  ["error", content] ...
    ["end", execution count, the exception's name or ""]  ["done"]

Limits: whatever writes these lines shares a process with the learner's code, which can write
others. They are a claim about what the code shows, as a kernel's messages are; marks never rest
on them.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import random
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import Any

_CHUNK = 1 << 16


class Events:
    """Writes events to a descriptor, whole lines, for the process that made it only."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._process, self._lock = descriptor, os.getpid(), threading.RLock()

    @property
    def ours(self) -> bool:
        """Whether this is still the kernel and not a process that a cell forked."""
        return os.getpid() == self._process

    def write(self, *event: Any) -> None:
        """Write one event; a forked process's are dropped, like those of a real kernel's."""
        if not self.ours:
            return
        line = memoryview(json.dumps(event, default=str).encode("utf-8", "replace") + b"\n")
        with self._lock:
            while line:
                line = line[os.write(self._descriptor, line) :]


class CellStream(io.TextIOBase):
    """``sys.stdout`` or ``sys.stderr`` of a cell: what is written becomes stream events."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, name: str, descriptor: int, events: Events) -> None:
        self.name, self._descriptor, self._events = name, descriptor, events
        self._kept: list[str] = []
        self._size = 0

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if not self._events.ours:
            return os.write(self._descriptor, text.encode("utf-8", "replace"))
        self._kept.append(text)
        self._size += len(text)
        if self._size > _CHUNK:
            self.flush()
        return len(text)

    def flush(self) -> None:
        kept, self._kept, self._size = self._kept, [], 0
        if text := "".join(kept):
            self._events.write("stream", self.name, text)


class Relay:
    """What programs print past Python (``!ls``, ``os.write(1, ...)``), as stream events."""

    def __init__(self, name: str, descriptor: int, events: Events) -> None:
        self._name, self._events, self._lock = name, events, threading.Lock()
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.dup2(writer, descriptor)
        os.close(writer)
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        import select

        while select.select([self._reader], [], []):
            self.drain()

    def drain(self) -> None:
        """Pass on what is there by now."""
        with self._lock, contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._reader, _CHUNK):
                self._events.write("stream", self._name, chunk.decode("utf-8", "replace"))


def make_shell() -> Any:
    """An ipykernel shell without a kernel, a history or start-up files.

    To be made before pandas and matplotlib are imported: both ask whether they are in a notebook.
    """
    from ipykernel.zmqshell import ZMQInteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.IPKernelApp.name = "jail"  # tqdm's way to tell a notebook from a terminal
    with tempfile.TemporaryDirectory(prefix="rlvr-ipython-") as folder:
        shell: Any = ZMQInteractiveShell.instance(config=config, ipython_dir=folder)
    shell.kernel = None  # pandas' way: that there is one
    shell.enable_gui = lambda gui=None: None  # "%matplotlib inline" would ask the kernel
    return shell


def _connect(shell: Any, events: Events) -> None:
    """Let what the shell would send to a front end become events; give it a profile of its own."""
    from IPython.core.profiledir import ProfileDir
    from jupyter_client.session import Session

    class Recording(Session):
        """Stands for the connection to a front end."""

        def send(self, stream: Any, message: Any, content: Any = None, *_: Any, **__: Any) -> None:
            if isinstance(message, str):
                events.write(message, content)
            else:
                events.write(message["header"]["msg_type"], message["content"])

    session = Recording(key=b"none")
    for channel in (shell.displayhook, shell.display_pub):
        channel.session, channel.pub_socket, channel.topic = session, None, b"jail"
    shell.ipython_dir = os.environ["IPYTHONDIR"]
    shell.profile_dir = ProfileDir.create_profile_dir_by_name(shell.ipython_dir)


def _reseed() -> None:
    """A kernel that starts has seeds of its own; this one was forked from a common parent."""
    random.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def run_cells(shell: Any, cells: Sequence[Mapping[str, Any]], events: Events) -> None:
    """Run code cells in order, each to its end, whether or not those before it failed.

    Args:
        shell: from ``make_shell``.
        cells: each with "place" and "source".
        events: where what they show goes.
    """
    _reseed()
    atexit._clear()  # those of the process that this one was forked from
    relays = [Relay("stdout", 1, events), Relay("stderr", 2, events)]
    sys.stdout = sys.__stdout__ = CellStream("stdout", 1, events)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = CellStream("stderr", 2, events)  # type: ignore[misc]
    _connect(shell, events)
    for cell in cells:
        events.write("cell", cell["place"])
        _run_cell(shell, cell["source"], events)
        for relay in relays:
            relay.drain()
    events.write("done")
    atexit._run_exitfuncs()  # what a kernel that is shut down does: pools of workers close


def _run_cell(shell: Any, source: str, events: Events) -> None:
    count = shell.execution_count
    result = shell.run_cell(source, store_history=True)
    if not events.ours:
        os._exit(0)  # a process that the cell forked came out of it, too
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    error = result.error_before_exec or result.error_in_exec
    events.write("end", count, type(error).__name__ if error else "")
