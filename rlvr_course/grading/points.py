"""What each question of the course is worth, as the table in docs/INSTRUCTORS.md.

    python -m rlvr_course.grading.points            write the table into the page
    python -m rlvr_course.grading.points --check    exit 1 if the page is out of date

Everything in it is read from the released notebooks, as the grader reads it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from rlvr_course.classroom.checkout import Checkout, find_checkout
from rlvr_course.errors import RlvrError
from rlvr_course.grading.released import Released, ReleasedCell, released, released_names
from rlvr_course.grading.reports.tables import number

COMMAND = "python -m rlvr_course.grading.points"
BEGIN, END = "<!-- points: begin -->\n", "<!-- points: end -->\n"
MINUTES = re.compile(
    r"^\| \*\*Minutes\*\* \| (\d+)(?:, and (\d+) for question \w+)? \|", re.MULTILINE
)


def minutes(notebook: Released) -> tuple[int, int]:
    """Minutes for the notebook and for its written question, from the table at its top.

    Raises:
        ValueError: the table has no minutes.
    """
    found = MINUTES.search(notebook.cells[0].source)
    if found is None:
        raise ValueError(f"{notebook.name}: its first cell has no line | **Minutes** | 60 |")
    return int(found[1]), int(found[2] or 0)


def points_table(checkout: Checkout) -> str:
    """The table as Markdown, with links as from ``docs/``."""
    notebooks = [released(name, checkout.notebooks) for name in released_names(checkout.notebooks)]
    lines = [
        "| notebook | minutes | exercises, marked by a program | question, read by you | points |",
        "|---|---:|---|---|---:|",
        *(_row(notebook, checkout) for notebook in notebooks),
        _total(notebooks),
    ]
    return "\n".join(lines) + "\n"


def _row(notebook: Released, checkout: Checkout) -> str:
    work, question = minutes(notebook)
    time = f"{work} + {question}" if question else str(work)
    by_program = ", ".join(f"{c.grade_id} {number(c.points)}" for c in _by_program(notebook))
    by_person = ", ".join(_question(cell, checkout) for cell in _by_person(notebook))
    points = number(sum(cell.points for cell in notebook.graded))
    return f"| `{notebook.name}` | {time} | {by_program} | {by_person} | {points} |"


def _by_program(notebook: Released) -> list[ReleasedCell]:
    return [cell for cell in notebook.graded if notebook.check_of(cell.grade_id)]


def _by_person(notebook: Released) -> list[ReleasedCell]:
    return [cell for cell in notebook.graded if not notebook.check_of(cell.grade_id)]


def _question(cell: ReleasedCell, checkout: Checkout) -> str:
    rubric = checkout.solutions / "rubrics" / f"{cell.grade_id}.md"
    path = f"../{rubric.relative_to(checkout.root).as_posix()}"
    name = f"[{cell.grade_id}]({path})" if rubric.is_file() else cell.grade_id
    return f"{name} {number(cell.points)}"


def _total(notebooks: Sequence[Released]) -> str:
    time = sum(sum(minutes(notebook)) for notebook in notebooks)
    marked = [sum(c.points for n in notebooks for c in of(n)) for of in (_by_program, _by_person)]
    program, person = marked
    return (
        f"| together | {time} | {number(program)} | {number(person)} | {number(program + person)} |"
    )


def with_table(text: str, table: str) -> str:
    """The page with a new table between its two marks.

    Raises:
        ValueError: a mark is missing.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no {BEGIN.strip()} with {END.strip()} after it")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main(arguments: Sequence[str]) -> int:
    """Write or check the table; 0 done or up to date, 1 out of date or failed, 2 wrong usage."""
    if list(arguments) not in ([], ["--check"]):
        print(f"usage: {COMMAND} [--check]", file=sys.stderr)
        return 2
    from rlvr_course.classroom.build import write_whole

    checkout = find_checkout()
    page: Path = checkout.root / "docs" / "INSTRUCTORS.md"
    text = page.read_text(encoding="utf-8")
    new = with_table(text, points_table(checkout))
    if arguments:
        print("up to date" if new == text else f"{page.name} is out of date: run {COMMAND}")
        return int(new != text)
    write_whole(page, new)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (RlvrError, ValueError, OSError) as error:
        sys.exit(str(error))
