"""What the filled notebooks define, and the same with one slip in it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

from known_answers.mutants import mutants
from rlvr_course.classroom.checkout import find_checkout

CHECKOUT = find_checkout(Path(__file__).parent)
BUILDS_ON = {"q01e": ("q01c", "q01d"), "q07e": ("q07d",)}
"""Solutions that use the solutions of earlier exercises."""

_IMPORTS = """
import json, math, re
from fractions import Fraction
from rlvr_course import Problem
from rlvr_course.verifiers.extract import find_boxes
"""


GIVEN = {
    "q01a": """
import pandas as pd
from rlvr_course import load_problems, load_rollouts
from rlvr_course.classroom.checks_01 import BY_HAND, _naive

rollouts = load_rollouts("math")
_answers = {problem.id: problem.answer for problem in load_problems("math")}
_rejected = [
    (r.problem_id, r.completion.index) for r in rollouts
    if r.problem_id in BY_HAND and not _naive(r.completion.text, _answers[r.problem_id])
]
hand = pd.DataFrame(_rejected, columns=["problem", "sample"])
"""
}
"""What earlier cells of the notebook give a solution to work with."""


@cache
def source(question: str) -> str:
    """The code of the filled copy's cell of this grade id."""
    [path] = CHECKOUT.solutions.glob(f"{question[1:3]}_*.ipynb")
    notebook: Any = nbformat.read(path, as_version=4)
    return next(
        cell.source
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == question
    )


def solution(question: str, code: str | None = None) -> Any:
    """What the cell defines, or what it would define with other code in it."""
    space: dict[str, Any] = {}
    exec(_IMPORTS, space)
    for earlier in BUILDS_ON.get(question, ()):
        exec(source(earlier), space)
    exec(GIVEN.get(question, ""), space)
    before = set(space)
    exec(source(question) if code is None else code, space)
    new = {name: value for name, value in space.items() if name not in before}
    return next((v for n, v in new.items() if n.startswith("my_")), None) or new.popitem()[1]


def is_function(question: str) -> bool:
    return isinstance(ast.parse(source(question)).body[0], ast.FunctionDef)


def slips(question: str) -> dict[str, str]:
    """The mutants of what the learner is to write; what was given stays as it is."""
    own, inside = set(), False
    for number, line in enumerate(source(question).splitlines(), start=1):
        inside = inside or "BEGIN SOLUTION" in line
        own |= {number} if inside else set()
        inside = inside and "END SOLUTION" not in line
    found = mutants(source(question))
    return {name: code for name, code in found.items() if int(name.partition(":")[0]) in own}


HARMLESS = {
    "q01d": {
        "9: len(text) >= 1000": "the bound is the solution's own: what is asked is thousands",
        "9: 1001 for 1000 (column 19)": "the same",
        "9: 999 for 1000 (column 19)": "the same",
    },
    "q01e": {
        "12: 0 for 1 (column 26)": "a text without a box that names several numbers may be read "
        "either way"
    },
    "q05c": {"4: 0 for 1 (column 11)": "no runs are too few for any chance above 0"},
    "q07e": {"23: 4 for 3 (column 55)": "more honest responses of the learner's own"},
}
"""Slips after which a solution is as right as before, by exercise, each with the reason."""
