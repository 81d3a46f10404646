"""Figures from records: each makes one claim, returns its Axes and shows nothing.

The caller writes the title, since it states the finding. Colours are told apart by readers with
any colour vision (Okabe and Ito's palette) and never carry the meaning alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rlvr_course.pairs import PairReport
from rlvr_course.records import Sample
from rlvr_course.stats import Confusion, Rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rlvr_course.training.health.findings import HealthReport
    from rlvr_course.training.run import Run

WIDTH_INCHES = 7.0
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"


def rates(
    named_rates: Mapping[str, Rate | Sequence[Rate]],
    *,
    title: str = "",
    xlabel: str = "rate",
    suffix: str = " (dot) with 95% interval (line)",
    xlim: tuple[float, float] = (0.0, 1.0),
    ax: Axes | None = None,
) -> Axes:
    """A dot and its interval for each rate, from top to bottom in the order given.

    Args:
        named_rates: at least one; its n goes into the label. A rate without data has no dot.
            Several under one name, such as those of several seeds, share its row.
        title: the finding.
        xlabel: what the rate is a share of.
        suffix: follows the xlabel; "" where another panel or the title explains the marks.
        xlim: least and largest rate in sight; a narrow margin is added on both sides.
        ax: where to draw; a new figure if None.

    Raises:
        ValueError: no rates.
    """
    if not named_rates:
        raise ValueError("there are no rates to plot: give at least one")
    ax = _axes(ax, rows=len(named_rates))
    rows = {name: [r] if isinstance(r, Rate) else list(r) for name, r in named_rates.items()}
    if not all(rows.values()):
        raise ValueError("a name has no rates: give at least one for each")
    for row, several in enumerate(rows.values()):
        for place, rate in enumerate(several):
            _draw_rate(ax, rate, row + (place - (len(several) - 1) / 2) * 0.2, sum(xlim) / 2)
        if len(several) == 1 and several[0].value is not None:
            ax.annotate(
                f"{several[0].value:.2f}",
                (several[0].value, row),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
            )
    _label_rows(ax, [f"{name} ({_counts(several)})" for name, several in rows.items()])
    margin = 0.03 * (xlim[1] - xlim[0])
    ax.set_xlim(xlim[0] - margin, xlim[1] + margin)
    ax.set_xlabel(xlabel + suffix)
    return _finish(ax, title)


def _draw_rate(ax: Axes, rate: Rate, y: float, middle: float) -> None:
    if rate.value is None:
        ax.text(middle, y, "no data", ha="center", va="center", color=GREY)
        return
    ax.plot(rate.interval(), [y, y], color=BLUE, linewidth=2)
    ax.plot([rate.value], [y], "o", color=BLUE)


def _counts(several: Sequence[Rate]) -> str:
    """ "n=40" of one rate, "3 of n=40" of three alike, "n=40, 41" of two that differ."""
    counts = list(dict.fromkeys(rate.n for rate in several))
    times = f"{len(several)} of " if len(several) > 1 and len(counts) == 1 else ""
    return f"{times}n={', '.join(map(str, counts))}"


def training_curves(
    runs: Mapping[str, Sequence[Run]],
    curves: Mapping[str, str] | None = None,
    *,
    title: str = "",
) -> list[Axes]:
    """One panel for each curve, with a line for each run: how trainings went, side by side.

    Args:
        runs: at most three names; under each the runs of one recipe, the first drawn thicker.
        curves: at least one; the name of a share in a run's curves, and its panel's title. By
            default the shares of right answers, of refusals and of uniform groups.
        title: the finding, of the whole figure.

    Raises:
        ValueError: no curves, no runs or more than three names, or a run without a curve.
    """
    import matplotlib.pyplot as plt

    curves = _SHARES if curves is None else curves
    if not curves or not 1 <= len(runs) <= len(_LOOKS) or not all(runs.values()):
        raise ValueError(f"give a curve, and one to {len(_LOOKS)} names with runs")
    size = (1.2 * WIDTH_INCHES, 3.0)
    figure, grid = plt.subplots(
        1, len(curves), figsize=size, sharey=True, squeeze=False, layout="constrained"
    )
    figure.suptitle(title)
    axes = list(grid.flat)
    for (name, several), (colour, style) in zip(runs.items(), _LOOKS, strict=False):
        for place, run in enumerate(several):
            width, label = (0.7, None) if place else (2.0, f"{name}, seed {run.seed}")
            for ax, curve in zip(axes, curves, strict=True):
                shares = run.curve(curve)
                steps = range(1, len(shares) + 1)
                ax.plot(steps, shares, style, color=colour, linewidth=width, label=label)
    for ax, words in zip(axes, curves.values(), strict=True):
        ax.set_xlabel("training step")
        _finish(ax, words)
    axes[0].set_ylabel("share (thin: other seeds)")
    axes[0].set_ylim(-0.03, 1.03)
    axes[0].legend(frameon=False)
    return axes


_SHARES = {"accuracy": "right", "refusal": "refused", "uniform_groups": "uniform groups"}
_LOOKS = ((BLUE, "-"), (ORANGE, "-"), (GREY, "--"))


def reward_by_problem(
    groups: Sequence[Sequence[Sample]], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """The rewards of each group: one row a problem, one dot a reward with its count.

    Args:
        groups: at least one group, none of them empty.
        title: the finding.
        ax: where to draw; a new figure if None.

    Returns:
        The axes. Masked samples have no reward and are counted in the row's label.

    Raises:
        ValueError: no groups, or an empty one.
    """
    if not groups or not all(groups):
        raise ValueError("reward_by_problem needs at least one group, and samples in each")
    ax = _axes(ax, rows=len(groups))
    for row, group in enumerate(groups):
        counts = Counter(sample.reward for sample in group if sample.reward is not None)
        for reward, count in sorted(counts.items()):
            ax.scatter([reward], [row], s=90 + 20 * count, color=BLUE, zorder=2)
            ax.text(reward, row, str(count), ha="center", va="center", color="white", fontsize=8)
    _label_rows(ax, [_group_label(group, row) for row, group in enumerate(groups)])
    ax.margins(x=0.08)
    ax.set_xlabel("reward (the number in a dot counts its samples)")
    return _finish(ax, title)


def verifier_errors(confusion: Confusion, title: str = "", *, ax: Axes | None = None) -> Axes:
    """Two bars, right and wrong answers, each split into what the verifier did with them.

    Args:
        confusion: the counts; open and ungraded items are named below the axis.
        title: the finding.
        ax: where to draw; a new figure if None.
    """
    ax = _axes(ax, rows=3)
    rows = [
        (confusion.tp, "accepted", confusion.fn, "rejected: verifier error"),
        (confusion.tn, "rejected", confusion.fp, "paid: verifier error"),
    ]
    for row, (agreed, agreed_word, erred, erred_word) in enumerate(rows):
        ax.barh(row, agreed, height=0.5, color=BLUE)
        ax.barh(row, erred, left=agreed, height=0.5, color=ORANGE, hatch="//", edgecolor="white")
        words = [f"{agreed} {agreed_word}"] + ([f"{erred} {erred_word}"] if erred else [])
        ax.text(0, row - 0.32, ", ".join(words), va="bottom", ha="left")
    right, wrong = confusion.tp + confusion.fn, confusion.tn + confusion.fp
    _label_rows(ax, [f"right answers (n={right})", f"wrong answers (n={wrong})"])
    ax.set_ylim(1.5, -0.7)
    ax.set_xlabel(
        f"answers (not shown: {confusion.open} open, {confusion.ungraded} ungraded; "
        "hatched: verifier errors)"
    )
    return _finish(ax, title)


def pair_fates(
    reports: Mapping[str, PairReport], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """One bar for each report: its possible pairs, split into what became of them.

    Args:
        reports: at least one, by name, from top to bottom in the order given.
        title: the finding.
        ax: where to draw; a new figure if None.

    Raises:
        ValueError: no reports.
    """
    if not reports:
        raise ValueError("there are no reports to plot: give at least one")
    ax = _axes(ax, rows=2 * len(reports))
    for row, report in enumerate(reports.values()):
        left, words = 0, []
        for name, fates, colour, hatch in _FATES_DRAWN:
            n = report.possible_pairs - left if fates is None else _sum(report, fates)
            ax.barh(row, n, 0.4, left, color=colour, hatch=hatch, edgecolor="white")
            left += n
            words += [f"{n} {name}"] if n else []
        ax.text(0, row - 0.26, ", ".join(words), va="bottom", ha="left")
    _label_rows(ax, list(reports))
    ax.set_ylim(len(reports) - 0.5, -0.7)
    ax.set_xlabel("right × wrong pairs of the verdicts (hatched: left out as poison)")
    return _finish(ax, title)


_FATES_DRAWN: tuple[tuple[str, tuple[str, ...] | None, str, str], ...] = (
    ("kept", ("built",), BLUE, ""),
    ("poisoned", ("poisoned_loser", "false_winner", "flagged_winner"), ORANGE, "//"),
    ("open", ("open_winner", "open_loser"), GREY, ""),
    ("left out otherwise", None, "#cccccc", ""),
)


def _sum(report: PairReport, fates: Sequence[str]) -> int:
    return sum(report.fates[fate] for fate in fates)


def health(report: HealthReport, *, title: str = "") -> list[Axes]:
    """The curves that the health panel reads, each finding marked where it began.

    Args:
        report: of ``training.health.health``.
        title: of the whole figure; the report's first line if "".

    Returns:
        A panel for each of reward, truth (with the run's own verifier where that says something
        else), refusals, entropy, KL, uniform groups and cut completions that the run has.

    Raises:
        ValueError: the run has none of these curves.
    """
    import matplotlib.pyplot as plt

    curves = report.vitals.curves
    shown = [panel for panel in _HEALTH_PANELS if any(panel[0] in row for row in curves)]
    if not shown:
        raise ValueError(f"run {report.vitals.name!r} has no curve that the panel draws")
    rows = (len(shown) + 1) // 2
    figure, grid = plt.subplots(
        rows,
        2,
        figsize=(1.4 * WIDTH_INCHES, 0.6 + 1.9 * rows),
        layout="constrained",
        sharex=True,
        squeeze=False,
    )
    figure.suptitle(title or str(report).splitlines()[0])
    axes = list(grid.flat)
    for spare in axes[len(shown) :]:
        spare.remove()
    for ax, (name, label, marked_by) in zip(axes, shown, strict=False):
        _health_panel(ax, report, name, label)
        begun = [finding for finding in report.findings if finding.curve in marked_by]
        for finding in begun:
            ax.axvline(finding.step, color=ORANGE, linestyle="--", linewidth=1)
        _finish(ax, "; ".join(f"{finding.name} (step {finding.step})" for finding in begun))
        ax.title.set_fontsize("medium")
    for ax in axes[max(0, len(shown) - 2) : len(shown)]:
        ax.set_xlabel("step")
        ax.tick_params(labelbottom=True)
    return axes[: len(shown)]


_HEALTH_PANELS = (
    ("reward", "mean reward", ("reward_std", "partial_none")),
    ("accuracy", "share", ("proxy",)),
    ("refusal", "share refused", ("refusal",)),
    ("entropy", "entropy\n(nats per token)", ("entropy",)),
    ("kl", "KL from the start\n(nats per token)", ("kl",)),
    ("frac_reward_zero_std", "share of\nuniform groups", ("frac_reward_zero_std",)),
    ("clipped_ratio", "share cut", ("clipped_ratio",)),
)
"""Curve, label, and the curves of those findings that are marked there."""


def _health_panel(ax: Axes, report: HealthReport, name: str, label: str) -> None:
    rows = [row for row in report.vitals.curves if name in row]
    steps = [row["step"] for row in rows]
    if name == "accuracy" and any(row.get("proxy", row[name]) != row[name] for row in rows):
        proxy = [row.get("proxy", row[name]) for row in rows]
        ax.plot(steps, proxy, color=GREY, linestyle=":", label="by its own verifier")
        ax.plot(steps, [row[name] for row in rows], color=BLUE, label="right")
        ax.legend(frameon=False, fontsize="small")
    else:
        ax.plot(steps, [row[name] for row in rows], color=BLUE)
    ax.set_ylabel(f"{label} right" if name == "accuracy" and not ax.get_legend() else label)
    if label.startswith("share"):
        ax.set_ylim(-0.03, 1.03)


def _axes(ax: Axes | None, *, rows: int) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    height = 1.2 + 0.42 * rows
    return plt.subplots(figsize=(WIDTH_INCHES, height), layout="constrained")[1]


def _label_rows(ax: Axes, labels: Sequence[str]) -> None:
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def _group_label(group: Sequence[Sample], row: int) -> str:
    masked = sum(sample.reward is None for sample in group)
    name = group[0].problem.id or f"group {row}"
    return f"{name} (n={len(group)}, {masked} masked)" if masked else f"{name} (n={len(group)})"


def _finish(ax: Axes, title: str) -> Axes:
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.grid(axis="x", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    if title:
        ax.set_title(title, loc="left", wrap=True)
    return ax
