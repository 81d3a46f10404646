"""Train a policy against a learned reward model, and watch the truth.

    python -m rlvr_course.training.over_optimise --seeds 3

The clerk's own answers are labelled by the truth, ``fit_reward_model`` learns from them, and RLOO
then trains the clerk with the model's score as its only reward. The score rises from step to step
and the share of right answers falls: the policy has found what the model overrates.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from rlvr_course.adapters.scored import VerifiedReward
from rlvr_course.errors import DataError, TrainingError
from rlvr_course.policies.protocol import Request
from rlvr_course.progress import step_bar
from rlvr_course.records import Problem
from rlvr_course.rewards import MathRewardFunction
from rlvr_course.stats import Rate
from rlvr_course.training.checkpoints import load_checkpoint
from rlvr_course.training.recipes import RLOO, Recipe
from rlvr_course.training.requirements import can_train, require_training
from rlvr_course.training.reward_model import (
    Labelled,
    RewardModel,
    fit_reward_model,
    ranking_quality,
)
from rlvr_course.training.tasks import load_task
from rlvr_course.training.tasks.verifiers import verify_exact
from rlvr_course.training.versions import code_hash, package_versions

TASK = "clerk"
LABELS_PER_QUESTION = 4
TEST_SAMPLES = 16
RECIPE = Recipe(
    "reward-model",
    TASK,
    RLOO(steps=80, group_size=16),
    wrong=0.0,
    shows="a learned reward model in place of the verifier: score up, truth down",
)


@dataclass(frozen=True)
class Judged:
    """How a policy's answers to the test questions were: by the truth and by the model."""

    accuracy: Rate
    score: float


@dataclass(frozen=True)
class OverOptimised:
    """A run against a learned reward model.

    Args:
        curve: for each step its number, the model's mean ``score`` and the ``accuracy`` by the
            truth, both shares of that step's samples.
        before, after: on questions that were neither labelled nor trained on.
        ranking: the model's ranking quality on the start's answers to those, 0.5 being chance.
        n_labelled: completions that the model was fitted to.
        favourites: the trained policy's commonest answers, with their share.
        about: seed, date, command and versions.
        recorded: whether it came with the package, and was not made here.
    """

    curve: Sequence[Mapping[str, float]]
    before: Judged
    after: Judged
    ranking: float
    n_labelled: int
    favourites: Mapping[str, float]
    about: Mapping[str, Any]
    recorded: bool = field(default=False, compare=False)

    @property
    def label(self) -> str:
        """One line that says where the figures come from."""
        source = "recorded" if self.recorded else "live"
        return f"{source}: tiny policy, {self.about['date']}, {self.about['command']}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; where it came from is not among them."""
        data = asdict(self)
        del data["recorded"]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of ``to_dict``."""
        ends = {
            name: Judged(Rate(**data[name]["accuracy"]), data[name]["score"])
            for name in ("before", "after")
        }
        return cls(**{**data, **ends})

    def __str__(self) -> str:
        return (
            f"score {self.before.score:.2f} -> {self.after.score:.2f}, "
            f"accuracy {self.before.accuracy} -> {self.after.accuracy}"
        )


def over_optimise(
    *, seed: int = 0, on_step: Callable[[int, int], object] = lambda step, steps: None
) -> OverOptimised:
    """Fit the model, train against it and measure both ends.

    Args:
        seed: of sampling and the order of the data.
        on_step: called with the steps done and all steps.

    Raises:
        TrainingUnavailable: the extra ``train`` is missing.
        DataError: the clerk's checkpoint is damaged.

    Limits: about ten seconds of one core; nothing is written.
    """
    require_training()
    from rlvr_course.training.torch_state import generators_restored, one_thread, quiet_libraries

    task = load_task(TASK)
    with generators_restored(), one_thread(), quiet_libraries():
        policy_model = load_checkpoint(TASK)
        labelled = _labelled(policy_model, task.train, LABELS_PER_QUESTION, seed)
        judge = fit_reward_model(labelled)
        held_out = _labelled(policy_model, task.test, TEST_SAMPLES, seed + 1)
        curve = _train(policy_model, judge, seed, on_step)
        after = _labelled(policy_model, task.test, TEST_SAMPLES, seed + 1)
    return OverOptimised(
        curve=curve,
        before=_judged(judge, held_out),
        after=_judged(judge, after),
        ranking=ranking_quality(judge, held_out),
        n_labelled=len(labelled),
        favourites=_favourites(after),
        about=_about(seed),
    )


def recorded_over_optimisation() -> OverOptimised:
    """The run that ships with the package, for installations that can't train.

    Raises:
        DataError: its file is missing or damaged.
    """
    file = files("rlvr_course") / "data" / "reward_model.json"
    try:
        run = OverOptimised.from_dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{file.name} can't be read ({error}): reinstall the package") from None
    return replace(run, recorded=True)


def over_optimise_or_recall(
    *, live: bool = True, out: str | Path = "artifacts", seed: int = 1
) -> OverOptimised:
    """The run against a learned reward model: made here where that is possible, else recorded.

    A bar shows how far it is.

    Args:
        live: False gives the recorded run even where one could be made, as fake mode does.
        out: the folder that keeps a live run, by seed and code: a second call finds it there.
        seed: of a live run.

    Raises:
        DataError: the clerk's checkpoint, or the kept or recorded run, is damaged.
        TrainingError: ``out`` can't be written.
    """
    if not (live and can_train()):
        return recorded_over_optimisation()
    path = Path(out) / f"{RECIPE.name}-s{seed}-{_code()[:8]}.json"
    try:
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".part")
            with step_bar(RECIPE.name) as on_step:
                made = over_optimise(seed=seed, on_step=on_step)
            partial.write_text(json.dumps(made.to_dict()), encoding="utf-8")
            partial.replace(path)
        return OverOptimised.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise TrainingError(
            f"can't write the run {path} ({error.strerror}): give another folder with out"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} can't be read ({error}): remove it, train again") from None


def _code() -> str:
    """A hash of what decides the numbers: the runs' code, the reward model's and this file."""
    digest = sha256(code_hash().encode())
    for name in ("reward_model.py", "over_optimise.py"):
        digest.update((Path(__file__).parent / name).read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _labelled(model: Any, problems: Sequence[Problem], n: int, seed: int) -> list[Labelled]:
    """The policy's answers to these problems, labelled by the truth."""
    from rlvr_course.training.tiny import TinyPolicy

    policy = TinyPolicy(model, TASK, max_tokens=load_task(TASK).max_tokens, seed=seed)
    groups = policy.generate([Request(problem.messages, n=n) for problem in problems])
    return [
        Labelled(problem.question, c.text, _truth(c.text, problem.answer, c.finish_reason))
        for problem, group in zip(problems, groups, strict=True)
        for c in group
    ]


def _train(
    model: Any, judge: RewardModel, seed: int, on_step: Callable[[int, int], object]
) -> list[dict[str, float]]:
    from rlvr_course.training.trl_trainers import build_trainer

    told = _Curve(RECIPE.method.steps, on_step)
    with tempfile.TemporaryDirectory() as folder:
        reward = _JudgedReward(judge)
        trainer = build_trainer(
            RECIPE, model, reward, seed=seed, folder=Path(folder), listener=told
        )
        trainer.train()
    return told.rows


class _JudgedReward:
    """The model's score as TRL's reward; the truth is logged beside it, and earns nothing."""

    __name__ = "reward_model"

    def __init__(self, judge: RewardModel) -> None:
        self._reward = VerifiedReward(judge, MathRewardFunction(1.0, 0.0))
        self._answers = {p.question: p.answer for p in load_task(TASK).train}

    def __call__(
        self,
        prompts: Sequence[str],
        completions: Sequence[str],
        *,
        log_metric: Callable[[str, float], None],
        **columns: Any,
    ) -> list[float | None]:
        scored = self._reward.score(completions, prompts)
        pairs = zip(completions, prompts, strict=True)
        truth = [_truth(text, self._answers[prompt]) for text, prompt in pairs]
        log_metric("accuracy", sum(truth) / len(truth))
        return [one.value for one in scored]


class _Curve:
    """Collects a step's reward and accuracy from TRL's log."""

    def __init__(self, steps: int, on_step: Callable[[int, int], object]) -> None:
        self.rows: list[dict[str, float]] = []
        self._steps, self._on_step = steps, on_step

    def on_log(self, step: int, logs: dict[str, Any]) -> None:
        self.rows.append({"step": step, "score": logs["reward"], "accuracy": logs["accuracy"]})
        self._on_step(step, self._steps)

    def on_save(self, step: int) -> None:
        """Nothing is kept of a run this short."""


def _truth(response: str, answer: str, finish_reason: str = "stop") -> float:
    return verify_exact(response, answer, finish_reason=finish_reason).score or 0.0


def _judged(judge: RewardModel, labelled: Sequence[Labelled]) -> Judged:
    right = sum(row.label == 1.0 for row in labelled)
    scores = [judge(row.response, row.question) for row in labelled]
    return Judged(Rate(right, len(labelled)), sum(scores) / len(scores))


def _favourites(labelled: Sequence[Labelled], n: int = 3) -> dict[str, float]:
    from collections import Counter

    counts = Counter(row.response for row in labelled)
    return {text: count / len(labelled) for text, count in counts.most_common(n)}


def _about(seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "command": f"python -m rlvr_course.training.over_optimise --seed {seed}",
        "versions": package_versions(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each seed, or write one run down."""
    import argparse
    import time

    parser = argparse.ArgumentParser(
        prog="python -m rlvr_course.training.over_optimise", description=__doc__
    )
    parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--seeds", type=int, default=1, help="how many, one after another (1)")
    parser.add_argument("--write", metavar="FILE", help="write the last run down as JSON")
    args = parser.parse_args(arguments)
    print(
        "| seed | score | accuracy | ranking | favourite answers | CPU-s |",
        "|---" * 6 + "|",
        sep="\n",
    )
    for seed in range(args.seed, args.seed + args.seeds):
        started_s = time.process_time()
        run = over_optimise(seed=seed)
        cpu_s = time.process_time() - started_s
        favourites = ", ".join(f"{text!r} {share:.2f}" for text, share in run.favourites.items())
        print(
            f"| {seed} | {run.before.score:.2f} -> {run.after.score:.2f} | {run.before.accuracy} "
            f"-> {run.after.accuracy} | {run.ranking:.2f} | {favourites} | {cpu_s:.0f} |"
        )
        if args.write:
            text = json.dumps(run.to_dict(), ensure_ascii=False)
            Path(args.write).write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
