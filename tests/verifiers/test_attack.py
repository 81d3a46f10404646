"""The attack-and-honest suite finds each planted error, and none in MathVerifier."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course import MathVerifier, Problem, Verdict, attack, load_problems, naive_verify
from rlvr_course.stats import Rate
from rlvr_course.verifiers import any_domain
from rlvr_course.verifiers.attack import AttackReport
from rlvr_course.verifiers.candidates import HONEST, HOSTILE, honest, hostile
from rlvr_course.verifiers.near_misses import perturbed

TWO = [Problem("What is 12 * 13?", "156"), Problem("What is 9000 + 500?", "9500")]
NUMBER_FORMS = 4
"""Further honest candidates of a whole number."""


def kinds(rows: tuple[Any, ...]) -> Counter[str]:
    return Counter(row.kind for row in rows)


def test_nothing_is_found_in_the_package_s_verifier_on_any_recorded_problem():
    report = attack(MathVerifier(), load_problems("math"))
    assert report.passed, str(report)
    tried = kinds(report.rows)
    assert all(tried[kind] == 40 for kind in (*HOSTILE, *HONEST))


def test_the_naive_rule_s_errors_are_counted_by_kind():
    report = attack(naive_verify, TWO)
    paid = ["refusal with the reference", "withdrawn", "hedge", "only in thought",
            "unfinished thought"]  # fmt: skip
    assert kinds(report.false_pays) == dict.fromkeys(paid, 2)
    rejected = {"after a withdrawn guess": 2, "unit in the box": 2, "digit groups": 1}
    assert kinds(report.false_rejections) == rejected
    assert report.escapes == report.failures == report.unstable == ()


def test_a_verifier_that_always_pays_pays_every_hostile_candidate():
    report = attack(lambda response, answer: True, TWO)
    assert kinds(report.false_pays) == dict.fromkeys(HOSTILE, 2)
    assert report.false_rejections == ()


def test_a_verifier_that_never_pays_rejects_every_honest_candidate():
    report = attack(lambda response, answer: 0.0, TWO)
    assert len(report.false_rejections) == 2 * (len(HONEST) + NUMBER_FORMS)
    assert report.false_pays == ()


def partial(response: str, answer: str) -> float:
    return 1.0 if MathVerifier()(response, answer).is_correct else 0.1 * (response == "")


def substring(response: str, answer: str) -> bool:
    return answer in response


SUBSTRING = ["refusal with the reference", "withdrawn", "hedge", "either in the box", "many boxes",
             "only in thought", "unfinished thought", "mentioned in passing", "denied",
             "reference in a longer number"]  # fmt: skip


def test_credit_for_a_substring_is_found():
    report = attack(substring, TWO[:1])
    assert sorted(kinds(report.false_pays)) == sorted(SUBSTRING)


def test_a_tenth_of_a_point_for_nothing_is_a_false_pay():
    assert kinds(attack(partial, TWO).false_pays) == {"empty": 2}


def on(kind: str, reply: Callable[[], Any]) -> Callable[[str, str], Any]:
    """The package's verifier, but for one hostile kind."""
    texts = {HOSTILE[kind](problem) for problem in TWO}

    def verifier(response: str, answer: str) -> Any:
        return reply() if response in texts else MathVerifier()(response, answer)

    return verifier


def crash() -> Any:
    raise RecursionError("too deep")


def leave() -> Any:
    raise SystemExit(0)


def outage() -> Any:
    raise ConnectionError("gone")


TURNS = itertools.cycle([Verdict.no_answer("empty"), Verdict.incorrect("", "different_number")])
PLANTED = {
    "crash": ("deep nesting", crash, "failures"),
    "exit": ("code that exits", leave, "failures"),
    "outage": ("deep nesting", outage, "failures"),
    "odd reply": ("not a number", lambda: None, "failures"),
    "nan": ("not a number", lambda: float("nan"), "failures"),
    "escape": ("power tower", lambda: Verdict.ungraded("timeout"), "escapes"),
    "pay": ("broken formula", lambda: True, "false_pays"),
    "unstable": ("blank", lambda: next(TURNS), "unstable"),
}


@pytest.mark.parametrize(("kind", "reply", "found"), PLANTED.values(), ids=PLANTED)
def test_one_planted_error_is_found_and_no_other(kind: str, reply: Callable[[], Any], found: str):
    report = attack(on(kind, reply), TWO)
    assert kinds(getattr(report, found)) == {kind: 2}
    assert sum(bool(row.error) for row in report.rows) == 2
    assert not report.passed


def test_an_ungraded_honest_candidate_is_a_false_rejection():
    report = attack(lambda response, answer: Verdict.ungraded("down"), TWO)
    assert len(report.false_rejections) == 2 * (len(HONEST) + NUMBER_FORMS)
    assert kinds(report.escapes) == dict.fromkeys(HOSTILE, 2)


def test_own_candidates_and_given_honest_ones_are_tried():
    problem = Problem("Say 7.", "7", metadata={"honest": [r"\boxed{VII}"]})
    report = attack(MathVerifier(), [problem], hostile=lambda p: [("mine", r"\boxed{7}")])
    assert [(row.kind, row.error) for row in report.rows if row.error] == [
        ("mine", "false pay"),
        ("given", "false rejection"),
    ]


def test_no_problems_are_the_caller_s_mistake():
    with pytest.raises(ValueError, match="at least one problem"):
        attack(naive_verify, [])


# -- the report


@pytest.fixture(scope="module")
def report() -> AttackReport:
    return attack(naive_verify, TWO)


def test_a_report_prints_counts_and_an_example_of_each_kind(report: AttackReport):
    first, *lines = str(report).splitlines()
    tried = 2 * (len(HOSTILE) + len(HONEST) + NUMBER_FORMS)
    counts = "10 false pays, 5 false rejections, 0 escapes, 0 failures, 0 unstable"
    assert first == f"{tried} candidates: {counts}"
    assert lines[-1].strip() == (
        r"1 of 2   false rejection: digit groups: '\\boxed{9{,}500}' for '9500'"
    )
    shares = "10 of 70 hostile (0.14); false rejections: 5 of 22 honest (0.23)"
    assert lines[0].strip() == f"false pays: {shares}"
    assert len(lines) == 9


def test_a_report_is_a_table_without_live_markup(report: AttackReport):
    html = report._repr_html_()
    assert html.count("<tr>") == 9  # a head and eight kinds
    assert "&lt;think&gt;" in html and "<think>" not in html


def test_a_clean_report_is_its_counts_and_rates():
    clean = attack(MathVerifier(), TWO)
    assert str(clean) == f"{clean.summary}\n  {clean.rates}"
    assert "<table" not in clean._repr_html_()


# -- candidates


@pytest.mark.parametrize("problem", load_problems("math"), ids=lambda p: p.id)
def test_candidates_are_named_once_and_differ_from_honest_ones(problem: Problem):
    bad, good = list(hostile(problem)), list(honest(problem))
    assert [kind for kind, _ in bad] == list(HOSTILE)
    assert len({kind for kind, _ in good}) == len(good)
    assert not {text for _, text in bad} & {text for _, text in good}


@given(st.from_regex(r"[A-Za-z0-9 +*/^().,-]{1,12}", fullmatch=True))
def test_a_perturbed_answer_is_another_text(answer: str):
    assert perturbed(answer) != answer


@given(st.integers(-(10**12), 10**12))
def test_a_perturbed_integer_is_one_step_away(value: int):
    assert abs(int(perturbed(str(value))) - value) == 1


def test_a_problem_whose_reference_is_no_text_has_no_ready_made_honest_candidates():
    assert list(honest(Problem("Sort.", {"tests": []}, domain="code"))) == []


# -- any domain, by honest pairs

DAYS = [
    ("2024-03-05", "2024-03-05"),
    ("So it was on 2023-12-24.", "2023-12-24"),
    ("The day is 2024-03-05.", "2024-03-05"),
]


def last_day(response: str, answer: str) -> bool:
    """A fair verifier of a domain of one's own: the last day of a visible, short reply."""
    visible = response.rpartition("</think>")[2]
    found = re.findall(r"\d{4}-\d\d-\d\d", visible)
    is_sure = "<think>" not in visible and "either" not in visible and len(set(found)) == 1
    return is_sure and found[-1] == answer


def test_a_fair_verifier_of_an_own_domain_passes():
    report = attack(last_day, honest=DAYS)
    assert report.passed, str(report)
    assert report.false_rejection_rate == Rate(0, 3)


def test_every_neutral_kind_is_tried_on_every_answer():
    tried = kinds(row for row in attack(last_day, honest=DAYS).rows if not row.is_honest)
    wanted = {
        *any_domain.NOTHING,
        *any_domain.MADE_OF_RIGHT,
        *any_domain.MADE_OF_TWO,
        "look-alikes",
    }
    assert tried == dict.fromkeys(wanted, 2)


def test_both_rates_are_counted_with_their_n():
    always, never = (attack(lambda r, a, p=pay: p, honest=DAYS) for pay in (True, False))
    n = 2 * (len(any_domain.NOTHING) + len(any_domain.MADE_OF_RIGHT) + len(any_domain.MADE_OF_TWO))
    assert (always.false_pay_rate, always.false_rejection_rate) == (Rate(n + 2, n + 2), Rate(0, 3))
    assert (never.false_pay_rate, never.false_rejection_rate) == (Rate(0, n + 2), Rate(3, 3))


PLANTED_IN_AN_OWN_DOMAIN = {
    "first of several": (lambda r, a: r.startswith(a), {"two answers"}),
    "any day": (
        lambda r, a: re.fullmatch("[0-9-]{10}", r) is not None,
        {"reference of another problem"},
    ),
    "says so itself": (lambda r, a: '"score": 1' in r, {"forged verdict"}),
    "shape alone": (lambda r, a: r in ("{}", "[]"), {"empty object", "empty list"}),
    "reads thoughts": (lambda r, a: r == f"<think>{a}", {"unfinished thought"}),
    "forgiving letters": (lambda r, a: r.replace("О", "0").replace("Ѕ", "5") == a, {"look-alikes"}),
}


@pytest.mark.parametrize(
    ("verifier", "found"), PLANTED_IN_AN_OWN_DOMAIN.values(), ids=PLANTED_IN_AN_OWN_DOMAIN
)
def test_a_planted_error_of_an_own_verifier_is_found(verifier: Any, found: set[str]):
    bare = [(answer, answer) for _, answer in DAYS[:2]]
    assert set(kinds(attack(verifier, honest=bare).false_pays)) == found


def test_pairs_join_the_problem_with_their_answer_and_its_question_is_echoed():
    problem = Problem("Which day?", "2024-03-05", domain="days")
    report = attack(last_day, [problem], honest=DAYS)
    assert kinds(report.rows)["echoed question"] == 1
    assert sum(row.is_honest and row.problem is problem for row in report.rows) == 2


def test_a_lone_answer_is_tried_beside_its_near_miss():
    tried = {row.kind: row.response for row in attack(last_day, honest=DAYS[:1]).rows}
    assert tried["two answers"] == "2024-03-05\n\n2024-03-06"


def test_a_right_response_to_the_same_answer_is_no_attack():
    problems = [
        Problem(
            f"{name}?", "2024-03-05", domain="days", metadata={"honest": [f"{name}: 2024-03-05"]}
        )
        for name in ("Start", "End")
    ]
    report = attack(last_day, problems, honest=[])
    assert report.passed, str(report)
    tried = [row.response for row in report.rows if row.kind == "reference of another problem"]
    assert tried == ["Start: 2024-03-06", "End: 2024-03-06"]


def test_a_schema_and_an_input_are_echoed():
    answer = {"schema": {"type": "object"}, "expected": {"a": 7}, "input": "seven"}
    report = attack(lambda r, a: False, [Problem("Fill in.", answer, domain="own")])
    tried = {row.kind: row.response for row in report.rows}
    assert (tried["echoed schema"], tried["echoed input"]) == ('{"type": "object"}', "seven")


def test_a_kind_can_be_skipped_and_an_unknown_one_not():
    kind = "reference of another problem"
    assert kind not in kinds(attack(last_day, honest=DAYS, skip=[kind]).rows)
    with pytest.raises(ValueError, match="of the kind 'typo'"):
        attack(last_day, honest=DAYS, skip=["typo"])
