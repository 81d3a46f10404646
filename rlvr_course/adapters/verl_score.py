"""veRL's door: ``compute_score``, which veRL calls for one completion at a time, from a thread.

    reward.custom_reward_function.path=pkg://rlvr_course.adapters.verl_score
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.incorrect_penalty=-1.0

It has no mask: an ungraded completion is paid the floor, and says so in ``ungraded``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from rlvr_course.adapters.answer_text import answer_from_text
from rlvr_course.adapters.domains import verified_reward
from rlvr_course.adapters.scored import Scored, VerifiedReward


class VerlScore:
    """A verified reward as veRL calls one; safe in threads, and picklable.

    Args:
        reward: the verifier and its prices; ``VerifiedReward()`` if None.

    Limits: veRL doesn't say why a completion ended, so verifiers see ``finish_reason`` "stop".

    >>> VerlScore()("course", "It is 42.", "42")["score"]
    1.0
    """

    __name__ = "compute_score"

    def __init__(self, reward: VerifiedReward | None = None) -> None:
        self.reward = VerifiedReward() if reward is None else reward

    def __call__(
        self, data_source: str, solution_str: str, ground_truth: Any, extra_info: Any = None
    ) -> dict[str, float]:
        """The score of one completion.

        Args:
            data_source: not needed: the reward is the same for all.
            solution_str: the response's text.
            ground_truth: the reference, as it is or by ``answer_to_text``.
            extra_info: not needed.

        Returns:
            Always the same keys, all finite: ``score`` (the reward), ``acc`` (1.0 if correct),
            ``no_answer`` and ``ungraded``. veRL logs the mean of each.
        """
        answer = answer_from_text(ground_truth)
        return _numbers(self.reward.score([solution_str], [answer], policy_id="verl")[0])


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Any = None,
    *,
    domain: str = "math",
    **prices: Any,
) -> dict[str, float]:
    """The same as a function, for veRL's configuration file.

    Args:
        data_source, solution_str, ground_truth, extra_info: as ``VerlScore``.
        domain: "math" or "code".
        prices: as ``verified_reward``, from ``reward_kwargs``. What veRL adds for rewards by a
            model is ignored.

    Returns:
        As ``VerlScore``.

    Raises:
        ValueError: an unknown domain or keyword, or a price out of range.

    >>> compute_score("course", "It is 41.", "42", incorrect_penalty=-1.0)["score"]
    -1.0
    """
    given = {name: value for name, value in prices.items() if name not in _OF_VERL}
    if unknown := sorted(set(given) - set(_PRICES)):
        raise ValueError(f"reward_kwargs has {unknown[0]!r}: it may have {', '.join(_PRICES)}")
    scorer = _scorer(domain, tuple(sorted(given.items())))
    return scorer(data_source, solution_str, ground_truth, extra_info)


_PRICES = ("correct_reward", "incorrect_penalty", "refusal_reward", "format_reward")
_OF_VERL = ("reward_router_address", "reward_model_tokenizer")


@lru_cache(maxsize=16)
def _scorer(domain: str, prices: tuple[tuple[str, Any], ...]) -> VerlScore:
    return VerlScore(verified_reward(domain, **dict(prices)))


def _numbers(scored: Scored) -> dict[str, float]:
    return {
        "score": scored.finite,
        "acc": float(scored.verdict.status == "correct"),
        "no_answer": float(scored.verdict.status == "no_answer"),
        "ungraded": float(scored.is_ungraded),
    }
