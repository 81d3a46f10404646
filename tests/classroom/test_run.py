"""Notebooks run apart from each other, off the network, and a failure is one readable line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from conftest import make_checkout, write_notebook

from rlvr_course.classroom.execution import execute
from rlvr_course.classroom.run import RunOptions, fresh_folder, has_live, run_notebooks
from rlvr_course.errors import NotebookError, PolicyUnavailable
from rlvr_course.training import can_train

GOOD = """
import os
from pathlib import Path
Path("artifacts").mkdir()
Path("artifacts/kept.txt").write_text("kept")
print(MODE, os.environ.get("OPENAI_API_KEY"), Path.cwd().name)
"""
CHILD = """
import subprocess, sys
code = "import socket; socket.create_connection(('192.0.2.1', 9), timeout=1)"
child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
print(child.stderr)
"""
CONNECT = "import socket\nsocket.create_connection(('192.0.2.1', 9), timeout=1)"


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Path:
    """A checkout with one notebook that runs and three that fail, each in its own way."""
    root = tmp_path_factory.mktemp("course")
    folder = make_checkout(root).notebooks
    write_notebook(folder / "00_good.ipynb", "md:# Good", GOOD)
    write_notebook(folder / "01_reaches_out.ipynb", CHILD, CONNECT, "print('never')")
    (folder / "02_cut.ipynb").write_text('{"cells": [', encoding="utf-8")
    write_notebook(folder / "03_no_mode.ipynb", "1", parameters=None)
    return root


@pytest.fixture(scope="module")
def finished(course) -> subprocess.CompletedProcess[str]:
    """The command, run once; every test below looks at what it said and left."""
    command = [sys.executable, "-m", "rlvr_course", "run", "--jobs", "2", "--out", "out"]
    environment = {**os.environ, "OPENAI_API_KEY": "sk-secret"}
    return subprocess.run(
        command, cwd=course, env=environment, capture_output=True, text=True, timeout=120
    )


def outputs(course: Path, name: str) -> str:
    notebook = nbformat.read(course / "out" / f"{name}.ipynb", as_version=4)
    return "".join(o.get("text", "") for c in notebook.cells for o in c.get("outputs", []))


def test_every_notebook_is_tried_and_the_status_tells_of_failures(finished):
    lines = [line.split(" … ") for line in finished.stdout.splitlines() if " … " in line]
    status = {name: rest.split()[-1] for name, rest in lines}
    expected = {"00_good": "ok"} | dict.fromkeys(
        ["01_reaches_out", "02_cut", "03_no_mode"], "failed"
    )
    assert status == expected
    assert finished.returncode == 1 and "3 of 4 failed" in finished.stderr


def test_no_traceback_reaches_the_terminal(finished):
    assert "Traceback" not in finished.stdout + finished.stderr


def test_a_run_has_its_mode_its_folder_and_no_key(course, finished):
    assert outputs(course, "00_good").strip() == "fake None 00_good"
    assert (course / "out/00_good/artifacts/kept.txt").read_text() == "kept"


def test_leaving_the_machine_fails_and_names_fake_mode(course, finished):
    assert "cell 3: PermissionError: fake mode has no network" in finished.stdout
    assert "never" not in outputs(course, "01_reaches_out")


def test_a_child_process_is_held_too(course, finished):
    assert "fake mode has no network" in outputs(course, "01_reaches_out")


def test_the_run_says_what_held_it(finished):
    assert "network: cut off" in finished.stdout or "network: refused" in finished.stdout


def test_a_malformed_notebook_is_one_line_with_the_remedy(finished):
    (line,) = [line for line in finished.stdout.splitlines() if "02_cut.ipynb" in line]
    assert "is not a notebook" in line and "restore it" in line


def test_an_unknown_parameter_is_an_error(finished):
    assert "03_no_mode.ipynb has no parameter 'MODE'; its parameters: none" in finished.stdout


def test_the_index_links_what_ran_and_shows_what_failed(course, finished):
    index = (course / "out/index.html").read_text("utf-8")
    assert '<a href="00_good.html">' in index and (course / "out/00_good.html").exists()
    assert '<a href="02_cut.html">' not in index
    assert "has no parameter" in index and "fake mode has no network" in index


def test_the_page_of_a_failed_notebook_shows_its_traceback(course, finished):
    text = (course / "out/01_reaches_out.html").read_text("utf-8")
    assert "output_error" in text and "Traceback" in text and "papermill-error" not in text


def test_an_endless_loop_is_stopped_and_what_ran_before_is_kept(tmp_path):
    notebook = write_notebook(tmp_path / "00_loop.ipynb", "print('before')", "while True: pass")
    result = execute(notebook, tmp_path / "out.ipynb", cwd=tmp_path / "in", timeout_s=15)
    assert "stopped after its 15 s" in result.error and result.seconds < 30
    assert result.guard in ("namespace", "hook")
    assert "before" in (tmp_path / "out.ipynb").read_text("utf-8")


def test_a_mode_or_number_of_jobs_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'fkae' is not one of fake, local, api"):
        RunOptions(mode="fkae")
    with pytest.raises(ValueError, match="0 jobs"):
        run_notebooks([], tmp_path, jobs=0)


def test_local_mode_without_its_model_is_refused_before_any_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("RLVR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RLVR_SMOLLM2", str(tmp_path / "nowhere"))
    notebook = write_notebook(tmp_path / "00_a.ipynb")
    with pytest.raises(PolicyUnavailable, match="mode 'local': "):
        run_notebooks([notebook], tmp_path / "out", RunOptions(mode="local"))
    assert not (tmp_path / "out" / "00_a.ipynb").exists()


def test_the_time_of_the_processor_is_told_where_it_is_counted(finished):
    ran = next(line for line in finished.stdout.splitlines() if line.startswith("00_good"))
    counted = sys.platform != "win32"
    assert bool(re.fullmatch(r"00_good … [0-9.]+ s \(CPU [0-9.]+ s\) ok", ran)) is counted
    assert f"in {4 if counted else 0} of 4 notebooks" in finished.stdout


BUSY = """
import time
while time.process_time() < 2.0:
    pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the system does not count a child's time")
def test_the_kernels_own_work_is_in_the_time_of_the_processor(tmp_path):
    busy = execute(write_notebook(tmp_path / "a.ipynb", BUSY), tmp_path / "b.ipynb", cwd=tmp_path)
    assert busy.ok and busy.cpu_seconds is not None and busy.cpu_seconds > 2.0


LIVE = "LIVE: bool = False  # True: train"


@pytest.mark.skipif(not can_train(), reason="training needs the extra train")
def test_live_is_set_in_the_notebooks_that_have_it(tmp_path):
    has = write_notebook(tmp_path / "00_has.ipynb", "print(LIVE)", parameters=LIVE)
    not_there = write_notebook(tmp_path / "01_not.ipynb", "print('LIVE' in globals())")
    done = run_notebooks([has, not_there], tmp_path / "out", RunOptions(live=True), jobs=2)
    assert [one.failure for one in done] == ["", ""]
    assert [outputs(tmp_path, one.name).strip() for one in done] == ["True", "False"]


@pytest.mark.parametrize(
    ("text", "has"),
    [
        pytest.param(LIVE, True, id="there"),
        pytest.param("LIVELY: bool = False", False, id="another name"),
        pytest.param(None, False, id="no parameters"),
    ],
)
def test_live_is_looked_for_in_the_parameters(tmp_path, text, has):
    assert has_live(write_notebook(tmp_path / "a.ipynb", LIVE, parameters=text)) is has


@pytest.mark.parametrize("text", ["", "[]", '{"cells": 3}', '{"cells": [{}]}', '{"cells": [null]}'])
def test_what_is_no_notebook_has_no_live(tmp_path, text):
    (tmp_path / "a.ipynb").write_text(text, encoding="utf-8")
    assert not has_live(tmp_path / "a.ipynb")


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan")])
def test_a_timeout_that_is_none_is_refused(tmp_path, timeout_s):
    with pytest.raises(ValueError, match="must be above 0"):
        execute(tmp_path / "a.ipynb", tmp_path / "b.ipynb", cwd=tmp_path, timeout_s=timeout_s)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotebookError, match=r"can't write into .*: choose another .* --out"):
        run_notebooks([], tmp_path / "file" / "out")


def test_a_second_run_in_the_same_second_gets_its_own_folder(tmp_path):
    names = []
    for _ in range(3):
        folder = fresh_folder(tmp_path)
        folder.mkdir()
        names.append(folder.name)
    assert len(set(names)) == 3 and all(name.startswith("run-2") for name in names)


def kernel_is_gone(pid: int, within_s: float) -> bool:
    until = time.monotonic() + within_s
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.1)
    return not Path(f"/proc/{pid}").exists()


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_an_interrupt_ends_the_kernel_and_leaves_no_traceback(tmp_path):
    root = make_checkout(tmp_path).root
    cell = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)"
    write_notebook(root / "notebooks/00_slow.ipynb", cell)
    command = [sys.executable, "-m", "rlvr_course", "run", "--out", "out"]
    with subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True) as run:
        while not (root / "out/00_slow/pid").exists() and run.poll() is None:
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=40)
    assert (run.returncode, said) == (130, "rlvr-course: interrupted\n")
    assert kernel_is_gone(int((root / "out/00_slow/pid").read_text()), within_s=10)
