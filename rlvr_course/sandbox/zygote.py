"""The fork server: a small, prepared Python that forks one confined child for each program.

The host starts it with ``python -P -s -S -c``, an environment of its own and one socket. It never
reads a program, nor anything a program wrote: descriptors go to the child as they came. What the
child can reach holds no answer, no key and no other program. The server sees the child's end by
``wait4``, kills and reaps whatever is left, renews /tmp and reports. It ends when the host does.
"""

from __future__ import annotations

import array
import contextlib
import gc
import json
import mmap
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from os import _exit
from pathlib import Path
from typing import NoReturn, TextIO

from rlvr_course.sandbox import filesystem, interpreter, kernel, landlock, lockdown, namespaces
from rlvr_course.sandbox.seccomp import FilterTemplate
from rlvr_course.sandbox.tasks import HEADROOM, TaskCount, counted_by_namespace
from rlvr_course.sandbox.wire import KILL, PACKET_BYTES, Order, Report, Stop, failed, ready

UNUSED_UID = 0x70000000  # plus the server's process number: nobody's, and no other server's
LONGEST_WAIT_S = 1e6
SET_UP_S = 4.0  # for a child to be confined, however busy the machine: its wall time starts then
_SET_UP_FAILED = 253
_HANDED = 4  # source, stdin, stdout, stderr
_SEALED = b"k"
_DESCRIPTORS = 256


@dataclass(frozen=True)
class Settings:
    """What the host asks for, as JSON on the command line."""

    socket: int
    host_pid: int
    tier: str
    packages: tuple[str, ...] = ()
    package_paths: tuple[str, ...] = ()


def main(text: str, own_folder: str) -> None:
    """Run the server until the host closes the socket or ends.

    Args:
        text: the settings.
        own_folder: where this package was imported from; the programs don't get it.
    """
    settings = Settings(**json.loads(text))
    channel = socket.socket(fileno=settings.socket)
    _inherit_nothing()
    _offer_itself_when_memory_is_short()
    try:
        host = _process(settings.host_pid)
        _forget_own_package(own_folder)
        own_folder = ""  # a program can read the variables of the frames that called it
        interpreter.prepare(settings.packages, settings.package_paths)
        os.environ.clear()
        server = Server(channel, host, settings)
    except (OSError, ImportError, ValueError) as error:
        channel.send(failed(_said(error)))
        return
    server.serve()


def _inherit_nothing() -> None:
    """Undo what a host may have set, and what starting a program carries over.

    With SIGCHLD ignored there is no status to wait for; by a umask of 077 root would make a tree
    that nobody can enter; a blocked SIGALRM never reaches the program that asked for it.
    """
    os.umask(0o022)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if number not in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # as Python has them
            with contextlib.suppress(OSError, ValueError):  # those that the C library keeps
                signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _process(pid: int) -> int:
    """A descriptor of a process, or an error that names the call: an old filter may refuse it."""
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        raise OSError(error.errno, f"pidfd_open: {error.strerror}") from None


def _said(error: BaseException) -> str:
    """What a failure says, without the kernel's number for it."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}"


def _offer_itself_when_memory_is_short() -> None:
    """Let the kernel, if it has to end a process, take a program rather than the host's."""
    with contextlib.suppress(OSError):  # a container may show /proc read-only
        Path("/proc/self/oom_score_adj").write_text("1000")


def _forget_own_package(folder: str) -> None:
    """Leave nothing of this package to import."""
    sys.path[:] = [path for path in sys.path if path != folder]
    for name in [name for name in sys.modules if name.partition(".")[0] == "rlvr_course"]:
        del sys.modules[name]


def become_nobody() -> None:
    """Give up root for a user that owns nothing and that nobody else uses, where that can be.

    Limits on the number of processes don't hold for root, and files of root would be its own.
    A root without the right to change its user stays one: no capability is left to its programs.
    """
    for user in (UNUSED_UID + os.getpid(), namespaces.INNER_ID):
        with contextlib.suppress(OSError):  # a container may have 65,536 users only
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # or its /proc/self stays root's
            return


def count_as_nobody() -> None:
    """Stay root for files, and be an unused user for the limit on processes, where that can be.

    The kernel counts by the real user and opens files by the effective one.
    """
    with contextlib.suppress(OSError):
        os.setresuid(UNUSED_UID + os.getpid(), 0, 0)


class Server:
    """The state of the fork server: its socket, what it holds ready, where programs may write."""

    def __init__(self, channel: socket.socket, host: int, settings: Settings) -> None:
        self._channel, self._host = channel, host
        self._private = settings.tier == "linux-ns"
        self._readable = filesystem.readable(settings.package_paths)
        self._base_bytes = _address_space()
        most = min(_DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self._others: int | None = None  # tasks that count as the program's user's, without it
        self._tasks: TaskCount | None = None
        if self._private:
            self._go_private()
        else:
            self._stay_public()
        self._pid = os.getpid()
        self._ruleset = self._new_ruleset()
        self._template = FilterTemplate(os.uname().machine, writable=self._private)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        lockdown.set_standing_limits()
        self._note = mmap.mmap(-1, mmap.PAGESIZE)  # shared with the child: "memory ended it"
        self._main = interpreter.stage(_streams_over_pipes())

    def _go_private(self) -> None:
        """Enter the namespaces as their first process; the outer process waits and dies with it."""
        proc = namespaces.build_root(self._readable)
        if os.getuid() == 0:
            become_nobody()
        if os.getuid() >= UNUSED_UID or counted_by_namespace(os.uname().release):
            self._others = 2  # the outer process and this one count as the same user's
        namespaces.enter(proc)
        if inner := os.fork():
            self._channel.close()
            os.close(self._host)
            os.waitpid(inner, 0)
            os._exit(0)
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getpid() != 1:  # it is going to kill every process that it can see
            raise OSError("the fork server is not the first process of its namespace")
        self._scratch = namespaces.ScratchSpace()

    def _stay_public(self) -> None:
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
        os.chdir("/")
        if os.getuid() == 0:
            library_is_open = all(map(filesystem.open_to_everyone, self._readable.library))
            (become_nobody if library_is_open else count_as_nobody)()
        if os.getuid() >= UNUSED_UID:
            self._others = 1
        else:  # root in a container, too, who is an ordinary user outside of it
            self._tasks = TaskCount(os.getuid())

    def _new_ruleset(self) -> int | None:
        """What Landlock is to allow; None where a private tree does without it, on older kernels.

        The namespaces hold the same files back. Without them Landlock is all there is, so the
        other tier is not to be had.
        """
        if self._private and landlock.abi_version() < landlock.MIN_ABI:
            return None
        rights = {
            path: landlock.READ if whole else landlock.Access.READ_DIR
            for path, whole in self._allowed()
        }
        for device in filesystem.DEVICES:
            rights[device] = landlock.Access.READ_FILE
        rights["/dev/null"] |= landlock.Access.WRITE_FILE
        if self._private:
            rights["/tmp"] = landlock.write_rights(landlock.abi_version())
        return landlock.create_ruleset(rights)

    def _allowed(self) -> Iterable[tuple[str, bool]]:
        """Paths to read: where packages are hidden by mounts already, the library as a whole."""
        if self._private:
            return [(path, True) for path in self._readable.library]
        return self._readable.without_hidden()

    def _facts(self) -> dict[str, object]:
        return {
            "landlock_abi": landlock.abi_version(),
            "python": sys.version.split()[0],
            "uid": os.getuid(),
            "counts_threads": self._others is not None and self._tasks is None,
            "base_bytes": self._base_bytes,
        }

    def serve(self) -> None:
        """Answer orders, one at a time, until the host is gone."""
        gc.collect()
        gc.disable()
        gc.freeze()  # or each child would copy the pages that its first collection touches
        self._channel.send(ready(self._facts()))
        watch = select.poll()
        watch.register(self._channel.fileno(), select.POLLIN)
        watch.register(self._host, select.POLLIN)
        while True:
            gone = any(descriptor == self._host for descriptor, _ in watch.poll())
            packet, descriptors = self._receive()
            if gone or not packet:
                os._exit(0)
            if order := Order.unpack(packet):
                self._channel.send(self._run(order, descriptors).pack())

    def _receive(self) -> tuple[bytes, list[int]]:
        try:
            packet, extra, _, _ = self._channel.recvmsg(
                PACKET_BYTES, socket.CMSG_SPACE(_HANDED * 4), socket.MSG_DONTWAIT
            )
        except BlockingIOError:
            return b"", []
        descriptors = array.array("i")
        for _, _, data in extra:
            descriptors.frombytes(data)
        return packet, descriptors.tolist()

    def _run(self, order: Order, descriptors: list[int]) -> Report:
        """Fork, wait, kill, reap, clean."""
        self._note[:] = bytes(mmap.PAGESIZE)  # all of it: a program could write to the next one
        if self._tasks and (count := self._tasks.now()) is not None:
            self._others = count + HEADROOM
        sealed, seal = os.pipe()
        child, why_not = -1, f"{len(descriptors)} descriptors came, not {_HANDED}"
        try:
            if len(descriptors) == _HANDED:
                child = os.fork()
        except OSError as error:
            why_not = f"fork: {error.strerror}"
        if child == 0:
            self._be_child(order, descriptors, seal)
        for descriptor in (*descriptors, seal):
            os.close(descriptor)
        if child < 0:
            os.close(sealed)
            return Report(0, 0, 0.0, 0.0, Stop.NOT_STARTED, detail=why_not)
        began = time.monotonic()
        why_not = self._await_seal(child, sealed)
        os.close(sealed)
        if not why_not:
            began = time.monotonic()
        stop = Stop.NOT_STARTED if why_not else self._await_end(child, order.wall_s)
        _, status, usage = os.wait4(child, 0)
        wall_s = time.monotonic() - began
        self._reap()
        return Report(
            status=status,
            max_rss_bytes=usage.ru_maxrss * 1024,
            cpu_s=usage.ru_utime + usage.ru_stime,
            wall_s=wall_s,
            stop=stop,
            memory_error=self._note[0] == 1,
            detail=why_not,
        )

    def _await_seal(self, child: int, sealed: int) -> str:
        """Until the child is confined: "", or why it is not, and dies."""
        said = b"it took too long"
        if self._wait(sealed, SET_UP_S) is Stop.ENDED:
            said = os.read(sealed, mmap.PAGESIZE)
        if said == _SEALED:
            return ""
        os.kill(child, signal.SIGKILL)
        return said.decode("utf-8", "replace") or "it ended before it was confined"

    def _await_end(self, child: int, wall_s: float) -> Stop:
        """Until the child ends, its time is up, or the host says so: it dies in any case."""
        ended = os.pidfd_open(child)
        stop = self._wait(ended, wall_s)
        os.close(ended)
        if stop is not Stop.ENDED:
            os.kill(child, signal.SIGKILL)
        return stop

    def _wait(self, event: int, longest_s: float) -> Stop:
        """For what a descriptor or the host tells; if that is gone, end, with all that runs."""
        watch = select.poll()
        for descriptor in (event, self._channel.fileno(), self._host):
            watch.register(descriptor, select.POLLIN)
        found = [descriptor for descriptor, _ in watch.poll(min(longest_s, LONGEST_WAIT_S) * 1000)]
        if not found:
            return Stop.TIMEOUT
        if event in found:
            return Stop.ENDED
        if self._receive()[0] != KILL:
            os._exit(0)
        return Stop.KILLED

    def _reap(self) -> None:
        """Leave no process and no file of the program: in its namespace everything is killable."""
        if self._private:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0 if self._private else os.WNOHANG)[0]:
                pass
        if self._private and self._scratch.renew():
            if self._ruleset is not None:
                os.close(self._ruleset)
            self._ruleset = self._new_ruleset()

    def _be_child(self, order: Order, descriptors: list[int], seal: int) -> NoReturn:
        """Confine this process, run the program, never return."""
        code = 1
        try:
            source = os.pread(descriptors[0], os.fstat(descriptors[0]).st_size, 0)
            for target, descriptor in enumerate(descriptors[1:]):
                os.dup2(descriptor, target)
            _close_all_but(seal, seal if self._ruleset is None else self._ruleset)
            lockdown.confine(self._bounds(order), self._ruleset, self._template)
            if os.getppid() != self._pid:
                raise OSError("the fork server died before it could take this child along")
            os.write(seal, _SEALED)
            os.close(seal)
        except BaseException as error:
            try:
                os.write(seal, _said(error).encode("utf-8", "replace"))
            finally:
                _exit(_SET_UP_FAILED)
        try:
            interpreter.begin()
            code = interpreter.run_source(source, self._main)
        except (interpreter.OutOfMemory, MemoryError):
            self._note[0] = code = 1
        except BaseException:  # the program's own doing
            pass
        finally:
            _exit(code)  # bound when this was imported: a program may replace os._exit

    def _bounds(self, order: Order) -> lockdown.Bounds:
        return lockdown.Bounds(
            cpu_s=order.cpu_s,
            address_bytes=self._base_bytes + order.memory_bytes,
            file_bytes=order.file_bytes,
            processes=None if self._others is None else self._others + 1 + order.threads,
        )


def _address_space() -> int:
    """What this process has mapped before any program: a limit counts what is beyond it."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * mmap.PAGESIZE


def _streams_over_pipes() -> tuple[TextIO, TextIO, TextIO]:
    """Make the standard streams while 0 to 2 are pipes, so that they are taken for pipes."""
    reader, writer = os.pipe()
    for target, descriptor in ((0, reader), (1, writer), (2, writer)):
        os.dup2(descriptor, target)
    streams = interpreter.standard_streams()
    null = os.open("/dev/null", os.O_RDWR)
    for target in (0, 1, 2):
        os.dup2(null, target)
    for descriptor in (reader, writer, null):
        os.close(descriptor)
    return streams


def _close_all_but(*kept: int) -> None:
    """Close every descriptor above 2 but these, however high: the host's may reach far."""
    first = 3
    for descriptor in sorted(kept):
        kernel.close_from(first, descriptor - 1)
        first = descriptor + 1
    kernel.close_from(first)
