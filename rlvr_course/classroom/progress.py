"""How far a learner is: what each exercise's latest check said, from the logs of their runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from rlvr_course.classroom.check_spec import Kind
from rlvr_course.classroom.past_runs import CheckCall, PastRun, check_calls, log_lines


@dataclass(frozen=True)
class Exercise:
    """One exercise as it was handed out.

    Args:
        name: the grade id, such as "q01c".
        points: what it is worth.
        checked: whether a public check exists; without one it is read by a person.
    """

    name: str
    points: float
    checked: bool = True


@dataclass(frozen=True)
class ExerciseProgress:
    """Where one exercise stands.

    Args:
        name, points: as handed out.
        kind: what the latest check said; "open" if it was never run.
        passed, cases: how many public cases held, of how many; 0 of 0 while open.
        at: when it was checked last, ISO 8601 in UTC; "" if never.
    """

    name: str
    points: float
    kind: Kind = "open"
    passed: int = 0
    cases: int = 0
    at: str = ""


@dataclass(frozen=True)
class NotebookProgress:
    """Where one notebook stands.

    Args:
        notebook: such as "01_verifiers".
        exercises: those with public checks, in the notebook's order.
        written: the names of answers that a person reads.
        runs: how many of its runs were found.
        at: when it was last worked on, ISO 8601 in UTC; "" if never.
    """

    notebook: str
    exercises: tuple[ExerciseProgress, ...]
    written: tuple[str, ...] = ()
    runs: int = 0
    at: str = ""

    @property
    def points(self) -> float:
        """Of the exercises whose public checks all passed."""
        return sum((each.points for each in self.exercises if each.kind == "passed"), 0.0)

    @property
    def max_points(self) -> float:
        """Of all exercises with public checks."""
        return sum((each.points for each in self.exercises), 0.0)

    @property
    def is_done(self) -> bool:
        """Whether every public check passed."""
        return all(each.kind == "passed" for each in self.exercises)

    def of_kind(self, kind: Kind) -> list[ExerciseProgress]:
        """The exercises that are open, failed or passed."""
        return [each for each in self.exercises if each.kind == kind]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, with the points."""
        return {**asdict(self), "points": self.points, "max_points": self.max_points}


def find_progress(
    runs: Iterable[PastRun], handed_out: Mapping[str, Sequence[Exercise]]
) -> list[NotebookProgress]:
    """What the latest check of every exercise said.

    Args:
        runs: as ``find_runs`` finds them, the oldest first.
        handed_out: each notebook's exercises, in order.

    Returns:
        One for each notebook of ``handed_out``, in its order. An exercise that passed once and
        failed since has failed: it is the latest code that counts.

    Limits: a check that was run where no run had been started is in no log.
    """
    runs_of: dict[str, list[PastRun]] = {name: [] for name in handed_out}
    for run in runs:
        if run.notebook in runs_of:
            runs_of[run.notebook].append(run)
    return [_notebook(name, runs_of[name], handed_out[name]) for name in handed_out]


def _notebook(
    name: str, runs: Sequence[PastRun], exercises: Sequence[Exercise]
) -> NotebookProgress:
    calls = [call for run in runs for call in check_calls(log_lines(run.log))]
    return NotebookProgress(
        name,
        tuple(latest_of(calls, exercises)),
        written=tuple(each.name for each in exercises if not each.checked),
        runs=len(runs),
        at=max([run.at for run in runs] + [call.at for call in calls], default=""),
    )


def latest_of(calls: Iterable[CheckCall], exercises: Sequence[Exercise]) -> list[ExerciseProgress]:
    """Where the exercises with a public check stand after these calls of ``check``."""
    latest = {call.name: call for call in sorted(calls, key=lambda call: call.at)}
    return [_exercise(each, latest.get(each.name)) for each in exercises if each.checked]


def _exercise(given: Exercise, call: CheckCall | None) -> ExerciseProgress:
    if call is None:
        return ExerciseProgress(given.name, given.points)
    return ExerciseProgress(given.name, given.points, call.kind, call.passed, call.cases, call.at)


def next_step(found: Sequence[NotebookProgress]) -> str:
    """What to do next, in one sentence: go on where work was last, else with what comes first.

    >>> next_step([NotebookProgress("01_verifiers", (ExerciseProgress("q01a", 4.0),))])
    'begin with 01_verifiers: rlvr-course lab 01'
    """
    begun = [each for each in found if each.at and not each.is_done]
    if begun:
        return _go_on(max(begun, key=lambda each: each.at))
    fresh = next((each for each in found if not each.at), None)
    done = [each for each in found if each.at]
    if done:
        last = max(done, key=lambda each: each.at).notebook
        hand_in = f"hand in {last}: rlvr-course submit {last[:2]}"
        then = f"; then {fresh.notebook}: rlvr-course lab {fresh.notebook[:2]}" if fresh else ""
        return hand_in + then
    if fresh is None:
        return "there is nothing to do: no notebook was handed out"
    return f"begin with {fresh.notebook}: rlvr-course lab {fresh.notebook[:2]}"


def _go_on(notebook: NotebookProgress) -> str:
    lab = f"rlvr-course lab {notebook.notebook[:2]}"
    for each in notebook.exercises:
        if each.kind == "failed":
            missing = f"{each.cases - each.passed} of {each.cases} public cases fail"
            return f'{each.name}, where {missing} (check.hint("{each.name}") helps): {lab}'
    each = notebook.of_kind("open")[0]
    return f"{each.name}, the first open exercise of {notebook.notebook}: {lab}"


def table(found: Sequence[NotebookProgress]) -> str:
    """The notebooks with their exercises, in lines of at most 72 characters."""
    lines = []
    for each in found:
        when = _local(each.at) if each.at else "not begun"
        points = f"{each.points:g} of {each.max_points:g} points"
        lines.append(f"{each.notebook:<26} {points:>16}   {when}")
        lines += _exercise_lines(each) if each.at else []
    return "\n".join(lines)


def _exercise_lines(notebook: NotebookProgress) -> list[str]:
    texts = {
        "passed": [each.name for each in notebook.of_kind("passed")],
        "failed": [f"{e.name} ({e.passed}/{e.cases})" for e in notebook.of_kind("failed")],
        "open": [each.name for each in notebook.of_kind("open")],
        "by hand": list(notebook.written),
    }
    return [f"    {kind:<8} {line}" for kind in texts for line in _wrapped(texts[kind])]


def _wrapped(words: Sequence[str]) -> list[str]:
    from textwrap import wrap

    unbroken = [word.replace(" ", "\N{NO-BREAK SPACE}") for word in words]
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in wrap("  ".join(unbroken), 58)]


def _local(at: str) -> str:
    """A log's time, as a clock on the wall here shows it."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%d %b %H:%M")
    except (ValueError, OverflowError):
        return at[:16]
