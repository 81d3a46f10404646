"""What a run would do, before it does anything: data, tokens, steps, memory, time.

Nothing is written, and nothing heavy is imported: the plan needs no extra.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rlvr_course.training.execute import TEST_SAMPLES, run_id
from rlvr_course.training.recipes import DPO, GRPO, RLOO, SFT, Recipe, load_recipe
from rlvr_course.training.recorded import recorded_run
from rlvr_course.training.run import is_finished
from rlvr_course.training.tasks import load_task
from rlvr_course.training.tiny import ALPHABET, HIDDEN, INNER, LAYERS, N_PARAMETERS, SPECIAL

FLOAT_BYTES = 4
LIBRARIES_BYTES = 950_000_000
"""What importing torch, transformers and TRL takes; the model is nothing beside it."""


@dataclass(frozen=True)
class Plan:
    """A training run that has not begun.

    Args:
        recipe: what to train.
        seed: of sampling and the order of the data.
        run_id: name of the folder that the run would have.
        finished: whether that folder holds the finished run already, so nothing would be trained.
        steps: of the optimizer.
        sequences: prompt-and-answer sequences in a step.
        longest_tokens: of prompt and answer together, one token a character.
        samples: answers drawn over the whole run, evaluations included.
        memory_bytes: about what the process takes at its peak.
        cpu_s: CPU-seconds of the recorded run of the same recipe; None where there is none.
    """

    recipe: Recipe
    seed: int
    run_id: str
    finished: bool
    steps: int
    sequences: int
    longest_tokens: int
    samples: int
    memory_bytes: int
    cpu_s: float | None

    def __str__(self) -> str:
        task, recipe = load_task(self.recipe.task), self.recipe
        known = sorted({c for p in (*task.train, *task.test) for c in p.question} - set(ALPHABET))
        problem = task.train[0]
        cost = f"{self.cpu_s:.0f} s of CPU" if self.cpu_s else "unknown: no run is recorded"
        rows = [
            ("recipe", f"{recipe.name}, seed {self.seed}: {recipe.shows}"),
            ("task", f"{task.name}: {task.about}"),
            ("data", f"{len(task.train)} problems to train on, {len(task.test)} others to test"),
            ("example", f"{problem.question} -> {problem.answer}"),
            ("prices", f"right 1, wrong {recipe.wrong:g}, refusal {recipe.refusal:g}"),
            ("verifier", recipe.verifier),
            ("start", recipe.start or f"checkpoint {recipe.task} ({N_PARAMETERS:,} parameters)"),
            ("tokenizer", f"characters, {len(SPECIAL) + len(ALPHABET)} tokens; unknown: {known}"),
            ("method", str(recipe.method)),
            ("steps", f"{self.steps} of {self.sequences} x up to {self.longest_tokens} tokens"),
            ("samples", f"{self.samples:,} answers, evaluations included"),
            ("memory", f"about {self.memory_bytes / 1e6:.0f} MB, nearly all of it the libraries"),
            ("time", f"{cost} (the recorded run; importing the libraries comes on top)"),
            ("folder", self.run_id + (" (finished already)" if self.finished else "")),
        ]
        return "\n".join(f"{name:<10}{value}" for name, value in rows)


def plan(recipe: str | Recipe, *, out: str | Path = "artifacts", seed: int = 0) -> Plan:
    """What ``train`` with the same arguments would do.

    Raises:
        ValueError: an unknown recipe.

    >>> planned = plan("cipher-rloo")
    >>> planned.steps, planned.sequences, planned.longest_tokens
    (60, 128, 11)
    """
    recipe = load_recipe(recipe)
    task = load_task(recipe.task)
    name = run_id(recipe, seed)
    longest = max(len(problem.question) for problem in task.train) + task.max_tokens
    sequences = _sequences(recipe)
    recorded = recorded_run(recipe.name)
    same = recorded is not None and recorded.recipe == recipe
    return Plan(
        recipe=recipe,
        seed=seed,
        run_id=name,
        finished=is_finished(Path(out) / name),
        steps=recipe.method.steps,
        sequences=sequences,
        longest_tokens=longest,
        samples=_samples(recipe, len(task.train), len(task.test)),
        memory_bytes=LIBRARIES_BYTES + _training_bytes(sequences, longest),
        cpu_s=recorded.manifest["cpu_s"] if recorded is not None and same else None,
    )


def _sequences(recipe: Recipe) -> int:
    method = recipe.method
    if isinstance(method, (RLOO, GRPO)):
        return method.prompts_per_step * method.group_size
    return method.batch_size * (2 if isinstance(method, DPO) else 1)


def _samples(recipe: Recipe, n_train: int, n_test: int) -> int:
    method = recipe.method
    tested = 2 * n_test * max(1, TEST_SAMPLES // n_test)
    if isinstance(method, (SFT, DPO)):
        return tested + n_train * method.group_size
    return tested + method.steps * _sequences(recipe)


def _training_bytes(sequences: int, tokens: int) -> int:
    """Weights, gradients and two moments; activations kept for the backward pass; logits."""
    weights = 4 * N_PARAMETERS
    activations = sequences * tokens * LAYERS * (10 * HIDDEN + 3 * INNER)
    logits = 3 * sequences * tokens * (len(SPECIAL) + len(ALPHABET))
    return FLOAT_BYTES * (weights + activations + logits)
