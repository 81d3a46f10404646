"""A learner's first minutes in JupyterLab: Run All, a wrong answer's hint, a right one's pass."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from devtools import Page

from rlvr_course.classroom.checkout import Checkout, find_checkout
from rlvr_course.classroom.lab import lab_command, lab_environment

NOTEBOOK = "00_start_here"
TOKEN = "a-learners-token"
IDLE = "!!document.querySelector('.jp-Notebook-ExecutionIndicator[data-status=\"idle\"]')"
CHECKED = """[...document.querySelectorAll(".jp-CodeCell")]
  .filter((cell) => cell.querySelector(".cm-content")?.textContent.startsWith('check("q00a"'))
  .map((cell) => cell.querySelector(".jp-OutputArea-output")?.innerText || "")[0]"""
WRONG = "def group_advantages(rewards):\n    return [1.0 for value in rewards]"
RIGHT = """def group_advantages(rewards):
    mean = sum(rewards) / len(rewards)
    return [value - mean for value in rewards]"""


@pytest.fixture
def course(tmp_path: Path) -> Checkout:
    """A learner's folder with one fresh notebook."""
    checkout = Checkout(tmp_path / "course")
    checkout.notebooks.mkdir(parents=True)
    (checkout.root / "pyproject.toml").touch()
    given = find_checkout(Path(__file__).parent).notebooks / f"{NOTEBOOK}.ipynb"
    shutil.copy(given, checkout.notebooks)
    return checkout


@contextmanager
def lab(course: Checkout, home: Path) -> Iterator[str]:
    """JupyterLab as ``rlvr-course lab`` starts it; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = lab_command(course, course.notebooks / f"{NOTEBOOK}.ipynb", port=port, browser=False)
    own = {"JUPYTER_CONFIG_DIR": str(home), "JUPYTERLAB_SETTINGS_DIR": str(home / "settings")}
    own |= {"JUPYTERLAB_WORKSPACES_DIR": str(home / "spaces"), "PYTHONWARNINGS": "ignore"}
    environment = {**lab_environment(os.environ, course), **own}
    with subprocess.Popen(
        [*command, f"--IdentityProvider.token={TOKEN}", "--ServerApp.port_retries=0"],
        env=environment,
        cwd=course.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _answers(f"http://127.0.0.1:{port}/api?token={TOKEN}", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()


def _answers(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError(f"JupyterLab does not answer (status {server.poll()})")


def open_notebook(page: Page, address: str) -> None:
    """Open it, and wait until its kernel talks to the page: a click before that is lost."""
    page.open(f"{address}/lab/tree/notebooks/{NOTEBOOK}.ipynb?token={TOKEN}&reset", height=1400)
    page.wait(lambda: _channel_talks(page), "the kernel's first frame", 60)
    page.wait(lambda: page.run(IDLE), "an idle kernel", 60)
    time.sleep(1.0)  # the menu's commands are connected a moment later


def _channel_talks(page: Page) -> bool:
    page.run("0")
    created = [e["params"] for e in page.events if e["method"] == "Network.webSocketCreated"]
    channels = {each["requestId"] for each in created if "/channels" in each["url"]}
    received = [e for e in page.events if e["method"] == "Network.webSocketFrameReceived"]
    return any(frame["params"]["requestId"] in channels for frame in received)


def open_and_run_all(page: Page, address: str) -> None:
    """Up to three times: a click on the menu can be lost while the page is still being made."""
    for attempt in range(3):
        open_notebook(page, address)
        try:
            return run_all(page)
        except TimeoutError:
            if attempt == 2:
                raise


def run_all(page: Page) -> None:
    """Run → Run All Cells, and wait for the end."""
    item = '.lm-Menu-item[data-command="runmenu:run-all"]'
    click(page, "//div[contains(@class,'lm-MenuBar-itemLabel')][text()='Run']")
    page.wait(lambda: page.run(f"!!document.querySelector('{item}')"), "the menu", 10)
    click(page, "//li[@data-command='runmenu:run-all']")
    page.wait(lambda: counts(page), "the first cell to run", 15)


PLACE = """(() => {
  const found = document.evaluate(XPATH, document, null, 9, null).singleNodeValue;
  if (!found) return null;
  found.scrollIntoView({block: "nearest", behavior: "instant"});
  const box = found.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return found.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
})()"""


def click(page: Page, xpath: str) -> None:
    """A real click in the middle of the first element that an XPath finds, once it stands still."""
    script = PLACE.replace("XPATH", json.dumps(xpath))
    seen: list[Any] = [None]

    def still() -> list[float] | None:
        seen.append(page.run(script))
        return seen[-1] if seen[-1] == seen[-2] else None

    x, y = page.wait(still, f"{xpath} to stand still")
    # A menu's item is chosen by moving onto it.
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x - 2, y=y)
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    where = {"x": x, "y": y, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        page.send("Input.dispatchMouseEvent", type=kind, **where)


def counts(page: Page) -> int:
    """Code cells that have been run, of those on the page."""
    prompts = page.run(
        "[...document.querySelectorAll('.jp-InputArea-prompt')].map((e) => e.textContent)"
    )
    return sum(bool(re.fullmatch(r"\[\d+\]:", prompt)) for prompt in prompts)


def saved_results(course: Checkout) -> dict[str, str]:
    """The first line under each check in the saved notebook."""
    found = {}
    for cell in saved_cells(course):
        match = re.match(r'check\("(\w+)"', "".join(cell["source"]))
        if match is None:
            continue
        for output in cell["outputs"]:
            text = output.get("data", {}).get("text/plain", ["?"])
            found[match[1]] = "".join(text).splitlines()[0]
    return found


def saved_cells(course: Checkout) -> list[dict[str, Any]]:
    text = (course.notebooks / f"{NOTEBOOK}.ipynb").read_text(encoding="utf-8")
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


def save(page: Page, course: Checkout) -> None:
    """Ctrl+S, and wait for the file."""
    before = (course.notebooks / f"{NOTEBOOK}.ipynb").stat().st_mtime_ns
    page.press("s", 83, modifiers=2)
    file = course.notebooks / f"{NOTEBOOK}.ipynb"
    page.wait(lambda: file.stat().st_mtime_ns != before, "the notebook to be saved")


def answer(page: Page, text: str) -> str:
    """Type an answer into the exercise's cell, run it and its check; what the check shows."""
    click(page, "//div[contains(@class,'cm-content')][contains(.,'def group_advantages')]")
    before = page.run(CHECKED)
    page.press("a", 65, modifiers=2)
    page.type(text)
    for _ in ("the exercise", "its check"):
        page.press("Enter", 13, text="\r", modifiers=8)
    return page.wait(lambda: (now := page.run(CHECKED)) != before and now, "the check's answer")


@pytest.mark.timeout(240)
def test_a_learners_first_minutes(page: Page, course: Checkout, tmp_path: Path) -> None:
    with lab(course, tmp_path / "home") as address:
        open_and_run_all(page, address)
        page.wait(lambda: page.run(IDLE), "the last cell", 60)
        save(page, course)
        assert [cell["execution_count"] for cell in saved_cells(course)] == list(
            range(1, len(saved_cells(course)) + 1)
        )
        results = saved_results(course)
        assert len(results) == 3 and all("open" in line for line in results.values()), results

        wrong = answer(page, WRONG)
        page.screenshot(tmp_path / "wrong.png")
        assert "hint" in wrong.lower() and "passed" not in wrong.splitlines()[0], wrong

        right = answer(page, RIGHT)
        page.screenshot(tmp_path / "right.png")
        assert "public checks passed" in right, right
