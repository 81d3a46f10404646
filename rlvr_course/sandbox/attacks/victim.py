"""A disposable victim: what attacks are after, made for one battery and removed with it.

A folder with a secret and a log, listeners on TCP, UDP and UNIX sockets, and a process with a
secret in its environment and in its memory. All belong to an ordinary user: where the battery runs
as root, to ``nobody``, which is also whom root's sandboxes run as, so that file permissions alone
protect nothing. Nothing here is of any worth, and no attack is aimed at anything else.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from rlvr_course.errors import SandboxUnavailable

NOBODY = 65534
ENVIRONMENT = "RLVR_VICTIM_SECRET"
_KEY, _LOG, _SERVICE = "key.txt", "audit.log", "service"
LOG_LINE = '{"seq": 0, "reward": 0.0}\n'

_PROCESS = """
import ctypes, json, os, resource, signal, sys
secret, uid = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None)
if uid >= 0:
    os.setgroups([]); os.setresgid(uid, uid, uid); os.setresuid(uid, uid, uid)
libc.prctl(4, 1, 0, 0, 0)  # dumpable again: another process of this user may trace it
libc.prctl(0x59616D61, -1, 0, 0, 0)  # and Yama, where it is on, shall not be what protects it
word = ctypes.create_string_buffer(secret.encode())
received = []
for name in ("SIGUSR1", "SIGUSR2", "SIGIO", "SIGURG", "SIGHUP", "SIGTERM", "SIGINT"):
    signal.signal(getattr(signal, name), lambda number, frame: received.append(number))
def state():
    return {"signals": len(received), "intact": word.value == secret.encode(),
            "nice": os.getpriority(os.PRIO_PROCESS, 0), "cores": sorted(os.sched_getaffinity(0)),
            "files": resource.getrlimit(resource.RLIMIT_NOFILE)}
print(json.dumps({"address": ctypes.addressof(word), **state()}), flush=True)
for line in sys.stdin:
    print(json.dumps(state()), flush=True)
"""


@dataclass(frozen=True)
class Snapshot:
    """What an attack could have changed, at one moment."""

    connections: int
    files: tuple[tuple[str, ...], ...]
    process: str


class Victim:
    """Set up at construction, removed by ``close`` or at the end of a ``with`` block.

    Raises:
        SandboxUnavailable: this is not Linux.
    """

    def __init__(self) -> None:
        if sys.platform != "linux":
            raise SandboxUnavailable("the attack battery runs on Linux only: so do its attacks")
        self.secret = f"secret-{secrets.token_hex(8)}"
        self.answer = f"answer-{secrets.token_hex(8)}"
        self._owner = NOBODY if os.getuid() == 0 else -1
        self._connections = 0
        self._closing = contextlib.ExitStack()
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            self._set_up()
            undo.pop_all()

    def _set_up(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rlvr-victim-"))
        self._closing.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self._set_environment()
        self._tcp = self._listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self._udp = self._listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self._abstract = f"rlvr-victim-{secrets.token_hex(4)}"
        self._listeners = [
            self._tcp,
            self._udp,
            self._listen(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self._abstract}"),
            self._listen(socket.AF_UNIX, socket.SOCK_STREAM, str(self.folder / _SERVICE)),
        ]
        self._process, first = self._start_process()
        self._address = first["address"]
        self.restore()

    def _set_environment(self) -> None:
        os.environ[ENVIRONMENT] = self.secret
        self._closing.callback(os.environ.pop, ENVIRONMENT, None)

    def _listen(self, family: int, kind: int, address: Any) -> socket.socket:
        listener = self._closing.enter_context(socket.socket(family, kind))
        listener.bind(address)
        listener.setblocking(False)
        if kind == socket.SOCK_STREAM:
            listener.listen(64)
        return listener

    def _start_process(self) -> tuple[subprocess.Popen[bytes], dict[str, int]]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROCESS, self.secret, str(self._owner)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._closing.callback(_end, process)
        assert process.stdout is not None
        return process, json.loads(process.stdout.readline())

    def restore(self) -> None:
        """Make the folder as it was: a secret, a log and a socket, with nothing beside them."""
        for entry in self.folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif not entry.is_socket():
                entry.unlink()
        for name, text in {_KEY: f"{self.secret}\n", _LOG: LOG_LINE, _SERVICE: ""}.items():
            path = self.folder / name
            if text:
                path.write_text(text, encoding="utf-8")
            self._open_to_all(path, 0o666)
        self._open_to_all(self.folder, 0o777)

    def _open_to_all(self, path: Path, mode: int) -> None:
        """The owner first, the mode after: so no attack is stopped by file permissions alone."""
        if self._owner >= 0:
            os.chown(path, self._owner, self._owner)
        path.chmod(mode)

    def restart(self) -> None:
        """Give the battery a new process where an attack ended or changed the old one."""
        _end(self._process)
        self._process, first = self._start_process()
        self._address = first["address"]

    def facts(self) -> dict[str, str]:
        """What attacks may know, as Python literals, by the names that they use."""
        values = {
            "FOLDER": str(self.folder),
            "KEY": str(self.folder / _KEY),
            "LOG": str(self.folder / _LOG),
            "SERVICE": str(self.folder / _SERVICE),
            "ABSTRACT": f"\0{self._abstract}",
            "PORT": self._tcp.getsockname()[1],
            "UDP_PORT": self._udp.getsockname()[1],
            "PID": self._process.pid,
            "ADDRESS": self._address,
            "HARNESS": os.getpid(),
            "VARIABLE": ENVIRONMENT,
            "HOSTNAME": socket.gethostname(),
            "PACKAGE": str(Path(__file__).parents[2]),
        }
        return {name: repr(value) for name, value in values.items()}

    def snapshot(self) -> Snapshot:
        """What is to be seen now; connections count up over the victim's life."""
        return Snapshot(self._count_connections(), self._describe_files(), self._ask_process())

    def _count_connections(self) -> int:
        for listener in self._listeners:
            with contextlib.suppress(BlockingIOError):
                while True:
                    if listener.type == socket.SOCK_DGRAM:
                        listener.recv(65536)
                    else:
                        listener.accept()[0].close()
                    self._connections += 1
        return self._connections

    def _describe_files(self) -> tuple[tuple[str, ...], ...]:
        """Each entry's name, kind, rights, owner, links, size, times and text; not access times."""
        rows = []
        for path in sorted([self.folder, *self.folder.iterdir()]):
            facts = path.lstat()
            text = _text(path) if path.name in (_KEY, _LOG) else ""
            numbers = (facts.st_mode, facts.st_uid, facts.st_nlink, facts.st_size)
            rows.append((path.name, *map(str, numbers), str(facts.st_mtime_ns), text))
        return tuple(rows)

    def _ask_process(self) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return "ended"
        ready, _, _ = select.select([self._process.stdout], [], [], 5)
        return self._process.stdout.readline().decode() or "ended" if ready else "stopped"

    def close(self) -> None:
        """End the process, close the listeners, remove the folder and the environment variable."""
        self._closing.close()

    def __enter__(self) -> Victim:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return str(error)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()
