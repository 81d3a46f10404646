"""Put this process into a network namespace of its own, where Linux permits it.

Inside there is a loopback device and nothing else, so that no program, in whatever language, can
reach another machine. Only the standard library is used; no helper program has to be installed.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS = 0x8913
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1


def enter_namespace() -> bool:
    """Move this process and its future children into a namespace that has only loopback.

    Call it before the process starts a thread.

    Returns:
        Whether it is now in one. If not, nothing has changed: what the system would refuse is
        tried in a child first.
    """
    if not namespace_available():
        return False
    _enter()
    return True


def namespace_available() -> bool:
    """Whether ``enter_namespace`` works here, found by doing it in a child process."""
    if not sys.platform.startswith("linux"):
        return False
    command = [sys.executable, "-m", "rlvr_course.classroom.namespace"]
    try:
        return subprocess.run(command, capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _enter() -> None:
    """Enter, raise the loopback device, and see that it carries a connection.

    Raises:
        OSError: the system refused one of the steps.
    """
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    # A privileged process needs no user namespace, and files of others stay within its reach.
    if libc.unshare(CLONE_NEWNET) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _raise_loopback()
    _try_loopback()


def _raise_loopback() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        reply = fcntl.ioctl(control.fileno(), SIOCGIFFLAGS, request)
        flags = struct.unpack("16sh14x", reply)[1] | IFF_UP
        fcntl.ioctl(control.fileno(), SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags))


def _try_loopback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


if __name__ == "__main__":
    _enter()
