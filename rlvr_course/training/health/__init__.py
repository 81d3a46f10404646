"""The health panel: reads a training run and says in words what is wrong with it.

print(health(train("clerk-1.0")))

vitals.py      what a run tells: curves, sizes, prices, the template
watch.py       the same of a trainer of your own
traces.py      a curve through a window of a few steps
limits.py      every threshold, with its reason
of_rewards.py  constant reward, uniform groups, partial None, proxy up while truth is down
of_answers.py  clipped completions, chat template not applied, refusal collapse
of_policy.py   entropy collapse, KL blow-up
panel.py       health: all checks, and which finding explains which
findings.py    what it says
sick.py        a run of each sickness, trained on purpose, recorded
scores.py      both errors of the panel
"""

from rlvr_course.training.health.findings import Finding, HealthReport
from rlvr_course.training.health.panel import CHECKS, health
from rlvr_course.training.health.vitals import Vitals, read_vitals, write_vitals

__all__ = [
    "CHECKS",
    "Finding",
    "HealthReport",
    "Vitals",
    "health",
    "read_vitals",
    "write_vitals",
]
