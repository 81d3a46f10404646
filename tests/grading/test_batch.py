"""The batch comes to its end whatever is in it, and does again only what has changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from own_steps import STEPS, release

from rlvr_course.errors import NotebookError
from rlvr_course.grading.batch import Options, grade
from rlvr_course.grading.records import Grade

OPTIONS = Options(jobs=1, limit_s=5.0)


def hand_in(tmp_path: Path, **texts: str) -> Path:
    """A class: one file for each learner."""
    folder = tmp_path / "class"
    folder.mkdir(exist_ok=True)
    if not (tmp_path / "notebooks").exists():
        release(tmp_path / "notebooks")
    for learner, text in texts.items():
        (folder / f"{learner}.ipynb").write_text(text)
    return folder


def graded(folder: Path, options: Options = OPTIONS):
    out, notebooks = folder.parent / "out", folder.parent / "notebooks"
    return grade(folder, out, options=options, steps=STEPS, notebooks=notebooks)


def done(folder: Path) -> list[str]:
    file = folder.parent / "done.txt"
    lines = file.read_text().split("\n")[:-1]
    file.unlink()
    return sorted(line.removeprefix("read ") for line in lines)


REASONS = {
    "loop": "marking the answers: it took longer than 5 s",
    "killed": "marking the answers: its process was ended by SIGKILL",
    "exit": "reading it: its process ended early (exit status 7)",
    "memory": "marking the answers failed with MemoryError: no message",
    "bug": "looking for evidence failed with ZeroDivisionError: a fault of ours",
    "endless": "executing it again: stopped after 9 s",
    "unreadable": "its notebook can't be read: it is cut",
}


@pytest.fixture(scope="module")
def accidents(tmp_path_factory) -> dict[str, Grade]:
    """A class in which everything goes wrong for somebody, and nothing for ada and zoe."""
    folder = hand_in(
        tmp_path_factory.mktemp("accidents"),
        **{name: name for name in REASONS},
        ada="right",
        zoe="wrong",
        eve="foreign",
        bob="tampered loop",
    )
    return {one.learner: one for one in graded(folder)}


@pytest.mark.parametrize("accident", REASONS)
def test_what_goes_wrong_is_no_grade_and_has_its_reason(accidents, accident):
    grade = accidents[accident]
    assert (grade.status, grade.reason) == ("could_not_grade", REASONS[accident])


def test_the_others_are_graded_all_the_same(accidents):
    assert [accidents[name].points for name in ("ada", "zoe")] == [4, 0]
    assert {accidents[name].status for name in ("ada", "zoe")} == {"needs_manual"}


def test_what_was_known_before_a_failure_is_kept(accidents):
    assert [finding.code for finding in accidents["bob"].findings] == ["log_changed"]
    assert accidents["bob"].facts["mode"] == "fake"


def test_a_fault_in_one_step_leaves_the_other_steps_alone(accidents):
    assert [mark.question for mark in accidents["bug"].marks] == ["q01a", "Q1"]
    assert accidents["bug"].facts["executed"] == "twice"


def test_a_foreign_notebook_is_not_ours_and_has_its_evidence(accidents):
    eve = accidents["eve"]
    assert (eve.status, eve.marks, len(eve.findings)) == ("not_ours", (), 1)


def test_grades_are_the_same_and_in_order_whatever_ran_first(tmp_path):
    folder = hand_in(tmp_path, zoe="right", ada="wrong", max="memory", bob="right")
    first = graded(folder, Options(jobs=2))
    again = graded(folder, Options(jobs=1, again=True))
    assert [one.learner for one in first] == ["ada", "bob", "max", "zoe"]
    assert first == again


def test_only_what_changed_is_graded_again(tmp_path):
    folder = hand_in(tmp_path, ada="right", bob="right", cy="wrong")
    before = graded(folder)
    assert done(folder) == ["ada", "bob", "cy"]
    hand_in(tmp_path, bob="wrong")
    after = graded(folder)
    assert done(folder) == ["bob"]
    assert [one.points for one in before] == [4, 4, 0]
    assert [one.points for one in after] == [4, 0, 0]


def test_a_submission_without_a_grade_is_tried_again(tmp_path):
    folder = hand_in(tmp_path, ada="right", bob="memory")
    graded(folder)
    done(folder)
    graded(folder)
    assert done(folder) == ["bob"]


@pytest.mark.parametrize(
    "options",
    [Options(jobs=1, again=True), Options(jobs=1, timeout_s=9.0)],
    ids=["asked", "other timeout"],
)
def test_all_is_graded_again_when_asked_or_when_the_way_of_grading_changed(tmp_path, options):
    folder = hand_in(tmp_path, ada="right", bob="wrong")
    graded(folder)
    done(folder)
    graded(folder, options)
    assert done(folder) == ["ada", "bob"]


def test_a_changed_release_is_graded_again(tmp_path):
    folder = hand_in(tmp_path, ada="right")
    graded(folder)
    notebook = tmp_path / "notebooks/01_verifiers.ipynb"
    notebook.write_bytes(notebook.read_bytes() + b"\n")
    graded(folder)
    assert done(folder) == ["ada", "ada"]


def test_other_notebooks_are_passed_over_but_not_what_cant_be_told(tmp_path):
    folder = hand_in(tmp_path, ada="right", bob="unreadable")
    (bob,) = graded(folder, Options(jobs=1, notebook="03_groups"))
    assert (bob.learner, bob.status) == ("bob", "could_not_grade")


def test_of_several_files_one_is_graded_and_the_others_are_named(tmp_path):
    folder = hand_in(tmp_path, ada="right")
    (folder / "ada_01_verifiers.ipynb").write_text("memory")
    (ada,) = graded(folder)
    note = ada.findings[-1]
    assert (ada.points, note.code) == (4, "several_files")
    assert note.evidence == "ada.ipynb, ada_01_verifiers.ipynb"


def test_a_package_that_claims_anothers_name_does_not_take_its_place(tmp_path):
    folder = hand_in(tmp_path, ada="memory", mallory="pretends right")
    (ada,) = graded(folder)
    assert (ada.learner, ada.status, ada.facts["file"]) == ("ada", "could_not_grade", "ada.ipynb")
    assert ada.findings[-1].evidence == "ada.ipynb, mallory.ipynb"


def test_an_empty_folder_says_what_belongs_there(tmp_path):
    with pytest.raises(NotebookError, match="no submissions in"):
        graded(hand_in(tmp_path))


@pytest.mark.parametrize(
    ("values", "said"),
    [({"jobs": 0}, "0 jobs"), ({"timeout_s": 0}, "timeout of 0"), ({"rerun": "x"}, "rerun='x'")],
    ids=["jobs", "timeout", "rerun"],
)
def test_a_wrong_option_is_named(values, said):
    with pytest.raises(ValueError, match=said):
        Options(**values)


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from own_steps import STEPS
from rlvr_course.grading.batch import Options, grade

def report(done, total):
    if done == 2:
        os.kill(os.getpid(), signal.SIGINT)

if __name__ == "__main__":
    folder = Path({folder!r})
    try:
        grade(folder, folder.parent / "out", options=Options(jobs=1), steps=STEPS,
              notebooks=folder.parent / "notebooks", report=report)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def test_an_interrupt_keeps_what_is_done_and_leaves_no_process(tmp_path):
    folder = hand_in(tmp_path, ada="right", bob="wrong", cy="loop", dee="right")
    script = tmp_path / "batch.py"
    here = str(Path(__file__).parent)
    script.write_text(INTERRUPTED.format(here=here, folder=str(folder)))
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (130, "")
    kept = sorted(path.name.split(".")[0] for path in (tmp_path / "out/graded").iterdir())
    assert kept == ["ada", "bob"]
    left = subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True, text=True)
    assert left.stdout == ""
