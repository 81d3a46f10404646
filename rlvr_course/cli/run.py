"""``rlvr-course run``: notebooks from top to bottom, without opening them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from rlvr_course.classroom.execution import Execution

DESCRIPTION = """\
Execute notebooks, each in a fresh kernel, and write executed copies and index.html.

In fake mode (the default) recorded completions are replayed: no network, no key. A notebook that
fails does not stop the rest; the exit status is then 1.

examples:
  rlvr-course run                  every notebook
  rlvr-course run 01 --mode api    one, with a live model (OPENAI_API_KEY, OPENAI_BASE_URL)
  rlvr-course run --solutions --jobs 2
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``run``."""
    parser = subparsers.add_parser(
        "run",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("numbers", nargs="*", metavar="NN", help="which notebooks (default: all)")
    parser.add_argument("--mode", default="fake", help="fake, local or api (default: fake)")
    parser.add_argument("--solutions", action="store_true", help="run the solutions instead")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many at a time (1)")
    parser.add_argument("--out", metavar="DIR", help="where to write (default: artifacts/run-TIME)")
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="S", help="seconds a notebook (300)"
    )
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Run the notebooks, say how each went, write the pages."""
    from functools import partial
    from pathlib import Path

    from rlvr_course.classroom.checkout import find_checkout, select
    from rlvr_course.classroom.index import GUARDS, write_pages
    from rlvr_course.classroom.run import fresh_folder, run_notebooks

    checkout = find_checkout()
    folder = checkout.solutions if args.solutions else checkout.notebooks
    notebooks = select(folder, "*.ipynb", args.numbers)
    out = Path(args.out) if args.out else fresh_folder(checkout.root / "artifacts")
    executions = run_notebooks(
        notebooks,
        out,
        mode=args.mode,
        jobs=args.jobs,
        timeout_s=args.timeout,
        report=partial(say, alone=args.jobs == 1),
    )
    for guard in sorted({execution.guard for execution in executions}):
        print(f"network: {GUARDS[guard]}")
    print(f"open {write_pages(out, executions, mode=args.mode)}")
    failed = [execution.name for execution in executions if not execution.ok]
    if failed:
        print(f"{len(failed)} of {len(executions)} failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def say(notebook: Path, execution: Execution | None, *, alone: bool) -> None:
    """A line for each notebook, and one more for what went wrong.

    ``alone`` says that no other runs at the same time: then the line is begun with the run.
    """
    if alone or execution is not None:
        begin = "" if alone and execution is not None else f"{notebook.stem} … "
        end = f"{execution.seconds:.1f} s {_status(execution)}\n" if execution is not None else ""
        print(begin + end, end="", flush=True)


def _status(execution: Execution) -> str:
    return "ok" if execution.ok else f"failed\n  {execution.failure}"
