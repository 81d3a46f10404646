"""``rlvr-course site``: a static site of the notebooks, without solutions."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
Write a static site of the learner notebooks, executed in fake mode: an index with a search, light
and dark, for wide screens, phones and paper. It works from disk and from any web server, and
fetches nothing. No solution is in it; a leak test goes over it first.

examples:
  rlvr-course site --out site                      executes the notebooks (minutes)
  rlvr-course site --out site --executed artifacts/run-20261130-160126

exit status: 0 written, 1 not
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``site``."""
    parser = subparsers.add_parser(
        "site",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the pages")
    parser.add_argument(
        "--executed", metavar="DIR", help="take the copies that rlvr-course run --out left here"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="notebooks at the same time (1)"
    )
    parser.set_defaults(handler=make_site)


def make_site(args: argparse.Namespace) -> int:
    """Execute the notebooks and write their pages."""
    from functools import partial
    from pathlib import Path

    from rlvr_course.classroom.checkout import find_checkout
    from rlvr_course.classroom.site import build_site
    from rlvr_course.cli.run import say

    index = build_site(
        find_checkout(),
        Path(args.out),
        executed=Path(args.executed) if args.executed else None,
        jobs=args.jobs,
        report=partial(say, alone=args.jobs == 1),
    )
    print(f"open {index}")
    return 0
