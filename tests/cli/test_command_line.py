"""The command: quick to answer, one line for a failure, a status that can be relied on."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from pkgutil import iter_modules

import pytest

import rlvr_course.cli
from rlvr_course.cli import VERBS, main

NAMES = [verb for verbs in VERBS.values() for verb in verbs]
HEAVY = ("nbformat", "papermill", "jupytext", "numpy", "openai")


@pytest.fixture
def course(tmp_path, monkeypatch):
    """An empty checkout as the current directory."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "solutions_private/src").mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_help_groups_verbs_by_who_uses_them(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    text = capsys.readouterr().out
    assert stop.value.code == 0
    assert text.index("for learners") < text.index("  run") < text.index("for maintainers")


def test_without_a_verb_the_help_is_shown(capsys):
    assert main([]) == 0
    assert "for learners" in capsys.readouterr().out


def test_every_file_of_the_command_is_a_listed_verb():
    files = [module.name for module in iter_modules(rlvr_course.cli.__path__)]
    assert sorted(NAMES) == sorted(files)


@pytest.mark.parametrize("verb", NAMES)
def test_every_verb_explains_itself(capsys, verb):
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: rlvr-course {verb}")


@pytest.mark.parametrize("verb", NAMES)
def test_help_imports_nothing_heavy(verb):
    code = f"""
import sys
from rlvr_course.cli import main
try:
    main([{verb!r}, "--help"])
except SystemExit:
    sys.exit([name for name in {HEAVY!r} if name in sys.modules] or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def seconds(*command: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    return time.perf_counter() - started


def test_help_answers_within_300_ms_of_bare_python():
    runs = [("-m", "rlvr_course", "--help"), ("-c", "pass")]
    ours, bare = (min(seconds(*run) for _ in range(5)) for run in runs)
    assert ours - bare < 0.3


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("rlvr-course ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu"], "did you mean 'run'?"),
        (["xyzzy"], "the verbs are lab, run"),
        (["run", "--jobs", "two"], "invalid int value: 'two'"),
    ],
)
def test_wrong_usage_is_status_2(capsys, arguments, said):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "no numbered *.ipynb"),
        (["build"], "no numbered *.py"),
        (["lab", "01"], "no numbered *.ipynb"),
        (["lab", "--port", "99999"], "port 99999"),
    ],
)
def test_a_failure_is_one_line_and_status_1(course, capsys, arguments, said):
    assert main(arguments) == 1
    line = capsys.readouterr().err
    assert line.startswith("rlvr-course: ") and line.count("\n") == 1 and said in line


def test_outside_a_checkout_the_way_on_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run"]) == 1
    assert "change into your copy of the course" in capsys.readouterr().err


def test_lab_can_print_its_command_only(course, capsys):
    (course / "notebooks/01_a.ipynb").touch()
    assert main(["lab", "1", "--dry-run"]) == 0
    assert "/lab/tree/notebooks/01_a.ipynb" in capsys.readouterr().out


def test_build_and_check_agree(course, capsys):
    (course / "solutions_private/src/00_a.py").write_text("# %%\n1 + 1\n")
    assert main(["build", "--check", "--no-execute"]) == 1
    assert main(["build", "--no-execute"]) == 0
    assert main(["build", "--check", "--no-execute"]) == 0
    assert "00_a.ipynb in notebooks/ is missing" in capsys.readouterr().out


@contextmanager
def largest_file(size_bytes: int):
    """Let writing fail past a size, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_when_no_more_can_be_written_the_old_file_stays(course, capsys):
    source = course / "solutions_private/src/00_a.py"
    source.write_text("# %%\n1 + 1\n")
    main(["build", "--no-execute"])
    before = (course / "notebooks/00_a.ipynb").read_text()
    source.write_text(f"# %%\n{'1 + ' * 50_000}1\n")
    with largest_file(100_000):
        assert main(["build", "--no-execute"]) == 1
    assert "File too large" in capsys.readouterr().err
    assert [p.name for p in (course / "notebooks").iterdir()] == ["00_a.ipynb"]
    assert (course / "notebooks/00_a.ipynb").read_text() == before
