"""The JSON verifier: equal values pay, in any writing; nothing else does, and nothing raises."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.verifiers.json_text import MAX_CHARACTERS, verify_json

GOLD = {"name": "Ann", "item": "eggs", "count": 2, "paid": True, "tags": ["a", None]}

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_every_value_equals_itself_in_any_writing(value):
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)):
        assert verify_json(f"\n {text} \n", value).status == "correct"


@given(values, values)
def test_it_pays_what_is_written_alike_and_nothing_else(one, other):
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    paid = verify_json(json.dumps(one), other).is_correct
    assert not same or paid
    assert paid == verify_json(json.dumps(other), one).is_correct


@given(st.text(max_size=40))
def test_any_text_is_judged_and_no_text_raises(text):
    assert verify_json(text, GOLD).status in ("no_answer", "incorrect")


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (json.dumps({**GOLD, "count": 3}), "unequal_json"),
        (json.dumps({**GOLD, "count": "2"}), "unequal_json"),
        (json.dumps({**GOLD, "paid": 1}), "unequal_json"),
        (json.dumps({**GOLD, "more": 0}), "unequal_json"),
        (json.dumps({**GOLD, "tags": [None, "a"]}), "unequal_json"),
        (json.dumps([GOLD]), "unequal_json"),
        (json.dumps(GOLD)[:-1], "not_json"),
        (f"{json.dumps(GOLD)} {json.dumps(GOLD)}", "not_json"),
        ('{"name": "Bob", ' + json.dumps(GOLD)[1:], "not_json"),
        (f"```json\n{json.dumps(GOLD)}\n```", "not_json"),
        (str(GOLD), "not_json"),
        ("", "empty"),
        ('{"count": NaN}', "not_json"),
        ("[" * 90_000, "not_json"),
        ("9" * 90_000, "not_json"),
        (" " * MAX_CHARACTERS + "{}", "too_long"),
    ],
)
def test_what_is_not_the_value_earns_nothing(response, reason):
    verdict = verify_json(response, GOLD)
    assert (verdict.score, verdict.reason) == (0.0, reason)


def test_one_number_in_two_writings_is_one_number():
    assert verify_json("[1.0, 1e2]", [1, 100]).status == "correct"
    assert verify_json("[true]", [1]).status == "incorrect"
