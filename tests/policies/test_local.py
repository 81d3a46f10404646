"""The local policy over a tiny model: groups, seeds, prompts and limits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_model import tiny_loaded

from rlvr_course.policies.local import LocalPolicy
from rlvr_course.policies.protocol import Request


@pytest.fixture(scope="module")
def loaded():
    return tiny_loaded()


def policy(loaded, **options):
    return LocalPolicy(loaded, progress=False, **options)


def ask(text="12*13=", n=4, **options):
    return Request([{"role": "user", "content": text}], n=n, max_tokens=6, **options)


def texts(groups):
    return [[completion.text for completion in group] for group in groups]


@settings(max_examples=20, deadline=None)
@given(sizes=st.lists(st.integers(1, 5), max_size=6), seed=st.none() | st.integers(0, 99))
def test_each_request_gets_its_group_in_order(loaded, sizes, seed):
    requests = [ask(f"{place}+{place}=", n, seed=seed) for place, n in enumerate(sizes)]
    groups = policy(loaded).generate(requests)
    assert [len(group) for group in groups] == sizes
    for request, group in zip(requests, groups, strict=True):
        assert [completion.index for completion in group] == list(range(request.n))
        assert all(completion.messages == request.messages for completion in group)
        assert all(len(c.logprobs) == len(c.token_ids) <= 6 for c in group)


def test_a_fresh_policy_answers_alike_and_another_seed_does_not(loaded):
    first, again = (texts(policy(loaded).generate([ask()])) for _ in range(2))
    assert first == again != texts(policy(loaded, seed=1).generate([ask()]))


def test_asking_again_goes_on_where_the_last_call_ended(loaded):
    one = policy(loaded)
    halves = [*one.generate([ask(n=3)])[0], *one.generate([ask(n=3)])[0]]
    [whole] = policy(loaded).generate([ask(n=6)])
    assert [c.text for c in halves] == [c.text for c in whole]
    assert [c.index for c in halves] == [0, 1, 2, 0, 1, 2]


def test_a_request_with_a_seed_is_answered_alike_each_time(loaded):
    one = policy(loaded)
    assert texts(one.generate([ask(seed=7)])) == texts(one.generate([ask(seed=7)]))
    assert texts(one.generate([ask(seed=7)])) != texts(one.generate([ask(seed=8)]))


@given(st.integers(), st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_no_two_completions_share_a_seed_even_of_other_questions(loaded, seed, n):
    groups = policy(loaded).generate([ask("1+1=", n, seed=seed), ask("2+2=", n, seed=seed)])
    assert len({c.seed for group in groups for c in group}) == 2 * n


def test_equal_requests_in_one_call_are_sampled_apart(loaded):
    first, second = policy(loaded).generate([ask(), ask()])
    assert [c.seed for c in first] != [c.seed for c in second]


def test_without_chat_the_contents_are_the_prompt(loaded):
    messages = [{"role": "system", "content": "1+1=2"}, {"role": "user", "content": "2+2="}]
    one = policy(loaded, chat=False)
    ids = one._prompt_ids(Request(messages), loaded.tokenizer)
    assert loaded.tokenizer.decode(ids) == "1+1=2\n2+2="


def test_a_prompt_that_leaves_no_room_is_refused(loaded):
    with pytest.raises(ValueError, match="do not fit into 64"):
        policy(loaded).generate([ask("1" * 60)])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"top_p": 0.0}, r"top_p=0.0: it must lie in \(0, 1\]"),
        ({"top_p": 1.5}, "top_p=1.5"),
        ({"stop": "\n"}, "give a list of texts"),
        ({"stop": [""]}, "not empty"),
    ],
    ids=["top_p 0", "top_p above 1", "stop is a text", "empty stop"],
)
def test_options_out_of_range_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        LocalPolicy(**options)


def test_no_requests_load_no_model():
    assert LocalPolicy().generate([]) == []
