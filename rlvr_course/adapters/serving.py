"""Serving an application until it is told to stop, on an address that is safe to listen on."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
PACKAGES = ("starlette", "uvicorn")


def check_address(host: str, token: str) -> None:
    """Refuse to listen off the loopback interface without a token.

    Raises:
        ValueError: such an address and no token.

    >>> check_address("127.0.0.1", "")
    """
    if not token and not is_loopback(host):
        raise ValueError(
            f"host {host} can be reached from other machines: set a token in RLVR_COURSE_TOKEN, "
            "or listen on 127.0.0.1"
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address; False where that isn't certain.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost")
    (True, True, True)
    >>> is_loopback("0.0.0.0"), is_loopback(""), is_loopback("example.org")
    (False, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def require_serving() -> None:
    """Return if this installation can serve.

    Raises:
        ValueError: the extra ``serve`` is missing.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ValueError(f"serving needs {missing[0]}: uv sync --extra serve")


def serve(
    app: Any,
    *,
    host: str = "127.0.0.1",
    port: int = 5000,
    token: str = "",
    on_start: Callable[[str], object] = print,
) -> None:
    """Serve until SIGINT or SIGTERM; requests under way are finished first.

    Args:
        app: an ASGI application.
        host: the address to listen on.
        port: 0 takes a free one.
        token: what the application asks for; needed off the loopback interface.
        on_start: told the URL once the port is held.

    Raises:
        ValueError: an address that others can reach and no token, or the extra is missing.
        OSError: the address can't be had.
    """
    check_address(host, token)
    require_serving()
    import uvicorn

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=30, ws="none"
    )
    with _listening(host, port) as listener, _stoppable():
        on_start(_url(listener))
        uvicorn.Server(config).run(sockets=[listener])


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise OSError(
            error.errno, f"{error.strerror}; choose another --host or --port", f"{host}:{port}"
        ) from None
    with listener:
        yield listener


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let a signal be a reason to stop, not to die of: the server repeats it when it has ended."""
    before = {number: signal.signal(number, _ignore) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ignore(number: int, frame: object) -> None:
    """The server has stopped; there is no more to do."""


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
