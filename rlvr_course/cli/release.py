"""``rlvr-course release``: the bundle for learners, and the test that nothing leaks."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from rlvr_course.classroom.checkout import Checkout

DESCRIPTION = """\
Write the zip that learners get: notebooks, package, documents; no solution, hidden case or rubric.
The same checkout gives the same bytes. A leak test goes over it first, and nothing is written if
it finds something.

A cohort can be dealt the recorded samples in an order of its own (--fixture-seed), so that last
year's labels are no answer. Grade it with the same seed (rlvr-course grade --fixture-seed).

examples:
  rlvr-course release --out course.zip
  rlvr-course release --out course-2027.zip --cohort 2027 --fixture-seed 2027
  rlvr-course release --check                    test notebooks, documents and bundle
  rlvr-course release --check dist/*.whl site/   test what was made otherwise

exit status: 0 written (with --check: nothing leaks), 1 not
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``release``."""
    parser = subparsers.add_parser(
        "release",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="with --check: what to test")
    parser.add_argument("--out", metavar="FILE.zip", help="what to write")
    parser.add_argument("--check", action="store_true", help="test for leaks, write nothing")
    parser.add_argument("--cohort", default="", metavar="NAME", help="whom it is for")
    parser.add_argument(
        "--fixture-seed",
        default="",
        metavar="N",
        help="deal the recorded samples in the order of this seed, a whole number",
    )
    parser.set_defaults(handler=make_release)


def make_release(args: argparse.Namespace) -> int:
    """Write the bundle, or say what leaks."""
    from pathlib import Path

    from rlvr_course.classroom.checkout import find_checkout
    from rlvr_course.classroom.release import Cohort, release
    from rlvr_course.problems.fixtures import parse

    checkout = find_checkout()
    if args.check:
        return _check(checkout, [Path(path) for path in args.paths])
    if args.paths or not args.out:
        problem = "what is tested needs --check" if args.paths else "say with --out what to write"
        print(f"rlvr-course release: {problem}", file=sys.stderr)
        return 2
    if Path(args.out).suffix.lower() != ".zip":
        raise ValueError(f"--out {args.out}: it has to end in .zip")
    cohort = Cohort(args.cohort, parse(args.fixture_seed) if args.fixture_seed else None)
    out = release(checkout, Path(args.out), cohort=cohort)
    print(f"wrote {out} ({out.stat().st_size / 1e6:.1f} MB); nothing in it leaks")
    if cohort.fixtures is not None:
        print(f"grade what comes back with --fixture-seed {cohort.fixtures}")
    return 0


def _check(checkout: Checkout, paths: list[Path]) -> int:
    """Print each leak and how much was looked at."""
    from rlvr_course.classroom.leaks import LeakTest, read_files
    from rlvr_course.classroom.release import bundle

    test = LeakTest(checkout)
    files = {
        name if path.name == name else f"{path}/{name}": data
        for path in paths or [checkout.notebooks]
        for name, data in read_files(path).items()
    }
    if not paths:
        files |= {f"bundle/{name}": data for name, data in bundle(checkout).items()}
    leaks = test.find(files)
    for leak in leaks:
        print(leak)
    found = f"{len(leaks)} leaks" if leaks else "nothing leaks"
    print(f"{found}: {len(files)} files, {len(test.secrets)} lines that are kept back")
    return 1 if leaks else 0
