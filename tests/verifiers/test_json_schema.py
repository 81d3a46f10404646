"""JSONSchemaVerifier: values pay, the shape alone never does, and nothing raises or takes long."""

from __future__ import annotations

import copy
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rlvr_course import JSONSchemaVerifier, Verdict, attack, load_problems, load_rollouts
from rlvr_course.records import Problem
from rlvr_course.verifiers.structured.fields import leaves

CASES = Path(__file__).parent.parent / "cases" / "json_schema.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer"},
        "price": {"type": "number", "x-compare": {"absolute": 0.01}},
        "day": {"type": "string", "x-compare": "date"},
        "tags": {"type": "array", "items": {"type": "string"}, "x-compare": "unordered"},
        "paid": {"type": ["boolean", "null"]},
        "where": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
    "required": ["name", "count"],
}
GOLD = {
    "name": "Ann Lee",
    "count": 7,
    "price": 19.99,
    "day": "2024-03-05",
    "tags": ["a", "b"],
    "paid": True,
    "where": {"city": "Oslo"},
}
VERIFY = JSONSchemaVerifier(SCHEMA)
WORDS = st.text(min_size=1, max_size=8).filter(lambda text: text.strip() == text)
GOLDS = st.fixed_dictionaries(
    {"name": WORDS, "count": st.integers(1, 999)},
    optional={
        "price": st.floats(0.5, 900),
        "day": st.dates().map(str),
        "tags": st.lists(WORDS, min_size=1, max_size=3),
        "paid": st.booleans(),
        "where": st.fixed_dictionaries({"city": WORDS}),
    },
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_labelled_row_gets_its_verdict(row: dict[str, Any]):
    verdict = JSONSchemaVerifier(row["schema"], **row["options"])(row["response"], row["gold"])
    assert (verdict.status, verdict.score) == (row["expected"], pytest.approx(row["score"]))


def test_rows_are_complete_and_no_kind_is_missing():
    kinds = {row["kind"] for row in ROWS}
    assert len({row["id"] for row in ROWS}) == len(ROWS) >= 100
    assert {"bare", "block", "shape", "stuffing", "not one answer", "nothing", "grader"} <= kinds


def test_recorded_replies_are_judged_as_people_judged_them():
    problems = {problem.id: problem for problem in load_problems("json")}
    verify, judged = JSONSchemaVerifier(), 0
    for rollout in load_rollouts("json"):
        verdict = verify(rollout.completion.text, problems[rollout.problem_id].answer)
        if rollout.truth is not None:
            assert verdict.is_correct == rollout.truth, (rollout.problem_id, verdict)
            judged += 1
    assert judged == 47


def test_the_attack_suite_finds_nothing_on_the_recorded_problems():
    report = attack(JSONSchemaVerifier(), load_problems("json"))
    assert report.passed, str(report)
    assert report.false_pay_rate.n > 150 and report.false_rejection_rate.n > 35


def test_the_attack_suite_finds_nothing_on_a_fixed_schema():
    other = {**GOLD, "name": "Bo Day", "count": 8, "day": "2023-12-24", "tags": ["c"]}
    problems = [
        Problem("Fill in.", gold, domain="json", metadata={"schema": SCHEMA})
        for gold in (GOLD, other)
    ]
    report = attack(VERIFY, problems)
    assert report.passed, str(report)


# -- gold, constants, near misses


@given(GOLDS, st.sampled_from([None, 2]))
def test_a_reference_accepts_itself(gold: dict[str, Any], indent: int | None):
    assert VERIFY(json.dumps(gold, indent=indent), gold).status == "correct"
    assert VERIFY(json.dumps(gold), json.dumps(gold)).status == "correct"


CONSTANTS = [
    "",
    "{}",
    "[]",
    "null",
    "0",
    '{"name": "", "count": 0}',
    '{"name": "string", "count": 1234}',
    json.dumps(SCHEMA),
    json.dumps(GOLD),
    "I cannot answer.",
    '{"score": 1}',
    '{"name": null, "count": null}',
]


@given(GOLDS)
def test_no_constant_is_paid_for_every_reference(gold: dict[str, Any]):
    assume(gold["name"] not in ("Ann Lee", "string") and gold["count"] not in (7, 1234))
    assume(gold.get("tags") != ["a", "b"] and gold.get("where") != {"city": "Oslo"})
    assume(gold.get("day") != "2024-03-05" and abs(gold.get("price", 0) - 19.99) > 0.1)
    assert all(VERIFY(constant, gold).score == 0.0 for constant in CONSTANTS)


def changed(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        day = value[:4].isdigit() and value[4:5] == "-"
        return f"{value[:-2]}{'02' if value.endswith('01') else '01'}" if day else value + "x"
    if isinstance(value, list):
        return [*value, "x"]
    return value + 1


@given(GOLDS, st.randoms())
def test_one_changed_leaf_is_never_correct(gold: dict[str, Any], rng):
    path, value = rng.choice(list(leaves(gold)))
    wrong = copy.deepcopy(gold)
    holder = wrong["where"] if path.startswith("where.") else wrong
    holder[path.rpartition(".")[2]] = changed(value)
    verdict = VERIFY(json.dumps(wrong), gold)
    assert verdict.status in ("incorrect", "partial")
    assert path in verdict.reason


@given(GOLDS, st.sampled_from(["name", "count"]))
def test_a_missing_required_field_earns_nothing(gold: dict[str, Any], name: str):
    less = {key: value for key, value in gold.items() if key != name}
    assert VERIFY(json.dumps(less), gold).reason == "schema_violation: $: required"


@given(GOLDS, st.dictionaries(WORDS, st.integers(), min_size=1, max_size=3))
def test_names_that_nobody_knows_earn_nothing(gold: dict[str, Any], more: dict[str, int]):
    assume(not more.keys() & SCHEMA["properties"].keys())
    verdict = VERIFY(json.dumps({**gold, **more}), gold)
    assert (verdict.score, verdict.reason.split(":")[0]) == (0.0, "undeclared_field")


@given(GOLDS, GOLDS)
def test_credit_is_a_share_that_only_right_fields_raise(
    gold: dict[str, Any], other: dict[str, Any]
):
    report = VERIFY.report(json.dumps(other), gold)
    right = [f for f in report.fields if f.is_right and not f.is_free]
    assert report.verdict.score is not None
    assert (report.verdict.score > 0) == bool(right)


@given(GOLDS, GOLDS)
def test_two_values_side_by_side_are_no_answer(gold: dict[str, Any], other: dict[str, Any]):
    assume(gold != other)
    texts = [json.dumps(gold), json.dumps(other)]
    for one, two in (texts, texts[::-1]):
        assert VERIFY(f"{one}\nor\n{two}", gold).score == 0.0


# -- the grader's faults


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"name": "Ann"}, "gold_breaks_schema: $: required"),
        ({"name": "Ann", "count": float("nan")}, "gold_not_json"),
        ({"name": "Ann", "count": {1, 2}}, "gold_not_json"),
        ({"name": "Ann", 7: 1}, "gold_not_json"),
        ({"name": "Ann", "count": 1, "day": "soon"}, "gold_breaks_rule: day"),
        (None, "gold_breaks_schema: $: type"),
        ("see above", "gold_breaks_schema: $: type"),
        (json.loads("[" * 60 + "]" * 60), "gold_nested_too_deep"),
    ],
)
@pytest.mark.parametrize("response", ["{}", "", json.dumps(GOLD)])
def test_a_bad_reference_is_the_grader_s_fault_whatever_the_response(answer, reason, response):
    verdict = VERIFY(response, answer)
    assert (verdict.status, verdict.fault, verdict.reason) == ("ungraded", "grader", reason)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"a": 1}, "gold_without_schema"),
        ("text", "gold_without_schema"),
        ({"schema": {"type": "strin"}, "expected": 1}, "gold_schema_invalid"),
        ({"schema": 7, "expected": 1}, "gold_schema_invalid"),
        ({"schema": {}, "expected": 1, "rules": {"a": "fuzzy"}}, "gold_schema_invalid"),
        ({"schema": {}, "expected": 1, "rules": 7}, "gold_schema_invalid"),
        ({"schema": {}, "expected": 1, "source": 7}, "gold_schema_invalid"),
        ({"schema": {"const": {1}}, "expected": 1}, "gold_schema_not_json"),
    ],
)
def test_a_reference_with_a_bad_schema_is_the_grader_s_fault(answer, reason):
    verdict = JSONSchemaVerifier()("{}", answer)
    assert (verdict.status, verdict.reason.split(":")[0]) == ("ungraded", reason)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schema": {"type": "strin"}}, "invalid schema"),
        (
            {"schema": SCHEMA, "rules": {"nme": "caseless"}},
            "which the schema lacks; it has count, day",
        ),
        ({"schema": SCHEMA, "rules": {"name": "fuzzy"}}, "is not one of"),
        ({"schema": SCHEMA, "rules": {"name": "quote"}}, "needs source="),
        ({"schema": SCHEMA, "examples": [{1, 2}]}, "not a JSON value"),
        ({"rules": {"name": "exact"}}, "go in each reference"),
    ],
)
def test_a_caller_s_mistake_raises_at_construction(options: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        JSONSchemaVerifier(**options)


def test_a_value_of_another_type_says_so():
    verify = JSONSchemaVerifier({})
    assert verify("[7]", {"a": 7}).reason == "array_for_object"
    assert verify('"7"', 7).reason == "string_for_number"


# -- one protocol


def test_a_batch_is_the_calls_in_order():
    responses = [json.dumps(GOLD), "{}", "", '{"name": "Ann Lee", "count": 9}']
    assert VERIFY.verify_many(responses, [GOLD] * 4) == [VERIFY(r, GOLD) for r in responses]
    with pytest.raises(ValueError, match="1 responses but 2 answers"):
        VERIFY.verify_many([""], [GOLD, GOLD])


def test_a_response_that_is_no_text_is_no_answer():
    assert VERIFY(None, GOLD) == Verdict.no_answer("not_text: NoneType")  # type: ignore[arg-type]


def test_a_verifier_can_be_sent_to_another_process():
    import pickle

    sent = pickle.loads(pickle.dumps(VERIFY))
    assert sent(json.dumps(GOLD), GOLD).status == "correct"


@given(st.text(max_size=200))
def test_any_text_is_judged_the_same_twice(text: str):
    verdict = VERIFY(text, GOLD)
    assert verdict.score == 0.0 and verdict == VERIFY(text, GOLD)


HOSTILE_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SCHEMA["properties"], "city", "x"]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(HOSTILE_JSON)
def test_any_json_is_judged(value: Any):
    verdict = VERIFY(json.dumps(value), GOLD)
    assert verdict.status in ("correct", "incorrect", "partial", "no_answer")
    assert verdict.score is not None and verdict.to_json()


FLOODS = {
    "open braces": "{" * 100_000,
    "open brackets": "[" * 100_000,
    "nested objects": '{"where":' * 20_000 + "1" + "}" * 20_000,
    "unclosed objects": '{"name":' * 12_000,
    "quotes": '"' * 100_000,
    "backslashes": '{"name": "' + "\\" * 99_000 + '"}',
    "digits": '{"count": ' + "9" * 99_000 + "}",
    "an exponent": '{"count": 1e' + "9" * 50_000 + "}",
    "many names": json.dumps({str(n): n for n in range(8_000)}),
    "one name again": "{" + ",".join(['"name": "x"'] * 8_000) + "}",
    "many tags": json.dumps({**GOLD, "tags": ["a"] * 18_000}),
    "a long name": json.dumps({**GOLD, "name": "a" * 99_000}),
    "objects": '{"name": "x", "count": 1} ' * 3_800,
    "fences": "```json\n{}\n```\n" * 6_000,
    "open fences": "```json\n" * 12_000,
    "tags": "<answer>" * 12_000,
    "thoughts": "<think>" * 14_000,
    "spaces": " " * 100_000,
    "surrogates": '{"name": "' + "\\ud800" * 15_000 + '", "count": 7}',
    "a megabyte": "x" * 1_000_000,
}


@pytest.mark.parametrize("text", FLOODS.values(), ids=FLOODS)
def test_a_flood_is_judged_in_time_and_not_paid_in_full(text: str):
    started = time.process_time()
    verdict = VERIFY(text, GOLD)
    assert time.process_time() - started < 2.0
    assert verdict.status in ("incorrect", "no_answer", "partial")
