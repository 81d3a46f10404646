"""The learner's bundle: whole, the same bytes each time, and it works where it is unpacked."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from course_secrets import CHECKOUT, course_bundle, leak_test

from rlvr_course.classroom import release as releasing
from rlvr_course.classroom.release import LEARNER_DOCS, Cohort, learners_page, release
from rlvr_course.cli import main
from rlvr_course.errors import NotebookError
from rlvr_course.problems.fixtures import VARIABLE, Fixtures, dealt
from rlvr_course.problems.recorded import load_rollouts

INSTRUCTOR_DOCS = {"INSTRUCTORS.md"}
COHORT = Cohort("autumn-27", Fixtures(27))


@pytest.fixture(scope="module")
def zips(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The bundle of a cohort, made twice."""
    out = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(releasing, "LeakTest", lambda _: leak_test())  # its secrets, read once
        return [release(CHECKOUT, out / f"{n}.zip", cohort=COHORT) for n in (1, 2)]


@pytest.fixture(scope="module")
def unpacked(zips: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    with zipfile.ZipFile(zips[0]) as archive:
        archive.extractall(folder := tmp_path_factory.mktemp("learner"))
    return folder / "rlvr-course-autumn-27"


def run(unpacked: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, *arguments]
    env = {**kept, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run(command, cwd=unpacked, env=env, capture_output=True, text=True)


def test_two_releases_are_the_same_bytes(zips: list[Path]) -> None:
    assert zips[0].read_bytes() == zips[1].read_bytes()


def test_order_times_and_modes_are_fixed(zips: list[Path]) -> None:
    with zipfile.ZipFile(zips[0]) as archive:
        members = archive.infolist()
    assert [m.filename for m in members] == sorted(m.filename for m in members)
    assert {(m.date_time, m.external_attr >> 16) for m in members} == {
        ((1980, 1, 1, 0, 0, 0), 0o100644)
    }


def test_the_release_file_lists_every_other_file_with_its_hash(unpacked: Path) -> None:
    about = json.loads((unpacked / "RELEASE.json").read_text(encoding="utf-8"))
    hashes = {
        path.relative_to(unpacked).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in unpacked.rglob("*")
        if path.is_file() and path.name != "RELEASE.json"
    }
    assert about["sha256"] == hashes
    assert (about["cohort"], about["fixture_seed"]) == ("autumn-27", "27")


def test_what_a_learner_needs_is_in_it_and_nothing_of_an_instructors() -> None:
    names = set(course_bundle())
    assert {"README.md", "pyproject.toml", "uv.lock", "artifacts/.gitkeep"} <= names
    assert {f"notebooks/{p.name}" for p in CHECKOUT.notebooks.glob("*.ipynb")} <= names
    tops = {name.split("/")[0] for name in names if "/" in name}
    assert tops == {"artifacts", "docs", "given", "notebooks", "rlvr_course"}
    assert not any("__pycache__" in name or "INSTRUCTORS" in name for name in names)


def test_somebody_has_decided_of_every_document_whom_it_is_for() -> None:
    pages = {path.name for path in (CHECKOUT.root / "docs").glob("*.md")}
    assert pages - INSTRUCTOR_DOCS == set(LEARNER_DOCS)


def test_given_copies_are_the_notebooks() -> None:
    files = course_bundle()
    given = {name: files[name] for name in files if name.startswith("given/")}
    assert len(given) >= 8
    assert all(files[name.replace("given/", "notebooks/")] == data for name, data in given.items())


def test_no_document_has_a_dead_link_or_a_part_for_instructors() -> None:
    files = course_bundle()
    for name in (name for name in files if name.endswith(".md")):
        text = files[name].decode()
        assert learners_page(text, name, files) == text
        assert "for instructors" not in text and "solutions_private/src" not in text, name


def test_the_cohorts_samples_are_dealt_by_its_seed_unless_told_otherwise(unpacked: Path) -> None:
    code = "from rlvr_course import load_rollouts as l; print([r.completion.text for r in l()])"
    as_recorded = [r.completion.text for r in load_rollouts()]
    expected = [r.completion.text for r in dealt(load_rollouts(), Fixtures(27))]
    assert expected != as_recorded
    assert run(unpacked, "-c", code).stdout == f"{expected}\n"
    assert run(unpacked, "-c", code, **{VARIABLE: ""}).stdout == f"{as_recorded}\n"


def test_submit_sees_an_edited_given_cell_in_the_bundle(unpacked: Path) -> None:
    path = unpacked / "notebooks" / "01_verifiers.ipynb"
    pristine = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(pristine, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.source.startswith("check("))
    cell.source = "1 + 1"
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    done = run(unpacked, "-m", "rlvr_course", "submit", "01", "--check")
    path.write_text(pristine, encoding="utf-8")
    assert "a given cell no longer holds `check(" in done.stdout
    clean = run(unpacked, "-m", "rlvr_course", "submit", "01", "--check")
    assert "a given cell" not in clean.stdout and "not finished" in clean.stdout


# -- what is refused


@pytest.mark.parametrize("name", ["a/b", "..", "x" * 41, "a b", "-a"])
def test_a_cohort_is_named_plainly(name: str) -> None:
    with pytest.raises(ValueError, match="cohort"):
        Cohort(name)


def test_a_leak_stops_the_release_and_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = leak_test().secrets[0]
    planted = course_bundle() | {"docs/API.md": secret.line.encode()}
    monkeypatch.setattr(releasing, "bundle", lambda *_: planted)
    monkeypatch.setattr(releasing, "LeakTest", lambda _: leak_test())
    with pytest.raises(NotebookError, match=r"would leak: docs/API\.md"):
        release(CHECKOUT, tmp_path / "x.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "status"),
    [([], 2), (["x.whl"], 2), (["--out", "x.tar"], 1), (["--out", "x.zip", "--cohort", "/"], 1)],
)
def test_wrong_usage_is_one_line(
    arguments: list[str],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(CHECKOUT.root)
    assert main(["release", *arguments]) == status
    assert capsys.readouterr().err.count("\n") == 1


def test_check_prints_each_leak_of_the_paths_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(CHECKOUT.root)
    (tmp_path / "page.html").write_text(f"<p>{leak_test().secrets[0].line}</p>")
    assert main(["release", "--check", str(tmp_path)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2 and "page.html: a " in said[0] and said[1].startswith("1 leaks: 1 files")


def test_a_cohorts_samples_are_not_drawn_anew() -> None:
    with pytest.raises(ValueError, match="use 7"):
        Cohort("autumn-27", Fixtures(7, redrawn=True))
