"""Grade a folder of submissions, whatever is in it.

    submissions ──► processes ──► ledger ──► late policy, manual scores ──► reports, CSV, JSON

Each submission is graded in a process that has a deadline, so that none of them stops the batch,
and each grade is written down as soon as it is there, so that an interrupted batch goes on where
it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from rlvr_course.grading.ledger import Ledger
from rlvr_course.grading.process import Told, WorkProcess
from rlvr_course.grading.records import Finding, Grade
from rlvr_course.grading.steps import RERUNS, Rerun, Steps, course_steps, grade_stepwise
from rlvr_course.problems.fixtures import VARIABLE, in_force, parse

HandIn = tuple[str, Path]
"""A learner's id and the path that was handed in."""

MARKING_S = 600.0
RUNS = 4
"""A submission has ten minutes for reading and marking, and the time of four executions."""


def processors() -> int:
    """How many processors this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Options:
    """How to grade.

    Args:
        notebook: grade this one only, such as "01_verifiers"; "" for all.
        jobs: submissions at a time, at least 1.
        rerun: "jailed", "unjailed" or "off": how notebooks are executed again.
        timeout_s: wall time for one execution of a notebook, above 0.
        limit_s: wall time for a whole submission, above 0; None for what ``timeout_s`` needs.
        again: grade anew what has been graded already.
        fixture_seed: how the class's recorded samples are dealt, such as "7"; "" for as recorded.
            None for as they are in this process (``problems.fixtures``).
    """

    notebook: str = ""
    jobs: int = field(default_factory=processors)
    rerun: Rerun = "jailed"
    timeout_s: float = 300.0
    limit_s: float | None = None
    again: bool = False
    fixture_seed: str | None = None

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise ValueError(f"{self.jobs} jobs: it must be at least 1")
        if self.rerun not in RERUNS:
            raise ValueError(f"rerun={self.rerun!r} is not one of {', '.join(RERUNS)}")
        if not self.timeout_s > 0:
            raise ValueError(f"a timeout of {self.timeout_s} s: it must be above 0")
        if self.fixture_seed:
            parse(self.fixture_seed)

    @property
    def whole_limit_s(self) -> float:
        """Wall time for one submission, seconds."""
        return self.limit_s or MARKING_S + RUNS * self.timeout_s * (self.rerun != "off")


def grade(
    folder: Path,
    out: Path,
    *,
    options: Options | None = None,
    steps: Steps | None = None,
    notebooks: Path | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> list[Grade]:
    """Grade what lies in a folder, as far as a program can.

    Args:
        folder: submissions, as ``find_submissions`` finds them.
        out: where grades are kept, one file a submission, as they come.
        options: how to grade.
        steps: what to do with a submission; the course's own if None.
        notebooks: the folder of released notebooks; the checkout's if None.
        report: called with the number graded so far and the total, at first with 0.

    Returns:
        One grade for each learner and notebook, by learner and then notebook. A submission that
        could not be graded is one of them, with its reason.

    Raises:
        NotebookError: nothing was handed in there, or ``out`` can't be written to.
        KeyboardInterrupt: what has been graded by then is kept.
    """
    from rlvr_course.classroom.checkout import find_checkout
    from rlvr_course.classroom.run import require_writable

    options = options or Options()
    notebooks = notebooks or find_checkout().notebooks
    hand_ins = _found(folder)
    require_writable(out)
    seed = in_force() if options.fixture_seed is None else options.fixture_seed
    how = {"rerun": options.rerun, "timeout_s": options.timeout_s, "fixture_seed": seed}
    batch = _Batch(
        options,
        Ledger(out, notebooks, how),
        partial(
            _work,
            steps=steps or _course_steps(options, notebooks),
            notebooks=notebooks,
            fixture_seed=seed,
        ),
    )
    grades = []
    report(0, len(hand_ins))
    with closing(batch.grades(hand_ins)) as found:
        for done, (hand_in, grade) in enumerate(found, start=1):
            if grade is not None:
                grades.append((hand_in, grade))
            report(done, len(hand_ins))
    return _one_each(grades)


def _course_steps(options: Options, notebooks: Path) -> Steps:
    return course_steps(rerun=options.rerun, timeout_s=options.timeout_s, notebooks=notebooks)


def _found(folder: Path) -> list[HandIn]:
    from rlvr_course.grading.handin.submission import find_submissions

    return sorted(find_submissions(folder), key=lambda item: (item[0], str(item[1])))


class _Batch:
    """One run over all hand-ins: a few threads, each with a process of its own."""

    def __init__(self, options: Options, ledger: Ledger, work: Callable[..., Any]) -> None:
        self._options = options
        self._ledger = ledger
        self._all = [WorkProcess(work) for _ in range(options.jobs)]
        self._idle: SimpleQueue[WorkProcess] = SimpleQueue()
        for process in self._all:
            self._idle.put(process)
        self._interrupted = False

    def grades(
        self, hand_ins: Sequence[HandIn]
    ) -> Generator[tuple[HandIn, Grade | None], None, None]:
        """Grades as they come; None for a submission that belongs to another notebook."""
        pool = ThreadPoolExecutor(self._options.jobs)
        try:
            futures = {pool.submit(self._one, hand_in): hand_in for hand_in in hand_ins}
            yield from self._as_they_come(futures)
        finally:
            self._interrupted = True
            pool.shutdown(wait=False, cancel_futures=True)
            for process in self._all:
                process.close()
            pool.shutdown(wait=True)

    def _as_they_come(
        self, futures: Mapping[Future[Grade | None], HandIn]
    ) -> Iterator[tuple[HandIn, Grade | None]]:
        for future in as_completed(futures):
            yield futures[future], future.result()

    def _one(self, hand_in: HandIn) -> Grade | None:
        learner, path = hand_in
        kept = None if self._options.again else self._ledger.kept(learner, path)
        if kept is not None:
            return kept if _wanted(kept.notebook_name, self._options.notebook) else None
        process = self._idle.get()
        try:
            order = {
                "path": os.fsdecode(path),
                "learner": learner,
                "only": self._options.notebook,
            }
            told = process.run(order, limit_s=self._options.whole_limit_s)
        finally:
            self._idle.put(process)
        if self._interrupted:
            return None
        return self._written(hand_in, told)

    def _written(self, hand_in: HandIn, told: Told) -> Grade | None:
        learner, path = hand_in
        grade, traces = _outcome(learner, told)
        if grade is not None:
            self._ledger.keep(learner, path, grade, traces)
        return grade


def _work(
    path: str, learner: str, only: str, *, steps: Steps, notebooks: Path, fixture_seed: str
) -> Iterator[dict[str, Any]]:
    """What the process does with one submission; it is one of the batch's own."""
    os.environ[VARIABLE] = fixture_seed
    stepwise = grade_stepwise(Path(path), learner, steps=steps, notebooks=notebooks)
    for progress in stepwise:
        if not _wanted(progress.grade.notebook_name, only):
            yield {"skipped": True}
            return
        yield asdict(progress)


def _wanted(notebook_name: str, only: str) -> bool:
    """Whether to grade it: one whose notebook can't be told is, since somebody must look."""
    return not only or notebook_name in ("", only)


def _outcome(learner: str, told: Told) -> tuple[Grade | None, Sequence[str]]:
    """The grade that the process came to, or what was known when it failed and why it did."""
    last = told.items[-1] if told.items else {}
    if last.get("skipped"):
        return None, ()
    if "grade" not in last:
        failure = told.failure or "nothing was said of it"
        return Grade(learner, "", "could_not_grade", reason=failure), ()
    grade = Grade.from_dict(last["grade"])
    if told.failure:
        reason = f"{last['step']}: {told.failure}"
        reasons = "; ".join(text for text in (grade.reason, reason) if text)
        grade = replace(grade, status="could_not_grade", reason=reasons)
    return grade, last["traces"]


def _one_each(found: Sequence[tuple[HandIn, Grade]]) -> list[Grade]:
    """One grade for each learner and notebook: of several files the one that tells most."""
    best: dict[tuple[str, str], list[tuple[tuple[Any, ...], HandIn, Grade]]] = {}
    for hand_in, grade in found:
        rank = (
            hand_in[0] == grade.learner,  # what a package says of its learner comes after
            grade.status != "could_not_grade",
            "log_rows" in grade.facts,
            _file_time(hand_in[1]) or 0.0,
            str(hand_in[1]),
        )
        key = (grade.learner, grade.notebook_name)
        best.setdefault(key, []).append((rank, hand_in, grade))
    return [_the_best(best[key]) for key in sorted(best)]


def _the_best(files: list[tuple[tuple[Any, ...], HandIn, Grade]]) -> Grade:
    _, (_, path), grade = max(files, key=lambda item: item[0])
    arrived = _file_time(path)
    grade = replace(grade, facts={**grade.facts, "file_time": arrived, "path": os.fsdecode(path)})
    if len(files) == 1:
        return grade
    names = ", ".join(sorted(hand_in[1].name for _, hand_in, _ in files))
    note = Finding(
        "several_files",
        "note",
        f"{len(files)} files were handed in for this notebook; the grade is that of {path.name}.",
        evidence=names[:300],
    )
    return replace(grade, findings=(*grade.findings, note))


def _file_time(path: Path) -> float | None:
    """When a file, or the newest file of a folder, was last changed: POSIX seconds."""
    try:
        if path.is_dir() and not path.is_symlink():
            inside = [Path(where) / name for where, _, names in os.walk(path) for name in names]
            return max((file.lstat().st_mtime for file in inside), default=None)
        return path.lstat().st_mtime
    except OSError:
        return None
