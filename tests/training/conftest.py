"""Runs are trained once in a session and shared: one seed of each recipe that a test asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from training_runs import WHY_NOT, TrainOnce

from rlvr_course.training import can_train, train


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def train_once(runs_folder: Path) -> TrainOnce:
    if not can_train():
        pytest.skip(WHY_NOT)
    return lambda recipe, seed=0: train(recipe, out=runs_folder, seed=seed)
