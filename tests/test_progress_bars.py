"""A progress bar is drawn where someone watches, and nowhere else."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import types

import pytest

from rlvr_course.progress import progress_bar, step_bar


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


def test_an_open_notebook_sees_the_label_on_stderr(kernel, capsys) -> None:
    take_three_steps()
    shown = capsys.readouterr()
    assert shown.out == "" and "short: " in shown.err


def test_a_bar_is_gone_when_it_is_done(kernel, capsys) -> None:
    take_three_steps()
    assert capsys.readouterr().err.split("\r")[-2:][0].strip() == ""


def test_what_takes_under_two_seconds_shows_nothing(kernel, capsys) -> None:
    with progress_bar("x", unit="row", total=3) as bar:
        bar.update(3)
    assert capsys.readouterr().err == ""


def test_piped_output_has_no_bar(capsys) -> None:
    take_three_steps()
    assert capsys.readouterr().err == ""


def test_a_bar_can_be_asked_not_to_be_drawn(kernel, capsys) -> None:
    with progress_bar("x", unit="row", total=3, shown=False, after_s=0.0) as bar:
        bar.update()
    assert capsys.readouterr().err == ""


def test_a_run_that_goes_on_is_shown_from_its_step(kernel, capsys) -> None:
    with step_bar("resumed") as on_step:
        on_step(45, 60)
        assert "45/60 [00:00" in capsys.readouterr().err


def test_loading_and_earlier_steps_are_not_in_the_pace(kernel) -> None:
    with step_bar("resumed") as on_step:
        bar = inspect.getclosurevars(on_step).nonlocals["bar"]
        bar.start_t -= 100.0  # as if the libraries had taken so long
        on_step(45, 60)
        assert bar.format_dict["initial"] == 45 and bar.format_dict["elapsed"] < 50.0


WATCHED = """
import sys, types
shell = types.SimpleNamespace(kernel=object())
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
from rlvr_course import progress
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
