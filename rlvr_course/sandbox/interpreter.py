"""What a program finds when it starts: Python as ``python main.py`` would have it, within reason.

Kept: ``__main__``, SystemExit codes, threads that are waited for, ``atexit``, ``excepthook``,
KeyboardInterrupt, a recursion limit of 1,000 frames, exit code 120 for a failed flush.
Decided here: text is UTF-8 whatever the locale; the limit on digits of integers is lifted, since
contest programs print long ones; the hash seed is 0 everywhere, so that the order of a set, and
with it a reward, is the same each time; ``random`` is seeded anew from the system for each program,
as in a new process, so that a flaky program shows itself as one.
Not there: ``/dev/stdin`` by that name, which needs /proc; ``open(0)`` and ``sys.stdin`` work.
"""

from __future__ import annotations

import atexit
import codecs
import gc
import importlib
import io
import os
import random
import signal
import site
import sys
import threading
import types
from collections.abc import Iterable, Sequence
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, TextIO

STANDARD_MODULES = (
    *("abc array ast base64 bisect calendar cmath collections.abc contextlib copy csv".split()),
    *("dataclasses datetime decimal enum fractions functools hashlib heapq inspect io".split()),
    *("itertools json linecache math numbers operator pprint queue random re statistics".split()),
    *("string struct textwrap time traceback typing unicodedata warnings weakref zlib".split()),
)
"""Imported ahead, once, so that programs start with them."""

NAME = "<program>"
FLUSH_FAILED = 120
SOURCE_ENCODING = "utf-8-sig"


class AskedPackages:
    """An import finder for the packages that were asked for, wherever they are installed.

    Their folders are not on ``sys.path``: what else is installed there is not found, neither by a
    program nor by a package that would use it if it could.

    Args:
        paths: the packages' files and folders.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._names = {Path(path).name.partition(".")[0] for path in paths}
        self._folders = sorted({str(Path(path).parent) for path in paths})

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """As the import system calls it: None for what is not asked for, or not at the top."""
        if path is not None or name not in self._names:
            return None
        return PathFinder.find_spec(name, self._folders, target)

    def find_distributions(
        self, context: metadata.DistributionFinder.Context | None = None
    ) -> Iterable[metadata.Distribution]:
        """As ``importlib.metadata`` calls it: some packages ask for their own version on import.

        Limits: a package whose distribution has another name than its import is not found.
        """
        if context is None or context.name not in self._names:
            return ()
        return metadata.MetadataPathFinder.find_distributions(
            metadata.DistributionFinder.Context(name=context.name, path=self._folders)
        )


def prepare(packages: Sequence[str], paths: Sequence[str]) -> None:
    """Import what programs start with; give back the names that ``site`` defines.

    Args:
        packages: to import ahead besides the standard modules.
        paths: the files of these and of what they need.

    Raises:
        ImportError: a package is not there, fails, or starts threads, which a fork would lose.
    """
    site.setquit()
    site.setcopyright()
    site.sethelper()
    sys.set_int_max_str_digits(0)
    sys.meta_path.append(AskedPackages(paths))
    codecs.lookup(SOURCE_ENCODING)  # imported by its first use, which is each program's
    for name in (*STANDARD_MODULES, *packages):
        importlib.import_module(name)
    _fork_as_a_single_thread()
    if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208
        raise ImportError(f"{', '.join(packages)}: starts threads when imported: leave it out")


def _fork_as_a_single_thread() -> None:
    """Spare each child what ``threading`` does after a fork to forget its parent's other threads.

    There are none, and the child can't fork again. It would look through tables and make locks
    on a hundred pages of memory, each of which the child then has to copy.
    """
    threading._after_fork.__code__ = (lambda: None).__code__  # type: ignore[attr-defined]


def standard_streams() -> tuple[TextIO, TextIO, TextIO]:
    """Text streams over descriptors 0 to 2, as the interpreter makes them for pipes."""

    def stream(descriptor: int, name: str, errors: str) -> TextIO:
        mode = "wb" if descriptor else "rb"
        binary: Any = open(descriptor, mode, closefd=False)  # noqa: SIM115
        binary.raw.name = name
        text = io.TextIOWrapper(binary, "utf-8", errors)
        text.mode = mode[0]  # type: ignore[misc]
        return text

    return (
        stream(0, "<stdin>", "strict"),
        stream(1, "<stdout>", "strict"),
        stream(2, "<stderr>", "backslashreplace"),
    )


def stage(streams: tuple[TextIO, TextIO, TextIO]) -> types.ModuleType:
    """Make this process look like a new interpreter before it forks; returns the ``__main__``.

    What is done here is done once, on pages that the children share.
    """
    sys.stdin, sys.stdout, sys.stderr = streams
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams
    sys.argv = ["main.py"]
    sys.orig_argv = [sys.executable, "main.py"]  # not how the server was started
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=sys.modules["builtins"], __file__=sys.argv[0])
    sys.modules["__main__"] = main
    return main


def _frames() -> int:
    frame, count = sys._getframe(), 0
    while frame := frame.f_back:  # type: ignore[assignment]
        count += 1
    return count


def begin() -> None:
    """Do what only the child can: seeds of its own, its thread's number, its share of frames."""
    random.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    threading.main_thread()._set_native_id()  # type: ignore[attr-defined]
    sys.setrecursionlimit(1000 + _frames())  # ours are not the program's
    gc.enable()


class OutOfMemory(Exception):
    """The program ended because memory that it asked for was refused."""


def run_source(source: bytes, main: types.ModuleType) -> int:
    """Run a program to its end, threads and exit functions included.

    Returns:
        Its exit code, 0 to 255.

    Raises:
        OutOfMemory: a MemoryError ended it.
    """
    ended_by: BaseException | None = None
    try:
        text = source.decode(SOURCE_ENCODING)
        exec(compile(text, NAME, "exec", dont_inherit=True), main.__dict__)
        code = 0
    except SystemExit as leaving:
        code = _exit_code(leaving)
    except BaseException as error:
        code, ended_by = _report(error), error
    for stop in (sys.settrace, sys.setprofile):  # or the program's own would get to see our frames
        try:  # noqa: SIM105 (a context manager is a frame, too)
            stop(None)
        except BaseException:  # raised by the program's profiler: that ends it as well
            pass
    code = _finish(code)
    if isinstance(ended_by, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    if isinstance(ended_by, MemoryError):
        raise OutOfMemory
    return code


def _exit_code(leaving: SystemExit) -> int:
    """What the interpreter makes of ``sys.exit(value)``."""
    value = leaving.code
    if value is None:
        return 0
    if isinstance(value, int):
        return value & 0xFF
    try:
        print(value, file=sys.stderr)
    except BaseException:  # whatever the program's own stream or __str__ raises
        return 1
    return 1


def _report(error: BaseException) -> int:
    """Print an uncaught exception by the program's excepthook, without our own frame.

    Returns:
        The exit code: 1, or what a hook that raised SystemExit asks for.
    """
    trace = error.__traceback__ and error.__traceback__.tb_next
    error.__traceback__ = trace
    try:
        sys.excepthook(type(error), error, trace)
    except SystemExit as leaving:
        return _exit_code(leaving)
    except BaseException as second:  # as the interpreter: a failing hook is not the end
        sys.__excepthook__(type(second), second, second.__traceback__)
    return 1


def _finish(code: int) -> int:
    """Wait for threads, run exit functions, flush: 120 if stdout can't be."""
    for last in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        try:
            last()
        except BaseException as error:
            sys.__excepthook__(type(error), error, error.__traceback__)
    return code if _flush() else FLUSH_FAILED


def _flush() -> bool:
    """Flush both streams; whether stdout took all."""
    flushed = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException:  # the program's own stream, or a pipe that was closed
            flushed = flushed and stream is sys.stderr
    return flushed
