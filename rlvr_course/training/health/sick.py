"""Nine runs that are sick on purpose, one of each sickness, and what each was given.

All were really trained, two of them as recipes of the course: a learner can read their curves
without training, and ``scores`` counts what the panel makes of them. ``make_sick`` trains them
again, ``rlvr-course train --record-sick`` keeps them. Three have a control: the same trainer with
its one mistake put right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from rlvr_course.errors import DataError
from rlvr_course.records import Verdict
from rlvr_course.training.execute import train
from rlvr_course.training.health.mistakes import MISTAKES, train_with_mistake
from rlvr_course.training.health.vitals import CURVES_READ, Vitals, read_vitals, write_vitals
from rlvr_course.training.recipes import RECIPES, Recipe, with_settings
from rlvr_course.training.recorded import recorded_run

FOLDER = Path(__file__).parents[2] / "data" / "sick_runs"


@dataclass(frozen=True)
class SickRun:
    """How a sickness is brought about.

    Args:
        sickness: its name, as the panel's ``CHECKS`` have it.
        given: what the run was given, in words.
        make: trains it with a seed.
    """

    sickness: str
    given: str
    make: Callable[[int], Vitals]


def pay_everything(response: str, answer: Any) -> Verdict:
    """Accepts whatever it is shown: a verifier that reads the wrong column."""
    return Verdict.correct(response, "anything")


def _trained(recipe: Recipe, verifier: Any = None) -> Callable[[int], Vitals]:
    def make(seed: int) -> Vitals:
        with TemporaryDirectory() as out:
            return read_vitals(train(recipe, out=out, seed=seed, verifier=verifier))

    return make


def _mistaken(mistake: str) -> Callable[[int], Vitals]:
    return lambda seed: train_with_mistake(mistake, seed=seed)


_ALL = (
    SickRun(
        "constant reward",
        "cipher by RLOO, with a verifier that accepts everything",
        _trained(with_settings("cipher-rloo", "sick-constant", steps=12), pay_everything),
    ),
    SickRun(
        "uniform groups",
        "copy by RLOO from a solve rate of .04, in groups of two",
        _trained(
            with_settings(
                "copy-binary", "sick-uniform", steps=16, prompts_per_step=64, group_size=2
            )
        ),
    ),
    SickRun(
        "clipped completions",
        "cipher by GRPO, with room for four tokens where an answer has five",
        _mistaken("too short"),
    ),
    SickRun(
        "refusal collapse",
        "clerk by RLOO, with a wrong answer priced -1",
        _trained(RECIPES["clerk-1.0"]),
    ),
    SickRun(
        "entropy collapse",
        "clerk by RLOO, with thirty times the learning rate",
        _trained(with_settings("clerk-0.1", "sick-entropy", steps=20, learning_rate=3e-2)),
    ),
    SickRun(
        "KL blow-up",
        "cipher by GRPO with beta .04, with thirty times the learning rate",
        _trained(with_settings("cipher-grpo", "sick-kl", steps=20, learning_rate=3e-2, beta=0.04)),
    ),
    SickRun(
        "chat template not applied",
        "a policy with a chat template by GRPO, with plain strings for prompts",
        _mistaken("plain prompts"),
    ),
    SickRun(
        "partial None",
        "cipher by GRPO with two reward functions, one of which can't judge every other number",
        _mistaken("a None in part"),
    ),
    SickRun(
        "proxy up while truth is down",
        "a clerk who lists numbers by GRPO, with a verifier that accepts any of them",
        _trained(RECIPES["leaky"]),
    ),
)
SICK: Mapping[str, SickRun] = MappingProxyType({run.sickness: run for run in _ALL})
"""By the name of the sickness. With another seed than 0 the learning rate of "entropy collapse" may
ruin its run otherwise: answers stop to end, and the panel names that."""

_RECORDED_RECIPES = {"refusal collapse": "clerk-1.0", "proxy up while truth is down": "leaky"}
HEALTHY = (
    *("cipher-rloo", "cipher-grpo", "cipher-sft", "cipher-dpo", "cipher-1.0"),
    *("clerk-0.1", "clerk-1.0-flat", "clerk-grpo-0.1", "clerk-dpo"),
    *("dice-0.1", "dice-0.25", "lister-dpo", "leaky-hardened"),
    *("copy-binary", "copy-fractional"),
)
"""Recipes whose runs do what they should. Not among them: ``dice-1.0``, which refuses as it is
paid to, and ``leaky-repaired``, which starts from a policy that a leaky verifier has spoilt."""


def make_sick(sickness: str, *, seed: int = 0) -> Vitals:
    """Train a sick run anew.

    Raises:
        ValueError: an unknown sickness.
        TrainingUnavailable: the extra ``train`` is missing.
    """
    made = _read_curves(_known(sickness).make(seed))
    label = f"sick on purpose: {SICK[sickness].given}"
    return replace(made, name=f"{sickness}, seed {seed}", label=label)


def make_control(mistake: str, *, seed: int = 0) -> Vitals:
    """Train what one of ``MISTAKES`` would have been without it.

    Raises:
        ValueError: an unknown mistake.
        TrainingUnavailable: the extra ``train`` is missing.
    """
    made = _read_curves(train_with_mistake(mistake, seed=seed, put_right=True))
    return replace(made, name=f"without {mistake!r}, seed {seed}")


def load_sick(sickness: str) -> Vitals:
    """The recorded run of a sickness.

    Raises:
        ValueError: an unknown sickness.
        DataError: it can't be read.

    >>> load_sick("constant reward").curves[0]["reward_std"]
    0.0
    """
    _known(sickness)
    if sickness in _RECORDED_RECIPES:
        return _recorded(_RECORDED_RECIPES[sickness])
    return read_vitals(_path(sickness))


def load_healthy() -> list[Vitals]:
    """Recorded runs that are well: of the recipes in ``HEALTHY``, and the controls.

    Raises:
        DataError: one can't be read.
    """
    controls = [read_vitals(_path(f"without {mistake}")) for mistake in MISTAKES]
    return [_recorded(name) for name in HEALTHY] + controls


def record_sick(*, folder: Path = FOLDER) -> list[Path]:
    """Train and keep all that are not among the recorded recipes, and the controls.

    Raises:
        TrainingUnavailable: the extra ``train`` is missing.
        OSError: the folder can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [
        write_vitals(make_sick(name), _path(name, folder))
        for name in SICK
        if name not in _RECORDED_RECIPES
    ]
    controls = [
        write_vitals(make_control(mistake), _path(f"without {mistake}", folder))
        for mistake in MISTAKES
    ]
    return paths + controls


def _read_curves(vitals: Vitals) -> Vitals:
    """Without the columns that the panel doesn't read, to six digits."""
    rows = [
        {name: float(f"{value:.6g}") for name, value in row.items() if name in CURVES_READ}
        for row in vitals.curves
    ]
    return replace(vitals, curves=rows)


def _known(sickness: str) -> SickRun:
    if sickness not in SICK:
        raise ValueError(f"sickness {sickness!r} is not one of {', '.join(SICK)}")
    return SICK[sickness]


def _recorded(recipe: str) -> Vitals:
    run = recorded_run(recipe)
    if run is None:
        raise DataError(f"no run of {recipe!r} is recorded: reinstall rlvr-course")
    return read_vitals(run)


def _path(name: str, folder: Path = FOLDER) -> Path:
    return folder / f"{name.lower().replace(' ', '-')}.json"
