"""Sample from a causal language model, many prompts at a time, one random stream for each row.

Each prompt is read once, however many completions it gets. A row that ends leaves the batch, so
that the last long completion does not keep the others waiting. Every row draws from a generator
of its own: its tokens do not depend on what else is in the batch, but for the rounding of
floating-point sums.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """One completion to sample.

    Args:
        prompt_ids: the prompt's tokens, at least one.
        max_tokens: longest completion, the end token included.
        temperature: 0 takes the likeliest token each time.
        seed: of the row's own generator.
    """

    prompt_ids: tuple[int, ...]
    max_tokens: int
    temperature: float
    seed: int


@dataclass
class Drawn:
    """What was sampled for a row.

    Args:
        token_ids: with the end token, where the model gave one.
        logprobs: natural log-probability of each token under the model itself: at temperature 1
            and without ``top_p``, whatever it was sampled at.
        finish_reason: "stop" or "length".
        text: without the end token, and cut before a stop text.
    """

    token_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish_reason: str = ""
    text: str = ""


def sample_rows(
    model: Any,
    tokenizer: Any,
    rows: Sequence[Row],
    *,
    top_p: float = 1.0,
    stop: Sequence[str] = (),
    on_done: Callable[[], object] = lambda: None,
) -> list[Drawn]:
    """Sample one completion for each row, all in one batch.

    Args:
        model: a transformers model in evaluation mode; its tokenizer must have an end token.
        tokenizer: the model's.
        rows: at least one.
        top_p: sample from the likeliest tokens that together have this probability, in (0, 1].
        stop: texts that end a completion; what a completion has from there on is left out.
        on_done: called as each completion ends.

    Returns:
        One for each row, in order.
    """
    import torch

    drawn = [Drawn() for _ in rows]
    streams = [random.Random(row.seed) for row in rows]
    with torch.inference_mode():
        batch = _Batch.of(model, tokenizer, rows)
        while batch.places:
            alive = [rows[place] for place in batch.places]
            uniforms = [streams[place].random() for place in batch.places]
            chosen, logprobs = _choose(batch.logits, alive, uniforms, top_p)
            going_on = []
            for slot, place in enumerate(batch.places):
                _add(drawn[place], chosen[slot], logprobs[slot], tokenizer, rows[place], stop)
                if drawn[place].finish_reason:
                    on_done()
                else:
                    going_on.append(slot)
            batch.step(model, chosen, going_on)
    return drawn


def _add(
    drawn: Drawn, token: int, logprob: float, tokenizer: Any, row: Row, stop: Sequence[str]
) -> None:
    """Take a token in, and see whether the completion ends with it."""
    drawn.token_ids.append(token)
    drawn.logprobs.append(logprob)
    ended = token == tokenizer.eos_token_id
    full = len(drawn.token_ids) >= row.max_tokens
    if not (ended or full or stop):
        return
    kept = drawn.token_ids[:-1] if ended else drawn.token_ids
    text = tokenizer.decode(kept, skip_special_tokens=False)
    cut = min((text.find(s) for s in stop if s in text), default=-1)
    if ended or full or cut >= 0:
        drawn.text = text if cut < 0 else text[:cut]
        drawn.finish_reason = "stop" if ended or cut >= 0 else "length"


def _choose(
    logits: Any, rows: Sequence[Row], uniforms: Sequence[float], top_p: float
) -> tuple[list[int], list[float]]:
    """A token for each row by inverting its cumulative distribution, and its log-probability."""
    import torch

    # At temperature 0 the likeliest token has all the probability; any divisor keeps its place.
    heat = torch.tensor([[row.temperature or 1.0] for row in rows])
    greedy = torch.tensor([row.temperature == 0 for row in rows])
    weights = torch.softmax(logits / heat, dim=-1)
    if top_p < 1.0:
        ordered, places = weights.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        weights = torch.zeros_like(weights).scatter(
            -1, places, ordered.masked_fill(before >= top_p, 0.0)
        )
    # In double precision: the tail of 49,152 small numbers would be lost in single.
    cumulative = weights.cumsum(dim=-1, dtype=torch.float64)
    points = torch.tensor([[u] for u in uniforms], dtype=torch.float64) * cumulative[:, -1:]
    sampled = torch.searchsorted(cumulative, points, right=True).squeeze(-1)
    sampled = sampled.clamp(max=logits.shape[-1] - 1)
    chosen = torch.where(greedy, logits.argmax(dim=-1), sampled)
    logprobs = logits.gather(-1, chosen.unsqueeze(-1)).squeeze(-1) - logits.logsumexp(dim=-1)
    return chosen.tolist(), logprobs.tolist()


@dataclass
class _Batch:
    """The rows still being sampled, what the model has read of them, and its next logits."""

    places: list[int]
    logits: Any
    cache: Any
    mask: Any

    @classmethod
    def of(cls, model: Any, tokenizer: Any, rows: Sequence[Row]) -> _Batch:
        """Read each distinct prompt once, then give every row its copy."""
        import torch
        from transformers import DynamicCache

        prompts = list(dict.fromkeys(row.prompt_ids for row in rows))
        width = max(map(len, prompts))
        padding = [width - len(prompt) for prompt in prompts]
        fill = tokenizer.pad_token_id
        ids = torch.tensor([[fill] * n + list(p) for n, p in zip(padding, prompts, strict=True)])
        mask = torch.tensor([[0] * n + [1] * (width - n) for n in padding])
        cache = DynamicCache(config=model.config)
        read = model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=(mask.cumsum(dim=-1) - 1).clamp(min=0),
            logits_to_keep=1,
            **_keeping(model, cache),
        )
        number = {prompt: place for place, prompt in enumerate(prompts)}
        copies = torch.tensor([number[row.prompt_ids] for row in rows])
        cache.batch_select_indices(copies)
        return cls(list(range(len(rows))), read.logits[copies, -1], cache, mask[copies])

    def step(self, model: Any, chosen: Sequence[int], going_on: Sequence[int]) -> None:
        """Let the rows that ended go, and read the chosen tokens of the others."""
        import torch

        self.places = [self.places[slot] for slot in going_on]
        if not self.places:
            return
        if len(going_on) < len(chosen):
            keep = torch.tensor(going_on)
            self.cache.batch_select_indices(keep)
            self.mask = self.mask[keep]
        self.mask = torch.cat([self.mask, torch.ones_like(self.mask[:, :1])], dim=-1)
        read = model(
            input_ids=torch.tensor([[chosen[slot]] for slot in going_on]),
            attention_mask=self.mask,
            position_ids=self.mask.sum(dim=-1, keepdim=True) - 1,
            **_keeping(model, self.cache),
        )
        self.logits = read.logits[:, -1]


def _keeping(model: Any, cache: Any) -> dict[str, Any]:
    """Hand the cache over by the name that this version of transformers has for it."""
    known = inspect.signature(getattr(model, "get_base_model", lambda: model)().forward).parameters
    return {"cache" if "cache" in known else "past_key_values": cache, "use_cache": True}
