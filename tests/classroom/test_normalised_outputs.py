"""Outputs of the same code are the same text, whatever machine and editor stored them."""

from __future__ import annotations

import configparser
import re
import time
from pathlib import Path
from typing import Any

import pytest

from rlvr_course.classroom.outputs import normalised, shown, words


def printed(*texts: str, name: str = "stdout") -> list[dict[str, Any]]:
    return [{"output_type": "stream", "name": name, "text": text} for text in texts]


def result(**data: str) -> list[dict[str, Any]]:
    kinds = {kind.replace("_", "/"): text for kind, text in data.items()}
    return [{"output_type": "execute_result", "data": kinds, "metadata": {}}]


SAME = {
    "in pieces": (printed("a\nb", "c\n"), ["a", "bc"]),
    "blank lines": (printed("a\n\n \nb\n"), ["a", "b"]),
    "overwritten": (printed("0 of 2\r1 of 2\r2 of 2\n"), ["2 of 2"]),
    "Windows line ends": (printed("a\r\nb\r\n"), ["a", "b"]),
    "colours": (printed("\x1b[31mred\x1b[0m\n"), ["red"]),
    "a progress bar": (printed("100%|###| 2/2 [00:01<00:00, 1.5it/s]\nend"), ["end"]),
    "warnings": (printed("careful", name="stderr"), []),
    "a figure": (result(text_plain="<Figure at 0x7f00>", image_png="iVBOR"), ["image/png"]),
    "a table": (result(text_plain="a\n1", text_html="<td>a</td><td>1</td>"), ["a", "1", "a 1"]),
    "an error": (
        [{"output_type": "error", "ename": "E", "evalue": "at 0x7f0000001", "traceback": ["x"]}],
        ["E: at <address>"],
    ),
}


@pytest.mark.parametrize(("outputs", "lines"), SAME.values(), ids=SAME)
def test_what_a_reader_sees_is_told(outputs: list[dict[str, Any]], lines: list[str]) -> None:
    assert shown(outputs) == lines


def test_markup_is_read_as_its_words() -> None:
    assert words("<style>td {color: red}</style><td>1 &lt; 2</td>\n<td>x</td>") == "1 < 2 x"


def test_what_the_notebooks_tests_leave_out_is_left_out_here_too() -> None:
    rules = configparser.RawConfigParser(delimiters=(":",))
    rules.read(Path(__file__).parents[1] / "nbval_sanitize.cfg")
    assert rules.sections()
    for name in rules.sections():
        pattern = rules[name]["regex"]
        for choice in re.findall(r"\((\w[^)]*)\)", pattern)[0].split("|"):
            text = re.sub(r"\([^)]*\)", choice, pattern)
            assert normalised(text) != text


@pytest.mark.parametrize("piece", ["<", "<style>", "<script></style>", "<a ", "&lt", "</script>"])
def test_hostile_markup_takes_no_time(piece: str) -> None:
    began = time.process_time()
    words(piece * 200_000)
    assert time.process_time() - began < 3


def test_style_sheets_and_scripts_are_no_words() -> None:
    text = "<STYLE>a</Style>b<script src='x'>c</script> d <style>e"
    assert words(text) == "b d e"
