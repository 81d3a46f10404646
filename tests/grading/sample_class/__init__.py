"""A class of constructed submissions of notebooks 01 and 07: honest ones, slips, cheats, accidents.

sessions     what a learner's session leaves: executed by the course's runner
honest       sessions of learners who did nothing wrong
cheats       work in which something stands in for work
accidents    files that can't be graded, or are of another course
editors      what other editors make of a notebook's file
modes        work in mode local or api, constructed
properties   all of these by name, each with what must name it in a grade
outcome      a class's grades beside what was planted
watched      grading under watch: processor time, processes and files left behind
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from sample_class.editors import EDITORS, saved_by
from sample_class.packing import bare, packed
from sample_class.properties import COPIED, ORIGINAL, PROPERTIES
from sample_class.sessions import prepare, ran

__all__ = ["Planted", "class_of"]

CORE = (
    *("good, fake mode", "good, api mode", ORIGINAL, "partly wrong", COPIED),
    *("re-chained log", "__eq__ cheat", "endless loop", "fork bomb"),
    *("300 MB of output, stored", "malformed JSON", "foreign notebook"),
)
"""What the smallest class has."""


@dataclass(frozen=True)
class Planted:
    """One learner of the class.

    Args:
        learner: who handed it in.
        properties: what was planted; the first says what the grade must show.
        honest: whether an integrity finding would be a false alarm.
    """

    learner: str
    properties: tuple[str, ...]
    honest: bool


def class_of(n: int, seed: int, folder: Path) -> list[Planted]:
    """Write the submissions of a class into a folder.

    Args:
        n: learners, at least as many as ``CORE`` has; from 35 on all properties are there, and
            the rest of the class is honest.
        seed: of who does what, and in which editor.
        folder: is made.

    Returns:
        Who has what, by name.
    """
    planted = plan(n, seed)
    prepare([PROPERTIES[one.properties[0]].session for one in planted])
    folder.mkdir()
    for one in planted:
        _hand_in(one, folder)
    return planted


def plan(n: int, seed: int) -> list[Planted]:
    """Who has what in a class of this size."""
    rng = random.Random(seed)
    others = [name for name in PROPERTIES if name not in CORE]
    rng.shuffle(others)
    names = [*CORE, *others]
    honest = [name for name, p in PROPERTIES.items() if p.is_honest]
    names += [rng.choice(honest) for _ in range(n - len(names))]
    names = names[:n]
    rng.shuffle(names)
    editors = [rng.choice(["", *EDITORS]) for _ in names]
    return [
        Planted(f"learner{k:02}", _all_of(name, editor), PROPERTIES[name].is_honest)
        for k, (name, editor) in enumerate(zip(names, editors, strict=True), start=1)
    ]


def _all_of(name: str, editor: str) -> tuple[str, ...]:
    return (name, editor) if editor and PROPERTIES[name].writes is None else (name,)


def _hand_in(one: Planted, folder: Path) -> None:
    name, *editors = one.properties
    planted = PROPERTIES[name]
    work = planted.make(ran(planted.session))
    if planted.writes is not None:
        suffix, write = planted.writes
        write(work, folder / f"{one.learner}.{suffix}")
        return
    for editor in editors:
        work = saved_by(editor, work)
    if work.log:
        packed(work, folder / f"{one.learner}.zip", one.learner)
    else:
        bare(work, folder / f"{one.learner}.ipynb")
