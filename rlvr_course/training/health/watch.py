"""Beside a trainer of your own: notes what TRL's log leaves out, and the log.

    seen = Watch(trainer)
    trainer.train()
    print(health(seen.vitals()))

TRL logs neither whether prompts went through the chat template nor which rewards were None in
part; both are read off here, and nothing of the training is changed.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rlvr_course.training.health.vitals import TemplateUse, Vitals
from rlvr_course.training.recorder import curve_row

_PROBE = "a question"


class Watch:
    """Watches one of TRL's trainers with reward functions, from now on.

    Args:
        trainer: a ``GRPOTrainer`` or ``RLOOTrainer``, before its ``train()``.
        name: of the run, for the report.

    Limits: reward models and asynchronous reward functions are not looked into; with one among
        several functions a partial None can't be told. One process.
    """

    def __init__(self, trainer: Any, *, name: str = "run") -> None:
        self._name = name
        self._rows: list[dict[str, float]] = []
        self._given: list[list[float | None]] = []
        self._template: TemplateUse = template_use(trainer)
        self._group_size = int(trainer.num_generations)
        self._weights = [float(weight) for weight in trainer.reward_weights]
        self._samples = 0
        self._best_paid = -math.inf
        functions = list(trainer.reward_funcs)
        self._n_functions = len(functions)
        self._sees_all = all(_is_plain(function) for function in functions)
        if self._sees_all:
            self._given = [[] for _ in functions]
            trainer.reward_funcs = [
                _Noted(function, given)
                for function, given in zip(functions, self._given, strict=True)
            ]
        trainer.add_callback(_callback(self._on_log))

    def vitals(self) -> Vitals:
        """What was seen so far.

        Raises:
            ValueError: no step has been logged yet.
        """
        return Vitals(
            self._name,
            f"watched: {len(self._rows)} steps",
            list(self._rows),
            samples_per_step=self._samples or None,
            group_size=self._group_size,
            template=self._template,
            reward_functions=self._n_functions,
            best_paid=self._best_paid if self._samples else None,
        )

    def _on_log(self, step: int, logs: Mapping[str, Any]) -> None:
        row = {"step": float(step), **curve_row(logs)}
        if self._sees_all and all(self._given):
            samples = list(zip(*self._given, strict=True))
            self._samples = len(samples)
            row["partial_none"] = sum(map(_is_partial, samples)) / len(samples)
            self._best_paid = max(self._best_paid, *map(self._paid, samples))
            for given in self._given:
                given.clear()
        self._rows.append(row)

    def _paid(self, values: Sequence[float | None]) -> float:
        """As TRL sums them up."""
        pairs = zip(self._weights, values, strict=True)
        return sum(weight * value for weight, value in pairs if value is not None)


def _is_partial(values: Sequence[float | None]) -> bool:
    return None in values and any(value is not None for value in values)


class _Noted:
    """A reward function whose rewards are noted; NaN is None, as it is for TRL."""

    def __init__(self, function: Callable[..., Any], given: list[float | None]) -> None:
        self._function, self._given = function, given
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args: Any, **columns: Any) -> Sequence[float | None]:
        rewards = list(self._function(*args, **columns))
        self._given.extend(None if r is None or math.isnan(r) else float(r) for r in rewards)
        return rewards


def _is_plain(function: Any) -> bool:
    """Whether it is called with the columns and returns a list; a reward model is not."""
    call = getattr(function, "__call__", None)  # noqa: B004 - its kind matters, not its presence
    asynchronous = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
    return callable(function) and not asynchronous and not hasattr(function, "forward")


def template_use(trainer: Any) -> TemplateUse:
    """Whether a trainer's prompts go through its tokenizer's chat template.

    Args:
        trainer: with a ``train_dataset`` and a ``processing_class``.

    Returns:
        "applied": messages, or text that bears the template's marks; "not applied": text without
        them; "none": no template, or one that leaves text as it is; "unknown": a data set whose
        rows can't be looked up.
    """
    try:
        prompt = trainer.train_dataset[0]["prompt"]
    except (TypeError, KeyError, IndexError, NotImplementedError):
        return "unknown"
    if not isinstance(prompt, str):
        return "applied"
    tokenizer = trainer.processing_class
    if getattr(tokenizer, "chat_template", None) is None:
        return "none"
    turn = tokenizer.apply_chat_template(
        [{"role": "user", "content": _PROBE}], tokenize=False, add_generation_prompt=True
    )
    marks = [mark.strip() for mark in str(turn).split(_PROBE) if mark.strip()]
    if not marks:
        return "none"
    return "applied" if all(mark in prompt for mark in marks[-1:]) else "not applied"


def _callback(on_log: Callable[[int, Mapping[str, Any]], None]) -> Any:
    from transformers import TrainerCallback

    class Forward(TrainerCallback):
        def on_log(
            self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any
        ) -> None:
            if logs and "train_runtime" not in logs:  # the last line sums up, and is no step
                on_log(state.global_step, dict(logs))

    return Forward()
