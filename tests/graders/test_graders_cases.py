"""Reading labelled cases: what is wrong with a file is said in one line with its place."""

import json
from pathlib import Path

import pytest

from rlvr_course.errors import DataError
from rlvr_course.graders.cases import Case, read_cases

OWN = Path(__file__).parent.parent / "cases" / "math_answers.jsonl"
ROW = {"gold": "80", "completion": "It is 80.", "expected": "equal"}


def test_the_repositorys_cases_are_97_and_11_contested():
    cases, contested = read_cases(OWN)
    assert (len(cases), contested) == (97, 11)


def test_contested_rows_are_left_out_and_a_missing_id_is_the_line_number(tmp_path):
    path = tmp_path / "mine.jsonl"
    rows = [{**ROW, "contested": True}, ROW, {**ROW, "id": "x", "why": "same"}]
    path.write_text("\n\n".join(map(json.dumps, rows)))
    cases, contested = read_cases(path)
    expected = [Case("3", *ROW.values()), Case("x", *ROW.values(), why="same")]
    assert (cases, contested) == (expected, 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "line 1 is not JSON"),
        ("[" * 100_000, "line 1 is"),
        ('\n["80"]', "line 2 is not a JSON object"),
        (json.dumps({**ROW, "gold": 80}), "line 1: gold is 80, it must be a string"),
        (json.dumps({"gold": "80"}), "line 1: completion is None"),
        (json.dumps({**ROW, "expected": "yes"}), "expected is 'yes', not one of"),
        (json.dumps({**ROW, "contested": True}), "no uncontested case"),
        ("", "no uncontested case"),
    ],
    ids=["cut", "deep", "list", "number", "lacking", "label", "contested", "empty"],
)
def test_a_file_of_another_kind_is_refused_with_its_place(tmp_path, content, said):
    path = tmp_path / "mine.jsonl"
    path.write_text(content)
    with pytest.raises(DataError, match=said):
        read_cases(path)


def test_a_missing_file_and_one_that_is_not_utf8_name_the_way_on(tmp_path):
    with pytest.raises(DataError, match="name a file of your own with --cases"):
        read_cases(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"gold": "\xe9"}')
    with pytest.raises(DataError, match="is not UTF-8 at byte 10"):
        read_cases(tmp_path / "latin.jsonl")
