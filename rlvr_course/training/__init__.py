"""Real training on a laptop: tiny policies, their tasks, and recipes over TRL.

    from rlvr_course.training import train
    run = train("cipher-rloo")        # seconds; a second call returns the finished run
    print(run.before.accuracy, run.after.accuracy)

Training needs the extra ``train``; everything else here works without it, recorded runs too.
"""

from __future__ import annotations

from rlvr_course.training.execute import train
from rlvr_course.training.measure import Evaluation, evaluate
from rlvr_course.training.plan import Plan, plan
from rlvr_course.training.recipes import (
    DPO,
    GRPO,
    RECIPES,
    RLOO,
    SFT,
    Recipe,
    load_recipe,
    with_settings,
)
from rlvr_course.training.recorded import load_run, train_or_recall
from rlvr_course.training.requirements import can_train
from rlvr_course.training.run import Run, read_run
from rlvr_course.training.tasks import Task, load_task

__all__ = [
    "DPO",
    "GRPO",
    "RECIPES",
    "RLOO",
    "SFT",
    "Evaluation",
    "Plan",
    "Recipe",
    "Run",
    "Task",
    "can_train",
    "evaluate",
    "load_recipe",
    "load_run",
    "load_task",
    "plan",
    "read_run",
    "train",
    "train_or_recall",
    "with_settings",
]
