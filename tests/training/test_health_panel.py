"""The panel names what was planted, and is quiet on runs that are well."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlvr_course.training.health import CHECKS, Vitals, health
from rlvr_course.training.health.of_rewards import uniform_share
from rlvr_course.training.health.scores import ANY, score_health
from rlvr_course.training.health.sick import HEALTHY, SICK, load_healthy, load_sick
from rlvr_course.training.recorded import recorded_run

CURVES = (
    *("reward", "reward_std", "accuracy", "proxy", "refusal", "entropy", "kl"),
    *("clipped_ratio", "frac_reward_zero_std", "partial_none"),
)


def rows(n: int = 12, **curves: float | list[float]) -> list[dict[str, float]]:
    """A row for each step; a curve is one number throughout, or one for each step."""
    columns = {k: v if isinstance(v, list) else [v] * n for k, v in curves.items()}
    return [{"step": i + 1, **{k: v[i] for k, v in columns.items()}} for i in range(n)]


def vitals(n: int = 12, *, samples: int = 128, **curves: float | list[float]) -> Vitals:
    return Vitals("made up", "made up", rows(n, **curves), samples_per_step=samples, group_size=8)


def names(run: object) -> list[str]:
    return health(run).names  # type: ignore[arg-type]


def test_a_run_of_every_sickness_is_planted() -> None:
    assert set(SICK) == set(CHECKS) and len(SICK) == 9


@pytest.mark.parametrize("sickness", SICK)
def test_a_planted_sickness_is_named_and_no_other_cause(sickness: str) -> None:
    assert names(load_sick(sickness)) == [sickness]


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_run_is_left_in_peace(name: str) -> None:
    run = recorded_run(name)
    assert run is not None
    assert health(run).findings == []


def test_runs_without_the_mistake_are_left_in_peace() -> None:
    controls = load_healthy()[len(HEALTHY) :]
    assert [health(control).findings for control in controls] == [[], [], []]


def test_a_leak_shows_in_preference_pairs_too() -> None:
    run = recorded_run("lister-dpo-leaky")
    assert run is not None
    assert health(run).names == ["proxy up while truth is down"]


def test_the_panel_is_scored_on_both_errors() -> None:
    table = score_health()
    n_healthy = len(load_healthy())
    for check in CHECKS:
        assert (table[check].recall.successes, table[check].recall.n) == (1, 1)
        assert (table[check].false_alarms.successes, table[check].false_alarms.n) == (0, n_healthy)
    assert (table[ANY].recall.successes, table[ANY].recall.n) == (9, 9)


def test_a_score_counts_misses_and_false_alarms() -> None:
    well, sick = vitals(reward_std=0.4), vitals(reward_std=0.0)
    table = score_health({"constant reward": [sick, well]}, [well, sick])
    assert (table["constant reward"].recall.successes, table["constant reward"].recall.n) == (1, 2)
    assert table[ANY].false_alarms.successes == 1


def test_a_score_of_an_unknown_sickness_is_refused() -> None:
    with pytest.raises(ValueError, match="sickness 'measles' is not one of"):
        score_health({"measles": []}, [])


@pytest.mark.parametrize(
    ("curves", "named"),
    [
        pytest.param({"reward_std": 0.0, "reward": 1.0}, ["constant reward"], id="constant"),
        pytest.param({"reward_std": 0.0, "accuracy": 0.97}, [], id="constant, for it is solved"),
        pytest.param({"frac_reward_zero_std": 0.79, "accuracy": 0.1}, [], id="many uniform"),
        pytest.param(
            {"frac_reward_zero_std": 0.81, "accuracy": 0.1}, ["uniform groups"], id="most uniform"
        ),
        pytest.param({"frac_reward_zero_std": 0.95, "accuracy": 0.9}, [], id="uniformly right"),
        pytest.param({"clipped_ratio": 0.24}, [], id="some cut"),
        pytest.param({"clipped_ratio": 0.26}, ["clipped completions"], id="many cut"),
        pytest.param({"kl": 1.9}, [], id="far"),
        pytest.param({"kl": 2.1}, ["KL blow-up"], id="too far"),
        pytest.param({"refusal": 0.95}, [], id="refused all along"),
        pytest.param({"refusal": [0.1] * 6 + [0.95] * 6}, ["refusal collapse"], id="refuses now"),
        pytest.param({"refusal": [0.1] * 6 + [0.75] * 6}, [], id="refuses a lot"),
        pytest.param({"partial_none": [0.0] * 11 + [0.01]}, ["partial None"], id="one None"),
        pytest.param(
            {"entropy": [1.0] + [0.04] * 11, "accuracy": 0.3}, ["entropy collapse"], id="certain"
        ),
        pytest.param({"entropy": [1.0] + [0.04] * 11, "accuracy": 0.9}, [], id="certain and right"),
        pytest.param({"entropy": [1.0] + [0.06] * 11, "accuracy": 0.3}, [], id="surer"),
    ],
)
def test_each_threshold_parts_sick_from_well(curves: dict, named: list[str]) -> None:
    assert names(vitals(**curves)) == named


@pytest.mark.parametrize(
    ("proxy", "truth", "named"),
    [
        pytest.param(0.8, 0.1, True, id="one up, the other down"),
        pytest.param(0.8, 0.3, False, id="truth stays"),
        pytest.param(0.8, 0.5, False, id="both up"),
        pytest.param(0.35, 0.1, False, id="proxy hardly up"),
        pytest.param(0.1, 0.1, False, id="both down"),
    ],
)
def test_proxy_and_truth_must_part(proxy: float, truth: float, named: bool) -> None:
    run = vitals(proxy=[0.3] * 6 + [proxy] * 6, accuracy=[0.3] * 6 + [truth] * 6)
    assert ("proxy up while truth is down" in names(run)) is named


def test_a_few_samples_do_not_part_proxy_from_truth() -> None:
    curves = {"proxy": [0.3] * 6 + [0.5] * 6, "accuracy": [0.3] * 6 + [0.2] * 6}
    assert names(vitals(samples=4, **curves)) == []
    assert names(vitals(samples=400, **curves)) == ["proxy up while truth is down"]


@pytest.mark.parametrize(
    ("template", "cut", "named"),
    [
        pytest.param("not applied", 1.0, ["chat template not applied"], id="plain, endless"),
        pytest.param("not applied", 0.1, [], id="plain, yet it ends"),
        pytest.param("applied", 1.0, ["clipped completions"], id="messages, too long"),
        pytest.param("none", 1.0, ["clipped completions"], id="no template, too long"),
    ],
)
def test_the_template_is_blamed_only_where_it_is_missing(
    template: str, cut: float, named: list[str]
) -> None:
    run = Vitals("run", "run", rows(clipped_ratio=cut), template=template)  # type: ignore[arg-type]
    assert names(run) == named


def test_what_a_cause_explains_is_told_with_it() -> None:
    report = health(load_sick("KL blow-up"))
    assert report.names == ["KL blow-up"]
    others = {finding.name: finding.follows for finding in report.findings}
    assert others["uniform groups"] == others["constant reward"] == "KL blow-up"
    assert "and so: constant reward" in str(report) and "<th" in report._repr_html_()


def test_a_later_cause_explains_nothing_that_came_long_before() -> None:
    run = vitals(
        40, frac_reward_zero_std=[0.9] * 10 + [0.1] * 30, clipped_ratio=[0.0] * 30 + [0.9] * 10
    )
    assert names(run) == ["uniform groups", "clipped completions"]


def test_a_finding_that_is_over_says_so() -> None:
    text = str(health(vitals(20, clipped_ratio=[0.9] * 8 + [0.0] * 12)))
    assert "clipped completions, steps 1 to 11, over since" in text


def test_evidence_of_a_share_has_n_and_interval() -> None:
    [finding] = health(vitals(clipped_ratio=0.5)).findings
    assert finding.evidence.startswith("0.50 [0.46, 0.54] (n=640, steps 1 to 5) of completions")


def test_uniform_groups_are_set_beside_what_chance_makes() -> None:
    [finding] = health(vitals(frac_reward_zero_std=0.9, proxy=0.02)).findings
    assert "0.85 are expected at its solve rate of 0.02" in finding.evidence  # .98^8 = .851
    assert "larger groups" in finding.remedy
    [finding] = health(vitals(frac_reward_zero_std=0.9, proxy=0.5)).findings
    assert "0.01 are expected" in finding.evidence and "temperature" in finding.remedy


def test_refusal_is_set_beside_its_price() -> None:
    report = health(load_sick("refusal collapse"))
    assert "answering pays above a chance of 0.50" in report.causes[0].evidence
    assert "lower the price of a wrong one" in report.causes[0].remedy


@pytest.mark.parametrize(
    ("right", "refused", "named"),
    [
        pytest.param(0.3, 0.6, True, id="answers pay, and are refused"),
        pytest.param(0.3, 0.45, False, id="answers pay, most are tried"),
        pytest.param(0.1, 0.6, False, id="answers hardly pay"),  # .11 of those tried; .09 needed
        pytest.param(0.1, 0.95, True, id="answers hardly pay, nearly all refused"),
    ],
)
def test_fewer_refusals_are_too_many_where_answers_pay(
    right: float, refused: float, named: bool
) -> None:
    curves = rows(refusal=[0.1] * 6 + [refused] * 6, accuracy=right)
    run = Vitals("run", "run", curves, samples_per_step=128, wrong=-0.1, refusal=0.0)
    assert names(run) == (["refusal collapse"] if named else [])


def test_a_quiet_report_says_what_was_looked_at_and_what_was_not() -> None:
    report = health(rows(reward_std=0.4, reward=0.1))
    assert report.ok and str(report).startswith("Health of log: nothing found")
    assert report.seen == ["constant reward"] and set(report.unseen) == set(CHECKS) - {
        "constant reward"
    }
    assert "KL blow-up (no kl in the log" in str(report)


def test_a_run_that_samples_nothing_is_judged_by_its_evaluations() -> None:
    run = recorded_run("cipher-sft")
    assert run is not None
    assert "entropy collapse" in health(run).seen and "uniform groups" in health(run).unseen


def test_names_from_outside_are_escaped() -> None:
    run = Vitals("<script>", "run", rows(kl=9.0))
    assert "<script>" not in health(run)._repr_html_()


_SHARES = st.floats(0.0, 1.0) | st.just(float("nan"))


@given(
    st.integers(1, 14).flatmap(
        lambda n: st.fixed_dictionaries(
            {}, optional={name: st.lists(_SHARES, min_size=n, max_size=n) for name in CURVES}
        ).map(lambda curves: rows(n, **curves))
    )
)
def test_any_curves_give_a_report_that_adds_up(curves: list[dict[str, float]]) -> None:
    report = health(Vitals("any", "any", curves, samples_per_step=16, group_size=4))
    assert {*report.seen, *report.unseen} == set(CHECKS)
    assert len(report.seen) + len(report.unseen) == len(CHECKS)
    found = {finding.name for finding in report.findings}
    assert found <= set(report.seen)
    assert all(1 <= f.step <= f.until <= len(curves) for f in report.findings)
    assert {f.follows for f in report.findings} <= {"", *report.names}
    assert report.ok == (report.names == []) and str(report)


@given(st.floats(0.0, 1.0), st.integers(1, 64))
def test_expected_uniform_groups_are_a_share_and_symmetric(p: float, n: int) -> None:
    share = uniform_share(p, n)
    assert 0.0 <= share <= 1.0
    assert share == pytest.approx(uniform_share(1.0 - p, n))
    assert share >= 0.5 ** (n - 1) - 1e-12  # least where right and wrong are equally likely


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(1, 16))
def test_unequal_questions_make_more_uniform_groups(p: float, q: float, n: int) -> None:
    mixed = (uniform_share(p, n) + uniform_share(q, n)) / 2
    assert mixed >= uniform_share((p + q) / 2, n) - 1e-12


@pytest.mark.parametrize(("p", "n"), [(-0.1, 8), (1.1, 8), (0.5, 0)])
def test_an_impossible_solve_rate_is_refused(p: float, n: int) -> None:
    with pytest.raises(ValueError, match="give a share"):
        uniform_share(p, n)
