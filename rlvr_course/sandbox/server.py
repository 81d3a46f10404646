"""Starting and ending one fork server, from the host's side.

It ends by itself when its socket closes or when the host's process does, so neither a killed host
nor a restarted notebook kernel leaves one behind. It is not tied to the thread that started it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from rlvr_course.sandbox import wire

START_S = 60.0
_END_S = 2.0

# The package is found by the folder that holds it, last on the path: installed, editable or not.
_BOOTSTRAP = (
    "import sys; sys.path.append(sys.argv[2]); "
    "from rlvr_course.sandbox.zygote import main; main(*sys.argv[1:])"
)
_OPTIONS = ("-P", "-s", "-S", "-X", "utf8")  # -I would make it ignore PYTHONHASHSEED
# An arena of malloc reserves 64 MB of the limited address space, one for each thread by default.
_ONE = ("MALLOC_ARENA_MAX", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_PASSED_ON = ("LD_LIBRARY_PATH",)  # where a Python is built such that it can't start without


class ForkServer:
    """One started fork server: its process, its socket, the facts that it told.

    Args:
        tier: "linux-ns" or "linux-landlock".
        python: the interpreter.
        packages: to import ahead.
        paths: of their files, and of those that they need.

    Raises:
        OSError: it could not be set up; the message says what failed.
    """

    def __init__(
        self, tier: str, python: str, packages: Sequence[str], paths: Sequence[str]
    ) -> None:
        began = time.perf_counter()
        self._owner = os.getpid()
        settings = {
            "host_pid": self._owner,
            "tier": tier,
            "packages": list(packages),
            "package_paths": list(paths),
        }
        complaints = os.memfd_create("stderr", os.MFD_CLOEXEC)
        try:
            self.channel, self.process = _start(python, settings, complaints)
            self.info = self._greet(complaints)
        finally:
            os.close(complaints)
        self.start_ms = (time.perf_counter() - began) * 1000

    def _greet(self, complaints: int) -> dict[str, object]:
        """Wait for the first packet; a server that doesn't come up is ended."""
        try:
            watch = select.poll()
            watch.register(self.channel.fileno(), select.POLLIN)
            if not watch.poll(START_S * 1000):
                raise OSError(f"it said nothing for {START_S:g} s")
            packet = self.channel.recv(wire.PACKET_BYTES)
            if not packet:
                size = os.fstat(complaints).st_size
                text = os.pread(complaints, size, 0).decode("utf-8", "replace").strip()
                raise OSError(f"it ended at once: {text.splitlines()[-1] if text else 'silently'}")
            return wire.read_first(packet)
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End it, with all that it started; in a forked copy of the host only let go of it."""
        self.channel.close()
        if self._owner != os.getpid():
            self.process.returncode = 0  # not this process's child: nothing to wait for
            return
        try:
            self.process.wait(_END_S)  # it reaps its own, which init may not do in a container
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            self.process.wait()


def _start(
    python: str, settings: dict[str, object], complaints: int
) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the process with one end of a channel; returns the other end, and the process."""
    channel, near = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel.setblocking(True)  # whatever the host's default for sockets is
    far_end = -1
    try:
        with near:  # above 2, which a host may have closed: the server gets others there
            far_end = fcntl.fcntl(near, fcntl.F_DUPFD_CLOEXEC, 3)
        text = json.dumps({"socket": far_end, **settings})
        return channel, _popen(python, text, far_end, complaints)
    except BaseException:
        channel.close()
        raise
    finally:
        if far_end >= 0:
            os.close(far_end)


def _popen(python: str, settings: str, descriptor: int, complaints: int) -> subprocess.Popen[bytes]:
    import rlvr_course

    own_folder = str(Path(rlvr_course.__file__).resolve().parent.parent)
    environment = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", **dict.fromkeys(_ONE, "1")}
    environment["LD_BIND_NOW"] = "1"  # resolve symbols once here, not again in each child
    environment |= {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return subprocess.Popen(
        [python, *_OPTIONS, "-c", _BOOTSTRAP, settings, own_folder],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=complaints,
        pass_fds=[descriptor],
        env=environment,
        cwd="/",
        start_new_session=True,
    )
