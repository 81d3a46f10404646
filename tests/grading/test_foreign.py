"""Any file that a browser could upload comes to a grade: of foreign notebooks "not_ours"."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from foreign_notebooks import KINDS, code, failed, file_of, notebook, printed, prose, shown
from marking import CHECKOUT, filled

from rlvr_course.grading.batch import Options, grade
from rlvr_course.grading.records import Grade
from rlvr_course.grading.reports.publish import Publication, publish
from rlvr_course.grading.steps import Progress, course_steps, grade_stepwise

STATUSES = {"not_ours", "could_not_grade", "needs_manual", "graded"}
SAMPLE = json.dumps(
    notebook(
        code("print(1)\n1/0", printed(["1\n"]), failed("---> 2 1/0"), id="a"),
        prose(["# Title\n", "text"], attachments={"a.png": {"image/png": "AAAA"}}, id="b"),
        code("2", shown(text__plain=["2"], text__html="<b>2</b>"), count=2, id="c"),
        kernelspec={"name": "python3", "language": "python", "display_name": "Python"},
    )
).encode()


@pytest.fixture(scope="module")
def foreign(tmp_path_factory) -> tuple[dict[str, Grade], Path]:
    """A class in which each handed in something else, with its reports."""
    folder = tmp_path_factory.mktemp("foreign")
    handed, out = folder / "class", folder / "out"
    handed.mkdir()
    for number, kind in enumerate(KINDS):
        (handed / f"kind{number:02}.ipynb").write_bytes(file_of(kind))
    options = Options(jobs=2, rerun="off")
    grades = grade(handed, out, options=options, notebooks=CHECKOUT.notebooks)
    publish(grades, out, Publication())
    return dict(zip(KINDS, grades, strict=True)), out


@pytest.mark.parametrize("kind", KINDS)
def test_a_foreign_notebook_is_told_to_be_none_of_ours(foreign, kind):
    one: Grade = foreign[0][kind]
    assert (one.status, one.reason) == ("not_ours", "it is none of the course's notebooks")
    assert "not_ours" in {finding.code for finding in one.findings}
    assert "it is none of the course" in (foreign[1] / "class.html").read_text(encoding="utf-8")
    assert (foreign[1] / "learners" / f"{one.learner}.html").stat().st_size > 1000


SHOWN = {
    "keys and addresses": {"key_found", "email_found"},
    "SQL magic": {"shell_line"},
    "odd counts": {"not_executed"},
    "errors": {"counts_not_in_order"},
}


@pytest.mark.parametrize("kind", SHOWN)
def test_what_a_foreign_notebook_shows_is_told_all_the_same(foreign, kind):
    codes = {finding.code for finding in foreign[0][kind].findings}
    assert codes >= SHOWN[kind]


def last_of(path: Path) -> Progress:
    steps = course_steps(rerun="off", notebooks=CHECKOUT.notebooks)
    return list(grade_stepwise(path, "ada", steps=steps, notebooks=CHECKOUT.notebooks))[-1]


def is_a_grade(data: bytes, folder: Path, name: str = "ada.ipynb") -> str:
    """The status of these bytes' grade, after a look at what each grade has to have."""
    path = folder / name
    path.write_bytes(data)
    last = last_of(path)
    assert last.traces == () and last.grade.status in STATUSES
    assert last.grade.reason or last.grade.status in ("needs_manual", "graded")
    json.dumps(last.grade.to_dict()).encode()
    return last.grade.status


@pytest.mark.parametrize("tenth", range(1, 20))
def test_a_notebook_that_was_cut_anywhere_gets_no_grade_and_a_reason(tmp_path, tenth):
    assert is_a_grade(SAMPLE[: len(SAMPLE) * tenth // 20], tmp_path) == "could_not_grade"


@pytest.mark.parametrize("seed", range(20))
def test_flipped_bytes_end_in_a_grade_or_a_reason(tmp_path, seed):
    rng = random.Random(seed)
    data = bytearray(SAMPLE)
    for _ in range(1 + seed % 4):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    assert is_a_grade(bytes(data), tmp_path) in ("not_ours", "could_not_grade")


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where anything stands in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, item in items:
        yield from paths(item, (*path, key))


def with_value(path: tuple[Any, ...], value: Any) -> bytes:
    whole = [copy.deepcopy(json.loads(SAMPLE))]
    *way, last = (0, *path)
    place: Any = whole
    for key in way:
        place = place[key]
    place[last] = value
    return json.dumps(whole[0]).encode()


OTHER_TYPES = {
    "null": None,
    "true": True,
    "a number": -3,
    "infinity": float("inf"),
    "a text": "\ud800\x00x",
    "a list": [[], {}, None],
    "an object": {"a": {"b": [1]}, "": None},
}
EVERYWHERE = list(paths(json.loads(SAMPLE)))


@pytest.mark.parametrize("name", OTHER_TYPES)
def test_a_value_of_another_type_at_any_key_ends_in_a_grade_or_a_reason(tmp_path, name):
    for path in EVERYWHERE:
        status = is_a_grade(with_value(path, OTHER_TYPES[name]), tmp_path)
        assert status in ("not_ours", "could_not_grade"), path


def test_a_key_that_is_missing_ends_in_a_grade_or_a_reason(tmp_path):
    for path in filter(None, EVERYWHERE):
        values = json.loads(SAMPLE)
        place = values
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]
        status = is_a_grade(json.dumps(values).encode(), tmp_path)
        assert status in ("not_ours", "could_not_grade"), path


@pytest.mark.parametrize("size", [0, 1, 2, 100])
def test_next_to_nothing_gets_a_reason(tmp_path, size):
    for data in (b"{" * size, b"\x00" * size, b" " * size, b"[]"[:size], b"PK\x03\x04"[:size]):
        for name in ("ada.ipynb", "ada.zip"):
            assert is_a_grade(data, tmp_path, name) == "could_not_grade"


def planted_in_ours(seed: int) -> bytes:
    """The course's notebook with an answer in it, and values of other types here and there."""
    values = filled("01_verifiers", {"q01c": "def last_box(text):\n    return text[7:-1]"})
    rng = random.Random(seed)
    for cell in rng.sample(values["cells"], 5):
        key = rng.choice(["id", "metadata", "source", "outputs", "execution_count", "tags"])
        owner = cell["metadata"] if key == "tags" and isinstance(cell["metadata"], dict) else cell
        owner[key] = rng.choice([None, [], {}, "", 7, ["x"], [None], {"nbgrader": [1]}])
    return json.dumps(values).encode()


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("seed", range(12))
def test_our_notebook_with_odd_values_ends_in_a_grade_or_a_reason(tmp_path, seed):
    assert is_a_grade(planted_in_ours(seed), tmp_path) in ("could_not_grade", "graded")
