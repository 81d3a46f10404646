"""``rlvr-course sandbox doctor`` and ``attack``: what holds a model's programs on this machine?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlvr_course.sandbox.tiers import Finding

_DESCRIPTION = """\
Programs that a model wrote run in a sandbox before they are scored. doctor says which
sandboxes this machine has and why not the others; attack tries to break out of one.
"""

_DOCTOR = """\
Open every sandbox that the course knows, one after the other, and say for each whether
it works here, what it holds and what it doesn't, and where it doesn't work what to do.

An automatic tier is believed only after attacks have been tried inside it: reading a
file of yours, reaching the network, starting a process, outliving its time, and more.
sandbox="auto" takes the first of them that works, never one that runs unconfined.
The others are used only if you ask for them by name.
"""

_DOCTOR_EPILOG = """\
examples:
  rlvr-course sandbox doctor
  RLVR_COURSE_SANDBOX_WITHOUT=linux-ns rlvr-course sandbox doctor   as a lesser machine

exit status: 0 an automatic tier works, 1 none does
"""

_ATTACK = """\
Run hostile programs in a sandbox, each against something set up for it to harm, and
say which were contained. The exit status is 1 if one got through that should not.
"""

_WIDTH = 96


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Register ``sandbox`` and its commands, ``doctor`` and ``attack``."""
    noun = subparsers.add_parser(
        "sandbox",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = noun.add_subparsers(required=True, metavar="COMMAND")
    doctor_parser = commands.add_parser(
        "doctor",
        help="which sandboxes does this machine have?",
        description=_DOCTOR,
        epilog=_DOCTOR_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    doctor_parser.set_defaults(handler=doctor)
    attack_parser = commands.add_parser(
        "attack",
        help="what gets out of a sandbox?",
        description=_ATTACK,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    from rlvr_course.sandbox.attacks import command

    command.add_arguments(attack_parser)
    attack_parser.set_defaults(handler=attack)


def attack(args: argparse.Namespace) -> int:
    """Run the battery of attacks."""
    from rlvr_course.sandbox.attacks import command

    return command.run(args)


def doctor(args: argparse.Namespace) -> int:
    """Print what each tier came to, and at the end what ``auto`` takes."""
    import textwrap

    from rlvr_course.sandbox.tiers import TIERS, examine

    chosen = None
    for tier in TIERS:
        finding = examine(tier)
        print(_described(finding), flush=True)
        if chosen is None and tier.automatic and finding.works:
            chosen = finding
    if chosen is None:
        print("auto: none of the automatic tiers works here; the remedies are above")
        return 1
    print(f"auto: takes {chosen.tier.name}, in which these attacks failed:")
    width = max(len(probe.name) for probe in chosen.probes)
    for probe in chosen.probes:
        found = textwrap.shorten(probe.found, _WIDTH - width - 4, placeholder=" ...")
        print(f"  {probe.name:<{width}}  {found}")
    return 0


def _described(finding: Finding) -> str:
    """A tier's name and state on one line, and under it what it holds and lacks."""
    import textwrap

    tier = finding.tier
    started = f"works, starts in {finding.start_ms:.0f} ms" if finding.start_ms else "needs nothing"
    state = "no" if finding.why_not else started
    how = "automatic" if tier.automatic else "only by name"
    untried = "" if tier.tried else "; written for it, but not tried there"
    lines = [f"{tier.name:<18} {state} ({how}{untried})"]
    for label, text in (
        ("why not", finding.why_not),
        ("holds", tier.holds),
        ("lacks", tier.lacks),
    ):
        if text:
            indent = f"  {label:<8}"
            lines += textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=" " * 10)
    return "\n".join(lines)
