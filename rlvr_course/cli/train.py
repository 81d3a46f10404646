"""``rlvr-course train``: train a tiny policy by a recipe, or say what that would do."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlvr_course.training.health import HealthReport
    from rlvr_course.training.smollm2_run import SmolRun

SMOLLM2 = "smollm2-lora"

DESCRIPTION = """\
Train a policy of 50,400 parameters by reward, on one core, within seconds; or, by the recipe
smollm2-lora, a language model of 135 million by LoRA, in four CPU-minutes or more.

A recipe names a task, a method (RLOO, GRPO, SFT, DPO) and the prices of right, wrong and refused.
The run goes into artifacts/: its curves, samples of it, what the policy did on unseen problems
before and after, and a manifest. It is trained once: the same command again shows what is there,
and one that was interrupted goes on from its last checkpoint. At its end the health panel says
what is wrong with it, and what to do next; --health reads any run, one that is going on too.

Training needs the extra: uv sync --extra train; smollm2-lora the extra local, too. --list,
--dry-run, --recorded and --health work without them.
"""

EPILOG = """\
examples:
  rlvr-course train --list                  the recipes, and the question that each answers
  rlvr-course train cipher-rloo --dry-run   data, tokens, steps, memory, time; writes nothing
  rlvr-course train cipher-rloo             accuracy .16 -> .9 in a minute or less
  rlvr-course train clerk-1.0 --seed 1      a heavy penalty; watch refusal
  rlvr-course train smollm2-lora --dry-run  what a real model needs, and whether it is here
  rlvr-course train leaky --recorded        the run that came with the package
  rlvr-course train --health leaky          what is wrong with that run
  rlvr-course train --health artifacts/RUN  the same of a run here

exit status: 0 done, 1 it can't be trained or written (one line says why), 2 wrong usage,
130 interrupted: give the same command to go on
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``train``."""
    parser = subparsers.add_parser(
        "train",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("recipe", nargs="?", metavar="RECIPE", help="which; see --list")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="0 by default")
    parser.add_argument("--out", default="artifacts", metavar="DIR", help="default: artifacts")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the recipes and stop")
    what.add_argument("--dry-run", action="store_true", help="say what would be done and stop")
    what.add_argument("--recorded", action="store_true", help="show the recorded run and stop")
    what.add_argument(
        "--health",
        metavar="RUN",
        help="say what is wrong with a run: its folder, or the recipe of a recorded one",
    )
    what.add_argument("--record", action="store_true", help="(maintainers) keep as recorded run")
    what.add_argument("--warm-start", metavar="TASK", help="(maintainers) make a checkpoint")
    what.add_argument(
        "--record-sick",
        action="store_true",
        help="(maintainers) train and keep the runs that are sick on purpose",
    )
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """List, plan, recall, examine, warm-start or train."""
    if args.list:
        return _list()
    if args.health:
        return _health(args.health)
    if args.record_sick:
        return _record_sick()
    if args.warm_start:
        return _warm_start(args.warm_start, args.seed)
    if args.recipe is None:
        raise ValueError("which recipe? rlvr-course train --list names them")
    if args.recipe == SMOLLM2:
        return _smollm2(args)
    if args.dry_run:
        from rlvr_course.training.plan import plan

        print(plan(args.recipe, out=args.out, seed=args.seed))
        return 0
    if args.recorded:
        return _recorded(args.recipe)
    return _train(args)


def _smollm2(args: argparse.Namespace) -> int:
    """The recipe that is none of a tiny policy, and so has settings and a run of its own."""
    from rlvr_course.training.smollm2 import LoraSettings, describe_smollm2, train_smollm2
    from rlvr_course.training.smollm2_run import load_smollm2_run, record_smollm2_run

    settings = LoraSettings(seed=args.seed)
    if args.dry_run:
        print(describe_smollm2(settings, out=args.out))
        return 0
    if args.recorded:
        print(load_smollm2_run())
        return 0
    done = train_smollm2(settings, out=args.out)
    print(f"{done}\nwritten to {done.folder}\n{_health_of(done)}")
    if args.record:
        print(f"recorded in {record_smollm2_run(done)}")
    return 0


def _health_of(run: SmolRun) -> HealthReport:
    from rlvr_course.training.health import Vitals, health

    seed = run.manifest["settings"]["seed"]
    return health(Vitals(f"{SMOLLM2}, seed {seed}", run.label, run.curves))


def _list() -> int:
    from rlvr_course.training.recipes import RECIPES
    from rlvr_course.training.smollm2 import SHOWS

    for recipe in RECIPES.values():
        print(f"{recipe.name:<16} {type(recipe.method).__name__:<5} {recipe.shows}")
    print(f"{SMOLLM2:<16} {'GRPO':<5} {SHOWS} (extras train, local; minutes)")
    return 0


def _recorded(name: str) -> int:
    from rlvr_course.errors import DataError
    from rlvr_course.training.recipes import load_recipe
    from rlvr_course.training.recorded import recorded_run

    found = recorded_run(load_recipe(name).name)
    if found is None:
        raise DataError(f"no run of {name!r} is recorded: rlvr-course train {name}")
    print(found)
    return 0


def _health(name: str) -> int:
    from rlvr_course.errors import DataError
    from rlvr_course.training.health import health
    from rlvr_course.training.recorded import recorded_run

    if name == SMOLLM2:
        from rlvr_course.training.smollm2_run import load_smollm2_run

        print(_health_of(load_smollm2_run()))
        return 0
    run = name if Path(name).exists() else recorded_run(name)
    if run is None:
        raise DataError(
            f"{name!r} is neither the folder of a run nor a recipe with a recorded one: "
            "rlvr-course train --list names those"
        )
    print(health(run))
    return 0


def _record_sick() -> int:
    from rlvr_course.training.health.sick import record_sick

    for path in record_sick():
        print(f"recorded in {path}")
    return 0


def _train(args: argparse.Namespace) -> int:
    from rlvr_course.progress import step_bar
    from rlvr_course.training import load_recipe, train
    from rlvr_course.training.health import health

    recipe = load_recipe(args.recipe)
    with step_bar(recipe.name) as on_step:
        done = train(recipe, out=args.out, seed=args.seed, on_step=on_step)
    print(done)
    print(f"CPU {done.manifest['cpu_s']:.0f} s; written to {done.folder}")
    print(health(done))
    if args.record:
        from rlvr_course.training.recorded import record_run

        print(f"recorded in {record_run(done)}")
    return 0


def _warm_start(task: str, seed: int) -> int:
    from rlvr_course.progress import step_bar
    from rlvr_course.training.checkpoints import make_checkpoint
    from rlvr_course.training.measure import Evaluation
    from rlvr_course.training.tasks import load_task

    steps = load_task(task).warm_steps
    with step_bar(task) as on_step:
        entry = make_checkpoint(task, seed=seed, report=lambda step, loss: on_step(step, steps))
    print(Evaluation.from_dict(entry["start"]))
    return 0
