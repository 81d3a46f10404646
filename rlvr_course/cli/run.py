"""``rlvr-course run``: notebooks from top to bottom, without opening them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rlvr_course.classroom.execution import Execution

DESCRIPTION = """\
Execute notebooks, each in a fresh kernel, and write executed copies and index.html.

In fake mode (the default) recorded completions are replayed and recorded training is shown: no
network, no key. With --live the tiny policies are trained instead (extra train; minutes). CPU
seconds are of the kernel and all its processes. A notebook that fails does not stop the rest; the
exit status is then 1.

examples:
  rlvr-course run                  every notebook
  rlvr-course run 01 --mode api    one, with a live model (OPENAI_API_KEY, OPENAI_BASE_URL)
  rlvr-course run 00 --mode local  one, with SmolLM2 in this process (extra local), two minutes
  rlvr-course run --live           every notebook, training where it shows recorded training
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
    parser.add_argument(
        "--live", action="store_true", help="set LIVE where a notebook has it: train, not recall"
    )
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
    from rlvr_course.classroom.run import RunOptions, fresh_folder, run_notebooks

    checkout = find_checkout()
    folder = checkout.solutions if args.solutions else checkout.notebooks
    notebooks = select(folder, "*.ipynb", args.numbers)
    out = Path(args.out) if args.out else fresh_folder(checkout.root / "artifacts")
    executions = run_notebooks(
        notebooks,
        out,
        RunOptions(args.mode, args.live, args.timeout),
        jobs=args.jobs,
        report=partial(say, alone=args.jobs == 1),
    )
    for guard in sorted({execution.guard for execution in executions}):
        print(f"network: {GUARDS[guard]}")
    if len(executions) > 1:
        print(_total(executions))
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
        end = f"{_times(execution)} {_status(execution)}\n" if execution is not None else ""
        print(begin + end, end="", flush=True)


def _times(execution: Execution) -> str:
    cpu_s = execution.cpu_seconds
    return f"{execution.seconds:.1f} s" + ("" if cpu_s is None else f" (CPU {cpu_s:.1f} s)")


def _total(executions: Sequence[Execution]) -> str:
    known = [one.cpu_seconds for one in executions if one.cpu_seconds is not None]
    return f"CPU: {sum(known):.0f} s in {len(known)} of {len(executions)} notebooks"


def _status(execution: Execution) -> str:
    return "ok" if execution.ok else f"failed\n  {execution.failure}"
