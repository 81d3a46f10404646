"""Refuse to leave this machine: an audit hook over Python's own sockets.

This file imports nothing but the standard library: a copy of it becomes the ``sitecustomize`` of
a kernel and of the Python processes that the kernel starts. Loopback and Unix sockets stay open;
Jupyter needs them.

Limits: see ``offline.py``. It is a seat belt for code that reaches out unknowingly, not a prison
for code that means to get out.
"""

from __future__ import annotations

import ipaddress
import sys

ADDRESS_EVENTS = {"socket.connect", "socket.sendto", "socket.sendmsg"}
NAME_EVENTS = {"socket.getaddrinfo", "socket.gethostbyname"}


def install() -> None:
    """Watch this process from now on; an audit hook can't be taken out again."""
    sys.addaudithook(refuse_outside)


def refuse_outside(event: str, args: tuple) -> None:
    """Raise if the event would reach another machine or ask a name server for one.

    Raises:
        PermissionError: it would. Being an OSError, it is what network code expects to fail with.
    """
    if event in ADDRESS_EVENTS:
        host = _host(args[1])
    elif event in NAME_EVENTS:
        host = args[0]
    else:
        return
    if host is not None and not is_local(host):
        raise PermissionError(
            f"fake mode has no network: {host!r} was refused. "
            "Run with --mode local or --mode api for a live policy."
        )


def _host(address: object) -> object:
    """The host of an internet address; None for a Unix socket or a socket already connected."""
    return address[0] if isinstance(address, tuple) and address else None


def is_local(host: object) -> bool:
    """Whether a host is this machine, told without asking a name server.

    >>> is_local("127.0.0.1"), is_local("::1"), is_local("localhost"), is_local("")
    (True, True, True, True)
    >>> is_local("192.0.2.7"), is_local("example.org"), is_local("127.example.org")
    (False, False, False)
    """
    text = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)
    # "" and 0.0.0.0 mean this machine; a link-local address carries its interface after a "%".
    if text in ("", "localhost", "0.0.0.0", "::"):
        return True
    try:
        return ipaddress.ip_address(text.split("%")[0]).is_loopback
    except ValueError:
        return False
