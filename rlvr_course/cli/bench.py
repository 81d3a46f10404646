"""``rlvr-course bench graders``: how graders of mathematical answers do on labelled cases."""

from __future__ import annotations

import argparse

_DESCRIPTION = """\
Let graders judge labelled answers and count, for each, the right answers that it
missed and the wrong ones that it paid. A miss costs a policy what it had earned; a
wrong pay teaches it to do the same again, so the two are worth counting apart.

Compared are a naive rule, this package's MathVerifier, math-verify, and, where they
are installed, TRL's accuracy_reward (extra train) and Inspect's math scorer (extra
bridges). Each runs in a process of its own with a deadline for each case: one that
hangs, crashes or raises has missed that case, and goes on with the next.
"""

_EXAMPLES = """\
examples:
  rlvr-course bench graders                     the repository's own cases
  rlvr-course bench graders --show              and which ones each got wrong
  rlvr-course bench graders --cases mine.jsonl  yours, one object a line:
    {"gold": "71/6", "completion": "It is \\\\boxed{11 5/6}.", "expected": "equal"}

"expected" is equal, not_equal, or ungraded where the gold itself is unusable. Rows
with "contested": true are left out. The other keys, "id" and "why", are shown by --show.

exit status: 0 the table is printed, 1 the cases can't be read
"""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Register ``bench`` and its one command, ``graders``."""
    noun = subparsers.add_parser("bench", help="compare with what others offer")
    commands = noun.add_subparsers(required=True, metavar="COMMAND")
    parser = commands.add_parser(
        "graders",
        help="how graders of mathematical answers do on labelled cases",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cases", metavar="FILE", help="your labelled cases (JSONL)")
    # Graders with time limits of their own allow up to 15 seconds.
    parser.add_argument(
        "--deadline", type=float, default=20.0, metavar="S", help="seconds for one case (20)"
    )
    parser.add_argument("--show", action="store_true", help="list what each got wrong")
    parser.set_defaults(handler=graders)


def graders(args: argparse.Namespace) -> int:
    """Grade, and print the table."""
    import datetime
    import platform
    from pathlib import Path

    from tqdm import tqdm

    from rlvr_course.classroom.checkout import find_checkout
    from rlvr_course.graders.cases import read_cases
    from rlvr_course.graders.compare import grade_all
    from rlvr_course.graders.peers import GRADERS
    from rlvr_course.graders.table import errors, table

    if args.cases:
        path = Path(args.cases)
    else:
        path = find_checkout().root / "tests" / "cases" / "math_answers.jsonl"
    cases, contested = read_cases(path)
    cards = []
    with tqdm(total=len(cases) * len(GRADERS), unit="case", leave=False, disable=None) as bar:
        for grader in GRADERS:
            bar.set_description(grader.name)
            cards.append(grade_all(grader, cases, deadline_s=args.deadline, progress=bar.update))
    today = datetime.datetime.now(datetime.UTC).date()
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    print(f"{today}, {machine}, {len(cases)} cases ({contested} contested ones left out)\n")
    print(table(cards))
    for card in cards if args.show else ():
        print(f"\n{card.grader.name}", *errors(card), sep="\n")
    return 0
