"""The command ``rlvr-course``: one lazily imported file for each verb.

Every ``cli/VERB.py`` has ``add_parser(subparsers)``, which sets ``handler``: a function that takes
the parsed arguments and returns the exit status. Those files import the standard library only at
their top and everything else inside the handler, so that ``--help`` answers at once.

Exit status: 0 done, 1 failed (one line on stderr says what and the way on), 2 wrong usage,
130 interrupted.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Callable, Sequence

from rlvr_course.errors import RlvrError

VERBS: dict[str, dict[str, str]] = {
    "for learners": {
        "lab": "open JupyterLab at a notebook",
        "run": "run notebooks from top to bottom without opening them",
        "progress": "see how far you are, and what comes next",
        "submit": "pack a notebook to hand in, and see what would be flagged",
        "train": "train a tiny policy by reward, within seconds",
        "doctor": "check that this machine can run the course",
        "record": "sample completions from a live model, to replay later",
    },
    "for anyone": {
        "audit": "verify the log that a run left",
        "serve": "serve a reward to trainers over HTTP",
        "sandbox": "see which sandboxes this machine has, and attack one",
    },
    "for instructors": {
        "release": "make the bundle for learners, and test that nothing leaks",
        "grade": "grade what a class handed in",
        "site": "make a static site of the notebooks, without solutions",
    },
    "for maintainers": {
        "build": "make the learner notebooks and solutions from their sources",
        "bench": "compare graders of mathematical answers on labelled cases",
    },
}
"""Verb and what it does, grouped by who uses it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    Args:
        argv: the arguments after the program's name; None takes this process's own.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = _parser()
    if not arguments or arguments[0].startswith("-"):
        parser.parse_args(arguments)
        parser.print_help()
        return 0
    _load_verb(parser, arguments[0])
    args = parser.parse_args(arguments)
    return _guarded(lambda: args.handler(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rlvr-course",
        usage="rlvr-course VERB [options]",
        description="Reinforcement learning from verifiable rewards: run and build the course.",
        epilog=_verb_table(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    return parser


def _verb_table() -> str:
    lines = []
    for audience, verbs in VERBS.items():
        lines += [f"{audience}:", *(f"  {verb:<9} {does}" for verb, does in verbs.items()), ""]
    return "\n".join([*lines, "rlvr-course VERB --help says more about one of them."])


def _load_verb(parser: argparse.ArgumentParser, verb: str) -> None:
    """Import the one file that is needed and let it add its parser."""
    known = [name for verbs in VERBS.values() for name in verbs]
    if verb not in known:
        near = difflib.get_close_matches(verb, known, n=1, cutoff=0.5)
        advice = f"did you mean {near[0]!r}?" if near else f"the verbs are {', '.join(known)}"
        parser.error(f"there is no verb {verb!r}; {advice}")
    subparsers = parser.add_subparsers(prog="rlvr-course")
    importlib.import_module(f"rlvr_course.cli.{verb}").add_parser(subparsers)


def _guarded(command: Callable[[], int]) -> int:
    """Turn the failures that can be foreseen into one line and an exit status."""
    try:
        return command()
    except KeyboardInterrupt:
        print("rlvr-course: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone; keep the interpreter from complaining as it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (RlvrError, ValueError, OSError) as error:
        if os.environ.get("RLVR_COURSE_DEBUG"):
            raise
        print(f"rlvr-course: {one_line(error)}", file=sys.stderr)
        return 1


def one_line(error: BaseException) -> str:
    """An error's message on one line, with the file's name where the system gave one.

    >>> one_line(ValueError("first\\n  second"))
    'first second'
    >>> one_line(PermissionError(13, "Permission denied", "artifacts"))
    "Permission denied: 'artifacts'"
    """
    if isinstance(error, OSError) and error.strerror:
        name = f": {error.filename!r}" if error.filename is not None else ""
        return f"{error.strerror}{name}"
    return " ".join(str(error).split()) or type(error).__name__


class _Version(argparse.Action):
    """Look the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"rlvr-course {version('rlvr-course')}")
        parser.exit()
