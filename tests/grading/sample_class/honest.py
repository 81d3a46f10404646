"""Sessions of learners who did nothing wrong, though not all of them got it right."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sample_class.sessions import Cell, Session, at, code, given, text

OWN_BOX = '''\
def last_box(text):
    """Content of the last box whose braces balance, else ""."""
    found, place = "", text.find("\\\\boxed{")
    while place != -1:
        begin = place + len("\\\\boxed{")
        level, end = 1, begin
        while end < len(text) and level:
            if text[end] == "{":
                level += 1
            elif text[end] == "}":
                level -= 1
            end += 1
        if level == 0:
            found = text[begin:end - 1]
        place = text.find("\\\\boxed{", begin)
    return found'''

OWN_VALUE = '''\
def without_marks(text):
    for mark in ("\\\\$", "\\\\%", "\\\\,", "\\\\!", "\\\\;", "\\\\ ", "$", "%"):
        text = text.replace(mark, "")
    return text.strip()


def to_value(text):
    """The exact value of a short answer, or None."""
    text = text.strip()
    if len(text) > 500:
        return None
    if unit := re.fullmatch(r"(.*[\\d}])\\s*\\\\text\\{[^{}]*\\}", text):
        text = unit[1]
    text = without_marks(text).replace("{,}", ",")
    if re.fullmatch(r"-?\\d{1,3}(,\\d{3})+(\\.\\d+)?", text):
        text = text.replace(",", "")
    if ratio := re.fullmatch(r"(-?)\\\\d?frac\\{(\\d+)\\}\\{(\\d+)\\}", text):
        text = f"{ratio[1]}{ratio[2]}/{ratio[3]}"
    if ratio := re.fullmatch(r"(-?\\d+)/(\\d+)", text):
        above, below = int(ratio[1]), int(ratio[2])
        return Fraction(above, below) if below else None
    return Fraction(text) if re.fullmatch(r"-?\\d+(\\.\\d+)?", text) else None'''

OWN_VERIFIER = '''\
def my_verifier(response, answer):
    """Whether the response states the answer."""
    visible = response
    if "<think>" in response:
        visible = response.split("</think>", 1)[1] if "</think>" in response else ""
    claim = last_box(visible)
    if claim == "":
        low = visible.lower()
        for doubt in ("can't", "cannot", "could", "or ", "not ", "?", "sorry"):
            if doubt in low:
                return False
        seen = re.findall(r"-?\\d[\\d,]*(?:\\.\\d+)?", visible)
        claim = seen[-1] if seen else ""
    mine, theirs = to_value(claim), to_value(answer)
    return mine is not None and mine == theirs'''

OWN = {
    "q01b": 'right = 81\nmy_rates = {"precision": right / 90, "recall": right / 108}',
    "q01c": OWN_BOX,
    "q01d": OWN_VALUE,
    "q01e": OWN_VERIFIER,
}
WRONG_BOX = """\
def last_box(text):
    boxes = re.findall(r"\\\\boxed\\{([^}]*)\\}", text)
    return boxes[-1] if boxes else \"\""""
WRONG_VALUE = """\
def to_value(text):
    try:
        return Fraction(float(text.strip().strip("$%").replace(",", "")))
    except (ValueError, OverflowError):
        return None"""


def written(cells: list[Cell], answers: dict[str, str]) -> None:
    """Put answers into the exercises' cells."""
    for key, source in answers.items():
        cells[at(cells, key)]["source"] = source


def _with_helpers(cells: list[Cell]) -> None:
    """A note, a helper and a look at data between the given cells; the helper is used."""
    place = at(cells, "q01c")
    helper = code("def closes(text):\n    return text.count('{') == text.count('}')")
    note = {"cell_type": "markdown", "id": "", "source": "My own try:", "metadata": {}}
    tried = code('closes(r"\\boxed{\\frac{1}{2}}"), rows.response.str.len().median()')
    cells[place:place] = [note, helper, tried]


def _with_prints(cells: list[Cell]) -> None:
    """Prints in an exercise, after it, and in a given cell."""
    exercise = cells[at(cells, "q01c")]
    exercise["source"] = text(exercise) + '\n\n\nprint(last_box(r"so \\boxed{7}"))'
    table = cells[at(cells, "table = pd.DataFrame(cases")]
    table["source"] = text(table).replace("\ntable\n", "\n") + '\nprint("cases:", len(cases))'
    table["source"] = table["source"].replace("\ntable\nprint", "\nprint") + "\ntable"
    cells.insert(at(cells, "q01d"), code("print(rows.shape)"))


def _formatted(cells: list[Cell]) -> None:
    """Every code cell as a formatter with its usual settings leaves it."""
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                files[number] = Path(folder, f"cell_{number}.py")
                files[number].write_text(text(cell), encoding="utf-8")
        command = [sys.executable, "-m", "ruff", "format", "--isolated", "--quiet", folder]
        subprocess.run(command, check=True)
        for number, file in files.items():
            cells[number]["source"] = file.read_text(encoding="utf-8").rstrip("\n")


def _half_done(cells: list[Cell]) -> None:
    """Exercises from q01d on are as they were handed out."""
    blank = given()["cells"]
    for key in ("q01d", "q01e", "q01f", "Q1"):
        cells[at(cells, key)]["source"] = blank[at(blank, key)]["source"]


def _blank(cells: list[Cell]) -> None:
    cells[:] = given()["cells"]


def _sampled(cells: list[Cell]) -> None:
    """Samples of the learner's own, below the data."""
    source = (
        "from rlvr_course import sample_and_verify\n\n"
        "for problem in list(problems.values())[:3]:\n"
        "    for one in sample_and_verify(problem, 3):\n"
        '        print(f"{one.reward:+.1f} {one.response[-40:]!r}")'
    )
    cells.insert(at(cells, "q01a"), code(source))


def _again(cells: Sequence[Cell]) -> list[int]:
    """From top to bottom, and then three cells once more."""
    every = [n for n, cell in enumerate(cells) if cell["cell_type"] == "code"]
    again = ["q01b", 'check("q01b"', "ladder = {"]
    return every + [at(cells, key) for key in again]


def _jumping(cells: Sequence[Cell]) -> list[int]:
    """An exercise at the end of the notebook before one in the middle."""
    every = [n for n, cell in enumerate(cells) if cell["cell_type"] == "code"]
    early = [at(cells, "q01f"), at(cells, 'check("q01f"')]
    rest = [n for n in every if n not in early]
    where = rest.index(at(cells, "q01b"))
    return rest[:where] + early + rest[where:]


GOOD = Session("good")
SAMPLED = Session("own samples", _sampled)
OTHER = Session("other code", lambda cells: written(cells, OWN))
FORMATTED = Session("formatted", _formatted)
HELPERS = Session("helpers", _with_helpers)
PRINTS = Session("prints", _with_prints)
PARTLY = Session("partly wrong", lambda cells: written(cells, {"q01d": WRONG_VALUE}))
WRONG = Session("wrong", lambda cells: written(cells, {"q01c": WRONG_BOX, "q01d": WRONG_VALUE}))
HALF = Session("half done", _half_done)
BLANK = Session("blank", _blank)
AGAIN = Session("run again", order=_again)
JUMPING = Session("out of order", order=_jumping)
API = Session("api", _sampled, mode="api")
SEVEN = Session("notebook 07", notebook="07_build_your_own_verifier")
SEVEN_API = Session("notebook 07 api", notebook="07_build_your_own_verifier", mode="api")
