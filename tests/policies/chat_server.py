"""A chat-completions server on the loopback interface, with scripted behaviour."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-test-do-not-show-0123456789"


class ChatServer:
    """Answers each request by the next behaviour of ``script``, or with "reply K" if none is left.

    ``bodies`` and ``keys`` hold what was received, ``most_at_once`` the largest number of
    requests that were under way together.
    """

    def __init__(self) -> None:
        self.script: deque[Callable] = deque()
        self.otherwise: Callable = reply()
        self.bodies: list[dict] = []
        self.keys: list[str] = []
        self.most_at_once = self._at_once = 0
        self.released = threading.Event()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = False
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def close(self) -> None:
        self.released.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.bodies.append(body)
            self.keys.append(handler.headers.get("Authorization", ""))
            number = len(self.bodies)
            behave = self.script.popleft() if self.script else self.otherwise
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            behave(self, handler, number)
        finally:
            with self._lock:
                self._at_once -= 1


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            server.serve(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def send(handler, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
    handler.send_response(status)
    for name, value in ({"Content-Type": "application/json"} | (headers or {})).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def reply(text: str | None = None, *, before: Callable[[], object] | None = None, **choice):
    """A completion; ``before`` is called once the request is in and before the answer goes out."""

    def behave(server, handler, number):
        if before is not None:
            before()
        content = f"reply {number}" if text is None else text
        message = {"role": "assistant", "content": content}
        whole = {"index": 0, "message": message, "finish_reason": "stop"} | choice
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        about = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
        send(handler, 200, json.dumps(about | {"choices": [whole], "usage": usage}).encode())

    return behave


def status(code: int, message: str = "no", **headers: str):
    """An error reply; ``Retry_After="1"`` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    return lambda server, handler, number: send(handler, code, body, named)


def raw(body: bytes, content_type: str = "application/json"):
    """A reply of status 200 with any body."""
    return lambda server, handler, number: send(handler, 200, body, {"Content-Type": content_type})


def then(behave: Callable, after: Callable[[], object]):
    """A behaviour, and something to do once its answer is out."""

    def both(server, handler, number):
        behave(server, handler, number)
        after()

    return both


def cut(server, handler, number):
    """Promise a body, send a part of it and hang up."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def hang(server, handler, number):
    """Say nothing until the test is over."""
    server.released.wait(30)
    handler.close_connection = True
