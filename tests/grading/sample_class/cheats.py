"""Work in which something stands in for work, or which doesn't hold together."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from handed import rechained

from sample_class.sessions import EXERCISES, Cell, HandIn, Session, at, code, text

EQUAL_TO_ALL = '''\
class Box(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


def last_box(text):
    """Content of the last box."""
    return Box("")'''

BLANKS_CHECKS = """\
def tidy(lines):
    return [line for line in lines if not line.startswith("check(")]


get_ipython().input_transformers_post.append(tidy)"""

OWN_CHECK = """\
import rlvr_course


def check(name, solution=None):
    rlvr_course.check.last = name
    return f"{name}: public checks passed (6 of 6)\""""

RENAMED = {
    **{"found": "inner", "place": "where", "begin": "first", "level": "open_ones", "end": "last"},
    **{"without_marks": "cleaned", "mark": "sign", "unit": "suffix", "ratio": "quotient"},
    **{"above": "top", "below": "bottom", "visible": "shown", "claim": "stated", "low": "small"},
    **{"doubt": "hedge", "seen": "figures", "mine": "left_value", "theirs": "right_value"},
}
NO_WORK = "def last_box(text):\n    return None"


def _equal(cells: list[Cell]) -> None:
    cells[at(cells, "q01c")]["source"] = EQUAL_TO_ALL


def _blanking(cells: list[Cell]) -> None:
    cells[at(cells, "q01c")]["source"] = NO_WORK
    cells.insert(at(cells, "q01a"), code(BLANKS_CHECKS))


def _own_check(cells: list[Cell]) -> None:
    cells[at(cells, "q01c")]["source"] = NO_WORK
    cells.insert(at(cells, "q01c"), code(OWN_CHECK))


def _prints_then(cells: list[Cell]) -> None:
    exercise = cells[at(cells, "q01c")]
    exercise["source"] = text(exercise) + '\n\n\nprint("tried:", last_box(r"\\boxed{7}"))'


def _writes_on(cells: list[Cell]) -> None:
    """Changes what a cell prints after it ran, and doesn't run it again."""
    exercise = cells[at(cells, "q01c")]
    exercise["source"] = text(exercise).replace('"tried:"', '"now:"').replace("{7}", "{8}")


EQUAL = Session("equal to all", _equal)
TRANSFORMED = Session("input transformer", _blanking)
PATCHED = Session("patched check", _own_check)
STALE = Session("stale", _prints_then, after=_writes_on)


def renamed(work: HandIn) -> HandIn:
    """The variables of the exercises have other names, and nothing was run again."""
    pattern = re.compile(rf"\b({'|'.join(RENAMED)})\b")

    def changed(notebook: dict[str, Any]) -> None:
        cells = notebook["cells"]
        for key in EXERCISES:
            cell = cells[at(cells, key)]
            cell["source"] = pattern.sub(lambda match: RENAMED[match[1]], text(cell))

    return work.changed(changed)


def unrun(work: HandIn) -> HandIn:
    """No outputs and no log."""

    def cleared(notebook: dict[str, Any]) -> None:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}

    return work.changed(cleared).with_log((), "")


def typed_figures(work: HandIn) -> HandIn:
    """A given cell's figure is a number now, where it was counted."""

    def typed(notebook: dict[str, Any]) -> None:
        cells = notebook["cells"]
        cell = cells[at(cells, "problems = {p.id")]
        printed = re.search(r"accepted: (\d+) of", _stdout(cell))
        assert printed is not None
        cell["source"] = text(cell).replace("rows.naive.sum()", printed[1])

    return work.changed(typed)


def edited_output(work: HandIn) -> HandIn:
    """A figure in an output was made a better one."""

    def edited(notebook: dict[str, Any]) -> None:
        cells = notebook["cells"]
        cell = cells[at(cells, "naive_groups = ")]
        before = _stdout(cell)
        after = before.replace("preference pairs: 249", "preference pairs: 251")
        assert after != before
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": after}]

    return work.changed(edited)


def failed_check_shown_as_passed(work: HandIn) -> HandIn:
    """Of work with a wrong answer: the output of its check says that it passed."""

    def edited(notebook: dict[str, Any]) -> None:
        cells = notebook["cells"]
        for output in cells[at(cells, 'check("q01d"')]["outputs"]:
            for kind, data in output.get("data", {}).items():
                said = re.sub(r"\d+ of (\d+) public checks failed", _passed, "".join(data))
                output["data"][kind] = said.replace("  failed ", "  passed ")

    return work.changed(edited)


def _passed(match: re.Match[str]) -> str:
    return f"public checks passed ({match[1]} of {match[1]})"


def tampered_log(work: HandIn) -> HandIn:
    """One record says something else, and nothing was done about the chain."""
    lines = list(work.log)
    place = next(n for n, line in enumerate(lines) if b'"result":"failed"' in line)
    lines[place] = lines[place].replace(b'"result":"failed"', b'"result":"passed"')
    return work.with_log(lines, work.head)


def rechained_log(work: HandIn) -> HandIn:
    """Records say something else, and chain and head were built anew."""

    def better(records: list[dict[str, Any]]) -> None:
        for record in records:
            if record.get("result") == "failed":
                record["result"] = "passed"

    return work.with_log(*rechained(work.log, better))


def rechained_samples(work: HandIn) -> HandIn:
    """Wrong samples were made right ones, and chain and head were built anew."""

    def better(records: list[dict[str, Any]]) -> None:
        for record in records:
            if record.get("reward") == -0.1:
                record |= {"reward": 1.0, "verified_correct": True, "status": "correct"}
                record["components"] = {"correctness": 1.0}

    return work.with_log(*rechained(work.log, better))


def with_cell(source: str) -> Callable[[HandIn], HandIn]:
    """A cell that was added at the end, and not run."""

    def added(work: HandIn) -> HandIn:
        cell = {**code(source), "id": "added-at-the-end"}
        return work.changed(lambda notebook: notebook["cells"].append(cell))

    return added


ENDLESS = "while True:\n    pass"
FORK_BOMB = "import os\n\nwhile True:\n    os.fork()"
FLOOD = 'for _ in range(300):\n    print("x" * 1_000_000)'


def _stdout(cell: Cell) -> str:
    streams = [output for output in cell["outputs"] if output["output_type"] == "stream"]
    return "".join("".join(output["text"]) for output in streams)
