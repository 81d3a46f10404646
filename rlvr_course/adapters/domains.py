"""The reward of a domain by its name, for doors that are opened from a command or a config file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rlvr_course.adapters.scored import VerifiedReward
from rlvr_course.rewards import MathRewardFunction
from rlvr_course.stacked import StackedReward

DOMAINS = ("math", "code")


def verified_reward(
    domain: str = "math",
    *,
    correct_reward: float = 1.0,
    incorrect_penalty: float = -0.1,
    refusal_reward: float | None = None,
    format_reward: float = 0.0,
) -> VerifiedReward:
    """A domain's verifier with prices.

    Args:
        domain: "math" (answers are texts) or "code" (answers are tests, run in the sandbox).
        correct_reward, incorrect_penalty, refusal_reward: as for ``MathRewardFunction``.
        format_reward: paid beside them for a closed box; see ``StackedReward``.

    Raises:
        ValueError: an unknown domain, a price out of range, or a format reward for code.

    >>> verified_reward("math", incorrect_penalty=-1.0).floor
    -1.0
    """
    verifier = _verifier(domain)
    prices = MathRewardFunction(
        correct_reward, incorrect_penalty, refusal_reward=refusal_reward, verifier=verifier
    )
    if not format_reward:
        return VerifiedReward(verifier, prices)
    if domain != "math":
        raise ValueError(
            f"format_reward={format_reward}: a box is the format of math, not {domain}"
        )
    return VerifiedReward(verifier, StackedReward(prices, format_reward=format_reward))


def _verifier(domain: str) -> Callable[..., Any]:
    if domain == "math":
        from rlvr_course.verifiers.math_answers import MathVerifier

        return MathVerifier()
    if domain == "code":
        from rlvr_course.verifiers.programs.code import CodeVerifier

        return CodeVerifier()
    raise ValueError(f"domain={domain!r} is not one of {', '.join(DOMAINS)}")
