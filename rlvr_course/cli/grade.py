"""``rlvr-course grade``: a folder of submissions, into reports and tables."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rlvr_course.grading.batch import Options
    from rlvr_course.grading.records import Grade
    from rlvr_course.grading.reports.publish import Publication

_DESCRIPTION = """\
Grade what a class handed in. SUBMISSIONS holds, for each learner, LEARNER.zip (made by
rlvr-course submit), LEARNER.ipynb, or a folder LEARNER with either; nbgrader's layout
submitted/LEARNER/ASSIGNMENT/ is read as well.

Learners' definitions run in a sandbox, and this process compares what they reply. Each
notebook is executed again in a jail, and its outputs are compared with those handed in.
A submission that hangs, crashes or can't be read gets no grade, with a reason, and the
others are graded all the same. What has been graded is kept: only what has changed since
(the submission, the notebook, a check, the package) is graded anew.
"""

_EPILOG = """\
to try it on a class of nine constructed submissions:
  rlvr-course grade --sample sample
  rlvr-course grade sample/handed_in --out results --notebook 01

an example, from the first look to the last:
  rlvr-course grade handed_in --out results --notebook 01
      results/class.html           the class: points, hardest checks, what to look at
      results/learners/ADA.html    what a learner gets back
      results/grades.csv, .json    one row a learner and notebook
      results/manual_queue.html    written answers beside their rubrics; results/manual_queue.csv
                                   is the same to fill in with a spreadsheet
  fill in the columns score and comment of manual_queue.csv, then
  rlvr-course grade handed_in --out results --notebook 01 --merge results/manual_queue.csv

with dates and names:
  rlvr-course grade handed_in --out results --late late.toml --identities class.csv
      late.toml    deadline = 2026-03-06T23:59:00+01:00
                   grace_minutes = 15
                   percent_per_day = 10
                   cap_percent = 50
                   arrivals = "arrivals.csv"    # learner,notebook,received; else file times
      class.csv    id,name,email,group

for a school that uses nbgrader:
  rlvr-course grade handed_in --out results --nbgrader course
      course/gradebook.db   what nbgrader formgrader and nbgrader export read there; what was
                            entered in nbgrader by hand is kept (needs the package nbgrader)
      course/grades.csv     the columns of nbgrader export, with or without that package

exit status:
  0    every submission has a grade (answers may still wait to be read), or is none of ours
  1    nothing was graded, or the reports could not be written: one line says why
  2    wrong usage
  3    done, and at least one submission could not be graded: class.html says which and why
  130  interrupted: what had been graded is kept, and the same command goes on from there
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``grade``."""
    parser = subparsers.add_parser(
        "grade",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("submissions", nargs="?", metavar="SUBMISSIONS", help="the folder that holds them")
    add("--out", metavar="DIR", help="where the results go")
    add("--sample", metavar="DIR", help="write a constructed class to try it on, and stop")
    add("--notebook", metavar="NN", help="grade this notebook only (default: all)")
    add("--jobs", type=int, metavar="N", help="submissions at a time (default: one a processor)")
    add("--again", action="store_true", help="grade anew what has not changed, too")
    execution = parser.add_mutually_exclusive_group()
    execution.add_argument(
        "--no-reexecute", action="store_true", help="do not execute the notebooks again"
    )
    execution.add_argument(
        "--jail",
        choices=("kernel", "none"),
        default="kernel",
        help="where to execute them: in a jail (kernel), or, where this machine has none and the "
        "learners are trusted, without one (none)",
    )
    add("--timeout", type=float, default=300.0, metavar="S", help="seconds an execution (300)")
    add(
        "--fixture-seed",
        metavar="N",
        help="the class's, as its bundle was released with (default: as recorded)",
    )
    add("--merge", metavar="CSV", help="scores of written answers, as filled in")
    add("--late", metavar="TOML", help="what lateness costs")
    add("--identities", metavar="CSV", help="who is who: id,name,email,group")
    add("--nbgrader", metavar="DIR", help="write an nbgrader course, too: its gradebook and files")
    add("--show-names", action="store_true", help="names on the learners' pages, too")
    add("--show-findings", action="store_true", help="integrity findings on them, too")
    parser.set_defaults(handler=run_grade)


def run_grade(args: argparse.Namespace) -> int:
    """Grade, write the reports, and say what came of it."""
    from dataclasses import replace

    if args.sample:
        return _write_sample(args)
    if not (args.submissions and args.out):
        lacking = "--out DIR" if args.submissions else "SUBMISSIONS"
        print(f"rlvr-course grade: {lacking} is missing; see --help", file=sys.stderr)
        return 2
    from pathlib import Path

    from rlvr_course.grading.batch import grade
    from rlvr_course.grading.policy import read_late_policy
    from rlvr_course.grading.reports.publish import completed, publish
    from rlvr_course.grading.similarity import similar_pairs

    out = Path(args.out)
    # Files of the instructor's own are read first: a slip in one should not cost a long run.
    late = read_late_policy(Path(args.late)) if args.late else None
    publication, options = _publication(args), _options(args)
    bar = _Bar()
    try:
        grades = grade(Path(args.submissions), out, options=options, report=bar.report)
    except KeyboardInterrupt:
        bar.close()
        print(f"{bar.done} of {bar.total} are graded and kept", file=sys.stderr)
        raise
    finally:
        bar.close()
    merge = Path(args.merge) if args.merge else None
    hand_ins = {(grade.learner, grade.notebook_name): Path(grade.facts["path"]) for grade in grades}
    grades = completed(grades, out, late=late, merge=merge)
    publication = replace(publication, pairs=similar_pairs(grades))
    page = publish(grades, out, publication)
    if args.nbgrader:
        _export(grades, Path(args.nbgrader), publication, hand_ins)
    _say(grades, page)
    return 3 if any(grade.status == "could_not_grade" for grade in grades) else 0


def _write_sample(args: argparse.Namespace) -> int:
    """Write the class to try the grader on, and say how."""
    from pathlib import Path

    from rlvr_course.classroom.checkout import find_checkout
    from rlvr_course.grading.batch import processors
    from rlvr_course.grading.sample import HANDED_IN, sample_class

    bar, out = _Bar("notebook"), Path(args.sample)
    jobs = processors() if args.jobs is None else args.jobs
    try:
        recipes = sample_class(find_checkout(), out, jobs=jobs, report=bar.report)
    finally:
        bar.close()
    print("a constructed class; nobody wrote these submissions:")
    for recipe in recipes:
        print(f"  {recipe.id:6} {recipe.about}")
    print(f"now: rlvr-course grade {out / HANDED_IN} --out results --notebook 01")
    return 0


def _export(
    grades: Sequence[Grade],
    folder: Path,
    publication: Publication,
    hand_ins: Mapping[tuple[str, str], Path],
) -> None:
    from rlvr_course.grading.nbgrader import export_nbgrader

    done = export_nbgrader(grades, folder, identities=publication.identities, hand_ins=hand_ins)
    if done.has_gradebook:
        print(f"{folder / 'gradebook.db'} is for nbgrader, and grades.csv beside it")
    else:
        print(
            f"{folder / 'grades.csv'} has the columns of nbgrader export; for a gradebook.db "
            "besides, install nbgrader"
        )


def _options(args: argparse.Namespace) -> Options:
    from rlvr_course.classroom.checkout import find_checkout, select
    from rlvr_course.grading.batch import Options, processors

    notebook = ""
    if args.notebook:
        notebook = select(find_checkout().notebooks, "*.ipynb", [args.notebook])[0].stem
    jailed = "jailed" if args.jail == "kernel" else "unjailed"
    return Options(
        notebook=notebook,
        jobs=processors() if args.jobs is None else args.jobs,
        rerun="off" if args.no_reexecute else jailed,
        timeout_s=args.timeout,
        again=args.again,
        fixture_seed=args.fixture_seed,
    )


def _publication(args: argparse.Namespace) -> Publication:
    from pathlib import Path

    from rlvr_course.classroom.checkout import find_checkout
    from rlvr_course.grading.identities import read_identities
    from rlvr_course.grading.reports.publish import Publication, read_rubrics

    return Publication(
        identities=read_identities(Path(args.identities)) if args.identities else {},
        rubrics=read_rubrics(find_checkout().solutions / "rubrics"),
        show_findings=args.show_findings,
        show_names=args.show_names,
    )


class _Bar:
    """The bar of progress, on stderr, and how far the batch has come."""

    def __init__(self, unit: str = "submission") -> None:
        from tqdm import tqdm

        self.done, self.total = 0, 0
        self._bar = tqdm(unit=unit, disable=None, leave=False)

    def report(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        self._bar.total = total
        self._bar.update(done - self._bar.n)
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


def _say(grades: Sequence[Grade], page: Path) -> None:
    """One line of figures, one for each submission without a grade, and where to look."""
    from collections import Counter

    counts = Counter(grade.status for grade in grades)
    words = {
        "graded": "graded",
        "needs_manual": "with answers to be read",
        "not_ours": "not of the course",
        "could_not_grade": "could not be graded",
    }
    print("; ".join(f"{counts[status]} {text}" for status, text in words.items() if counts[status]))
    for grade in grades:
        if grade.status in ("not_ours", "could_not_grade"):
            print(f"  {_plain(grade.learner)}: {_plain(grade.reason)}", file=sys.stderr)
    if any(grade.facts.get("executed_again") == "no_jail" for grade in grades):
        print(
            "this machine has no kernel jail, so that nothing was executed again; where you trust "
            "the learners, --jail none does it with your own rights",
            file=sys.stderr,
        )
    print(f"open {page}")


def _plain(text: str) -> str:
    """A text from a submission as one line that can't steer a terminal."""
    line = " ".join(text.split())[:300].encode("utf-8", "replace").decode()
    return "".join(char if char.isprintable() else "\ufffd" for char in line)
