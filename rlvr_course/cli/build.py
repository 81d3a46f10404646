"""``rlvr-course build``: learner notebooks and solutions from their sources."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
Make, from each source solutions_private/src/NN_name.py,
  notebooks/NN_name.ipynb          the learner's copy: stubs, no outputs
  solutions_private/NN_name.ipynb  the solution, executed in fake mode

examples:
  rlvr-course build                all of them
  rlvr-course build 01 --no-execute
  rlvr-course build --check        change nothing; fail if a file is not what its source gives
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``build``."""
    parser = subparsers.add_parser(
        "build",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("numbers", nargs="*", metavar="NN", help="which notebooks (default: all)")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    parser.add_argument(
        "--no-execute", action="store_true", help="leave the solutions without outputs"
    )
    parser.add_argument(
        "--timeout", type=float, default=600.0, metavar="S", help="seconds a notebook (600)"
    )
    parser.set_defaults(handler=run_build)


def run_build(args: argparse.Namespace) -> int:
    """Build, or check and print what differs."""
    from rlvr_course.classroom.build import build
    from rlvr_course.classroom.checkout import find_checkout

    checkout = find_checkout()
    execute = not args.no_execute
    if not args.check:
        build(checkout, args.numbers, execute=execute, timeout_s=args.timeout)
        return 0
    from rlvr_course.classroom.rebuild import differences

    found = differences(checkout, args.numbers, execute=execute, timeout_s=args.timeout)
    for line in found:
        print(line)
    print("the notebooks are what their sources give" if not found else f"{len(found)} differences")
    return 1 if found else 0
