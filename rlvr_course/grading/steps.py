"""The steps that grade one submission, and how a failing one is kept from spoiling the rest.

    read ──► evidence ──► answers ──► rerun ──► Grade
             findings     marks       findings

Each step is a callable, so that a test or another course can put its own in. Whatever a step
raises becomes the grade's reason, and the other steps still run.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from rlvr_course.grading.records import Finding, Grade, GradeStatus, Mark, Submission
from rlvr_course.grading.released import Released, released, released_names

Rerun = Literal["jailed", "unjailed", "off"]
"""How a notebook is executed again: in a kernel jail, in an ordinary process, or not at all."""

RERUNS: tuple[Rerun, ...] = ("jailed", "unjailed", "off")
ANSWER_CHARS = 50_000
FACT_CHARS = 100
T = TypeVar("T")


@dataclass(frozen=True)
class Again:
    """What executing a notebook again came to.

    Args:
        findings: where it differs from what was handed in.
        facts: for the reports.
        stopped: why it was ended from outside, such as after its time; "" if it wasn't.
    """

    findings: Sequence[Finding] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    stopped: str = ""


@dataclass(frozen=True)
class Steps:
    """What is done with one submission; each must be picklable (a module's function, or a
    ``functools.partial`` of one), since it runs in a process of its own.

    Args:
        read: a path and the learner's id to a submission.
        evidence: what can be seen without running anything; of None, a notebook of somebody else.
        answers: marks of the graded cells.
        rerun: executes the notebook again; None: it is not done.
        beside: what the marks show beside the rest of the submission; None: it is not looked at.
    """

    read: Callable[[Path, str], Submission]
    evidence: Callable[[Submission, Released | None], Sequence[Finding]]
    answers: Callable[[Submission, Released], Sequence[Mark]]
    rerun: Callable[[Submission, Released], Again] | None
    beside: Callable[[Submission, Released, Sequence[Mark]], Sequence[Finding]] | None = None


@dataclass(frozen=True)
class Progress:
    """How far one submission has come.

    Args:
        step: what is done next, in words; "" when it is finished.
        grade: what is known so far.
        traces: tracebacks of steps that failed, for the log beside the grade.
    """

    step: str
    grade: Grade
    traces: Sequence[str] = ()


def course_steps(
    *, rerun: Rerun = "jailed", timeout_s: float = 300.0, notebooks: Path | None = None
) -> Steps:
    """The course's own steps.

    Args:
        rerun: "jailed", "unjailed" or "off".
        timeout_s: wall time for one execution of a notebook, above 0.
        notebooks: the folder of released notebooks; the checkout's if None.
    """
    again = None if rerun == "off" else partial(_rerun, jailed=rerun == "jailed", wall_s=timeout_s)
    return Steps(partial(_read, notebooks=notebooks), _evidence, _answers, again, _beside)


def grade_stepwise(
    path: Path, learner: str, *, steps: Steps, notebooks: Path | None = None
) -> Iterator[Progress]:
    """Grade one submission, telling before each step what is known so far.

    Args:
        path: a file or folder, as handed in.
        learner: its id.
        steps: what to do.
        notebooks: the folder of released notebooks; the checkout's if None.

    Returns:
        Progress, the last of which has ``step`` "" and the grade.
    """
    draft = _Draft(learner, path)
    yield draft.progress("reading it")
    submission = draft.attempt("reading it", lambda: steps.read(path, learner))
    if submission is not None:
        draft.take_in(submission)
        found = draft.attempt("finding its notebook", lambda: _release(submission, notebooks))
        if submission.notebook is not None and found is not None:
            yield from _look_into(draft, submission, found[0], steps)
    yield draft.progress("")


def _look_into(
    draft: _Draft, submission: Submission, release: Released | None, steps: Steps
) -> Iterator[Progress]:
    draft.is_ours = release is not None
    yield draft.progress("looking for evidence")
    found = draft.attempt("looking for evidence", lambda: steps.evidence(submission, release))
    draft.findings += found or ()
    if release is None or submission.problem:
        return
    yield draft.progress("marking the answers")
    marks = draft.attempt("marking the answers", lambda: steps.answers(submission, release))
    draft.marks += [_cut(mark) for mark in marks or ()]
    beside = steps.beside
    if beside is not None:
        step = "comparing its answers"
        draft.findings += (
            draft.attempt(step, lambda: beside(submission, release, marks or ())) or ()
        )
    rerun = steps.rerun
    if rerun is not None:
        yield draft.progress("executing it again")
        again = draft.attempt("executing it again", lambda: rerun(submission, release))
        draft.take_back(again or Again())


@dataclass
class _Draft:
    """A grade in the making."""

    learner: str
    path: Path
    notebook_name: str = ""
    is_ours: bool = True
    marks: list[Mark] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)

    def attempt(self, step: str, do: Callable[[], T]) -> T | None:
        """Do one step; None if it failed, and the reason is kept.

        This is the one boundary where any exception is caught: a fault of the grader's own must
        not stop a batch, and the traceback is kept for whoever mends it.
        """
        try:
            return do()
        except Exception as error:
            self.reasons.append(f"{step} failed with {type(error).__name__}: {_short(error)}")
            self.traces.append(traceback.format_exc(limit=20))
            return None

    def take_in(self, submission: Submission) -> None:
        self.learner = submission.learner or self.learner
        self.notebook_name = submission.notebook_name
        manifest, log = submission.manifest, submission.log
        self.facts["file"] = self.path.name
        for fact, key in (("mode", "mode"), ("run", "run_id"), ("fixtures", "fixture_seed")):
            if manifest.get(key):
                self.facts[fact] = str(manifest[key])[:FACT_CHARS]
        if log is not None:
            self.facts["log_rows"] = len(log)
        if submission.problem:
            self.reasons.append(submission.problem)

    def take_back(self, again: Again) -> None:
        self.findings += again.findings
        self.facts |= again.facts
        if again.stopped:
            self.reasons.append(f"executing it again: {again.stopped}")

    def progress(self, step: str) -> Progress:
        if not step:
            self.reasons += [
                f"{mark.question}: {mark.comment or 'the grader gave no mark'}"
                for mark in self.marks
                if mark.status == "could_not_grade"
            ]
        return Progress(step, self._grade(), tuple(self.traces))

    def _grade(self) -> Grade:
        reason = "; ".join(self.reasons)
        if not self.is_ours and not reason:
            reason = "it is none of the course's notebooks"
        findings = sorted(self.findings, key=lambda finding: (finding.cell or 0, finding.code))
        return Grade(
            self.learner,
            self.notebook_name,
            self._status(),
            marks=tuple(self.marks),
            findings=tuple(findings),
            facts=dict(self.facts),
            reason=reason,
        )

    def _status(self) -> GradeStatus:
        if not self.is_ours and not self.traces:
            return "not_ours"
        if self.reasons:
            return "could_not_grade"
        return "needs_manual" if any(m.status == "manual" for m in self.marks) else "graded"


def _release(submission: Submission, notebooks: Path | None) -> tuple[Released | None]:
    """The released notebook; None in its place if the submission is none of ours."""
    if submission.notebook_name in released_names(notebooks):
        return (released(submission.notebook_name, notebooks),)
    return (None,)


def _cut(mark: Mark) -> Mark:
    """The mark with an answer of a size that a page can show."""
    if len(mark.answer) <= ANSWER_CHARS:
        return mark
    left = len(mark.answer) - ANSWER_CHARS
    return replace(mark, answer=f"{mark.answer[:ANSWER_CHARS]}\n[{left} more characters]")


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or "no message"


def _read(path: Path, learner: str, *, notebooks: Path | None) -> Submission:
    from rlvr_course.grading.handin.submission import read_submission

    # A file that kept the name it was packed under tells of its learner inside only.
    known = "" if learner in released_names(notebooks) else learner
    return read_submission(path, learner=known, notebooks=notebooks)


def _evidence(submission: Submission, release: Released | None) -> Sequence[Finding]:
    from rlvr_course.grading.evidence import find_evidence

    return find_evidence(submission, release)


def _answers(submission: Submission, release: Released) -> Sequence[Mark]:
    from rlvr_course.grading.marking.answers import mark_answers
    from rlvr_course.grading.similarity import with_sources

    return with_sources(mark_answers(submission, release), submission, release)


def _beside(submission: Submission, release: Released, marks: Sequence[Mark]) -> Sequence[Finding]:
    from rlvr_course.grading.evidence.borrowed import borrowed_findings
    from rlvr_course.grading.evidence.claims import claim_findings

    borrowed = borrowed_findings(submission, release)
    return [*borrowed, *claim_findings(submission, release, marks)]


def _rerun(submission: Submission, release: Released, *, jailed: bool, wall_s: float) -> Again:
    from rlvr_course.grading.rerun.comparison import compare
    from rlvr_course.grading.rerun.hard_coding import find_hard_coding
    from rlvr_course.grading.rerun.reexecution import reexecute
    from rlvr_course.grading.rerun.warden import Bounds

    jail = "auto" if jailed else "none"
    again = reexecute(submission, release, timeout_s=wall_s, jail=jail)
    findings = list(compare(submission, again))
    if not again.stopped:
        bounds = replace(Bounds(), timeout_s=wall_s)
        findings += find_hard_coding(submission, release, again, bounds=bounds)
    if not again.ran:
        reason = again.reason.removeprefix("not run anew: ")
        message = f"The notebook was not executed again: {reason}."
        findings.append(Finding("not_executed_again", "note", message))
    facts = {"executed_again": again.status, "jail": again.jail}
    return Again(findings, facts, again.reason if again.stopped else "")
