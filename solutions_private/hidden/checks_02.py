"""Hidden cases of notebook 02: of the public ones' kinds, with other numbers."""

from __future__ import annotations

from rlvr_course.classroom.check_spec import CheckSpec
from rlvr_course.grading.marking.hidden import HINTS, known

HIDDEN = {
    "q02b": CheckSpec(
        cases=[
            known("c = 0.1", (0.1,), 1 / 11, 1e-5),
            known("c = 0.5", (0.5,), 1 / 3, 1e-5),
            known("c = 2", (2.0,), 2 / 3, 1e-5),
            known("a whole number", (4,), 0.8, 1e-5),
            known("c = 99", (99.0,), 0.99, 1e-5),
        ],
        hints=HINTS,
    ),
    "q02e": CheckSpec(
        cases=[
            known("no partial answers", (0.0, 0.3, 1.0), 0.5, 1e-5),
            known("partial earns nothing", (0.5, 0.0, 1.0), 0.25, 1e-5),
            known("partial earns a little", (0.4, 0.1, 0.5), 26 / 150, 1e-5),
            known("partial carries it", (0.5, 0.9, 0.2), 0.0, 1e-5),
            known("free guesses", (0.1, 0.2, 0.0), 0.0, 1e-5),
            known("a high cost", (0.2, 0.5, 3.0), 0.575, 1e-5),
        ],
        hints=HINTS,
    ),
}
