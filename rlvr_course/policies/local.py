"""A policy in this process: SmolLM2-135M-Instruct on the CPU, no network and no key.

It is small: it fills JSON from examples and does one-digit arithmetic some of the time, and word
problems not at all. ``problems.few_shot`` has prompts on which its groups are mixed.

    >>> LocalPolicy()
    LocalPolicy('local (SmolLM2-135M-Instruct, Q4_1)')
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rlvr_course.policies import smollm2
from rlvr_course.policies.protocol import Request
from rlvr_course.policies.sampling import Drawn, Row, sample_rows
from rlvr_course.progress import progress_bar
from rlvr_course.records import Completion

DEFAULT_MAX_TOKENS = 128
"""Limit on a completion whose request states none: it rarely gets anywhere beyond."""

BATCH = 32


class _Slot(NamedTuple):
    place: int
    index: int
    row: Row


class LocalPolicy:
    """Samples from SmolLM2 in batches; the model is loaded at the first request.

    Args:
        loaded: a model with its tokenizer; SmolLM2 if None.
        top_p: sample from the likeliest tokens that together have this probability, in (0, 1].
        stop: texts that end a completion; they are left out of it.
        chat: format messages by the model's chat template. If False the contents are sent as they
            are, a line each, for the model to continue: few-shot prompts want a stop text then.
        seed: of sampling. A fresh policy with the same seed answers the same calls alike.
        progress: show a bar where sampling takes more than two seconds.

    Raises:
        ValueError: top_p out of range, or an empty stop text.

    Limits: one request's completions do not depend on the others in a batch but for rounding:
        the same calls in the same order repeat to the last token with the same versions on the
        same kind of processor.
    """

    def __init__(
        self,
        loaded: smollm2.Loaded | None = None,
        *,
        top_p: float = 1.0,
        stop: Sequence[str] = (),
        chat: bool = True,
        seed: int = 0,
        progress: bool = True,
    ) -> None:
        if not 0.0 < top_p <= 1.0:
            raise ValueError(f"top_p={top_p}: it must lie in (0, 1]")
        if isinstance(stop, str) or not all(stop):
            raise ValueError(f"stop={stop!r}: give a list of texts that are not empty")
        self._loaded = loaded
        self._top_p, self._stop, self._chat = top_p, tuple(stop), chat
        self._seed, self._progress = seed, progress
        self._asked: Counter[str] = Counter()

    @property
    def policy_id(self) -> str:
        """The model and its quantisation."""
        return f"local ({smollm2.NAME}, {smollm2.QUANTISATION})"

    def __repr__(self) -> str:
        return f"LocalPolicy({self.policy_id!r})"

    def generate(self, requests: Sequence[Request]) -> list[list[Completion]]:
        """One group for each request, with token ids and log-probabilities.

        A request without a seed goes on where the last equal one ended, so that asking again
        gives new completions; one with a seed gives the same completions each time.

        Raises:
            PolicyUnavailable: packages or weights are missing.
            DataError: the weights can't be read, or not be kept in the cache.
            ValueError: a prompt that leaves no room for its completion.
        """
        if not requests:
            return []
        model, tokenizer = self._model()
        slots = [s for place, r in enumerate(requests) for s in self._slots(place, r, tokenizer)]
        room = model.config.max_position_embeddings
        for _, _, row in slots:
            if len(row.prompt_ids) + row.max_tokens > room:
                raise ValueError(
                    f"a prompt of {len(row.prompt_ids)} tokens and {row.max_tokens} more do not "
                    f"fit into {room}: shorten the prompt, or lower max_tokens"
                )
        groups: list[dict[int, Completion]] = [{} for _ in requests]
        for slot, drawn in self._sample(slots, model, tokenizer):
            request = requests[slot.place]
            groups[slot.place][slot.index] = self._completion(request, slot, drawn)
        return [[group[index] for index in sorted(group)] for group in groups]

    def _model(self) -> smollm2.Loaded:
        if self._loaded is None:
            self._loaded = smollm2.load()
        return self._loaded

    def _slots(self, place: int, request: Request, tokenizer: object) -> list[_Slot]:
        ids = self._prompt_ids(request, tokenizer)
        limit = request.max_tokens or DEFAULT_MAX_TOKENS
        key, first, seed = request.key, 0, request.seed
        if seed is None:
            first, seed = self._asked[key], self._seed
            self._asked[key] += request.n
        return [
            _Slot(
                place,
                index,
                Row(ids, limit, request.temperature, _derived_seed(seed, key, first + index)),
            )
            for index in range(request.n)
        ]

    def _prompt_ids(self, request: Request, tokenizer: object) -> tuple[int, ...]:
        messages = [dict(message) for message in request.messages]
        if self._chat:
            text = tokenizer.apply_chat_template(  # type: ignore[attr-defined]
                messages, tokenize=False, add_generation_prompt=True
            )
        else:
            text = "\n".join(message["content"] for message in messages)
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]  # type: ignore[operator]
        return tuple(ids)

    def _sample(
        self, slots: Sequence[_Slot], model: object, tokenizer: object
    ) -> list[tuple[_Slot, Drawn]]:
        # Prompts of like length share a batch, which then needs little padding.
        ordered = sorted(slots, key=lambda slot: len(slot.row.prompt_ids))
        found: list[tuple[_Slot, Drawn]] = []
        with progress_bar(
            "sampling", unit="completion", total=len(slots), shown=self._progress
        ) as bar:
            for start in range(0, len(ordered), BATCH):
                part = ordered[start : start + BATCH]
                drawn = sample_rows(
                    model,
                    tokenizer,
                    [slot.row for slot in part],
                    top_p=self._top_p,
                    stop=self._stop,
                    on_done=bar.update,
                )
                found += zip(part, drawn, strict=True)
        return found

    def _completion(self, request: Request, slot: _Slot, drawn: Drawn) -> Completion:
        return Completion(
            text=drawn.text,
            messages=request.messages,
            finish_reason=drawn.finish_reason,
            token_ids=drawn.token_ids,
            logprobs=drawn.logprobs,
            policy_id=self.policy_id,
            index=slot.index,
            seed=slot.row.seed,
        )


def _derived_seed(seed: int, key: str, number: int) -> int:
    """A seed for one completion, so that no two questions are answered by the same draws."""
    digest = hashlib.sha256(f"{seed}:{key}:{number}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
