"""``submit`` at the command line: what would be flagged comes before the file."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rlvr_course.audit import AuditLog
from rlvr_course.classroom.stubs import TEXT_STUB
from rlvr_course.cli import main
from rlvr_course.grading.evidence import find_evidence
from rlvr_course.grading.handin.submission import read_submission
from rlvr_course.grading.released import released


def graded(name: str, points: int) -> dict[str, Any]:
    return {"nbgrader": {"grade": True, "grade_id": name, "points": points}}


def code(id_: str, source: str, count: int | None, *printed: str, **metadata: Any) -> dict:
    outputs = [{"output_type": "stream", "name": "stdout", "text": text} for text in printed]
    return {
        "id": id_,
        "cell_type": "code",
        "source": source,
        "metadata": metadata,
        "execution_count": count,
        "outputs": outputs,
    }


@dataclass(frozen=True)
class Course:
    """A learner's checkout with one notebook, worked in, and perhaps the log of its run."""

    root: Path
    run_id: str

    def write_notebook(
        self, *, answer: str = "Because.", first: str = "", count: int = 3, names_run: bool = True
    ) -> Path:
        started = f"mode fake · run {self.run_id if names_run else 'unnamed'}\n"
        cells = [
            code("a", f'run = start("01_first", MODE){first}', 1, started),
            code("b", "def f():\n    return 1", 2, **graded("q01a", 4)),
            code("c", 'check("q01a", f)', count, "q01a: public checks passed (1 of 1)\n"),
            {"id": "d", "cell_type": "markdown", "source": answer, "metadata": graded("Q1", 10)},
        ]
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
        path = self.root / "notebooks/01_first.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        return path

    def write_log(self, result: str = "passed", artifacts: str = "artifacts") -> Path:
        path = self.root / artifacts / self.run_id / "verifier.jsonl"
        with AuditLog(path, run_id=self.run_id) as log:
            log.append({"event": "start", "notebook": "01_first", "mode": "fake"})
            log.append({"event": "check", "check": "q01a", "case": "x", "result": result})
        return log.path


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RLVR_ARTIFACTS", raising=False)
    course = Course(tmp_path, f"{datetime.now(UTC):%Y%m%d-%H%M%S}-aaaaaa")
    course.write_notebook()
    return course


def test_a_finished_notebook_is_packed_and_nothing_flagged(course, capsys):
    course.write_log()
    assert main(["submit", "01", "--learner", "ada"]) == 0
    about, clean, wrote = capsys.readouterr().out.splitlines()
    assert about == f"01_first, run {course.run_id}, mode fake, by ada"
    assert clean == "nothing would be flagged"
    assert wrote.startswith(f"wrote {course.root}/artifacts/01_first.zip (")


def test_the_grader_reads_what_was_packed(course):
    course.write_log()
    main(["submit", "1", "--learner", "ada", "--out", "out"])
    found = read_submission(course.root / "out/01_first.zip", notebooks=course.root / "notebooks")
    assert (found.problem, found.remarks) == ("", [])
    assert (found.learner, found.notebook_name) == ("ada", "01_first")
    assert found.log is not None and len(found.log) == 2
    assert {**found.manifest["sha256"]} == {
        name: value for name, value in found.sha256.items() if name != "manifest.json"
    }


@pytest.mark.parametrize(
    ("result", "answer", "said"),
    [
        ("failed", "Because.", "q01a fails 1 of 1 public cases"),
        ("open", "Because.", "q01a is open"),
        ("passed", TEXT_STUB, "Q1 is not answered"),
        ("passed", "  ", "Q1 is not answered"),
    ],
    ids=["failed", "open", "stub", "empty"],
)
def test_what_is_unfinished_is_said_and_packed_all_the_same(course, capsys, result, answer, said):
    course.write_log(result)
    course.write_notebook(answer=answer)
    assert main(["submit", "01"]) == 0
    assert f"not finished:\n  {said}\n" in capsys.readouterr().out
    assert zipfile.is_zipfile(course.root / "artifacts/01_first.zip")


def test_cells_out_of_order_are_flagged(course, capsys):
    course.write_log()
    course.write_notebook(count=9)
    assert main(["submit", "01"]) == 0
    flagged = capsys.readouterr().out.partition("would be flagged:\n")[2]
    assert "execution counts" in flagged


def test_a_missing_log_is_flagged_with_what_to_do(course, capsys):
    assert main(["submit", "01"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("01_first, without a run's log\nwould be flagged:\n")
    assert f"run {course.run_id}, whose log is not in artifacts/: run all cells" in said


def test_a_changed_log_is_flagged(course, capsys):
    log = course.write_log()
    log.write_bytes(log.read_bytes().replace(b'"mode":"fake"', b'"mode":"live"'))
    assert main(["submit", "01", "--check"]) == 1
    assert "  the audit log does not hold: line 2" in capsys.readouterr().out


def test_a_notebook_with_a_key_is_not_packed(course, capsys):
    course.write_log()
    key = "sk-proj-" + "Ab3dEf6hIj" * 4
    course.write_notebook(first=f'\nkey = "{key}"')
    assert main(["submit", "01"]) == 1
    captured = capsys.readouterr()
    assert "not packed" in captured.err and "take it out" in captured.err
    assert key not in captured.out + captured.err
    assert not (course.root / "artifacts/01_first.zip").exists()


def test_check_writes_nothing_and_its_status_is_the_answer(course):
    course.write_log()
    assert main(["submit", "01", "--check"]) == 0
    course.write_notebook(answer="")
    assert main(["submit", "01", "--check"]) == 1
    assert not (course.root / "artifacts/01_first.zip").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("7", "no notebook '7'; there are 01_first"),
        ("gone.ipynb", "there is no notebook gone.ipynb: give its number, or check the path"),
        ("cut.ipynb", "its notebook can't be read: it is not JSON, or was cut short"),
        ("foreign.ipynb", "has too few cells of any notebook of the course"),
    ],
)
def test_what_is_no_notebook_of_the_course_is_one_line(course, capsys, given, said):
    (course.root / "cut.ipynb").write_text('{"cells": [')
    (course.root / "foreign.ipynb").write_text('{"nbformat": 4, "cells": []}')
    assert main(["submit", given]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_the_copy_that_run_wrote_is_named_when_the_notebook_names_no_run(course, capsys):
    course.write_log(artifacts="artifacts/run-1/01_first/artifacts")
    copy = course.root / "artifacts/run-1/01_first.ipynb"
    course.write_notebook().rename(copy)
    course.write_notebook(names_run=False)
    assert main(["submit", "01", "--check"]) == 1
    assert f"or submit that run's own copy, {copy}" in capsys.readouterr().out
    assert main(["submit", str(copy), "--check"]) == 0


def test_an_executed_copy_in_the_notebooks_place_is_not_held_against_it(course, capsys):
    course.write_log()
    path = course.write_notebook()
    notebook = json.loads(path.read_text(encoding="utf-8"))
    injected = code("e", 'MODE = "fake"', 2, tags=["injected-parameters"])
    notebook["cells"].insert(1, injected)
    for place, cell in enumerate(notebook["cells"][:4], start=1):
        cell["execution_count"] = place
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert main(["submit", "01", "--check"]) == 0


def test_a_file_that_was_changed_after_packing_is_found_by_the_grader(course):
    course.write_log()
    main(["submit", "01"])
    with zipfile.ZipFile(course.root / "artifacts/01_first.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["notebook.ipynb"] += b" "
    folder = course.root / "ada"
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    found = find_evidence(read_submission(folder), released("01_first"))
    assert [each.code for each in found if each.kind == "integrity"] == ["file_changed"]
