"""A rerun shows what a submission's outputs are worth: honest ones stand, others are named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from reruns import (
    CHECKOUT,
    changed,
    codes,
    findings,
    needs_jail,
    of_cells,
    printed,
    ran,
    rerun,
    solved,
    stored,
)

from rlvr_course.classroom.outputs import shown
from rlvr_course.grading.handin.notebook_json import parse_notebook
from rlvr_course.grading.records import Finding, Submission
from rlvr_course.grading.released import released
from rlvr_course.grading.rerun.composition import PlannedCell, composed, mode_of, plan
from rlvr_course.grading.rerun.hard_coding import find_hard_coding
from rlvr_course.grading.rerun.reexecution import Reexecution, compare, reexecute


@pytest.fixture(autouse=True)
def _jail() -> None:
    needs_jail()


def source_of(cells: list[dict[str, Any]], start: str) -> dict[str, Any]:
    return next(cell for cell in cells if cell["source"].startswith(start))


@pytest.mark.parametrize("name", ["00_start_here", "01_verifiers"])
def test_an_honest_notebook_reproduces_without_a_finding(name: str) -> None:
    submission = solved(name)
    run = rerun(submission)
    assert (run.status, run.reason, run.left_running) == ("ok", "", 0)
    assert compare(submission, run) == []


def test_displays_magics_and_await_are_as_in_a_kernel() -> None:
    run = ran(
        "import pandas as pd; pd.DataFrame({'a': [1]})",
        "%matplotlib inline\nimport matplotlib.pyplot as plt\n_ = plt.plot([1, 2])",
        "import asyncio; await asyncio.sleep(0); print('awaited')",
        "!echo from the shell",
        "1 / 0",
    )
    assert run.notebook is not None
    outputs = [cell["outputs"] for cell in run.notebook["cells"]]
    assert set(outputs[0][0]["data"]) == {"text/plain", "text/html"}
    assert "image/png" in outputs[1][0]["data"]
    assert [printed(run, n).strip() for n in (3, 4)] == ["awaited", "from the shell"]
    assert outputs[4][0]["ename"] == "ZeroDivisionError"
    assert [cell["execution_count"] for cell in run.notebook["cells"]] == [1, 2, 3, 4, 5]


def test_later_displays_replace_and_clear_earlier_ones() -> None:
    run = ran(
        "from IPython.display import display, clear_output\n"
        "shown = display('old', display_id=True); shown.update('new')",
        "print('gone'); clear_output(); print('kept')",
        "print('a'); clear_output(wait=True); print('b')",
    )
    assert run.notebook is not None
    assert shown(run.notebook["cells"][0]["outputs"]) == ["'new'"]
    assert [printed(run, n) for n in (2, 3)] == ["kept\n", "b\n"]


def test_cells_after_a_failed_one_run_all_the_same() -> None:
    run = ran("x = 1", "raise ValueError('no\\nyes')", "print(x)")
    assert (run.status, run.cell, run.reason) == ("failed", 2, "ValueError: no yes")
    assert printed(run, 3) == "1\n"


def test_each_run_has_seeds_of_its_own() -> None:
    draw = "import random, numpy; print(random.random(), numpy.random.rand())"
    assert printed(ran(draw)) != printed(ran(draw))


def test_given_cells_come_from_what_was_handed_out() -> None:
    given = released("00", CHECKOUT.notebooks)

    def tamper(cells: list[dict[str, Any]]) -> None:
        for cell in cells:
            if cell["cell_type"] == "code" and "nbgrader" not in cell["metadata"]:
                cell["source"] = "print('tampered')"

    submission = changed(solved("00_start_here"), tamper)
    planned = plan(submission, given)
    assert not any("tampered" in cell.source for cell in planned)
    assert any(cell.learners for cell in planned)


MODES = {
    "annotated": ('MODE: str = "api"', "api"),
    "assigned": ("MODE = 'local'  # here", "local"),
    "in a comment": ("# MODE = 'api'", ""),
    "not Python": ("MODE = = 'api'", ""),
}


@pytest.mark.parametrize(("source", "mode"), MODES.values(), ids=MODES)
def test_the_mode_is_read_from_the_notebook(source: str, mode: str) -> None:
    assert mode_of(of_cells(source, "MODE")) == mode


def test_a_submission_of_another_mode_is_not_run() -> None:
    submission = of_cells("MODE = 'api'", "print('ran')")
    run = reexecute(submission, None)
    assert (run.status, run.notebook) == ("other_mode", None)
    assert compare(submission, run) == []


HONEST = {
    "the same": ("print(6 * 7)", "42\n"),
    "an address": ("print(object())", "<object object at 0x7f0123456789>\n"),
    "a duration": ("print('took 0.3 s')", "took 12 s\n"),
    "a run": ("print('artifacts/20260101-120000-ab')", "artifacts/20250909-000000-cd\n"),
    "warnings": ("import sys; print('careful', file=sys.stderr); print(1)", "1\n"),
    "a progress bar": (
        "print('50%|#   | 1/2 [00:01<00:01, 1it/s]\\r100%|##| 2/2 [00:02<00:00, 1it/s]')\nprint(7)",
        "7\n",
    ),
}


@pytest.mark.parametrize(("source", "text"), HONEST.values(), ids=HONEST)
def test_what_differs_from_run_to_run_is_no_finding(source: str, text: str) -> None:
    assert findings(stored((source, text, 1))) == []


def test_an_output_that_claims_another_figure_is_one_of_integrity() -> None:
    found = findings(stored(("x = 1", "", 1), ("print('accuracy', 0.5)", "accuracy 0.97\n", 2)))
    assert codes(found) == [("outputs_differ", "integrity", 2)]
    assert "0.97" in found[0].message
    assert found[0].evidence == "-accuracy 0.97\n+accuracy 0.5"


def stream(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def of_given(*cells: tuple[str, str, str, str]) -> list[Finding]:
    """The comparison of given cells: source and output as handed in, then as handed out."""
    submission = stored(*[(source, text, n) for n, (source, text, *_) in enumerate(cells, 1)])
    planned = [PlannedCell(n, cell[2], n, False) for n, cell in enumerate(cells, 1)]
    notebook = composed(
        planned,
        {n: [stream(cell[3])] for n, cell in enumerate(cells, 1)},
        {n: n for n, _ in enumerate(cells, 1)},
    )
    return compare(submission, Reexecution("ok", parse_notebook(json.dumps(notebook).encode())))


SHOWS, MORE = "print(n)", "print(n)\nprint('cases:', 6)"
GIVEN = {
    "as it was": ([(SHOWS, "5", SHOWS, "4")], ["integrity"]),
    "prints more": ([(MORE, "4\ncases: 6", SHOWS, "4")], []),
    "prints another figure": ([("print(9)", "9", SHOWS, "4")], ["reproducibility"]),
    "below a print": ([(MORE, "4\n6", SHOWS, "4"), (SHOWS, "5", SHOWS, "4")], ["integrity"]),
    "below another value": (
        [("n = 5", "", "n = 4", ""), (SHOWS, "5", SHOWS, "4")], ["reproducibility"]
    ),
    "a pass, typed in": (
        [("print('q1: public checks passed')", "q1: public checks passed", "check('q1', n)", "0")],
        ["integrity"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("cells", "kinds"), GIVEN.values(), ids=GIVEN)
def test_figures_of_a_given_cell_that_was_changed_accuse_nobody(
    cells: list[tuple[str, str, str, str]], kinds: list[str]
) -> None:
    assert [finding.kind for finding in of_given(*cells)] == kinds


def test_figures_of_chance_are_a_matter_of_reproducibility() -> None:
    found = findings(stored(("import random; print(random.random())", "0.123\n", 1)))
    assert codes(found) == [("outputs_differ", "reproducibility", 1)]


def test_a_claimed_pass_that_the_rerun_does_not_show_is_one_of_integrity() -> None:
    found = findings(stored(("print('open')", "q1: public checks passed\n", 1)))
    assert codes(found) == [("outputs_differ", "integrity", 1)]


def test_an_output_of_another_moment_is_stale() -> None:
    cells = [("word = 'new'", "", 5), ("print(word)", "old\n", 2)]
    assert codes(findings(stored(*cells))) == [("stale_output", "reproducibility", 2)]


def test_an_output_of_code_that_was_changed_since_is_stale_and_accuses_nobody() -> None:
    found = findings(stored(("print('now:', 8)", "tried: 7\n", 1)))
    assert codes(found) == [("stale_output", "reproducibility", 1)]
    assert "changed since" in found[0].message


def test_cells_that_never_ran_are_one_finding() -> None:
    found = findings(stored(("x = 1", "", 1), ("print(x)", "", None), ("print(2)", "", None)))
    assert codes(found) == [("not_run", "reproducibility", 2)]
    assert "2 cells" in found[0].message


def test_an_error_that_was_handed_in_is_no_second_finding() -> None:
    submission = stored(("x = 1", "", 1), ("1 / 0", "", 2))
    error = {
        "output_type": "error",
        "ename": "ZeroDivisionError",
        "evalue": "division by zero",
        "traceback": [],
    }
    same = changed(submission, lambda cells: cells[1]["outputs"].append(error))
    assert findings(same) == []
    assert codes(findings(submission)) == [
        ("outputs_differ", "reproducibility", 2),
        ("rerun_failed", "reproducibility", 2),
    ]


def test_a_stopped_run_says_where_and_keeps_what_came_before() -> None:
    submission = stored(("print('a')", "b\n", 1), ("while True: pass", "", 2))
    run = reexecute(submission, None, timeout_s=2)
    assert codes(compare(submission, run)) == [
        ("stale_output", "reproducibility", 1),
        ("rerun_timeout", "reproducibility", 2),
    ]


def test_a_run_has_the_fixtures_of_its_grader_or_those_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submission = of_cells(
        "import os; print(os.environ.get('RLVR_COURSE_FIXTURE_SEED'))",
        "from rlvr_course import load_rollouts; print([r.truth for r in load_rollouts('math')])",
    )
    monkeypatch.delenv("RLVR_COURSE_FIXTURE_SEED", raising=False)
    plain = reexecute(submission, None)
    monkeypatch.setenv("RLVR_COURSE_FIXTURE_SEED", "5")
    cohort, other = reexecute(submission, None), reexecute(submission, None, seed="7:redrawn")
    assert [printed(run) for run in (plain, cohort, other)] == ["None\n", "5\n", "7:redrawn\n"]
    assert len({printed(run, 2) for run in (plain, cohort, other)}) == 3


def with_own_cell(submission: Submission, source: str) -> Submission:
    own = {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": 99}
    return changed(submission, lambda cells: cells.append({**own, "source": source}))


def hard_coding(submission: Submission) -> list[str]:
    given = released(submission.notebook_name, CHECKOUT.notebooks)
    found = find_hard_coding(submission, given, reexecute(submission, given))
    return [f"{finding.code}: {finding.evidence}" for finding in found]


COMPUTED = """
from rlvr_course import load_rollouts
rows = [r.truth for r in load_rollouts("math")]
print(rows.count(True), round(rows.count(True) / len(rows), 3))
"""
FIGURES = {
    "written": ("print('147 of 320 right')", ["hard_coded: 147"]),
    "computed": (COMPUTED, []),
    "of no cell": ("print(0.123, 4567)", []),
}


@pytest.mark.parametrize(("source", "expected"), FIGURES.values(), ids=FIGURES)
def test_written_figures_are_told_from_computed_ones(source: str, expected: list[str]) -> None:
    assert hard_coding(with_own_cell(solved("00_start_here"), source)) == expected


def test_a_given_cell_that_was_made_to_print_its_figures_is_found() -> None:
    def write(cells: list[dict[str, Any]]) -> None:
        cells[33]["source"] = "print('147 and 397, 0.51')"

    found = hard_coding(changed(solved("00_start_here"), write))
    assert found == ["hard_coded: 0.51, 147, 397"]


def test_figures_of_a_given_cell_that_fails_on_other_samples_accuse_nobody(tmp_path: Path) -> None:
    picky = "import os\nassert 'redrawn' not in os.environ.get('RLVR_COURSE_FIXTURE_SEED', '')"
    plain = of_cells(f"{picky}\nprint(98765)")
    (tmp_path / "01_own.ipynb").write_text(json.dumps(plain.notebook), encoding="utf-8")
    submission = with_own_cell(replace(plain, notebook_name="01_own"), "print(98765)")
    release = released("01_own", tmp_path)
    assert find_hard_coding(submission, release, reexecute(submission, release)) == []
