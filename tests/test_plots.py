"""Figures hold what the records say, and show nothing by themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes

from rlvr_course import plots
from rlvr_course.pairs import PairReport
from rlvr_course.records import Problem, Sample
from rlvr_course.stats import Confusion, Rate
from rlvr_course.training import load_run
from rlvr_course.training.health import health


@pytest.fixture(autouse=True)
def no_display() -> Iterator[None]:
    matplotlib.use("agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def group(name: str, rewards: list[float | None]) -> list[Sample]:
    problem = Problem("?", "1", name)
    return [Sample(problem, "", "", r, None if r is None else r > 0) for r in rewards]


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def rows(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def test_rates_are_drawn_as_value_and_interval() -> None:
    ax = plots.rates({"naive": Rate(50, 100)}, title="Half are found")
    interval, dot = (list(map(float, line.get_xdata())) for line in ax.lines)
    assert interval == pytest.approx([0.40383, 0.59617], abs=1e-5)
    assert dot == [0.5]
    assert rows(ax) == ["naive (n=100)"]
    assert ax.get_title(loc="left") == "Half are found"


def test_rates_under_one_name_share_its_row() -> None:
    ax = plots.rates(
        {"three": [Rate(1, 4), Rate(2, 4), Rate(3, 4)], "two": [Rate(0, 5), Rate(6, 6)]}
    )
    assert rows(ax) == ["three (3 of n=4)", "two (n=5, 6)"]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [np.asarray(dot.get_xdata())[0] for dot in dots] == [0.25, 0.5, 0.75, 0.0, 1.0]
    assert [round(np.asarray(dot.get_ydata())[0], 6) for dot in dots] == [-0.2, 0.0, 0.2, 0.9, 1.1]


def test_a_name_without_rates_is_refused() -> None:
    with pytest.raises(ValueError, match="a name has no rates"):
        plots.rates({"none": []})


def test_training_curves_have_a_panel_for_each_curve_and_a_line_for_each_run() -> None:
    runs = [load_run(name) for name in ("clerk-0.1", "clerk-1.0")]
    axes = plots.training_curves({"light": runs[:1], "both": runs}, {"refusal": "refused"})
    assert [ax.get_title(loc="left") for ax in axes] == ["refused"]
    assert [np.asarray(line.get_ydata()).tolist() for line in axes[0].lines] == [
        runs[0].curve("refusal"),
        runs[0].curve("refusal"),
        runs[1].curve("refusal"),
    ]


@pytest.mark.parametrize("names", [0, 4])
def test_curves_of_no_or_too_many_names_are_refused(names: int) -> None:
    run = load_run("clerk-0.1")
    with pytest.raises(ValueError, match="one to 3 names with runs"):
        plots.training_curves({str(n): [run] for n in range(names)})


def test_a_rate_without_data_has_no_dot() -> None:
    ax = plots.rates({"none": Rate(0, 0)})
    assert len(ax.lines) == 0
    assert texts(ax) == ["no data"]


def test_rates_are_drawn_over_the_range_and_with_the_label_asked_for() -> None:
    ax = plots.rates({"a": Rate(1, 9)}, xlabel="false alarms", suffix="", xlim=(0.0, 0.5))
    assert ax.get_xlim() == pytest.approx((-0.015, 0.515))
    assert ax.get_xlabel() == "false alarms"


def test_the_first_rate_is_on_top() -> None:
    ax = plots.rates({"a": Rate(1, 2), "b": Rate(1, 3)})
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert rows(ax) == ["a (n=2)", "b (n=3)"]


def test_rewards_are_counted_by_problem_and_masked_samples_named() -> None:
    ax = plots.reward_by_problem([group("p1", [1.0, 1.0, -0.1]), group("p2", [None, 1.0])])
    assert texts(ax) == ["1", "2", "1"]
    assert rows(ax) == ["p1 (n=3)", "p2 (n=2, 1 masked)"]


def test_verifier_errors_are_counted_where_they_are() -> None:
    ax = plots.verifier_errors(Confusion(tp=101, fp=1, fn=47, tn=163, open=8), "Strict")
    assert [bar.get_width() for bar in ax.patches] == [101, 47, 163, 1]
    assert texts(ax) == [
        "101 accepted, 47 rejected: verifier error",
        "163 rejected, 1 paid: verifier error",
    ]
    assert rows(ax) == ["right answers (n=148)", "wrong answers (n=164)"]
    assert "8 open" in ax.get_xlabel()


def test_pairs_are_split_into_what_became_of_them() -> None:
    fates = Counter(built=5, poisoned_loser=2, flagged_winner=1, open_loser=4, over_cap=3)
    ax = plots.pair_fates({"naive": PairReport(fates=fates)})
    assert [(bar.get_x(), bar.get_width()) for bar in ax.patches] == [
        (0, 5),
        (5, 3),
        (8, 4),
        (12, 3),
    ]
    assert texts(ax) == ["5 kept, 3 poisoned, 4 open, 3 left out otherwise"]
    assert rows(ax) == ["naive"]


def test_no_reports_are_refused() -> None:
    with pytest.raises(ValueError, match="no reports"):
        plots.pair_fates({})


def test_a_figure_can_be_drawn_into_given_axes() -> None:
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    assert plots.rates({"a": Rate(1, 2)}, ax=ax) is ax


@pytest.mark.parametrize("groups", [[], [[]]], ids=["none", "empty"])
def test_groups_without_samples_are_refused(groups: list[list[Sample]]) -> None:
    with pytest.raises(ValueError, match="at least one group"):
        plots.reward_by_problem(groups)


def test_no_rates_are_refused() -> None:
    with pytest.raises(ValueError, match="no rates"):
        plots.rates({})


def test_health_marks_each_finding_where_it_began() -> None:
    rows = [{"step": n, "reward": 0.1, "kl": 3.0 if n > 4 else 0.0} for n in range(1, 11)]
    reward, kl = plots.health(health(rows))
    assert len(reward.lines) == 1 and reward.get_title(loc="left") == ""
    curve, mark = kl.lines
    assert list(curve.get_xdata()) == list(range(1, 11))
    assert list(mark.get_xdata()) == [5, 5]
    assert kl.get_title(loc="left") == "KL blow-up (step 5)"


def test_health_shows_truth_beside_the_run_s_own_verifier() -> None:
    rows = [{"step": n, "accuracy": 0.1, "proxy": 0.1 * n} for n in range(1, 6)]
    [ax] = plots.health(health(rows), title="A leak")
    assert [line.get_label() for line in ax.lines] == ["by its own verifier", "right"]
    assert ax.figure.get_suptitle() == "A leak"


def test_a_run_without_a_curve_of_the_panel_is_refused() -> None:
    with pytest.raises(ValueError, match="no curve that the panel draws"):
        plots.health(health([{"step": 1, "loss": 0.5}]))
