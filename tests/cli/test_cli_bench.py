"""``bench graders``: a table on one's own cases, and one line where there are none."""

import json

import pytest

from rlvr_course.cli import main
from rlvr_course.graders import peers

ROWS = [
    {"id": "mixed", "gold": "71/6", "completion": r"\boxed{11 5/6}", "expected": "equal"},
    {"id": "refused", "gold": "3", "completion": "No, not after 3 tries.", "expected": "not_equal"},
]


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """A file of two cases, and the two graders that need nothing beyond this package."""
    monkeypatch.setattr(peers, "GRADERS", peers.GRADERS[:2])
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return path


def test_each_grader_gets_a_row(cases, capsys):
    assert main(["bench", "graders", "--cases", str(cases)]) == 0
    out = capsys.readouterr().out
    assert "2 cases (0 contested ones left out)" in out
    naive, ours = [line.split(" | ") for line in out.splitlines()[4:6]]
    assert naive[1:4] == ["0.000", "1", "1"]
    assert ours[1:4] == ["1.000", "0", "0"]


def test_show_lists_what_each_got_wrong(cases, capsys):
    main(["bench", "graders", "--cases", str(cases), "--show"])
    out = capsys.readouterr().out
    assert "  mixed  missed" in out and "  refused  wrongly paid" in out
    assert out.rstrip().endswith("rlvr-course MathVerifier")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "change into your copy of the course"),
        (["--cases", "none.jsonl"], "there is no none.jsonl"),
    ],
    ids=["outside a checkout", "no such file"],
)
def test_without_cases_one_line_names_the_way_on(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "graders", *arguments]) == 1
    line = capsys.readouterr().err
    assert line.startswith("rlvr-course: ") and line.count("\n") == 1 and said in line


def test_a_deadline_out_of_range_is_one_line(cases, capsys):
    assert main(["bench", "graders", "--cases", str(cases), "--deadline", "0"]) == 1
    assert "deadline_s=0.0: give it seconds above 0" in capsys.readouterr().err
