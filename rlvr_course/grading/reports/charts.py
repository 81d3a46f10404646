"""A distribution as an inline SVG, in the page's own colours."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rlvr_course.grading.reports.tables import number

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 40, 20, 20, 46
MOST_BARS = 12


def distribution(points: Sequence[float], max_points: float) -> str:
    """How many have how many points.

    Args:
        points: one value for each learner, 0 to ``max_points``.
        max_points: what the notebook is worth, above 0.

    Returns:
        SVG with a label of its own for those who can't see it; "" without values.
    """
    if not points or max_points <= 0:
        return ""
    width = max(1.0, math.ceil(max_points / MOST_BARS))
    bars = math.ceil(max_points / width)
    counts = [0] * bars
    for value in points:
        counts[min(bars - 1, max(0, int(value / width)))] += 1
    step = (WIDTH - LEFT - RIGHT) / bars
    drawn = "".join(_bar(LEFT + n * step, step, counts[n], max(counts)) for n in range(bars))
    edges = [min(max_points, n * width) for n in range(bars + 1)]
    drawn += "".join(_edge(LEFT + n * step, edge) for n, edge in enumerate(edges))
    bottom = HEIGHT - BOTTOM
    label = f"points of {len(points)} learners, of {number(max_points)}"
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
        f"{drawn}"
        f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{WIDTH - RIGHT}" y2="{bottom}"/>'
        f'<text x="{(WIDTH + LEFT - RIGHT) / 2:g}" y="{HEIGHT - 6}" text-anchor="middle">'
        f"points, of {number(max_points)} (n = {len(points)})</text>"
        f'<text x="12" y="{bottom / 2 + TOP:g}" text-anchor="middle" '
        f'transform="rotate(-90 12 {bottom / 2 + TOP:g})">learners</text></svg>'
    )


def _bar(left: float, width: float, count: int, most: int) -> str:
    """One bar with its count above."""
    height = (HEIGHT - BOTTOM - TOP) * count / most
    top = HEIGHT - BOTTOM - height
    if not count:
        return ""
    return (
        f'<rect class="bar" x="{left + 2:.1f}" y="{top:.1f}" width="{width - 4:.1f}" '
        f'height="{height:.1f}"/>'
        f'<text x="{left + width / 2:.1f}" y="{top - 4:.1f}" text-anchor="middle">{count}</text>'
    )


def _edge(x: float, points: float) -> str:
    """Where one bar ends and the next begins; that number of points belongs to the next."""
    bottom = HEIGHT - BOTTOM
    return (
        f'<line class="axis" x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 5}"/>'
        f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{number(points)}</text>'
    )
