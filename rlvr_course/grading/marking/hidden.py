"""Hidden checks: cases that learners never get to see, kept beside the solutions.

A checkout for instructors has ``solutions_private/hidden/checks_01.py`` with a dict ``HIDDEN`` from
an exercise's name to a ``CheckSpec``. They are no part of the package, and without them the public
checks decide alone.

    HIDDEN = {"q03e": CheckSpec([known("four", (0.4, 3), 0.72)], hints=HINTS)}
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from rlvr_course.classroom.check_spec import Case, CheckSpec
from rlvr_course.classroom.checkout import find_checkout
from rlvr_course.errors import NotebookError
from rlvr_course.verifiers.programs.values import same_value

HINTS = ("The public cases are of the same kinds.",)
"""Of a hidden check, which has to have one and never shows it."""


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


def known(name: str, args: tuple[Any, ...], reply: Any, tolerance: float = 1e-6) -> Case:
    """A case whose right reply is known.

    Args:
        name: of the kind of case: learners see it in their report, and nothing else of it.
        args: what the exercise is called with.
        reply: plain values. Lists and tuples are alike, a bool is no number, a Fraction is as
            good as its float.
        tolerance: of numbers, relative.

    >>> known("a half", (1, 2), [0.5]).property((Fraction(1, 2),))
    True
    """

    def holds(got: Any) -> bool:
        return same_value(reply, _floats(got), tolerance)

    return Case(name, args, holds, "the right reply")


def _floats(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, Fraction) else value
