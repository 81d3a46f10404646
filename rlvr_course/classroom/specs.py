"""The checks of all notebooks by name: each notebook's are declared in its own module."""

from __future__ import annotations

from rlvr_course.classroom.check_spec import CheckSpec
from rlvr_course.classroom.checks_00 import CHECKS_00
from rlvr_course.classroom.checks_01 import CHECKS_01
from rlvr_course.classroom.checks_02 import CHECKS_02
from rlvr_course.classroom.checks_03 import CHECKS_03
from rlvr_course.classroom.checks_04 import CHECKS_04
from rlvr_course.classroom.checks_05 import CHECKS_05
from rlvr_course.classroom.checks_06 import CHECKS_06
from rlvr_course.classroom.checks_07 import CHECKS_07
from rlvr_course.classroom.checks_09 import CHECKS_09

SPECS: dict[str, CheckSpec] = {
    **CHECKS_00,
    **CHECKS_01,
    **CHECKS_02,
    **CHECKS_03,
    **CHECKS_04,
    **CHECKS_05,
    **CHECKS_06,
    **CHECKS_07,
    **CHECKS_09,
}
