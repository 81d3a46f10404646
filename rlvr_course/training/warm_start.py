"""Supervised warm start: a fresh tiny model imitates a beginner's demonstrations.

Reinforcement needs something to reinforce: from random weights no answer is ever right, and every
group is uniform. The demonstrations are right often enough to be found and wrong often enough to
leave something to learn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from rlvr_course.training.tasks import Task
from rlvr_course.training.tiny import EOS, PAD, character_tokenizer, new_model
from rlvr_course.training.torch_state import one_thread, seeded

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

DEMONSTRATIONS = 12_000
BATCH = 128
PEAK_LEARNING_RATE = 5e-3
RAMP_STEPS = 50


def warm_start(
    task: Task, *, seed: int = 0, report: Callable[[int, float], object] = lambda step, loss: None
) -> LlamaForCausalLM:
    """Train a fresh model on demonstrations of a task, about 10 seconds of CPU.

    Args:
        task: its ``warm_problems`` are demonstrated ``DEMONSTRATIONS`` times in all.
        seed: of weights, demonstrations and batches.
        report: called after each step with its number, from 1, and its loss.

    Raises:
        TrainingUnavailable: the extra ``train`` is missing.
    """
    model = new_model(seed)
    import torch

    rng = Random(seed)
    problems = [task.warm_problems[i % len(task.warm_problems)] for i in range(DEMONSTRATIONS)]
    pairs = [(problem.question, task.demonstrate(rng, problem)) for problem in problems]
    ids, mask, labels = _encode(pairs)
    batches = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=PEAK_LEARNING_RATE, weight_decay=0.01, betas=(0.9, 0.98)
    )
    model.train()
    with one_thread(), seeded(seed):
        for step in range(task.warm_steps):
            for group in optimizer.param_groups:
                group["lr"] = _learning_rate(step, task.warm_steps)
            rows = torch.randint(0, len(pairs), (BATCH,), generator=batches)
            loss = model(input_ids=ids[rows], attention_mask=mask[rows], labels=labels[rows]).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            report(step + 1, loss.item())
    model.eval()
    return model


def _learning_rate(step: int, steps: int) -> float:
    """A short ramp, then half a cosine down to a twentieth."""
    ramp = min(1.0, (step + 1) / RAMP_STEPS)
    return PEAK_LEARNING_RATE * ramp * (0.05 + 0.475 * (1.0 + math.cos(math.pi * step / steps)))


def _encode(pairs: list[tuple[str, str]]) -> tuple[Any, Any, Any]:
    """Token ids, attention mask and labels; only the answer and its end are learned."""
    import torch

    tokenizer = character_tokenizer()
    prompts = tokenizer([p for p, _ in pairs], add_special_tokens=False)["input_ids"]
    answers = tokenizer([a for _, a in pairs], add_special_tokens=False)["input_ids"]
    rows = [(p, [*a, EOS]) for p, a in zip(prompts, answers, strict=True)]
    width = max(len(p) + len(a) for p, a in rows)
    ids = torch.full((len(rows), width), PAD)
    mask = torch.zeros_like(ids)
    labels = torch.full_like(ids, -100)
    for place, (prompt, answer) in enumerate(rows):
        length = len(prompt) + len(answer)
        ids[place, :length] = torch.tensor(prompt + answer)
        mask[place, :length] = 1
        labels[place, len(prompt) : length] = torch.tensor(answer)
    return ids, mask, labels
