"""The checks of all notebooks by name: each notebook's are declared in its own module."""

from __future__ import annotations

from rlvr_course.classroom.check_spec import CheckSpec

SPECS: dict[str, CheckSpec] = {}
