"""A progress bar is drawn where someone watches, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import types

import pytest

from rlvr_course import progress
from rlvr_course.progress import progress_bar, step_bar


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AFTER_S", 0.0)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython as it looks from inside a Jupyter kernel."""
    shell = types.SimpleNamespace(kernel=object())
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.delenv("TQDM_DISABLE", raising=False)


def take_three_steps() -> None:
    with step_bar("short") as on_step:
        for step in range(1, 4):
            on_step(step, 3)


def test_an_open_notebook_sees_the_label_on_stderr(at_once, kernel, capsys) -> None:
    take_three_steps()
    shown = capsys.readouterr()
    assert shown.out == "" and "short: " in shown.err


def test_a_bar_is_gone_when_it_is_done(at_once, kernel, capsys) -> None:
    take_three_steps()
    assert capsys.readouterr().err.split("\r")[-2:][0].strip() == ""


def test_what_takes_under_two_seconds_shows_nothing(kernel, capsys) -> None:
    take_three_steps()
    assert capsys.readouterr().err == ""


def test_piped_output_has_no_bar(at_once, capsys) -> None:
    take_three_steps()
    assert capsys.readouterr().err == ""


def test_a_bar_can_be_asked_not_to_be_drawn(at_once, kernel, capsys) -> None:
    with progress_bar("x", unit="row", total=3, shown=False) as bar:
        bar.update()
    assert capsys.readouterr().err == ""


def test_a_run_that_goes_on_is_shown_from_its_step(at_once, kernel, capsys) -> None:
    with step_bar("resumed") as on_step:
        time.sleep(0.12)  # tqdm draws at most ten times a second
        on_step(45, 60)
    assert "45/60 [" in capsys.readouterr().err


WATCHED = """
import sys, types
shell = types.SimpleNamespace(kernel=object())
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
from rlvr_course import progress
progress.AFTER_S = 0.0
with progress.step_bar("short") as on_step:
    on_step(1, 3)
"""


@pytest.mark.parametrize(
    ("environment", "drawn"),
    [pytest.param({}, True, id="open"), pytest.param({"TQDM_DISABLE": "1"}, False, id="headless")],
)
def test_a_notebook_that_is_executed_headlessly_has_none(
    environment: dict[str, str], drawn: bool
) -> None:
    # In a process of its own, for tqdm reads the environment once.
    own = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED], env=own | environment, capture_output=True, text=True
    )
    assert done.returncode == 0 and ("short: " in done.stderr) is drawn
