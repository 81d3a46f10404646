"""Train the course's recipes with several seeds: ``python benchmarks/training.py [PART]``.

PART is ``recipes`` (every recipe, with its bands; exit status 1 if a run misses one) or
``ablation`` (where does the pressure to refuse come from: scaling, loss, learning rate or group
size?). Both print a table. Runs go into ``--out`` and are not made twice.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from rlvr_course.training import GRPO, RECIPES, RLOO, Recipe, Run, train
from rlvr_course.training.bands import BANDS, band_misses
from rlvr_course.training.recipes import Method
from rlvr_course.training.versions import package_versions

ABLATION: dict[str, Method] = {
    "RLOO": RLOO(group_size=16),
    "GRPO, not scaled, dr_grpo loss": GRPO(
        group_size=16, scale_rewards="none", loss_type="dr_grpo"
    ),
    "GRPO, not scaled": GRPO(group_size=16, scale_rewards="none"),
    "GRPO, scaled by batch": GRPO(group_size=16, scale_rewards="batch"),
    "GRPO, scaled by group": GRPO(group_size=16),
    "RLOO, groups of 8": RLOO(),
    "GRPO, scaled by group, groups of 8": GRPO(),
    "RLOO, lr 2e-3": RLOO(group_size=16, learning_rate=2e-3),
    "GRPO, scaled by group, lr 2e-3": GRPO(group_size=16, learning_rate=2e-3),
    "RLOO, lr 2e-3, groups of 8": RLOO(learning_rate=2e-3),
    "GRPO, scaled by group, lr 2e-3, groups of 8": GRPO(learning_rate=2e-3),
}
PENALTIES = (-0.1, -1.0)


def main() -> int:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("recipes", "ablation"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--out", default="artifacts")
    parser.add_argument("--only", nargs="+", help="names of recipes, or of rows of the ablation")
    args = parser.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.system()} {platform.machine()}, one thread, ")
    print(", ".join(f"{name} {number}" for name, number in package_versions().items()), end="\n\n")
    part = _recipes if args.part == "recipes" else _ablation
    return part(args.seeds, args.out, args.only)


def _recipes(seeds: Sequence[int], out: str, only: Sequence[str] | None) -> int:
    print("| recipe | seed | accuracy | refusal | proxy | listing | CPU-s | bands |")
    print("|---|---:|---|---|---|---|---:|---|")
    missed = 0
    for recipe in RECIPES.values():
        for seed in seeds if only is None or recipe.name in only else ():
            run = train(recipe, out=out, seed=seed)
            misses = band_misses(run)
            missed += len(misses)
            bands = "; ".join(misses) or ("in" if recipe.name in BANDS else "none")
            cells = [_change(run, name) for name in ("accuracy", "refusal", "proxy", "listing")]
            row = [recipe.name, str(seed), *cells, f"{run.manifest['cpu_s']:.1f}", bands]
            print(f"| {' | '.join(row)} |", flush=True)
    return 1 if missed else 0


def _ablation(seeds: Sequence[int], out: str, only: Sequence[str] | None) -> int:
    print("| method | wrong | refusal after, by seed | accuracy after, by seed |")
    print("|---|---:|---|---|")
    for place, (label, method) in enumerate(ABLATION.items()):
        for wrong in PENALTIES if only is None or label in only else ():
            name = f"ablation-{place}{wrong:g}"
            recipe = Recipe(name, "clerk", method, wrong=wrong, shows=label)
            runs = [train(_known(recipe), out=out, seed=seed) for seed in seeds]
            refusal = " ".join(f"{run.after.refusal.value:.2f}" for run in runs)
            accuracy = " ".join(f"{run.after.accuracy.value:.2f}" for run in runs)
            print(f"| {label} | {wrong:g} | {refusal} | {accuracy} |", flush=True)
    return 0


def _known(recipe: Recipe) -> Recipe:
    """The named recipe with the same settings, if there is one, so that it is not made twice."""
    for known in RECIPES.values():
        if replace(known, name=recipe.name) == recipe:
            return known
    return recipe


def _change(run: Run, name: str) -> str:
    before, after = getattr(run.before, name).value, getattr(run.after, name).value
    return f"{before:.2f} -> {after:.2f}"


if __name__ == "__main__":
    sys.exit(main())
