"""The reward server in a thread, on a free port of the loopback interface."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Client:
    """Posts to the server and reads its JSON."""

    def __init__(self, port: int) -> None:
        self.port = port

    def post(self, body: Any, *, path: str = "/get_reward", **headers: str) -> tuple[int, Any]:
        """Status and reply; ``body`` is sent as JSON unless it is bytes."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", path, data, {"content-type": "application/json", **named})

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            reply = connection.getresponse()
            text = reply.read().decode("ascii")
            assert "\n" not in text
            return reply.status, json.loads(text)
        finally:
            connection.close()


@contextmanager
def serving(app: Any) -> Iterator[Client]:
    """The application, served until the block ends."""
    import uvicorn

    config = uvicorn.Config(app, port=0, log_level="warning", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.005)
        yield Client(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
