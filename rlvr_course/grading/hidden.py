"""Hidden checks: cases that learners never get to see, kept beside the solutions.

A checkout for instructors has ``solutions_private/hidden/checks_01.py`` with a dict ``HIDDEN`` from
an exercise's name to a ``CheckSpec``. They are no part of the package, and without them the public
checks decide alone.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from rlvr_course.classroom.check_spec import CheckSpec
from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.errors import NotebookError


def hidden_checks(notebook: str, folder: Path | None = None) -> Mapping[str, CheckSpec]:
    """The hidden checks of one notebook by exercise; none where there is no such file.

    Args:
        notebook: its name, such as "01_verifiers".
        folder: where ``checks_01.py`` lies; ``solutions_private/hidden`` of the checkout around
            the current directory if None.

    Raises:
        NotebookError: a file is there and can't be used.
    """
    if folder is None:
        try:
            folder = find_checkout().solutions / "hidden"
        except NotebookError:
            return {}
    path = folder / f"checks_{notebook[:2]}.py"
    if not path.is_file():
        return {}
    spec = importlib.util.spec_from_file_location(f"hidden_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return dict(module.HIDDEN)
    except Exception as error:  # the instructor's own file may fail in any way
        raise NotebookError(
            f"{path}: {type(error).__name__}: {error}: it has to define HIDDEN"
        ) from None
