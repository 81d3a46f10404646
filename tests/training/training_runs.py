"""What the tests of training share: the type of their fixture, and when they are skipped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rlvr_course.training import Run, can_train

TrainOnce = Callable[..., Run]
"""``train_once(recipe, seed=0)``: the run, trained in this session at most once."""

WHY_NOT = "training needs the extra train: uv sync --extra train"
needs_training = pytest.mark.skipif(not can_train(), reason=WHY_NOT)
