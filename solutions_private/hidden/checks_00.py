"""Hidden cases of notebook 00: of the public ones' kinds, with other numbers."""

from __future__ import annotations

from rlvr_course.classroom.check_spec import CheckSpec, Property
from rlvr_course.grading.marking.hidden import HINTS, known

HIDDEN = {
    "q00a": CheckSpec(
        cases=[
            known("a mixed group", ([0.0, 1.0, 1.0, 0.0, 0.5],), [-0.5, 0.5, 0.5, -0.5, 0.0]),
            known("a uniform group", ([0.25, 0.25],), [0.0, 0.0]),
            known("alone in its group", ([0.5],), [0.0]),
            known("penalties", ([-0.1, -0.1, 1.0],), [-11 / 30, -11 / 30, 22 / 30]),
        ],
        hints=HINTS,
    ),
    "q00b": CheckSpec(
        cases=[
            known("all solved or all failed", ([0, 4, 4], 4), 0.0),
            known("all mixed", ([1, 2], 3), 1.0),
            known("another group size", ([16, 8, 0, 15, 1], 16), 3 / 5),
            known("one short of all", ([7, 8, 8, 8], 8), 0.25),
        ],
        properties=[
            Property(
                "order does not matter",
                lambda ask: ask([6, 1, 0], 6) == ask([0, 6, 1], 6) != ask([0, 6], 6),
                "the same share for the same counts",
            ),
        ],
        hints=HINTS,
    ),
}
