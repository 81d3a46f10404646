"""The sampling loop on a tiny model: what it draws, with which probability, and where it stops."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_model import tiny_loaded

from rlvr_course.policies.sampling import Row, _choose, sample_rows

prompts = st.lists(st.integers(4, 80), min_size=1, max_size=12).map(tuple)
rows = st.builds(
    Row,
    prompt_ids=prompts,
    max_tokens=st.integers(1, 6),
    temperature=st.sampled_from([0.0, 0.7, 1.0]),
    seed=st.integers(0, 2**32),
)


@pytest.fixture(scope="module")
def loaded():
    return tiny_loaded()


@settings(max_examples=25, deadline=None)
@given(batch=st.lists(rows, min_size=1, max_size=6))
def test_a_row_is_sampled_alike_alone_and_in_a_batch(loaded, batch):
    together = sample_rows(*loaded, batch)
    alone = [sample_rows(*loaded, [row])[0] for row in batch]
    assert [drawn.token_ids for drawn in together] == [drawn.token_ids for drawn in alone]


@settings(max_examples=25, deadline=None)
@given(row=rows)
def test_log_probabilities_are_the_models_own(loaded, row):
    import torch

    [drawn] = sample_rows(*loaded, [row])
    ids = [*row.prompt_ids, *drawn.token_ids]
    with torch.no_grad():
        logits = loaded.model(torch.tensor([ids])).logits[0].double()
    at = range(len(row.prompt_ids) - 1, len(ids) - 1)
    whole = torch.log_softmax(logits, -1)
    expected = [whole[i, t].item() for i, t in zip(at, drawn.token_ids, strict=True)]
    assert drawn.logprobs == pytest.approx(expected, abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(row=rows)
def test_a_completion_ends_by_its_end_token_or_its_limit(loaded, row):
    [drawn] = sample_rows(*loaded, [row])
    end = loaded.tokenizer.eos_token_id
    assert end not in drawn.token_ids[:-1]
    assert drawn.finish_reason == ("stop" if drawn.token_ids[-1] == end else "length")
    assert drawn.finish_reason == "stop" or len(drawn.token_ids) == row.max_tokens
    assert "<eos>" not in drawn.text


def test_temperature_0_draws_what_transformers_draws_greedily(loaded):
    import torch

    prompt = (10, 20, 30)
    [drawn] = sample_rows(*loaded, [Row(prompt, 8, 0.0, 0)])
    whole = loaded.model.generate(
        torch.tensor([prompt]),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        do_sample=False,
        max_new_tokens=8,
    )
    assert drawn.token_ids == whole[0, len(prompt) :].tolist()


def chosen(weights, *, temperature=1.0, top_p=1.0, n=2_000):
    """How often each token is chosen where u goes evenly through [0, 1)."""
    import torch

    logits = torch.tensor([[math.log(w) for w in weights]]).repeat(n, 1)
    row = Row((1,), 1, temperature, 0)
    tokens, _ = _choose(logits, [row] * n, [(i + 0.5) / n for i in range(n)], top_p)
    return Counter(tokens)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {0: 1_000, 1: 600, 2: 400}),
        ({"top_p": 0.8}, {0: 1_250, 1: 750}),
        ({"top_p": 0.5}, {0: 2_000}),
        ({"temperature": 0.5}, {0: 1316, 1: 474, 2: 210}),
        ({"temperature": 0.0}, {0: 2_000}),
    ],
    ids=["as they are", "top_p .8", "top_p .5", "colder", "greedy"],
)
def test_tokens_come_as_often_as_their_probability_says(options, expected):
    pytest.importorskip("torch", reason="needs the extra train")
    found = chosen([0.5, 0.3, 0.2], **options)
    assert set(found) == set(expected)
    assert all(abs(found[token] - expected[token]) <= 1 for token in expected)


def test_a_stop_text_ends_a_completion_and_is_left_out(loaded):
    row = Row((10, 20, 30), 12, 1.0, 5)
    [whole] = sample_rows(*loaded, [row])
    stop = whole.text[3:5]
    [cut] = sample_rows(*loaded, [row], stop=[stop])
    assert cut.text == whole.text[: whole.text.index(stop)]
    assert cut.finish_reason == "stop"
    assert cut.token_ids == whole.token_ids[: len(cut.token_ids)]


def test_every_completion_is_told_once(loaded):
    told = []
    sample_rows(
        *loaded, [Row((9,), 3, 1.0, seed) for seed in range(5)], on_done=lambda: told.append(1)
    )
    assert len(told) == 5
