"""``rlvr-course progress``: how far one is, and what comes next."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
Show what the latest public check of each exercise said, and the points behind it, from the
logs that your runs left in artifacts/. Answers in words are read by a person, and the grader's
checks are more than the public ones: this is a guide, not a grade.

examples:
  rlvr-course progress             all notebooks
  rlvr-course progress 01 02       two of them
  rlvr-course progress --json      for a program
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``progress``."""
    parser = subparsers.add_parser(
        "progress",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("numbers", nargs="*", metavar="NN", help="which notebooks (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(handler=show)


def show(args: argparse.Namespace) -> int:
    """Print the table, or JSON."""
    import json
    import os

    from rlvr_course.classroom.checkout import find_checkout, select
    from rlvr_course.classroom.past_runs import artifact_folders, find_runs
    from rlvr_course.classroom.progress import find_progress, next_step, table
    from rlvr_course.grading.preview import exercises_of
    from rlvr_course.grading.released import released

    checkout = find_checkout()
    chosen = select(checkout.notebooks, "*.ipynb", args.numbers)
    runs = find_runs(artifact_folders(checkout, os.environ))
    handed_out = {p.stem: exercises_of(released(p.stem, p.parent)) for p in chosen}
    found = find_progress(runs, handed_out)
    if args.json:
        notebooks = [each.to_dict() for each in found]
        print(json.dumps({"notebooks": notebooks, "next": next_step(found)}, indent=2))
        return 0
    print(table(found))
    reached, possible = sum(e.points for e in found), sum(e.max_points for e in found)
    print(f"\n{reached:g} of {possible:g} points by public checks; answers by hand come on top")
    print(f"next: {next_step(found)}")
    return 0
