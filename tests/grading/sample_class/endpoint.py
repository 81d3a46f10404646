"""An endpoint for sessions in mode api: on this machine, and right about five times in eight."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from typing import Any

from rlvr_course import load_problems

MODEL = "sample-model"
_DATE = re.compile(r"(\d{1,2} [A-Z][a-z]+ \d{4}) =\s*$")
_SETTINGS = {"OPENAI_BASE_URL", "OPENAI_MODEL"}


@contextmanager
def served() -> Iterator[None]:
    """Serve it, and have the environment name it."""
    before = {name: os.environ.get(name) for name in _SETTINGS}
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{server.server_port}/v1"
        os.environ["OPENAI_MODEL"] = MODEL
        try:
            yield
        finally:
            server.shutdown()
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


@cache
def _answers() -> dict[str, str]:
    return {problem.question: str(problem.answer) for problem in load_problems("math")}


class _Handler(BaseHTTPRequestHandler):
    _served, _lock = count(), Lock()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self._lock:
            number = next(self._served)
        body = json.dumps(_reply(_said(asked["messages"][-1]["content"], number))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def _said(prompt: str, number: int) -> str:
    is_right = number % 8 < 5
    if date := _DATE.search(prompt):
        iso = datetime.strptime(date[1], "%d %B %Y").date().isoformat()
        return f" {iso}" if is_right else f" {iso[:4]}-13-{number % 30:02}"
    answer = _answers().get(prompt, "0") if is_right else f"{number}.25"
    return f"Working, number {number}.\nThe answer is \\boxed{{{answer}}}."


def _reply(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    about = {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL}
    return {**about, "choices": [choice], "usage": usage}
