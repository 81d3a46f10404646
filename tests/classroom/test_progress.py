"""Progress: what the logs of the runs say of each exercise, and what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import start
from rlvr_course.audit import AuditLog
from rlvr_course.classroom.check import Check
from rlvr_course.classroom.check_spec import Case, CheckSpec
from rlvr_course.classroom.checkout import Checkout
from rlvr_course.classroom.past_runs import artifact_folders, check_calls, find_runs, log_lines
from rlvr_course.classroom.progress import (
    Exercise,
    ExerciseProgress,
    NotebookProgress,
    find_progress,
    next_step,
    table,
)
from rlvr_course.modes import stop

Row = tuple[str, str, str]  # check, case, result

HANDED_OUT = {
    "01_first": [Exercise("q01a", 4.0), Exercise("q01b", 2.0), Exercise("Q1", 10.0, checked=False)],
    "02_second": [Exercise("q02a", 3.0)],
}


def write_run(
    artifacts: Path, run_id: str, rows: Sequence[Row] = (), notebook: str = "01_first"
) -> Path:
    """A run's log with one call's rows for each check."""
    with AuditLog(artifacts / run_id / "verifier.jsonl", run_id=run_id) as log:
        log.append({"event": "start", "notebook": notebook, "mode": "fake", "policy_id": "p"})
        for check, case, result in rows:
            about = {"event": "check", "check": check, "source_sha256": "0"}
            log.append({**about, "case": case, "result": result})
    return log.path


def progress_of(artifacts: Path) -> list[NotebookProgress]:
    return find_progress(find_runs([artifacts]), HANDED_OUT)


def test_without_any_run_everything_is_open(tmp_path):
    first, second = progress_of(tmp_path / "not there")
    assert [each.kind for each in (*first.exercises, *second.exercises)] == ["open"] * 3
    assert (first.points, first.max_points, first.at, first.runs) == (0, 6, "", 0)
    assert first.written == ("Q1",)


def test_points_are_those_of_exercises_whose_every_case_passed(tmp_path):
    write_run(
        tmp_path, "r1", [("q01a", "x", "passed"), ("q01b", "x", "passed"), ("q01b", "y", "failed")]
    )
    first, second = progress_of(tmp_path)
    assert [(e.name, e.kind, e.passed, e.cases) for e in first.exercises] == [
        ("q01a", "passed", 1, 1),
        ("q01b", "failed", 1, 2),
    ]
    assert (first.points, first.is_done, second.points) == (4, False, 0)


def test_a_later_call_replaces_an_earlier_one_in_the_same_run(tmp_path):
    log = write_run(
        tmp_path,
        "r1",
        [("q01a", "x", "failed"), ("q01a", "y", "passed"), ("q01a", "x", "passed")],
    )
    assert [(call.kind, call.passed, call.cases) for call in check_calls(log_lines(log))] == [
        ("failed", 1, 2),
        ("passed", 1, 1),
    ]
    assert progress_of(tmp_path)[0].exercises[0].kind == "passed"


def test_what_a_real_check_logs_is_read_back(tmp_path, monkeypatch):
    monkeypatch.delenv("RLVR_ARTIFACTS", raising=False)
    cases = [Case(n, (n,), lambda r: r == "a", "an a") for n in "ab"]
    checks = Check({"q01a": CheckSpec(cases=cases, hints=["echo"])})
    start("01_first", artifacts=tmp_path)
    try:
        checks("q01a", lambda text: None)
        checks("q01a", lambda text: text)
        checks("q01a", lambda text: "a")
    finally:
        stop()
    (run,) = find_runs([tmp_path])
    assert [(c.kind, c.passed, c.cases) for c in check_calls(log_lines(run.log))] == [
        ("open", 0, 0),
        ("failed", 1, 2),
        ("passed", 2, 2),
    ]


def test_an_exercise_that_broke_since_has_failed(tmp_path):
    write_run(tmp_path, "r1", [("q01a", "x", "passed")])
    write_run(tmp_path, "r2", [("q01a", "x", "failed")])
    first, _ = progress_of(tmp_path)
    assert (first.exercises[0].kind, first.runs) == ("failed", 2)


def test_an_exercise_that_a_later_run_did_not_reach_keeps_its_state(tmp_path):
    write_run(tmp_path, "r1", [("q01a", "x", "passed")])
    write_run(tmp_path, "r2")
    assert progress_of(tmp_path)[0].exercises[0].kind == "passed"


def test_a_check_counts_in_its_own_notebook_only(tmp_path):
    write_run(tmp_path, "r1", [("q01a", "x", "passed")], notebook="02_second")
    first, second = progress_of(tmp_path)
    assert (first.points, first.runs, second.runs) == (0, 0, 1)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-30],
        lambda data: data + b"\xff not a row\n",
        lambda data: data.replace(b'"event":"check"', b'"event":["check"]'),
        lambda data: data + b"[" * 100_000 + b"\n",
    ],
    ids=["cut", "not ascii", "another type", "nested"],
)
def test_a_damaged_log_says_what_it_still_can(tmp_path, damage):
    path = write_run(tmp_path, "r1", [("q01a", "x", "passed")])
    path.write_bytes(damage(path.read_bytes()))
    first, _ = progress_of(tmp_path)
    assert first.runs == 1


@pytest.mark.parametrize("text", ["", "{}\n", "\0\n", '{"event":"start"}\n'])
def test_a_log_without_a_start_row_is_no_run(tmp_path, text):
    (tmp_path / "r1").mkdir()
    (tmp_path / "r1" / "verifier.jsonl").write_text(text)
    assert find_runs([tmp_path]) == []


def test_runs_are_found_where_each_way_of_running_leaves_them(tmp_path):
    checkout = Checkout(tmp_path)
    for folder in ("artifacts", "notebooks/artifacts", "artifacts/run-1/01_first/artifacts", "own"):
        write_run(tmp_path / folder, folder.replace("/", "-"))
    found = find_runs(artifact_folders(checkout, {}))
    assert len(found) == 3 and [run.at for run in found] == sorted(run.at for run in found)
    assert (
        len(find_runs(artifact_folders(checkout, {"RLVR_ARTIFACTS": str(tmp_path / "own")}))) == 4
    )


# ---- what to do next


def at(day: int, *kinds: str, name: str = "01_first") -> NotebookProgress:
    letters = zip("abcdef", kinds, strict=False)
    exercises = [
        ExerciseProgress(f"q{name[:2]}{x}", 1.0, kind, 1, 3)  # type: ignore[arg-type]
        for x, kind in letters
    ]
    when = f"2026-11-{day:02}T10:00:00.000Z" if day else ""
    return NotebookProgress(name, tuple(exercises), at=when)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([at(0, "open")], "begin with 01_first: rlvr-course lab 01"),
        (
            [at(1, "passed", "failed", "open")],
            'q01b, where 2 of 3 public cases fail (check.hint("q01b") helps): rlvr-course lab 01',
        ),
        (
            [at(1, "passed", "open")],
            "q01b, the first open exercise of 01_first: rlvr-course lab 01",
        ),
        (
            [at(1, "open"), at(2, "open", name="02_second")],
            "q02a, the first open exercise of 02_second: rlvr-course lab 02",
        ),
        (
            [at(1, "passed"), at(0, "open", name="02_second")],
            "hand in 01_first: rlvr-course submit 01; then 02_second: rlvr-course lab 02",
        ),
        ([at(1, "passed")], "hand in 01_first: rlvr-course submit 01"),
        ([], "there is nothing to do: no notebook was handed out"),
    ],
    ids=["nothing yet", "a failure", "an open one", "the later one", "done", "all done", "none"],
)
def test_the_next_step_names_a_command(found, said):
    assert next_step(found) == said


# ---- the table


def test_the_table_shows_states_only_of_what_was_begun():
    text = table([at(1, "passed", "failed", "open"), at(0, "open", name="02_second")])
    first, passed, failed, opened, second = text.splitlines()
    assert first.startswith("01_first") and "1 of 3 points" in first
    assert [line.split() for line in (passed, failed, opened)] == [
        ["passed", "q01a"],
        ["failed", "q01b", "(1/3)"],
        ["open", "q01c"],
    ]
    assert second.endswith("not begun")


NOTEBOOKS = st.builds(
    NotebookProgress,
    st.from_regex(r"[0-9]{2}_[a-z]{1,20}", fullmatch=True),
    st.lists(
        st.builds(
            ExerciseProgress,
            st.from_regex(r"q[0-9]{2}[a-z]", fullmatch=True),
            st.floats(0, 99).map(round),
            st.sampled_from(["open", "failed", "passed"]),
            st.integers(0, 99),
            st.integers(0, 99),
        ),
        max_size=30,
    ).map(tuple),
    at=st.sampled_from(["", "2026-11-30T10:00:00.000Z", "no time at all, of a changed log"]),
)


@given(st.lists(NOTEBOOKS, max_size=4))
def test_no_line_of_the_table_is_wider_than_72(found):
    assert all(len(line) <= 72 for line in table(found).splitlines())


@given(st.lists(NOTEBOOKS, max_size=4))
def test_points_never_pass_what_is_possible(found):
    assert all(0 <= each.points <= each.max_points for each in found)
    assert all((each.points == each.max_points) or not each.is_done for each in found)
