"""The course's notebooks: built from their sources, and each copy runs to its end in fake mode."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.classroom.execution import Execution
from rlvr_course.classroom.past_runs import find_runs
from rlvr_course.classroom.rebuild import differences
from rlvr_course.classroom.run import RunOptions, has_live, run_notebooks
from rlvr_course.problems.fixtures import VARIABLE
from rlvr_course.training import can_train

CHECKOUT = find_checkout(Path(__file__).parent)
NAMES = sorted(path.stem for path in CHECKOUT.sources.glob("[0-9][0-9]_*.py"))
BUDGET_S = 120
CONVENTIONS = {"cells": (35, 60), "median lines": 6, "longest cell": 25, "columns": 76}


def executions(folder: Path, copies: Path) -> dict[str, Execution]:
    paths = [copies / f"{name}.ipynb" for name in NAMES]
    done = run_notebooks(paths, folder, RunOptions(timeout_s=BUDGET_S), jobs=2)
    return {one.name: one for one in done}


@pytest.fixture(scope="session")
def learner_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Execution]:
    return executions(tmp_path_factory.mktemp("learner"), CHECKOUT.notebooks)


@pytest.fixture(scope="session")
def solution_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Execution]:
    return executions(tmp_path_factory.mktemp("solutions"), CHECKOUT.solutions)


def cells(path: Path, kind: str = "code") -> list[Any]:
    notebook: Any = nbformat.read(path, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def check_results(execution: Execution) -> list[str]:
    """First lines of what every ``check(...)`` cell shows."""
    shown = [
        str(output.get("data", {}).get("text/plain", ""))
        for cell in cells(execution.output)
        if cell.source.startswith("check(")
        for output in cell.outputs
    ]
    return [text.splitlines()[0] for text in shown]


def test_learner_copies_and_solutions_are_what_their_sources_give() -> None:
    assert differences(CHECKOUT, execute=False) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_fresh_learner_copy_runs_to_its_end_with_every_exercise_open(
    name: str, learner_runs: dict[str, Execution]
) -> None:
    assert learner_runs[name].failure == ""
    results = check_results(learner_runs[name])
    assert results and all("open" in line for line in results), results


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_runs_to_its_end_with_every_check_passed(
    name: str, solution_runs: dict[str, Execution]
) -> None:
    assert solution_runs[name].failure == ""
    results = check_results(solution_runs[name])
    assert results and all("public checks passed" in line for line in results), results


@pytest.mark.nightly
@pytest.mark.parametrize(("seed", "name"), list(enumerate(NAMES, start=7)), ids=NAMES)
def test_the_solution_passes_on_the_samples_of_a_cohort(
    seed: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(seed))
    paths = [CHECKOUT.solutions / f"{name}.ipynb"]
    done = run_notebooks(paths, tmp_path, RunOptions(timeout_s=300))[0]
    assert done.failure == ""
    assert [run.fixture_seed for run in find_runs([tmp_path / name / "artifacts"])] == [str(seed)]
    results = check_results(done)
    assert results and all("public checks passed" in line for line in results), results


@pytest.mark.nightly
@pytest.mark.skipif(not can_train(), reason="training needs the extra train")
@pytest.mark.parametrize(
    "name", [name for name in NAMES if has_live(CHECKOUT.solutions / f"{name}.ipynb")]
)
def test_a_notebook_trains_live_and_leaves_no_bar_behind(name: str, tmp_path: Path) -> None:
    live = RunOptions(live=True, timeout_s=900)
    done = run_notebooks([CHECKOUT.solutions / f"{name}.ipynb"], tmp_path, live)[0]
    assert done.failure == ""
    texts = [
        (str(output.get("name", "")), str(output.get("text", "")))
        for cell in cells(done.output)
        for output in cell.outputs
    ]
    assert [text for where, text in texts if where == "stderr"] == []
    assert any("live: " in text for _, text in texts)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_written_to_standard_error(
    name: str, solution_runs: dict[str, Execution]
) -> None:
    outputs = [o for cell in cells(solution_runs[name].output) for o in cell.outputs]
    assert [o.text for o in outputs if o.output_type == "stream" and o.name == "stderr"] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_rerun_gives_the_stored_outputs(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, "--rootdir", str(tmp_path)]
    # A machine without a sandbox shows recorded results, and says so.
    command += ["--nbval-sanitize-with", str(Path(__file__).with_name("nbval_sanitize.cfg"))]
    done = subprocess.run(
        [*command, str(CHECKOUT.solutions / f"{name}.ipynb")],
        cwd=tmp_path,
        env={**os.environ, "RLVR_ARTIFACTS": str(tmp_path / "artifacts")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("name", NAMES)
def test_the_learner_copy_has_no_outputs(name: str) -> None:
    assert all(not cell.outputs for cell in cells(CHECKOUT.notebooks / f"{name}.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_cells_keep_to_the_conventions(name: str) -> None:
    path = CHECKOUT.notebooks / f"{name}.ipynb"
    sources = [cell.source.split("\n") for cell in cells(path)]
    count = len(sources) + len(cells(path, "markdown"))
    assert CONVENTIONS["cells"][0] <= count <= CONVENTIONS["cells"][1]
    assert statistics.median(map(len, sources)) <= CONVENTIONS["median lines"]
    assert max(map(len, sources)) <= CONVENTIONS["longest cell"]
    assert max(len(line) for lines in sources for line in lines) <= CONVENTIONS["columns"]
