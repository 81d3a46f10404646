"""``rlvr-course doctor``: whether this machine can run the course."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
Check Python, packages, notebooks, recorded data, the kernel, disk and network guard, and say for
each what is missing and how to get it. The exit status is 1 only if the course can't run.
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add ``doctor``."""
    parser = subparsers.add_parser(
        "doctor",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(handler=report)


def report(args: argparse.Namespace) -> int:
    """Print one line for each check."""
    from rlvr_course.classroom.doctor import examine

    checks = examine()
    width = max(len(check.name) for check in checks)
    for check in checks:
        print(f"{check.status:<5} {check.name:<{width}}  {check.found}")
    failed = [check.name for check in checks if check.status == "fail"]
    print("ready" if not failed else f"not ready: {', '.join(failed)}")
    return 1 if failed else 0
