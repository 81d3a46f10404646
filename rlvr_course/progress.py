"""Bars for whatever takes more than two seconds: one line on stderr, gone when it is done.

A bar is drawn where someone watches: on a terminal, or in a notebook that is open. Piped output
has none, nor has a notebook that is executed headlessly (the environment has TQDM_DISABLE=1).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

AFTER_S = 2.0


def progress_bar(
    label: str,
    *,
    unit: str,
    total: int | None = None,
    shown: bool = True,
    after_s: float = AFTER_S,
) -> tqdm[Any]:
    """A bar of plain tqdm, to be used as a context manager.

    Args:
        label: what is going on.
        unit: what ``update`` counts.
        total: how many there will be, if it is known.
        shown: False never draws it.
        after_s: seconds before it is drawn, 0 or more.
    """
    from tqdm import tqdm

    # None asks whether stderr is a terminal; where it is left out, the environment decides.
    watched: dict[str, Any] = {} if _in_notebook() else {"disable": None}
    if not shown:
        watched = {"disable": True}
    return tqdm(desc=label, total=total, unit=unit, leave=False, delay=after_s, **watched)


@contextmanager
def step_bar(label: str) -> Iterator[Callable[[int, int], object]]:
    """A bar as ``on_step`` of a training run, drawn at once: libraries are loaded first.

    Yields:
        What is to be called with the steps done and all steps. Its first step may be any: the pace
        is taken from there on, so that loading and steps of an earlier process don't count.
    """
    with progress_bar(label, unit="step", after_s=0.0) as bar:

        def on_step(step: int, steps: int) -> None:
            if bar.n == 0:
                bar.reset(steps)
                bar.n = bar.initial = step
                bar.refresh()
            else:
                bar.update(step - bar.n)

        yield on_step


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this: its stderr is no terminal, and is shown all the same."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
