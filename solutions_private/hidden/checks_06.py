"""Hidden cases of notebook 06: of the public ones' kinds, with other numbers and names."""

from __future__ import annotations

from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec
from rlvr_course.grading.marking.hidden import HINTS, known


def _pairs(name: str, verdicts: list[bool | None], pairs: list[tuple[int, int]]) -> Case:
    def holds(reply: Any) -> bool:
        return isinstance(reply, list | tuple) and sorted(map(tuple, reply)) == pairs

    return Case(name, (verdicts,), holds, "these pairs in any order")


_PAIRS = [("m", "n"), ("o", "n"), ("m", "p")]

HIDDEN = {
    "q06a": CheckSpec(
        cases=[
            known("untrained", (-5, -9, -5, -9), 0.6931471805599453, 1e-5),
            known("in the right order", (-10, -20, -15, -15), 0.31326168751822286, 1e-5),
            known("in the wrong order", (-20, -10, -15, -15), 1.3132616875182228, 1e-5),
            known("another β", (-4, -6, -5, -5, 0.5), 0.31326168751822286, 1e-5),
            known("malformed: far wrong", (-900, 0, 0, -900, 1.0), 1800.0, 1e-5),
        ],
        hints=HINTS,
    ),
    "q06b": CheckSpec(
        cases=[
            _pairs("one winner", [False, True, False], [(1, 0), (1, 2)]),
            _pairs("the winner comes last", [False, False, True], [(2, 0), (2, 1)]),
            _pairs("all accepted", [True, True, True], []),
            _pairs("not judged", [None, False, None, True], [(3, 1)]),
            _pairs("nothing judged", [None, None], []),
        ],
        hints=HINTS,
    ),
    "q06c": CheckSpec(
        cases=[
            known(
                "as it should be", (_PAIRS, {"m": True, "o": True, "n": False, "p": False}), _PAIRS
            ),
            known(
                "poisoned loser",
                (_PAIRS, {"m": True, "o": True, "n": False, "p": True}),
                [("m", "n"), ("o", "n")],
            ),
            known(
                "false winner",
                (_PAIRS, {"m": False, "o": True, "n": False, "p": False}),
                [("o", "n")],
            ),
            known("open", (_PAIRS, {"m": True, "o": None, "n": False, "p": None}), [("m", "n")]),
            known("nothing left", (_PAIRS, {"m": None, "o": True, "n": None, "p": False}), []),
        ],
        hints=HINTS,
    ),
}
