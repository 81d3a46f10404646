"""``rlvr-course audit verify``: is a log what its writer wrote?"""

from __future__ import annotations

import argparse

_DESCRIPTION = """\
Check an audit log: every line holds the hash of the line before it, and PATH.head
holds the number of records and the hash of the last one. A changed byte, a line put
in, moved or taken out, and a tail that was cut off are each reported with their line.

Someone who rebuilds every hash can rebuild PATH.head as well. What finds that is an
anchor kept elsewhere: a run prints one, COUNT:HASH. Give it with --anchor.
"""

_EXAMPLES = """\
examples:
  rlvr-course audit verify artifacts/RUN/verifier.jsonl
  rlvr-course audit verify artifacts/RUN/verifier.jsonl --anchor 592:1f0c...

one step by hand (line 2 holds this hash as "prev"):
  sed -n 1p artifacts/RUN/verifier.jsonl | sha256sum

exit status: 0 the log holds, 1 it doesn't or can't be read
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Register ``audit`` and its one command, ``verify``."""
    noun = subparsers.add_parser("audit", help="check a run's audit log")
    commands = noun.add_subparsers(required=True, metavar="COMMAND")
    parser = commands.add_parser(
        "verify",
        help="is this log what its writer wrote?",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", metavar="PATH", help="the log, a .jsonl file")
    parser.add_argument(
        "--anchor", metavar="COUNT:HASH", help="an anchor that was kept apart from the log"
    )
    parser.set_defaults(handler=verify)


def verify(args: argparse.Namespace) -> int:
    """Print one line for each problem and a last line with the outcome."""
    from pathlib import Path

    from tqdm import tqdm

    from rlvr_course.audit import verify_audit

    path = Path(args.path)
    size_bytes = path.stat().st_size if path.is_file() else None
    bar = tqdm(total=size_bytes, unit="B", unit_scale=True, delay=2, leave=False, disable=None)
    with bar:
        report = verify_audit(path, args.anchor, progress=bar.update)
    print(report)
    return 0 if report.ok else 1
