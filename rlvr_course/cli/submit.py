"""``rlvr-course submit``: pack a notebook for handing in, and say first what would be flagged."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from rlvr_course.classroom.checkout import Checkout
    from rlvr_course.classroom.submit import HandIn

DESCRIPTION = """\
Pack an executed notebook, the audit log of its run and a manifest into one zip to hand in.

First it says what would be flagged: cells out of order, missing outputs, checks that are open or
fail, a log that is missing or does not hold. A flag takes no points off by itself. A notebook
with a key in it is not packed.

examples:
  rlvr-course submit 01            writes artifacts/01_verifiers.zip
  rlvr-course submit 01 --check    says what would be flagged, writes nothing
  rlvr-course submit artifacts/run-20261130-160126/01_verifiers.ipynb

exit status: 0 written (with --check: there is nothing to put right), 1 not
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``submit``."""
    parser = subparsers.add_parser(
        "submit",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("notebook", metavar="NN", help="a notebook's number, or an .ipynb file")
    parser.add_argument("--learner", default="", metavar="NAME", help="written into the manifest")
    parser.add_argument(
        "--out", metavar="PATH", help="a folder, or the .zip (default: artifacts/NN_name.zip)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.set_defaults(handler=submit)


def submit(args: argparse.Namespace) -> int:
    """Say what would be flagged, then write the zip."""
    from pathlib import Path

    from rlvr_course.classroom.checkout import find_checkout
    from rlvr_course.classroom.submit import write
    from rlvr_course.grading.preview import line_of, preview
    from rlvr_course.grading.released import released

    checkout = find_checkout()
    hand_in = _gathered(args, checkout)
    seen = preview(hand_in, released(hand_in.name, checkout.given), checkout.given)
    print(_about(hand_in))
    _list("not finished:", seen.unfinished)
    _list("would be flagged:", seen.flags)
    is_clean = not seen.unfinished and not seen.flags
    if is_clean:
        print("nothing would be flagged")
    if args.check:
        return 0 if is_clean else 1
    if seen.secrets:
        reason = f"not packed: {line_of(seen.secrets[0])}"
        remedy = "take it out, run all cells, save, and submit again"
        print(f"rlvr-course: {reason}; {remedy}", file=sys.stderr)
        return 1
    written = write(hand_in, Path(args.out) if args.out else checkout.root / "artifacts")
    size = f"{written.stat().st_size / 1000:,.0f} kB"
    print(f"wrote {written} ({size}): hand in this file")
    if not is_clean:
        print("or put right what is listed above, and submit again")
    return 0


def _gathered(args: argparse.Namespace, checkout: Checkout) -> HandIn:
    import os

    from rlvr_course.classroom.past_runs import artifact_folders
    from rlvr_course.classroom.submit import gather
    from rlvr_course.grading.preview import name_of

    notebook = _notebook(args.notebook, checkout)
    return gather(
        notebook,
        artifacts=artifact_folders(checkout, os.environ),
        name=name_of(notebook, checkout.given),
        learner=args.learner,
    )


def _notebook(given: str, checkout: Checkout) -> Path:
    from pathlib import Path

    from rlvr_course.classroom.checkout import select
    from rlvr_course.errors import NotebookError

    if given.lower().endswith(".ipynb"):
        if not Path(given).is_file():
            raise NotebookError(f"there is no notebook {given}: give its number, or check the path")
        return Path(given)
    return select(checkout.notebooks, "*.ipynb", [given])[0]


def _about(hand_in: HandIn) -> str:
    run = hand_in.manifest["run_id"]
    of_run = f"run {run}, mode {hand_in.manifest['mode']}" if run else "without a run's log"
    who = hand_in.manifest["learner"]
    return f"{hand_in.name}, {of_run}{f', by {who}' if who else ''}"


def _list(title: str, lines: Sequence[str]) -> None:
    if lines:
        print("\n".join([title, *(f"  {line}" for line in lines)]))
