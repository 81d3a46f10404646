"""Whether this installation can train, and what to say if it can't."""

from __future__ import annotations

from importlib.util import find_spec

from rlvr_course.errors import TrainingUnavailable

PACKAGES = ("torch", "transformers", "trl", "datasets")


def can_train() -> bool:
    """Whether the packages of the extra ``train`` are there; imports none of them."""
    return not _missing()


def require_training() -> None:
    """Return if this installation can train.

    Raises:
        TrainingUnavailable: a package of the extra ``train`` is missing.
    """
    if missing := _missing():
        raise TrainingUnavailable(
            f"training needs {missing[0]}, which is not installed: uv sync --extra train; "
            "recorded runs are shown without it"
        )


def _missing() -> list[str]:
    return [name for name in PACKAGES if find_spec(name) is None]
