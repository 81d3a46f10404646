"""The panel scored as a detector: sicknesses that it misses, and healthy runs that it accuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rlvr_course.hacks import DetectorScore, DetectorTable
from rlvr_course.stats import Rate
from rlvr_course.training.health.panel import CHECKS, health
from rlvr_course.training.health.sick import SICK, load_healthy, load_sick
from rlvr_course.training.health.vitals import Watchable

ANY = "any of them"


def score_health(
    sick: Mapping[str, Sequence[Watchable]] | None = None,
    healthy: Iterable[Watchable] | None = None,
) -> DetectorTable:
    """How often the panel names a planted sickness, and how often it accuses a healthy run.

    Args:
        sick: runs by the name of their sickness; the recorded ones if None.
        healthy: runs that are well; the recorded ones if None.

    Returns:
        A row for each check: recall, the share of its own sick runs that it names as a cause
        (one explained by another finding is not named), and its false alarms, the share of
        healthy runs in which it finds anything. The last row: sick runs named rightly and by no
        other cause beside it, and healthy runs with any finding.

    Raises:
        ValueError: a sickness that no check is for.
        DataError: a recorded run can't be read.

    Limits: the thresholds were chosen with some of the recorded runs in sight, so read the table
        as a check of the panel; for an estimate score it on seeds of your own.
    """
    if sick is None:
        sick = {name: [load_sick(name)] for name in SICK}
    if unknown := sorted(set(sick) - set(CHECKS)):
        raise ValueError(f"sickness {unknown[0]!r} is not one of {', '.join(CHECKS)}")
    named = {kind: [health(run).names for run in runs] for kind, runs in sick.items()}
    reports = [health(run) for run in (load_healthy() if healthy is None else healthy)]
    accused = [{finding.name for finding in report.findings} for report in reports]
    scores = []
    for check in CHECKS:
        own = [check in names for names in named.get(check, [])]
        alarms = sum(check in names for names in accused)
        scores.append(DetectorScore(check, Rate(sum(own), len(own)), Rate(alarms, len(accused))))
    alone = [names == [kind] for kind, runs in named.items() for names in runs]
    false = Rate(sum(map(bool, accused)), len(accused))
    scores.append(DetectorScore(ANY, Rate(sum(alone), len(alone)), false))
    return DetectorTable(tuple(scores))
