"""The table: a row for who graded, a line for who did not, errors that can't garble a terminal."""

from rlvr_course.graders.cases import Case
from rlvr_course.graders.compare import Scorecard
from rlvr_course.graders.peers import Grader
from rlvr_course.graders.process import Answer
from rlvr_course.graders.table import errors, table

RESULTS = (
    (Case("a", "80", "80", "equal"), Answer(True, "", 1.0)),
    (Case("b", "80", "80", "equal"), Answer(None, "it died", 1.0)),
    (Case("c", "80", "81", "not_equal"), Answer(True, "", 1.0)),
    (Case("d", "80", "81", "not_equal"), Answer(None, "", 1.0)),
    (Case("e", "?", "81", "ungraded"), Answer(False, "", 1.25)),
)


def test_a_row_holds_every_count():
    rows = table([Scorecard(Grader("someone", "m:f"), RESULTS)]).splitlines()
    assert rows[2] == "| someone | 0.200 | 1 | 1 | 1 | 1 | 1 | 5.2 |"


def test_an_absent_grader_has_a_line_and_no_row():
    text = table([Scorecard(Grader("someone", "m:f"), absence="not installed: uv sync")])
    assert "someone: not installed: uv sync" in text and "| someone" not in text


def test_errors_are_listed_with_how_they_ended_and_rights_are_not():
    lines = list(errors(Scorecard(Grader("someone", "m:f"), RESULTS)))
    assert [line.split()[0] for line in lines] == ["b", "c", "d", "e"]
    assert "(it died)" in lines[0] and "wrongly paid" in lines[1]


def test_what_a_model_wrote_is_cut_and_ascii():
    case = Case("x", "7" * 500, "\x1b[31m\u202e\n" * 500, "equal", why="\x07" * 500)
    (line,) = errors(Scorecard(Grader("g", "m:f"), ((case, Answer(False, "", 0.1)),)))
    assert line.isascii() and line.isprintable() and len(line) < 350
