"""What sampling will cost, before it is paid: tokens, and dollars where the price is known.

    >>> print(estimate_cost([("Hello there", 100)] * 3, model="gpt-4.1-nano", priced=True))
    3 completions by gpt-4.1-nano: about 33 tokens in, at most 300 out, about $0.0001 at most \
(prices of 2025-06-03)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PRICES_DATE = "2025-06-03"
PRICES: Mapping[str, tuple[float, float]] = {
    "gpt-4.1": (2.00, 8.00),
    "gpt-4.1-mini": (0.40, 1.60),
    "gpt-4.1-nano": (0.10, 0.40),
    "gpt-4o": (2.50, 10.00),
    "gpt-4o-mini": (0.15, 0.60),
}
"""Dollars per million tokens in and out.

Source: OpenAI's list prices (platform.openai.com/docs/pricing) as of ``PRICES_DATE``, standard
tier, without caching or batch discounts. A list price can change: the date is shown with each
estimate.
"""

_CHARACTERS_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 8


@dataclass(frozen=True)
class CostEstimate:
    """Tokens and dollars of a set of completions.

    Args:
        completions: how many will be sampled.
        prompt_tokens: about how many tokens go in (four characters a token).
        completion_tokens: at most how many come out, if each runs to its limit.
        dollars: the cost if each runs to its limit; None where the price is unknown.
        model: whose price it is.
    """

    completions: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None
    model: str

    def __str__(self) -> str:
        if self.dollars is None:
            price = "price unknown"
        else:
            price = f"about ${self.dollars:.4f} at most (prices of {PRICES_DATE})"
        return (
            f"{self.completions:,} completions by {self.model}: about {self.prompt_tokens:,} "
            f"tokens in, at most {self.completion_tokens:,} out, {price}"
        )


def estimate_cost(
    completions: Sequence[tuple[str, int]], *, model: str, priced: bool
) -> CostEstimate:
    """Estimate a set of completions.

    Args:
        completions: for each, the whole prompt as text and its limit in tokens.
        model: its name; a date at its end is ignored.
        priced: False where the endpoint is not the one that the prices are of.

    Limits: a rule of thumb for English; other scripts can need several times as many tokens.
    Reasoning tokens count as output, and are within the limit.
    """
    tokens_in = sum(
        _TOKENS_PER_MESSAGE + -(-len(prompt) // _CHARACTERS_PER_TOKEN) for prompt, _ in completions
    )
    tokens_out = sum(limit for _, limit in completions)
    price = PRICES.get(re.sub(r"-\d{4}-\d{2}-\d{2}$", "", model)) if priced else None
    dollars = None
    if price is not None:
        dollars = (tokens_in * price[0] + tokens_out * price[1]) / 1e6
    return CostEstimate(len(completions), tokens_in, tokens_out, dollars, model)
