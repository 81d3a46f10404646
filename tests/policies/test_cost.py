"""Estimates: a bound in tokens, and dollars only where the price is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.policies.api import ApiPolicy
from rlvr_course.policies.cost import PRICES, PRICES_DATE, estimate_cost
from rlvr_course.policies.protocol import Request

REQUEST = Request([{"role": "user", "content": "x" * 4000}], n=1000, max_tokens=500)


def test_dollars_are_tokens_times_price():
    # 1000 prompts of 1008 tokens at $0.10 and 500,000 tokens at $0.40 a million.
    estimate = ApiPolicy("gpt-4.1-nano", api_key="k").estimate([REQUEST])
    assert (estimate.prompt_tokens, estimate.completion_tokens) == (1_008_000, 500_000)
    assert estimate.dollars == pytest.approx(0.1008 + 0.2)
    assert f"about $0.3008 at most (prices of {PRICES_DATE})" in str(estimate)


def test_a_dated_model_has_the_price_of_its_name():
    dated, plain = (
        estimate_cost([("q", 9)], model=name, priced=True)
        for name in ("gpt-4.1-mini-2025-04-14", "gpt-4.1-mini")
    )
    assert dated.dollars == plain.dollars is not None


@pytest.mark.parametrize(
    ("model", "url"),
    [("gpt-99", None), ("gpt-4.1-nano", "https://proxy.example/v1"), ("llama", None)],
    ids=["new model", "another host", "another name"],
)
def test_an_unknown_price_is_said_to_be_unknown(model, url):
    estimate = ApiPolicy(model, base_url=url, api_key="k").estimate([REQUEST])
    assert estimate.dollars is None
    assert str(estimate).endswith("price unknown")


@given(st.sampled_from(sorted(PRICES)), st.lists(st.tuples(st.text(), st.integers(1, 999))))
def test_an_estimate_adds_up(model, completions):
    whole = estimate_cost(completions, model=model, priced=True)
    parts = [estimate_cost([one], model=model, priced=True) for one in completions]
    assert whole.completions == len(parts)
    assert whole.prompt_tokens == sum(part.prompt_tokens for part in parts)
    assert whole.dollars == pytest.approx(sum(part.dollars or 0.0 for part in parts))
