"""A headless Chromium, driven over its DevTools protocol with what JupyterLab brings along."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
QUIET = (
    *("--headless=new", "--disable-gpu", "--no-first-run", "--disable-extensions", "--mute-audio"),
    *("--disable-background-networking", "--disable-sync", "--disable-dev-shm-usage"),
    *("--hide-scrollbars", "--disable-component-update", "--remote-debugging-port=0"),
)


def find_browser() -> str | None:
    """The path of a Chromium: CHROMIUM in the environment, or one on the path."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """One tab. Events are kept in ``events`` until somebody takes them."""

    def __init__(self, address: str) -> None:
        self._socket = websocket.create_connection(address, timeout=30, suppress_origin=True)
        self._count = 0
        self.events: list[dict[str, Any]] = []
        for domain in ("Page", "Runtime", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._count:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self.events.append(message)

    def run(self, script: str) -> Any:
        """The value of an expression; a promise is waited for."""
        done = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def open(self, address: str, *, width: int = 1280, height: int = 900) -> None:
        """Open an address in a window of this size, and wait until it is loaded."""
        self.resize(width, height)
        self.events.clear()
        self.send("Page.navigate", url=address)
        self.wait(lambda: "Page.loadEventFired" in self.event_names(), "the page to load")

    def resize(self, width: int, height: int) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )

    def event_names(self) -> list[str]:
        """Names of the events that have come; asks the browser something, so that they come."""
        self.run("0")
        return [event.get("method", "") for event in self.events]

    def wait(self, ready: Callable[[], Any], what: str, timeout_s: float = 30.0) -> Any:
        """Ask until the answer is true, and return it."""
        end = time.monotonic() + timeout_s
        while not (answer := ready()):
            if time.monotonic() > end:
                raise TimeoutError(f"waited {timeout_s:g} s for {what}")
            time.sleep(0.1)
        return answer

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def press(self, key: str, code: int, *, text: str = "", modifiers: int = 0) -> None:
        """One key, down and up. ``modifiers``: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift."""
        told: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.send("Input.dispatchKeyEvent", type=kind, modifiers=modifiers, **told, **extra)

    def screenshot(self, path: Path, *, full: bool = False) -> None:
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self._socket.close()


@contextmanager
def browser_page(profile: Path) -> Iterator[Page]:
    """A tab of a browser of its own, which is ended with it.

    Args:
        profile: an empty folder for the browser's own files.
    """
    found = find_browser()
    assert found is not None
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    command = [found, *QUIET, *root, f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            page = Page(_tab(profile / "DevToolsActivePort", process))
            try:
                yield page
            finally:
                page.close()
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _tab(port_file: Path, process: subprocess.Popen[bytes]) -> str:
    """The address of the first tab's socket, once the browser has written its port."""
    end = time.monotonic() + 40
    while time.monotonic() < end and process.poll() is None:
        if port_file.exists() and (lines := port_file.read_text().split()):
            with urllib.request.urlopen(f"http://127.0.0.1:{lines[0]}/json", timeout=10) as reply:
                tabs = [tab for tab in json.load(reply) if tab["type"] == "page"]
            if tabs:
                return tabs[0]["webSocketDebuggerUrl"]
        time.sleep(0.1)
    raise TimeoutError(f"the browser did not start (status {process.poll()})")
