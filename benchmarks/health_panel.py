"""The health panel on both errors: ``python benchmarks/health_panel.py [--seeds N ...]``.

Without seeds, on the recorded runs, in a second. With seeds, on sick and healthy runs that are
trained anew with each of them, some three minutes of one core a seed; the thresholds were chosen
without these in sight. Exit status 1 if a sickness is missed or a healthy run accused.
"""

from __future__ import annotations

import argparse
import datetime
import platform
from tempfile import TemporaryDirectory

from rlvr_course.training import Run, train
from rlvr_course.training.health import Vitals
from rlvr_course.training.health.mistakes import MISTAKES
from rlvr_course.training.health.scores import ANY, score_health
from rlvr_course.training.health.sick import HEALTHY, SICK, make_control, make_sick


def main() -> int:
    """Score, and print the table."""
    parser = argparse.ArgumentParser(description="the health panel on both errors")
    parser.add_argument("--seeds", type=int, nargs="*", default=[], metavar="N")
    parser.add_argument(
        "--healthy", nargs="+", default=HEALTHY, metavar="RECIPE", help="all that are, by default"
    )
    args = parser.parse_args()
    print(
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, Python {platform.python_version()}, "
        + (f"seeds {', '.join(map(str, args.seeds))}" if args.seeds else "recorded runs")
    )
    table = score_health()
    if args.seeds:
        sick = {name: [make_sick(name, seed=seed) for seed in args.seeds] for name in SICK}
        table = score_health(sick, _healthy(args.healthy, args.seeds))
    print(table)
    missed = [score.recall.value != 1.0 for score in table.scores]
    return int(any(missed) or table[ANY].false_alarms.successes > 0)


def _healthy(recipes: list[str], seeds: list[int]) -> list[Vitals | Run]:
    with TemporaryDirectory() as out:
        runs = [train(name, out=out, seed=seed) for name in recipes for seed in seeds]
    return [*runs, *(make_control(mistake, seed=seed) for mistake in MISTAKES for seed in seeds)]


if __name__ == "__main__":
    raise SystemExit(main())
