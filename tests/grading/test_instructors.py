"""The guide for instructors against the course: points, minutes, files, figures, commands."""

from __future__ import annotations

import re
import shlex
from contextlib import chdir
from pathlib import Path

import pytest
import test_reexecution
from sample_class import plan
from test_evidence import EDITORS
from test_evidence_tricks import HONEST

from rlvr_course import cli
from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.grading import points
from rlvr_course.grading.released import released, released_names
from rlvr_course.stats import Rate

CHECKOUT = find_checkout(Path(__file__).parent)
GUIDE = (CHECKOUT.root / "docs" / "INSTRUCTORS.md").read_text(encoding="utf-8")
SAMPLE = CHECKOUT.solutions / "sample_class"
NAMES = released_names(CHECKOUT.notebooks)
MINUTES = {name: points.minutes(released(name, CHECKOUT.notebooks))[0] for name in NAMES}
NOTEBOOK = re.compile(r"`(\d\d_\w+)`")


def section(heading: str) -> str:
    """The text below a heading, as far as the next one."""
    return re.split(r"^#+ ", GUIDE.split(f"# {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]


def rows(heading: str) -> list[list[str]]:
    """The cells of the table in a section, without its head."""
    lines = [line for line in section(heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def console() -> list[tuple[list[str], list[str]]]:
    """Each command of a console block, and the lines that it prints."""
    blocks = re.findall(r"^```console\n\$ rlvr-course (.*?)\n(.*?)```$", GUIDE, re.M | re.S)
    return [(shlex.split(command), said.splitlines()) for command, said in blocks]


def test_the_table_of_points_is_that_of_the_notebooks() -> None:
    assert points.with_table(GUIDE, points.points_table(CHECKOUT)) == GUIDE, points.COMMAND


def test_every_written_question_has_a_rubric() -> None:
    linked = re.findall(r"\[(Q\d)\]\(\.\./solutions_private/rubrics/Q\d\.md\)", GUIDE)
    assert linked == [f"Q{number}" for number in range(1, len(linked) + 1)] != []


def test_the_half_day_adds_up() -> None:
    clock = 0
    for begins, minutes, what in rows("A half-day"):
        assert begins == f"{clock // 60}:{clock % 60:02}"
        for name in NOTEBOOK.findall(what):
            assert int(minutes) == MINUTES[name]
        clock += int(minutes)
    assert clock == 240


def test_the_evenings_have_the_notebooks_own_minutes() -> None:
    shown = rows("Five evenings")
    assert len(shown) == 5
    for _, notebooks, minutes, _ in shown:
        assert int(minutes) == sum(MINUTES[name] for name in NOTEBOOK.findall(notebooks))
    assert sorted(NOTEBOOK.findall(section("Five evenings"))) == NAMES


def test_the_lesson_takes_as_long_as_it_says() -> None:
    assert sum(int(row[0]) for row in rows("A lesson of 25 minutes")) == 25


@pytest.mark.parametrize("name", ["late.toml", "class.csv"])
def test_the_examples_are_the_sample_class_s_files(name: str) -> None:
    lines = (SAMPLE / name).read_text(encoding="utf-8").splitlines()
    assert "\n".join(lines if name == "late.toml" else lines[:3]) in GUIDE


def test_the_false_alarms_are_counted_as_the_tests_count_them() -> None:

    reruns = test_reexecution.test_an_honest_notebook_reproduces_without_a_finding
    counts = [len(EDITORS) * len(NAMES), len(HONEST), len(reruns.pytestmark[0].args[1])]
    for n, row in zip(counts, rows("False alarms"), strict=True):
        low, high = Rate(0, n).interval()
        assert row[1:] == [str(n), "0", f"{100 * low:.0f} to {100 * high:.0f} %"]


def test_the_large_class_is_as_it_is_said_to_be() -> None:
    planted = plan(60, 60)
    assert len({one.properties[0] for one in planted}) > 30
    assert sum(one.honest for one in planted) > 30


def test_the_pipeline_s_commands_are_found() -> None:
    assert [command[:2] for command, _ in console()] == [
        ["grade", "--sample"],
        *[["grade", "../class/handed_in"]] * 3,
    ]


@pytest.mark.nightly
def test_the_guide_s_commands_print_what_it_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = tmp_path / "course"
    course.mkdir()
    for name in ("notebooks", "solutions_private", "pyproject.toml"):
        (course / name).symlink_to(CHECKOUT.root / name)
    with chdir(course):
        for command, said in console():
            cli.main(command)
            printed = capsys.readouterr()
            lines = printed.out.splitlines()
            lines[1:1] = [line for line in printed.err.splitlines() if line.startswith("  ")]
            assert lines == said, command
    results = tmp_path / "class" / "results"
    page = (results / "class.html").read_text(encoding="utf-8")
    assert "Ada Amsel" in page and "jo (Jo Jasmin)" in page
    assert "well found" in (results / "learners").joinpath("ada.html").read_text(encoding="utf-8")
