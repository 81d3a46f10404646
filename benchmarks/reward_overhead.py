"""What a reward costs in a training step: ``python benchmarks/reward_overhead.py``.

TRL's GRPO trainer takes real steps on one group of 8 to 64 completions: of a tiny policy (tens of
milliseconds a step), and of SmolLM2-135M where the extra ``local`` is there (``--model``). Inside
each step as many recorded completions of a larger model are graded, math by ``MathVerifier`` and
programs by ``CodeVerifier`` with two workers, and both are timed: the shares are of the step
without the other one. Recorded completions have about 100 tokens: more than SmolLM2 is given here,
64, and far more than the tiny policy's 4, so the shares are rather too large than too small. Exit
status 1 with ``--check`` if on SmolLM2 math takes 1% of a step or more, or code 10%.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rlvr_course import CodeVerifier, MathVerifier, Problem, load_problems, load_rollouts
from rlvr_course.adapters import VerifiedReward
from rlvr_course.adapters.trl_reward import trl_rows

GROUP_SIZES = (8, 16, 32, 64)
LARGEST_SHARE = {"math": 0.01, "code": 0.10}
MICRO_BATCH = 8


@dataclass
class Recorded:
    """Recorded completions of one domain, handed out by group, and the reward that grades them."""

    domain: str
    reward: VerifiedReward
    used: int = 0

    def grade(self, n: int) -> float:
        """Grade n completions of the next problem; seconds."""
        problems, said = load_problems(self.domain), load_rollouts(self.domain)
        problem = problems[self.used % len(problems)]
        self.used += 1
        texts = [r.completion.text for r in said if r.problem_id == problem.id]
        responses = [texts[i % len(texts)] for i in range(n)]
        started = time.perf_counter()
        scored = self.reward.score(responses, [problem.answer] * n)
        seconds = time.perf_counter() - started
        assert not any(one.is_ungraded for one in scored)
        return seconds


@dataclass
class Times:
    """Seconds of each step after the first: all of it, and of each reward in it."""

    steps: list[float] = field(default_factory=list)
    rewards: list[dict[str, float]] = field(default_factory=list)

    def row(self, domains: Sequence[str]) -> tuple[float, dict[str, float]]:
        """The median step without rewards, and the median of each reward."""
        kept = list(zip(self.steps, self.rewards, strict=True))[1:]
        bare = statistics.median(step - sum(paid.values()) for step, paid in kept)
        return bare, {d: statistics.median(paid[d] for _, paid in kept) for d in domains}


class Setup(NamedTuple):
    """A policy and what its steps are of."""

    model: Any
    tokenizer: Any
    problems: Sequence[Problem]
    longest: int
    micro_batch: int | None


class TimedReward:
    """TRL's reward function here: grades recorded completions and pays by the trainer's own."""

    __name__ = "timed"

    def __init__(self, recorded: Sequence[Recorded], times: Times) -> None:
        self.recorded, self.times = recorded, times

    def __call__(self, completions: Sequence[Any], **_: Any) -> list[float]:
        n = len(completions)
        self.times.rewards.append({one.domain: one.grade(n) for one in self.recorded})
        return [float(place % 2) for place in range(n)]  # mixed, so that the step has a gradient


def step_times(setup: Setup, recorded: Sequence[Recorded], size: int, n_steps: int) -> Times:
    """Take ``n_steps`` and one more of a group of ``size``."""
    from datasets import Dataset
    from transformers import TrainerCallback
    from transformers.trainer_callback import PrinterCallback
    from trl import GRPOConfig, GRPOTrainer

    times = Times()

    class Clock(TrainerCallback):
        def on_step_begin(self, *args: Any, **kwargs: Any) -> None:
            self.started = time.perf_counter()

        def on_step_end(self, *args: Any, **kwargs: Any) -> None:
            times.steps.append(time.perf_counter() - self.started)

    rows = [{"prompt": row["prompt"]} for row in trl_rows(setup.problems)]
    micro_batch = setup.micro_batch or size
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            max_steps=n_steps + 1,
            per_device_train_batch_size=micro_batch,
            gradient_accumulation_steps=size // micro_batch,
            num_generations=size,
            max_completion_length=setup.longest,
            beta=0.0,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            report_to="none",
            save_strategy="no",
            disable_tqdm=True,
        )
        trainer = GRPOTrainer(
            model=setup.model,
            reward_funcs=TimedReward(recorded, times),
            args=config,
            train_dataset=Dataset.from_list(rows),
            processing_class=setup.tokenizer,
            callbacks=[Clock()],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    return times


def tiny() -> Setup:
    """The course's tiny policy on one-digit sums, answers of up to 4 characters."""
    from rlvr_course.training.tasks import load_task
    from rlvr_course.training.tiny import character_tokenizer, new_model

    return Setup(new_model(), character_tokenizer(), load_task("clerk").train, 4, None)


def smollm2() -> Setup:
    """SmolLM2-135M-Instruct on recorded problems; answers of up to 64 tokens."""
    from rlvr_course.policies.smollm2 import load

    loaded = load()
    return Setup(loaded.model, loaded.tokenizer, load_problems("math"), 64, MICRO_BATCH)


MODELS = {"tiny": tiny, "smollm2": smollm2}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=MODELS, action="append", help="which (both)")
    parser.add_argument("--sizes", type=int, nargs="+", default=GROUP_SIZES, help="group sizes")
    parser.add_argument("--steps", type=int, default=3, help="timed steps for each size (3)")
    parser.add_argument("--check", action="store_true", help="exit 1 if a share is too large")
    args = parser.parse_args()
    recorded = [
        Recorded("math", VerifiedReward(MathVerifier())),
        Recorded("code", VerifiedReward(CodeVerifier(workers=2))),
    ]
    for one in recorded:
        one.grade(MICRO_BATCH)  # opens the sandbox and fills the imports
    today = datetime.datetime.now(datetime.UTC).date()
    print(f"{today}, Python {platform.python_version()}, {platform.system()}, wall-clock\n")
    print("| model | group | step without reward, ms | math, ms | share | code, ms | share |")
    print("|---" * 7 + "|", flush=True)
    failed = False
    for name in args.model or MODELS:
        for size in args.sizes:
            bare, paid = step_times(MODELS[name](), recorded, size, args.steps).row(
                ("math", "code")
            )
            shares = {domain: s / (bare + s) for domain, s in paid.items()}
            cells = " | ".join(f"{1000 * paid[d]:.1f} | {shares[d]:.2%}" for d in paid)
            print(f"| {name} | {size} | {1000 * bare:.0f} | {cells} |", flush=True)
            failed |= name == "smollm2" and any(shares[d] >= LARGEST_SHARE[d] for d in shares)
    return 1 if args.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())
