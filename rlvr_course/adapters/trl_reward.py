"""TRL's door: a reward function for ``GRPOTrainer`` and ``RLOOTrainer``.

    GRPOTrainer(..., reward_funcs=TRLReward(VerifiedReward()))

TRL masks a completion only where *every* reward function gives None; a None of one of several is
summed as 0, so that a completion that nobody could judge is paid for its format alone. Where more
than one function is needed, ``MaskedSum`` makes one of them that is None as soon as a part is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from rlvr_course.adapters.answer_text import answer_from_text, answer_to_text
from rlvr_course.adapters.chat import response_text
from rlvr_course.adapters.scored import Scored, VerifiedReward
from rlvr_course.records import Problem

LogExtra = Callable[[str, list[Any]], None]
LogMetric = Callable[[str, float], None]
TRLFunction = Callable[..., "list[float | None]"]


def trl_rows(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Rows for a trainer's data set: the messages as ``prompt``, and the ``answer`` as text.

    A prompt that is a list of messages is what makes TRL apply the chat template; with a plain
    string the model never learns where its turn ends. Answers are text because a column has one
    type: of mappings with different keys the data set would make one with all of them.

    >>> trl_rows([Problem("What is 6 * 7?", "42")])
    [{'prompt': [{'role': 'user', 'content': 'What is 6 * 7?'}], 'answer': '42'}]
    """
    return [
        {"prompt": [dict(m) for m in p.messages], "answer": answer_to_text(p.answer)}
        for p in problems
    ]


class TRLReward:
    """A verified reward as TRL calls one.

    Args:
        reward: the verifier and its prices; ``VerifiedReward()`` if None.
        answer_column: the data set's column of reference answers, as ``trl_rows`` writes them or
            as plain text.
        end_token_ids: the tokenizer's end tokens. With them a completion that holds none of them
            is known to be cut, and verifiers see ``finish_reason`` "length"; without them, "stop".
        name: what TRL logs it under, and whose masks are counted.

    It is an object with a ``__name__`` and no closure, because rollouts outside the trainer's
    process need to pickle it.

    >>> TRLReward()(prompts=["6 * 7?"], completions=["It is 42."], answer=["42"])
    [1.0]
    """

    def __init__(
        self,
        reward: VerifiedReward | None = None,
        *,
        answer_column: str = "answer",
        end_token_ids: Collection[int] = (),
        name: str = "verified_reward",
    ) -> None:
        self.reward = VerifiedReward() if reward is None else reward
        self.answer_column = answer_column
        self.end_token_ids = frozenset(end_token_ids)
        self.__name__ = name

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        *,
        completion_ids: Sequence[Sequence[int]] | None = None,
        log_extra: LogExtra | None = None,
        log_metric: LogMetric | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """The rewards of one batch.

        Args:
            prompts: not needed: the answer says what was asked.
            completions: texts, or lists of chat messages.
            completion_ids: their tokens, for ``end_token_ids``.
            log_extra, log_metric: TRL's, where it gives them; told each completion's verdict, and
                the shares that were correct and ungraded.
            columns: the data set's other columns, and what else TRL passes.

        Returns:
            One for each completion; None masks it.

        Raises:
            ValueError: no column of answers, one of another length, or a malformed completion.
        """
        if self.answer_column not in columns:
            names = ", ".join(sorted(columns)) or "none"
            raise ValueError(
                f"the data set has no column {self.answer_column!r} for {self.__name__} (it has "
                f"{names}): make its rows by trl_rows, or name the column in answer_column"
            )
        answers = [answer_from_text(answer) for answer in columns[self.answer_column]]
        responses = [response_text(completion) for completion in completions]
        scored = self.reward.score(
            responses,
            answers,
            finish_reasons=self._finish_reasons(completion_ids),
            policy_id=self.__name__,
        )
        if log_extra is not None:
            self._log_verdicts(scored, log_extra)
        if log_metric is not None:
            self._log_shares(scored, log_metric)
        return [one.value for one in scored]

    def _finish_reasons(self, completion_ids: Sequence[Sequence[int]] | None) -> list[str] | None:
        if completion_ids is None or not self.end_token_ids:
            return None
        return [
            "stop" if self.end_token_ids.intersection(ids) else "length" for ids in completion_ids
        ]

    def _log_verdicts(self, scored: Sequence[Scored], log_extra: LogExtra) -> None:
        for field in ("status", "reason", "extracted"):
            values = [getattr(one.verdict, field) for one in scored]
            log_extra(f"{self.__name__}/{field}", values)

    def _log_shares(self, scored: Sequence[Scored], log_metric: LogMetric) -> None:
        graded = [one for one in scored if not one.is_ungraded]
        if scored:
            share = 1.0 - len(graded) / len(scored)
            log_metric(f"verdicts/{self.__name__}/ungraded", share)
        if graded:
            right = sum(one.verdict.status == "correct" for one in graded)
            log_metric(f"verdicts/{self.__name__}/correct", right / len(graded))

    def __repr__(self) -> str:
        return f"TRLReward({self.reward!r}, answer_column={self.answer_column!r})"


class MaskedSum:
    """Several reward functions as one: their weighted sum, or None where any of them is None.

    Args:
        functions: as TRL calls them (``TRLReward`` or your own), at least one.
        weights: one for each; all 1 if None.
        name: what TRL logs the sum under.

    Each part's mean is logged as ``rewards/<its name>``.

    Raises:
        ValueError: no function, weights of another number, or one that is not finite.

    Limits: TRL normalises the sum, not each part (its ``sum_then_normalize``).
    """

    def __init__(
        self,
        functions: Sequence[TRLFunction],
        weights: Sequence[float] | None = None,
        *,
        name: str = "masked_sum",
    ) -> None:
        self.functions = tuple(functions)
        self.weights = tuple([1.0] * len(self.functions) if weights is None else weights)
        if not self.functions:
            raise ValueError("give at least one reward function")
        if len(self.weights) != len(self.functions):
            raise ValueError(f"{len(self.functions)} functions but {len(self.weights)} weights")
        if not all(math.isfinite(weight) for weight in self.weights):
            raise ValueError(f"weights={self.weights}: each must be a finite number")
        self.__name__ = name

    def __call__(
        self, prompts: Sequence[Any], completions: Sequence[Any], **rest: Any
    ) -> list[float | None]:
        """The sums of one batch.

        Raises:
            ValueError: a function returned another number of rewards.
        """
        parts = [self._part(f, prompts, completions, rest) for f in self.functions]
        log_metric = rest.get("log_metric")
        for function, part in zip(self.functions, parts, strict=True):
            known = [value for value in part if value is not None]
            if log_metric is not None and known:
                log_metric(f"rewards/{_name(function)}", sum(known) / len(known))
        return [self._sum(values) for values in zip(*parts, strict=True)]

    def _part(
        self,
        function: TRLFunction,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        rest: Mapping[str, Any],
    ) -> list[float | None]:
        part = list(function(prompts=prompts, completions=completions, **rest))
        if len(part) != len(completions):
            raise ValueError(
                f"{_name(function)} gave {len(part)} rewards for {len(completions)} completions"
            )
        return [None if value is None or math.isnan(value) else value for value in part]

    def _sum(self, values: Sequence[float | None]) -> float | None:
        total = 0.0
        for weight, value in zip(self.weights, values, strict=True):
            if value is None:
                return None
            total += weight * value
        return total


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)
